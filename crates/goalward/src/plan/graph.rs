//! What the graph of a known model alone decides: which states are lost, and where one can loop for free.

use super::components::{Components, end_components};
use crate::problem::{Pair, Problem, State, Truth};

/// The successors that have positive probability.
pub(crate) fn possible<'a>(
    problem: &'a Problem,
    truth: &'a Truth,
    p: Pair,
) -> impl Iterator<Item = (State, f64)> + 'a {
    let weights = truth.row(problem, p).iter();
    problem.successors(p).iter().zip(weights).filter(|(_, w)| **w > 0.0).map(|(&next, &w)| (next as State, w))
}

/// The arcs backwards: which pairs may lead to a state. The goal's own pairs are left out.
pub(crate) struct Backwards {
    first: Vec<usize>,
    pairs: Vec<u32>,
    /// The state of each pair.
    pub(crate) home: Vec<u32>,
}

impl Backwards {
    pub(crate) fn new(problem: &Problem, truth: &Truth) -> Backwards {
        let (states, goal) = (problem.states(), problem.goal());
        let mut home = vec![goal as u32; problem.pairs()];
        // counted one place too high, so that filling in moves each entry to its place
        let mut first = vec![0usize; states + 2];
        for s in (0..states).filter(|&s| s != goal) {
            for p in problem.pairs_of(s) {
                home[p] = s as u32;
                possible(problem, truth, p).for_each(|(next, _)| first[next + 2] += 1);
            }
        }
        for s in 2..states + 2 {
            first[s] += first[s - 1];
        }
        let mut pairs = vec![0u32; first[states + 1]];
        for s in (0..states).filter(|&s| s != goal) {
            for p in problem.pairs_of(s) {
                for (next, _) in possible(problem, truth, p) {
                    pairs[first[next + 1]] = p as u32;
                    first[next + 1] += 1;
                }
            }
        }
        first.pop();
        Backwards { first, pairs, home }
    }

    /// The pairs that may lead to a state.
    pub(crate) fn into(&self, s: State) -> impl Iterator<Item = Pair> + '_ {
        self.pairs[self.first[s]..self.first[s + 1]].iter().map(|&p| p as Pair)
    }

    /// The states that have a path of usable pairs to a marked state, the marked ones included.
    pub(crate) fn closure(&self, mut marked: Vec<bool>, usable: impl Fn(Pair) -> bool) -> Vec<bool> {
        let mut queue: Vec<u32> = (0..marked.len() as u32).filter(|&s| marked[s as usize]).collect();
        while let Some(next) = queue.pop() {
            for p in self.into(next as State) {
                let s = self.home[p];
                if !marked[s as usize] && usable(p) {
                    marked[s as usize] = true;
                    queue.push(s);
                }
            }
        }
        marked
    }
}

/// The states from which some policy reaches the goal with probability one, and what such policies may use.
pub(crate) struct Region {
    /// Per state: does some policy reach the goal from here with probability one?
    pub(crate) inside: Vec<bool>,
    /// Per pair: it starts and surely stays inside. Proper policies use no other pair; false at the goal.
    pub(crate) usable: Vec<bool>,
    /// Per state: can the goal be reached at all, with any probability?
    pub(crate) hopeful: Vec<bool>,
}

impl Region {
    /// Almost-sure reachability, the nested fixpoint: the largest X such that from all of X the goal can be reached
    /// with positive probability by pairs that surely stay in X.
    pub(crate) fn new(problem: &Problem, back: &Backwards) -> Region {
        let (states, goal) = (problem.states(), problem.goal());
        let mut usable = vec![true; problem.pairs()];
        problem.pairs_of(goal).for_each(|p| usable[p] = false);
        let mut ways: Vec<u32> = (0..states).map(|s| problem.actions(s) as u32).collect();
        let mut inside = vec![true; states];
        let mut hopeful = None;
        loop {
            let mut is_goal = vec![false; states];
            is_goal[goal] = true;
            let reaches = back.closure(is_goal, |p| usable[p]);
            let mut fallen: Vec<u32> =
                (0..states as u32).filter(|&s| inside[s as usize] && !reaches[s as usize]).collect();
            hopeful.get_or_insert(reaches);
            if fallen.is_empty() {
                break;
            }
            fallen.iter().for_each(|&s| inside[s as usize] = false);
            // whatever may lead outside is of no use, nor is a state that has nothing else
            while let Some(s) = fallen.pop() {
                problem.pairs_of(s as State).for_each(|p| usable[p] = false);
                for p in back.into(s as State) {
                    let from = back.home[p] as usize;
                    if inside[from] && std::mem::replace(&mut usable[p], false) {
                        ways[from] -= 1;
                        if ways[from] == 0 {
                            inside[from] = false;
                            fallen.push(from as u32);
                        }
                    }
                }
            }
        }
        Region { inside, usable, hopeful: hopeful.unwrap_or_default() }
    }
}

/// The states that can be reached from the start, by any actions.
pub(crate) fn ahead(problem: &Problem, truth: &Truth) -> Vec<bool> {
    let mut seen = vec![false; problem.states()];
    seen[problem.start()] = true;
    let mut queue = vec![problem.start()];
    while let Some(s) = queue.pop() {
        for (next, _) in problem.pairs_of(s).flat_map(|p| possible(problem, truth, p)) {
            if !seen[next] {
                seen[next] = true;
                queue.push(next);
            }
        }
    }
    seen
}

/// The states from which some policy misses the goal with positive probability: those that may lead, by some actions,
/// to a set in which one can stay for ever without it.
pub(crate) fn avoidable(problem: &Problem, back: &Backwards) -> Vec<bool> {
    let (states, goal) = (problem.states(), problem.goal());
    // forced: the goal comes with positive probability whatever one does, the least fixpoint
    let mut forced = vec![false; states];
    forced[goal] = true;
    let mut ways: Vec<u32> = (0..states).map(|s| problem.actions(s) as u32).collect();
    let mut hit = vec![false; problem.pairs()];
    let mut queue = vec![goal];
    while let Some(next) = queue.pop() {
        for p in back.into(next) {
            let s = back.home[p] as usize;
            if !std::mem::replace(&mut hit[p], true) {
                ways[s] -= 1;
                if ways[s] == 0 {
                    forced[s] = true;
                    queue.push(s);
                }
            }
        }
    }
    back.closure(forced.into_iter().map(|f| !f).collect(), |_| true)
}

/// The class of each state when every maximal end component of usable pairs that cost nothing is one. Its states have the
/// same V*, since any of them reaches any other surely and for free; and once it is one node, looping for free forever is
/// no longer a policy. `None` if nothing is free.
pub(crate) fn free_components(problem: &Problem, truth: &Truth, usable: &[bool]) -> Option<EndComponents> {
    let mut free: Vec<bool> =
        usable.iter().zip(problem.costs()).map(|(usable, cost)| *usable && *cost == 0.0).collect();
    if !free.iter().any(|&f| f) {
        return None;
    }
    let class = end_components(problem, truth, &mut free);
    Some(EndComponents { class, inner: free })
}

/// Maximal end components.
pub(crate) struct EndComponents {
    /// The component of each state; a state that is in none is on its own.
    pub(crate) class: Vec<u32>,
    /// Per pair: does it surely stay in its component?
    pub(crate) inner: Vec<bool>,
}

/// What [`Partition::node_of`] has for states that are in no node and not the goal.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// A partition of some states, the goal apart, into nodes.
pub(crate) struct Partition {
    first: Vec<u32>,
    members: Vec<u32>,
    /// The node of each state; the number of nodes for the goal, [`NOWHERE`] for other states that are in none.
    pub(crate) node_of: Vec<u32>,
}

impl Partition {
    /// The chosen states, in the order given, those of one class together; `None`: every state on its own.
    pub(crate) fn new(
        problem: &Problem,
        order: impl Iterator<Item = State>,
        class: Option<&[u32]>,
    ) -> Partition {
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
    pub(crate) fn nodes(&self) -> usize {
        self.first.len() - 1
    }

    /// The states of a node, in the order given.
    pub(crate) fn members(&self, node: usize) -> impl Iterator<Item = State> + '_ {
        let range = self.first[node] as usize..self.first[node + 1] as usize;
        self.members[range].iter().map(|&s| s as State)
    }
}

/// The ends of the strongly connected components among the nodes of a partition in the components' order.
pub(crate) fn blocks(components: &Components, partition: &Partition) -> Vec<u32> {
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
