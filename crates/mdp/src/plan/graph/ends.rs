//! End components: where one can stay for ever.

use super::possible;
use super::strong::{Components, strong_components};
use crate::problem::{Problem, Truth};

/// The maximal end components of the allowed pairs. States in none are on their own. On return
/// `allowed` has the pairs that stay in their component.
pub(crate) fn end_components(problem: &Problem, truth: &Truth, allowed: &mut [bool]) -> Vec<u32> {
    let strong = strong_components(problem, truth, allowed);
    end_components_within(problem, truth, &strong, allowed)
}

/// The same where the strongly connected components of these pairs are known.
pub fn end_components_within(
    problem: &Problem,
    truth: &Truth,
    strong: &Components,
    allowed: &mut [bool],
) -> Vec<u32> {
    let (mut class, mut count) = (strong.class.clone(), strong.count);
    loop {
        let (mut changed, mut left) = (false, false);
        for s in 0..problem.states() {
            for p in problem.pairs_of(s) {
                if allowed[p] {
                    allowed[p] = possible(problem, truth, p).all(|(next, _)| class[next] == class[s]);
                    changed |= !allowed[p];
                    left |= allowed[p];
                }
            }
        }
        if !changed || count == class.len() {
            return class;
        }
        if !left {
            // every state is on its own
            return (0..problem.states() as u32).collect();
        }
        Components { class, count, .. } = strong_components(problem, truth, allowed);
    }
}

/// Classes that make each maximal end component of free usable pairs one node, and the pairs that
/// stay in theirs: its states have the same V*, and looping for free is no policy. `None` if none
/// is free.
pub fn free_components(problem: &Problem, truth: &Truth, usable: &[bool]) -> Option<(Vec<u32>, Vec<bool>)> {
    let mut free: Vec<bool> =
        usable.iter().zip(problem.costs()).map(|(usable, cost)| *usable && *cost == 0.0).collect();
    if !free.iter().any(|&f| f) {
        return None;
    }
    let class = end_components(problem, truth, &mut free);
    Some((class, free))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::solve::tests::{Row, problem};

    fn found(rows: &[Row]) -> (Vec<u32>, Vec<bool>) {
        let (problem, truth) = problem(5, rows);
        let mut allowed = vec![true; problem.pairs()];
        let class = end_components(&problem, &truth, &mut allowed);
        (class, allowed)
    }

    #[test]
    fn where_one_can_stay_is_one_component() {
        // 0 and 1 pass to and fro; 2 and 3 do, but 3 may fall out
        let rows: &[Row] = &[
            (0, 1.0, &[(1, 1.0)]),
            (1, 1.0, &[(0, 1.0)]),
            (1, 1.0, &[(2, 1.0)]),
            (2, 1.0, &[(3, 1.0)]),
            (3, 1.0, &[(2, 0.5), (4, 0.5)]),
        ];
        let (class, allowed) = found(rows);
        assert_eq!(allowed, [true, true, false, false, false]);
        assert_eq!(class[0], class[1]);
        let mut others = vec![class[0], class[2], class[3], class[4]];
        others.sort_unstable();
        others.dedup();
        assert_eq!(others.len(), 4);
    }

    #[test]
    fn where_nothing_stays_every_state_is_on_its_own() {
        let rows: &[Row] = &[
            (0, 1.0, &[(1, 0.5), (2, 0.5)]),
            (1, 1.0, &[(0, 0.5), (2, 0.5)]),
            (2, 1.0, &[(3, 0.5), (4, 0.5)]),
            (3, 1.0, &[(2, 0.5), (4, 0.5)]),
        ];
        let (mut class, allowed) = found(rows);
        assert_eq!(allowed, [false; 4]);
        class.sort_unstable();
        class.dedup();
        assert_eq!(class.len(), 5);
    }
}
