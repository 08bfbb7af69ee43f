//! States put together into nodes.

use super::strong::Components;
use crate::problem::{Problem, State};

/// What `Partition::node_of` has for states that are in no node and not the goal.
pub const NOWHERE: u32 = u32::MAX;

/// A partition of some states, the goal apart, into nodes.
pub struct Partition {
    first: Vec<u32>,
    members: Vec<u32>,
    /// The node of each state; the number of nodes for the goal, [`NOWHERE`] for other states that
    /// are in none.
    pub(crate) node_of: Vec<u32>,
}

impl Partition {
    /// The chosen states, in the order given, those of one class together; `None`: every state on
    /// its own.
    pub fn new(problem: &Problem, order: impl Iterator<Item = State>, class: Option<&[u32]>) -> Partition {
        let mut node_of = vec![NOWHERE; problem.states()];
        let (mut first, mut members) = (vec![0], Vec::with_capacity(problem.states()));
        match class {
            None => {
                for s in order {
                    node_of[s] = first.len() as u32 - 1;
                    members.push(s as u32);
                    first.push(members.len() as u32);
                }
            }
            Some(class) => {
                let mut node_of_class = vec![NOWHERE; problem.states()];
                let mut sizes = vec![];
                let mut listed = vec![];
                for s in order {
                    let node = &mut node_of_class[class[s] as usize];
                    if *node == NOWHERE {
                        *node = sizes.len() as u32;
                        sizes.push(0);
                    }
                    sizes[*node as usize] += 1;
                    node_of[s] = *node;
                    listed.push(s as u32);
                }
                for size in sizes {
                    first.push(first[first.len() - 1] + size);
                }
                members.resize(listed.len(), 0);
                let mut at = first.clone();
                for s in listed {
                    let at = &mut at[node_of[s as usize] as usize];
                    members[*at as usize] = s;
                    *at += 1;
                }
            }
        }
        node_of[problem.goal()] = first.len() as u32 - 1;
        Partition { first, members, node_of }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.first.len() - 1
    }

    /// The states of a node, in the order given.
    pub fn members(&self, node: usize) -> impl Iterator<Item = State> + '_ {
        let range = self.first[node] as usize..self.first[node + 1] as usize;
        self.members[range].iter().map(|&s| s as State)
    }
}

/// The ends of the strongly connected components among the nodes of a partition in the components'
/// order.
pub fn blocks(components: &Components, partition: &Partition) -> Vec<u32> {
    let class_of = |node: usize| partition.members(node).next().map(|s| components.class[s]);
    let mut ends = Vec::new();
    for node in 1..partition.nodes() {
        if class_of(node) != class_of(node - 1) {
            ends.push(node as u32);
        }
    }
    if partition.nodes() > 0 {
        ends.push(partition.nodes() as u32);
    }
    ends
}
