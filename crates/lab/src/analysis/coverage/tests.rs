use crate::analysis::tests::{results, run, study, with};
use crate::analysis::{Findings, analyse};
use crate::results::RunRow;
use crate::study::{CoverageAsk, Length, Study};

fn asking(mut study: Study) -> Study {
    study.analysis.coverage = Some(CoverageAsk {});
    for world in &mut study.worlds {
        world.length = Length { episodes: 500, max_steps: Some(500), by_steps: true };
    }
    study
}

fn part<'a>(findings: &'a Findings, name: &str) -> Option<&'a str> {
    findings.parts.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
}

/// A run under watch.
fn watched(row: &mut RunRow, radius: &str, width: f64) {
    row.outcome = "truncated".into();
    row.radius = Some(radius.into());
    row.guarantee = Some("yes".into());
    row.width = Some(width);
    row.empty = Some(false);
}

/// Two worlds, two deltas: lr loses theta* in 2 of 50 runs at 0.1 and in none at 0.01.
fn two() -> Findings {
    let learners = ["lr@delta=0.1", "lr@delta=0.01", "levis@radius=determinant@delta=0.1"];
    let study = asking(study(&["corridor", "ladder@dim=2"], &learners, 50, 5));
    analyse(&results(study, |world, learner, seed| {
        Some(with(run(seed, 5, |_| 4.0), |row| {
            watched(row, ["likelihood", "likelihood", "determinant"][learner], 0.2);
            let delta = [0.1, 0.01, 0.1][learner];
            (row.delta, row.level) = (Some(delta), Some(delta));
            if learner == 0 && seed < 2 {
                row.lost = Some(17);
            }
            if learner == 2 {
                row.width = Some([0.5, 0.6][world]);
                row.guarantee = Some("no".into());
                (row.beta, row.empty) = (Some(24.137), Some(seed == 3));
            } else {
                row.nats = Some(5.1);
            }
        }))
    }))
}

#[test]
fn losses_are_counted_with_their_limits() {
    let findings = two();
    assert!(findings.sound && findings.warnings.is_empty(), "{:?}", findings.warnings);
    let rows = &findings.data["coverage"]["rows"];
    // world, then delta, then learner
    let order: Vec<(&str, f64)> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["name"].as_str().unwrap(), row["delta"].as_f64().unwrap()))
        .collect();
    assert_eq!(order[..3], [("lr", 0.1), ("levis@radius=determinant", 0.1), ("lr", 0.01)]);
    assert_eq!((rows[0]["lost"]["hits"].as_u64(), rows[0]["promised"].as_f64()), (Some(2), Some(0.1)));
    // 2 of 50: the root of P(X <= 2) = 0.05, by bisection of the exact sum
    assert!((rows[0]["lost"]["limit"].as_f64().unwrap() - 0.120_614_155).abs() < 1e-8, "{}", rows[0]["lost"]);
    assert!(rows[1]["promised"].is_null(), "a condition is not met");
    assert_eq!(rows[1]["empty"], 1);
    let first = "corridor, delta = 0.1: lr loses theta* in 2 of 50 runs; with 95 % confidence in at most \
                 12.1 % of all, which is above delta.";
    assert_eq!(findings.words[0], first);
    assert_eq!(findings.words.len(), 4, "likelihood sets: two deltas in two worlds");
    let table = &findings.tables[0];
    assert_eq!(table.title(), "Coverage: 500 steps, 50 seeds");
    let cells = ["10.0 %", "2/50", "12.1 %", "0/50", "5.10 nats", "-", "0.2000", "4 ± 0"];
    assert_eq!(table.rows()[0][3..], cells);
    assert_eq!(table.rows()[1][8..10], ["24.14", "0.5000 (1 empty)"]);
}

#[test]
fn parts_have_the_names_that_documents_use() {
    let findings = two();
    let expected = [
        ("lost lr 0.1", "4.0"),
        ("limit lr 0.1", "12.1"),
        ("lost lr 0.1 corridor", "4.0"),
        ("width levis@radius=determinant 0.1 ladder@dim=2", "0.600"),
        ("determinant/likelihood", "2.5 to 3.0"),
    ];
    for (name, text) in expected {
        assert_eq!(part(&findings, name), Some(text), "{name}");
    }
    let matrix = part(&findings, "matrix 0.1").unwrap();
    let second = "| `levis@radius=determinant` (no guarantee) | 0 lost, width 0.50 | 0 lost, width 0.60 |";
    assert!(
        matrix.starts_with("| set | corridor | ladder, dim = 2 |") && matrix.contains(second),
        "{matrix}"
    );
    assert!(part(&findings, "matrix 0.01").is_some());
    assert!(part(&findings, "table").unwrap().starts_with("| world | δ | learner | promised | θ\\* lost |"));
}

#[test]
fn what_is_promised_can_be_refuted() {
    let made = |losses: u64| {
        analyse(&results(asking(study(&["corridor"], &["lr"], 40, 5)), |_, _, seed| {
            Some(with(run(seed, 5, |_| 1.0), |row| {
                watched(row, "likelihood", 0.5);
                row.level = Some(0.1);
                row.lost = (seed < losses).then_some(9);
            }))
        }))
    };
    // by the exact interval: the lower end is 7.3 % for 7 of 40 and 10.8 % for 9
    let (fine, wrong) = (made(7), made(9));
    assert!(fine.sound && !wrong.sound);
    let refuted = "corridor: lr loses theta* more often than it promises.";
    assert_eq!(wrong.words.last().map(String::as_str), Some(refuted));
}

/// One run in a thousand is no luck here: the set that is planned over must contain the confidence
/// set.
#[test]
fn a_loss_at_a_plan_alone_is_an_error() {
    let made = |missed: Option<u64>| {
        analyse(&results(asking(study(&["corridor"], &["lr"], 1000, 1)), |_, _, seed| {
            Some(with(run(seed, 1, |_| 1.0), |row| {
                watched(row, "likelihood", 0.5);
                row.missed = missed.filter(|_| seed == 17);
                row.lost_at_plan = row.missed;
            }))
        }))
    };
    let fine = made(None);
    assert!(fine.sound && !fine.words.iter().any(|words| words.contains("error")), "{:?}", fine.words);
    let wrong = made(Some(256));
    assert!(!wrong.sound && wrong.data["coverage"]["rows"][0]["missed_at_plan"] == 1);
    let named = |words: &String| {
        ["error of goalward", "seed 17", "step 256", "1 of 1000"].iter().all(|x| words.contains(x))
    };
    assert!(wrong.words.iter().any(named), "{:?}", wrong.words);
}

#[test]
fn nothing_and_learners_without_sets_are_told_as_such() {
    let none = analyse(&results(asking(study(&["corridor"], &["lr@delta=0.1"], 3, 5)), |_, _, _| None));
    assert!(none.sound && none.words.is_empty());
    assert_eq!(none.tables[0].rows()[0][1..5], ["0.1", "lr", "-", "-"]);
    assert!(none.warnings[0].contains("0 of 3"), "{:?}", none.warnings);
    let random = asking(study(&["corridor"], &["random"], 3, 5));
    let random = analyse(&results(random, |_, _, seed| Some(run(seed, 5, |_| 1.0))));
    assert!(random.data["coverage"]["rows"][0]["lost"].is_null());
    assert!(part(&random, "table").is_some() && part(&random, "lost random 0.1").is_none());
}
