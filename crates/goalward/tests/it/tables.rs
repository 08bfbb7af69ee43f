//! Gymnasium tables: what a table means must not depend on how it is spelt, nor on the way in which
//! its start is said.

use super::model_files::{Folder, settings};
use goalward::check::check;
use goalward::files::json;
use goalward::plan::{Objective, Options, solve};
use goalward::problem::Instance;
use goalward::{Error, Result, worlds};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;

/// state, action, probability, next state, reward, whether the run ends
type Row = (usize, usize, f64, usize, f64, bool);

fn open(text: &str, options: &str) -> Result<Instance> {
    let folder = Folder::new();
    worlds::open(&folder.put("table.json", text), &settings(options))
}

/// The full form.
fn full(rows: &[Row], states: usize, initial: &[f64]) -> String {
    let mut text = format!(
        r#"{{"n_states": {states}, "n_actions": 9, "initial_distribution": {initial:?},
        "columns": ["state", "action", "prob", "next_state", "reward", "terminated"], "transitions": ["#
    );
    let rows: Vec<String> =
        rows.iter().map(|(s, a, p, next, r, end)| format!("[{s},{a},{p:?},{next},{r:?},{end}]")).collect();
    text.push_str(&rows.join(",\n"));
    text + "]}"
}

/// What `json.dump(env.P)` writes, with the keys in the order of their first rows.
fn nested(rows: &[Row], more: &str) -> String {
    let mut states: Vec<usize> = Vec::new();
    let mut outcomes: BTreeMap<usize, Vec<(usize, Vec<String>)>> = BTreeMap::new();
    for (s, a, p, next, r, end) in rows {
        if !states.contains(s) {
            states.push(*s);
        }
        let actions = outcomes.entry(*s).or_default();
        if !actions.iter().any(|(other, _)| other == a) {
            actions.push((*a, Vec::new()));
        }
        let (_, list) = actions.iter_mut().find(|(other, _)| other == a).unwrap();
        list.push(format!("[{p:?},{next},{r:?},{end}]"));
    }
    let mut text = String::from("{");
    for (i, s) in states.iter().enumerate() {
        let actions: Vec<String> =
            outcomes[s].iter().map(|(a, list)| format!("\"{a}\": [{}]", list.join(","))).collect();
        let comma = if i == 0 { "" } else { ",\n" };
        write!(text, "{comma}\"{s}\": {{{}}}", actions.join(", ")).unwrap();
    }
    text + more + "}"
}

fn start_at(s: usize, states: usize) -> Vec<f64> {
    (0..states).map(|i| if i == s { 1.0 } else { 0.0 }).collect()
}

/// The issue's example: a terminating transition leads to the start itself.
#[test]
fn roles_are_told_after_the_start() {
    let rows = [
        (0, 0, 1.0, 1, -1.0, false),
        (1, 0, 0.5, 2, -1.0, true),
        (1, 0, 0.5, 0, -2.0, true),
        (2, 0, 1.0, 2, 0.0, true),
    ];
    for (text, options) in [
        (nested(&rows, ""), "start=0"),
        (nested(&rows, r#", "initial_distribution": [1, 0, 0]"#), ""),
        (full(&rows, 3, &[1.0, 0.0, 0.0]), ""),
        (full(&rows, 3, &[1.0, 0.0, 0.0]), "start=all"),
        (full(&rows, 3, &[0.0, 1.0, 0.0]), "start=0"),
        (full(&rows, 3, &[0.0, 0.5, 0.5]), "start=0"),
    ] {
        let world = open(&text, options).unwrap();
        let reach =
            solve(&world.problem, world.truth().unwrap(), &Options::fast(Objective::Reach, 1e-9).bare())
                .unwrap();
        assert!((reach.v[world.problem.start()] - 0.5).abs() < 1e-9, "{options}: {:?}", reach.v);
    }
    // from 1 state 0 is nothing but a place where runs end
    let world = open(&nested(&rows, ""), "start=1").unwrap();
    assert_eq!(world.problem.states(), 3);
}

/// A row that is wrong is named whatever its state turns out to be: played, terminal, or never
/// reached.
#[test]
fn no_role_hides_a_bad_row() {
    let rows = [
        (0, 0, 1.0, 1, -1.0, false),
        (1, 0, 1.0, 2, -1.0, true),
        (2, 0, 1.0, 2, 0.0, true),
        (3, 0, 1.0, 3, 0.0, false),
    ];
    for at in 0..rows.len() {
        for bad in [0.7, -1.0, 1.5] {
            let mut rows = rows;
            rows[at].2 = bad;
            let state = rows[at].0.to_string();
            for (text, options) in [
                (nested(&rows, ""), "start=0"),
                (nested(&rows, ""), "start=2"),
                (full(&rows, 4, &start_at(0, 4)), ""),
                (full(&rows, 4, &start_at(2, 4)), ""),
            ] {
                let Err(Error::AtLine { source, .. }) = open(&text, options) else {
                    panic!("{bad} in state {state} was not named: {text}")
                };
                let named = match &*source {
                    Error::RowSum { state, .. } | Error::Probability { state, .. } => state,
                    other => panic!("{other}"),
                };
                assert_eq!(*named, state);
                let folder = Folder::new();
                let report = check(&folder.put("table.json", &text), &settings(options)).unwrap();
                assert!(
                    report.findings.iter().any(|f| f.note.state.as_deref() == Some(&state)),
                    "{report:?}"
                );
            }
        }
    }
    // a reward that no sum can hold, where nothing is ever played
    let mut rows = rows;
    rows[2].4 = 1e101;
    let error = open(&nested(&rows, ""), "start=0").unwrap_err().to_string();
    assert!(error.contains("state 2, action 0: the reward is"), "{error}");
}

/// A state's rows, or an action's, given twice: JSON readers differ in which they take.
#[test]
fn keys_stand_once_and_in_any_order() {
    let row = "[[1.0, 1, -1.0, true]]";
    for (text, part) in [
        (format!(r#"{{"0": {{"0": {row}}}, "0": {{"1": {row}}}}}"#), "duplicate field `0`"),
        (format!(r#"{{"0": {{"0": {row}}}, "00": {{"1": {row}}}}}"#), "duplicate field `00`"),
        (format!(r#"{{"0": {{"1": {row}, "1": {row}}}}}"#), "duplicate field `1`"),
        (format!(r#"{{"0": {{"0": {row}}}, "transitions": []}}"#), "a second time"),
        (format!(r#"{{"transitions": [], "0": {{"0": {row}}}}}"#), "a second time"),
    ] {
        let error = open(&text, "start=0").unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
    // a count may stand before or after what it counts
    for text in [
        format!(r#"{{"n_states": 2, "0": {{"0": {row}}}}}"#),
        format!(r#"{{"0": {{"0": {row}}}, "n_states": 2}}"#),
    ] {
        assert_eq!(open(&text, "start=0").unwrap().problem.states(), 2);
    }
}

/// Taxi in small: a step pays -1, a wrong drop-off -10, the right one 20.
#[test]
fn positive_rewards_are_said_and_can_be_counted() {
    let rows = [
        (0, 0, 1.0, 1, -1.0, false),
        (0, 1, 1.0, 0, -10.0, false),
        (1, 0, 1.0, 2, 20.0, true),
        (1, 1, 0.5, 2, 20.0, true),
        (1, 1, 0.5, 1, -10.0, false),
        (2, 0, 1.0, 2, 0.0, true),
    ];
    let text = full(&rows, 3, &start_at(0, 3));
    let world = open(&text, "").unwrap();
    assert_eq!(world.notes.len(), 1, "{:?}", world.notes);
    let note = &world.notes[0];
    assert_eq!((note.kind, note.value), ("rewards", Some(20.0)));
    assert!(note.message.contains("every step costs 1"), "{}", note.message);
    assert!(note.hint.as_ref().unwrap().contains("--cost shortfall"));
    assert_eq!(world.problem.costs(), [1.0; 4]);
    // what the rewards fall short of 20
    let short = open(&text, "cost=shortfall").unwrap();
    assert!(short.notes.is_empty());
    assert_eq!(short.problem.costs(), [1.0, 10.0, 0.0, 5.0]);
    // minus the reward is a cost only where that is not negative
    let error = open(&text, "cost=reward").unwrap_err().to_string();
    assert!(error.contains("cost is -20"), "{error}");
    assert!(open(&text, "cost=1").unwrap().notes.is_empty());
    // a positive reward on the way: there is no shortfall to count
    let mut gift = rows;
    gift[0].4 = 2.0;
    let gift = full(&gift, 3, &start_at(0, 3));
    assert!(open(&gift, "cost=shortfall").is_err());
    assert!(!open(&gift, "").unwrap().notes[0].hint.as_ref().unwrap().contains("shortfall"));
    // what `check` says
    let folder = Folder::new();
    let words = |text: &str, options: &str| {
        let report = check(&folder.put("table.json", text), &settings(options)).unwrap();
        (report.cost_from.unwrap(), report.findings.iter().any(|f| f.note.kind == "rewards"))
    };
    let (said, noted) = words(&text, "");
    assert!(said.contains("1 a step") && said.contains("20") && noted, "{said}");
    let (said, noted) = words(&text, "cost=shortfall");
    assert!(said.contains("total reward = 20 - cost") && !noted, "{said}");
    let (said, noted) = words(&full(&rows[..2], 3, &start_at(0, 3)), "goal=1");
    assert!(said == "minus the reward" && !noted, "{said}");
}

/// What is told of a table: the values of two objectives, or what is wrong and where.
fn told(text: &str, options: &str) -> std::result::Result<Vec<Option<f64>>, String> {
    let world = open(text, options).map_err(|error| match error {
        Error::AtLine { source, .. } | Error::InFile { source, .. } => match *source {
            // the sum itself depends on the order of its terms, in the last digit
            Error::RowSum { state, action, .. } => format!("the row of state {state}, action {action}"),
            other => other.to_string(),
        },
        Error::Choose { what, fault, .. } => format!("{what}: {fault}"),
        other => other.to_string(),
    })?;
    let (problem, truth) = (&world.problem, world.truth().unwrap());
    let value = |objective| {
        let solution = solve(problem, truth, &Options::fast(objective, 1e-10).bare()).unwrap();
        let lost = objective == Objective::Min && solution.lost.binary_search(&problem.start()).is_ok();
        (!lost).then(|| solution.v[problem.start()])
    };
    Ok(vec![value(Objective::Reach), value(Objective::Min)])
}

fn alike(
    a: &std::result::Result<Vec<Option<f64>>, String>,
    b: &std::result::Result<Vec<Option<f64>>, String>,
) -> bool {
    match (a, b) {
        (Ok(a), Ok(b)) => a.iter().zip(b).all(|(a, b)| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-8 * (1.0 + a.abs()),
            (a, b) => a.is_none() && b.is_none(),
        }),
        (a, b) => a == b,
    }
}

/// The outcomes of one action, in quarters.
fn outcomes(states: usize) -> impl Strategy<Value = Vec<(f64, usize, f64, bool)>> {
    let one = (0..states, -2i32..=1, prop::bool::weighted(0.4));
    prop::collection::vec(one, 1..4).prop_map(|list| {
        let shares: &[f64] = match list.len() {
            1 => &[1.0],
            2 => &[0.25, 0.75],
            _ => &[0.25, 0.25, 0.5],
        };
        list.into_iter().zip(shares).map(|((next, r, end), p)| (*p, next, f64::from(r), end)).collect()
    })
}

fn table() -> impl Strategy<Value = (usize, Vec<Row>)> {
    (2usize..6).prop_flat_map(|states| {
        let state = prop::collection::vec(outcomes(states), 1..3);
        let all = prop::collection::vec(state, states);
        all.prop_map(move |all| {
            let mut rows = Vec::new();
            for (s, actions) in all.into_iter().enumerate() {
                for (a, list) in actions.into_iter().enumerate() {
                    rows.extend(list.into_iter().map(|(p, next, r, end)| (s, a, p, next, r, end)));
                }
            }
            (states, rows)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_spelling_of_a_table_changes_nothing(
        (states, rows) in table(),
        start in 0usize..6,
        other in 0usize..6,
        bad in prop::option::weighted(0.2, (0usize..100, prop::sample::select(vec![0.9, 0.1, 1.0 + 4e-6]))),
        turn in 1usize..5,
    ) {
        let (start, other) = (start % states, other % states);
        let mut rows = rows;
        if let Some((at, factor)) = bad {
            let at = at % rows.len();
            rows[at].2 *= factor;
        }
        let e = start_at(start, states);
        let said = format!("start={start}");
        let expected = told(&full(&rows, states, &e), "");
        let mut reversed = rows.clone();
        reversed.reverse();
        // a row that cannot happen says nothing, and neither do halves of one
        let mut noise = rows.clone();
        noise.push((start, rows.iter().find(|row| row.0 == start).unwrap().1, 0.0, other, 7.0, true));
        let halves: Vec<Row> = rows.iter().flat_map(|&(s, a, p, next, r, end)| {
            [(s, a, p / 2.0, next, r, end), (s, a, p / 2.0, next, r, end)]
        }).collect();
        let mut spread = vec![0.5 / states as f64; states];
        spread[other] += 0.5;
        let initial = format!(", \"initial_distribution\": {e:?}");
        for (what, text, options) in [
            ("nested", nested(&rows, ""), &*said),
            ("nested, with a distribution", nested(&rows, &initial), ""),
            ("another distribution", full(&rows, states, &start_at(other, states)), &*said),
            ("a spread distribution", full(&rows, states, &spread), &*said),
            ("all of one", full(&rows, states, &e), "start=all"),
            ("reversed", nested(&reversed, ""), &*said),
            ("reversed, full", full(&reversed, states, &e), ""),
            ("noise", full(&noise, states, &e), ""),
            ("halves", nested(&halves, ""), &*said),
        ] {
            // only a nested table can fail to name a state that nothing leads to
            let found = told(&text, options);
            prop_assert!(alike(&found, &expected), "{}: {:?}, not {:?}: {}", what, found, expected, text);
        }
        // the same to the last bit where only the spelling of the start differs
        let bytes = |text: &str, options: &str| {
            open(text, options).ok().map(|world| json::to_json(&world).split_once("\"states\"").unwrap().1.to_string())
        };
        prop_assert_eq!(bytes(&full(&rows, states, &e), ""), bytes(&nested(&rows, ""), &said));
        // other numbers for the same states
        let renumbered: Vec<Row> = rows.iter().map(|&(s, a, p, next, r, end)| {
            ((s + turn) % states, a, p, (next + turn) % states, r, end)
        }).collect();
        let moved = (start + turn) % states;
        let found = told(&full(&renumbered, states, &start_at(moved, states)), "");
        prop_assert_eq!(found.is_ok(), expected.is_ok());
        if found.is_ok() {
            prop_assert!(alike(&found, &expected), "{:?}, not {:?}", found, expected);
        }
    }
}
