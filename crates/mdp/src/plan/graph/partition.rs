//! States put together into nodes.

use super::strong::Components;
use crate::numeric::Grouped;
use crate::problem::{Problem, State};

/// In `Partition::node_of`: a state that is in no node and not the goal.
pub const NOWHERE: u32 = u32::MAX;

/// A partition of some states, the goal apart, into nodes.
pub struct Partition {
    members: Grouped<u32>,
    /// The node of each state; the number of nodes for the goal, else [`NOWHERE`].
    pub(crate) node_of: Vec<u32>,
}

impl Partition {
    /// The given states, those of one class together; `None`: every state on its own.
    pub fn new(problem: &Problem, order: impl Iterator<Item = State>, class: Option<&[u32]>) -> Partition {
        let listed: Vec<u32> = order.map(|s| s as u32).collect();
        let (mut node_of, mut nodes) = (vec![NOWHERE; problem.states()], 0);
        let mut node_of_class = class.map_or_else(Vec::new, |_| node_of.clone());
        for &s in &listed {
            let mut alone = NOWHERE;
            let node = class.map_or(&mut alone, |class| &mut node_of_class[class[s as usize] as usize]);
            if *node == NOWHERE {
                *node = nodes;
                nodes += 1;
            }
            node_of[s as usize] = *node;
        }
        let members = || listed.iter().map(|&s| (node_of[s as usize] as usize, s));
        let members = Grouped::new(nodes as usize, members);
        node_of[problem.goal()] = nodes;
        Partition { members, node_of }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.members.len()
    }

    /// The states of a node, in the order given.
    pub fn members(&self, node: usize) -> impl Iterator<Item = State> + '_ {
        self.members.of(node).iter().map(|&s| s as State)
    }
}

/// The ends of the strongly connected blocks among the nodes, in the components' order.
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
