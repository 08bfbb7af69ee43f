//! Which states have a path to the goal.

use super::State;

/// The states from which arcs lead to the goal. `arcs` hands out the same arcs (from, to) every
/// time; what is held beside them are four bytes for each.
pub(super) fn leads_to<I>(states: usize, goal: State, arcs: impl Fn() -> I) -> Vec<bool>
where
    I: Iterator<Item = (u32, u32)>,
{
    // arcs by their ends: those of state s lie in first[s]..first[s + 1]
    let mut first = vec![0usize; states + 1];
    arcs().for_each(|(_, to)| first[to as usize] += 1);
    let mut sum = 0;
    for count in &mut first {
        sum += *count;
        *count = sum;
    }
    let mut from = vec![0u32; sum];
    arcs().for_each(|(s, to)| {
        first[to as usize] -= 1;
        from[first[to as usize]] = s;
    });
    let mut leads = vec![false; states];
    leads[goal] = true;
    let mut queue = vec![goal];
    while let Some(s) = queue.pop() {
        for &before in &from[first[s]..first[s + 1]] {
            if !std::mem::replace(&mut leads[before as State], true) {
                queue.push(before as State);
            }
        }
    }
    leads
}
