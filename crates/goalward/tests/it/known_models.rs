//! Models in others' formats, made here, whose answers are known: a protocol of Storm's benchmarks,
//! and two of Gymnasium's tables.

use std::collections::BTreeMap;
use std::fmt::Write;

/// Two processes that share a counter until they agree on a coin (Aspnes and Herlihy, 1990), as
/// PRISM's model `consensus` has it; the least expected number of steps is 48 for K = 2.
pub(crate) fn consensus(k: i32) -> String {
    // counter, then pc and coin of each process
    type State = (i32, [(u8, u8); 2]);
    let range = 4 * (k + 1);
    let moves = |(counter, processes): State, i: usize| -> Vec<State> {
        let to = |counter, process| {
            let mut all = processes;
            all[i] = process;
            (counter, all)
        };
        match processes[i] {
            (0, _) => vec![to(counter, (1, 0)), to(counter, (1, 1))],
            (1, coin) => vec![to(counter + 2 * i32::from(coin) - 1, (2, 0))],
            (2, _) if counter <= 2 => vec![to(counter, (3, 0))],
            (2, _) if counter >= range - 2 => vec![to(counter, (3, 1))],
            (2, coin) => vec![to(counter, (0, coin))],
            _ => vec![],
        }
    };
    let mut states: Vec<State> = vec![(range / 2, [(0, 0); 2])];
    let mut numbers = BTreeMap::from([(states[0], 0)]);
    let (mut text, mut at) = (String::new(), 0);
    while let Some(&state) = states.get(at) {
        let choices: Vec<_> = (0..2).map(|i| moves(state, i)).filter(|to| !to.is_empty()).collect();
        let label = if at == 0 { " init" } else { "" };
        let (cost, label) = if choices.is_empty() { (0, " finished") } else { (1, label) };
        writeln!(text, "state {at} [{cost}]{label}").unwrap();
        let loops = vec![vec![state]];
        let choices = if choices.is_empty() { loops } else { choices };
        for (name, outcomes) in choices.iter().enumerate() {
            writeln!(text, "\taction {name} [0]").unwrap();
            for to in outcomes {
                let number = *numbers.entry(*to).or_insert_with(|| {
                    states.push(*to);
                    states.len() - 1
                });
                writeln!(text, "\t\t{number} : {}", 1.0 / outcomes.len() as f64).unwrap();
            }
        }
        at += 1;
    }
    format!("@type: MDP\n@reward_models\nsteps\n@nr_states\n{at}\n@model\n{text}")
}

/// The outcomes of a move: probability, next state, reward, whether it terminates.
type Outcomes = Vec<(f64, usize, f64, bool)>;

/// A table as Gymnasium gives it, over a grid in which moves off the edge stay; left, down, right,
/// up, as Gymnasium counts them.
fn table(
    rows: usize,
    columns: usize,
    start: usize,
    outcomes: impl Fn(usize, [usize; 4], usize) -> Outcomes,
) -> String {
    let cells = rows * columns;
    let mut lines = Vec::new();
    for s in 0..cells {
        let (row, column) = (s / columns, s % columns);
        let steps = [
            s - usize::from(column > 0),
            s + if row + 1 < rows { columns } else { 0 },
            s + usize::from(column + 1 < columns),
            s - if row > 0 { columns } else { 0 },
        ];
        for a in 0..4 {
            for (p, next, reward, ends) in outcomes(s, steps, a) {
                lines.push(format!("[{s},{a},{p:?},{next},{reward:?},{ends}]"));
            }
        }
    }
    let initial: Vec<f64> = (0..cells).map(|s| f64::from(u8::from(s == start))).collect();
    format!(
        r#"{{"n_states": {cells}, "n_actions": 4, "initial_distribution": {initial:?}, "columns":
        ["state", "action", "prob", "next_state", "reward", "terminated"], "transitions": [{}]}}"#,
        lines.join(",\n")
    )
}

/// CliffWalking: from its start the goal is 13 steps away.
pub(crate) fn cliff() -> String {
    table(4, 12, 36, |_, steps, a| {
        let next = steps[a];
        let fell = (37..47).contains(&next);
        vec![(1.0, if fell { 36 } else { next }, if fell { -100.0 } else { -1.0 }, next == 47)]
    })
}

/// FrozenLake on the small map, slippery: with holes that are never left the goal is reached with
/// probability 14/17 at best; with holes that lead back to the start it takes 612/11 steps.
pub(crate) fn lake() -> String {
    const MAP: &[u8; 16] = b"SFFFFHFHFFFHHFFG";
    let ends = |s: usize| matches!(MAP[s], b'H' | b'G');
    table(4, 4, 0, |s, steps, a| {
        if ends(s) {
            return vec![(1.0, s, 0.0, true)];
        }
        let slips = [(a + 3) % 4, a, (a + 1) % 4].map(|way| steps[way]);
        let outcome = |next: usize| (1.0 / 3.0, next, f64::from(u8::from(MAP[next] == b'G')), ends(next));
        slips.map(outcome).to_vec()
    })
}
