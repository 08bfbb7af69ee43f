//! Places of a map that play no part: holes in ice, rooms behind walls.

use goalward::Problem;
use goalward::problem::{State, Truth};

/// The states that no policy enters from the start, or from which none reaches the goal.
pub(super) fn holes(problem: &Problem, truth: Option<&Truth>) -> Vec<bool> {
    let mut onward = vec![Vec::new(); problem.states()];
    let mut back = vec![Vec::new(); problem.states()];
    for s in 0..problem.states() {
        for pair in problem.pairs_of(s) {
            for (i, &next) in problem.successors(pair).iter().enumerate() {
                if truth.is_none_or(|truth| truth.row(problem, pair)[i] > 0.0) {
                    onward[s].push(next as State);
                    back[next as usize].push(s);
                }
            }
        }
    }
    let (met, hopeful) = (closed(&onward, problem.start()), closed(&back, problem.goal()));
    (0..problem.states()).map(|s| !(met[s] && hopeful[s])).collect()
}

/// What can be reached over the arcs.
fn closed(arcs: &[Vec<State>], first: State) -> Vec<bool> {
    let mut seen = vec![false; arcs.len()];
    seen[first] = true;
    let mut queue = vec![first];
    while let Some(s) = queue.pop() {
        for &next in &arcs[s] {
            if !seen[next] {
                seen[next] = true;
                queue.push(next);
            }
        }
    }
    seen
}
