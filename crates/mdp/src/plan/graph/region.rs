//! From where the goal can be reached surely, and from where it can be missed.

use super::backwards::Backwards;
use crate::problem::{Problem, State};

/// The states with a proper policy, and the pairs that such policies may use.
pub struct Region {
    /// Per state: does some policy reach the goal from here with probability one?
    pub inside: Vec<bool>,
    /// Per pair: it starts and surely stays inside; false at the goal.
    pub usable: Vec<bool>,
    /// Per state: can the goal be reached at all, with any probability?
    pub(crate) hopeful: Vec<bool>,
}

impl Region {
    /// Almost-sure reachability, the nested fixpoint: the largest X such that from all of X the
    /// goal can be reached with positive probability by pairs that surely stay in X.
    pub fn new(problem: &Problem, back: &Backwards) -> Region {
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
            // pairs that may lead outside are not usable, and states without others fall, too
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

/// The states from which some policy misses the goal with positive probability.
pub fn avoidable(problem: &Problem, back: &Backwards) -> Vec<bool> {
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
