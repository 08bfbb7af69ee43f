use crate::analysis::tests::{results, run, study, with};
use crate::analysis::{Findings, analyse};
use crate::figure::{Colour, Marker, Marks};
use crate::results::{Results, Run};
use crate::study::{ComparisonAsk, FigureKind, FigureSpec, Study};

/// Asks for a comparison.
fn asking(mut study: Study, ask: ComparisonAsk) -> Study {
    study.analysis.comparison = Some(ask);
    study
}

fn against(label: &str, beside: &[&str], judge: bool) -> ComparisonAsk {
    let beside = beside.iter().map(|label| label.to_string()).collect();
    ComparisonAsk { against: Some(label.into()), beside, judge, times: false }
}

fn part<'a>(findings: &'a Findings, name: &str) -> Option<&'a str> {
    findings.parts.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
}

fn says(findings: &Findings, words: &str) -> bool {
    findings.words.iter().any(|sentence| sentence.contains(words))
}

/// Three learners: one pays the root of K, one pays K as the random policy does.
fn three() -> Results {
    let study = study(&["corridor"], &["lr", "levis++", "random"], 20, 64);
    results(asking(study, ComparisonAsk::default()), |_, learner, seed| {
        let luck = (seed % 3) as f64;
        Some(match learner {
            0 => with(run(seed, 64, |k| (k as f64).sqrt() + luck), |row| {
                row.radius = Some("likelihood".into());
                row.guarantee = Some("yes".into());
                row.promised = Some(2.5);
                row.informed_episode = Some(3 + seed % 2);
            }),
            1 => with(run(seed, 64, |k| (1.0 + luck) * k as f64), |row| {
                row.radius = Some("printed".into());
                row.guarantee = Some("no".into());
                row.why_not = Some("does not hold; not met: |phi_V| <= 1 (2.3 and 1)".into());
                row.promised = Some(1.5);
            }),
            _ => run(seed, 64, |k| (1.0 + luck) * k as f64),
        })
    })
}

#[test]
fn numbers_are_those_of_the_runs() {
    let findings = analyse(&three());
    let data = &findings.data["comparison"];
    assert_eq!(data["best"], "lr");
    assert_eq!(data["optimal_cost"], 3.0);
    let row = |learner: usize| &data["rows"][learner];
    // luck is 0 for 7 seeds, 1 for 7 and 2 for 6: its mean is 19/20
    let mean = |learner: usize, name: &str| row(learner)[name]["mean"].as_f64().unwrap();
    assert!((mean(0, "gap_regret") - 8.95).abs() < 1e-9);
    assert!((mean(1, "gap_regret") - 1.95 * 64.0).abs() < 1e-9);
    assert!((mean(1, "regret_per_episode") - 1.95).abs() < 1e-9);
    assert!((mean(1, "behind_best") - (1.95 * 64.0 - 8.95)).abs() < 1e-9);
    assert!(row(0)["behind_best"].is_null() && row(0)["difference"].is_null());
    assert!((row(1)["growth"].as_f64().unwrap() - 1.0).abs() < 1e-12);
    assert_eq!(row(0)["burn_in"]["median"], 3.5);
    assert_eq!((row(1)["burn_in"]["never"].as_u64(), row(2)["burn_in"].is_null()), (Some(20), true));
    let names = ["label", "learner", "settings", "radius", "guarantee", "runs", "truncated", "steps"];
    assert!(names.iter().all(|name| row(0).get(name).is_some()), "{}", row(0));
    // the exponent of sqrt(k) + 0.95 between 16 and 64, by hand at the ends: a little below 1/2
    let growth = row(0)["growth"].as_f64().unwrap();
    assert!((0.40..0.46).contains(&growth), "{growth}");
}

#[test]
fn words_say_what_was_measured() {
    let findings = analyse(&three());
    assert!(says(&findings, "lr has the least gap regret, 8.95"), "{:#?}", findings.words);
    assert!(says(&findings, "levis++ pays 14 times as much, random 14 times."));
    assert!(says(&findings, "levis++ and random have exactly the same curve with every seed: all actions"));
    assert!(says(
        &findings,
        "levis++ has not learnt by episode 64: over the last two doublings of K its gap"
    ));
    assert!(says(&findings, "The guarantee of levis++ fails. Not met: |phi_V| <= 1 (2.3 and 1)."));
    assert!(says(&findings, "An episode costs 3 at best. The last plans promised 2.5 (lr) and 1.5"));
    assert!(says(&findings, "In the median run, sets begin to rule something out in episode 4 (lr)."));
    assert!(says(&findings, "The set of levis++ rules nothing out in any run."));
    assert!(!says(&findings, "random has not learnt"), "it does not even try");
    assert!(findings.sound && findings.warnings.is_empty());
    assert!(findings.methods.iter().any(|m| m.contains("Student's t")), "{:?}", findings.methods);
    assert!(!findings.methods.iter().any(|m| m.contains("Holm")), "no test was made");
}

#[test]
fn parts_have_the_names_that_documents_use() {
    let findings = analyse(&three());
    let expected = [
        ("optimum", "192"),
        ("mean regret levis++", "125"),
        ("share lr", "0.0717"),
        ("share random", "1.0000"),
    ];
    for (name, text) in expected {
        assert_eq!(part(&findings, name), Some(text), "{name}");
    }
    for name in ["table", "regret lr", "gap regret lr", "regret/K lr"] {
        assert!(part(&findings, name).is_some(), "{name}");
    }
    assert!(part(&findings, "verdict").is_none());
    let markdown = findings.markdown();
    assert!(markdown.contains("<!-- optimum -->\n192\n\n<!--"), "{markdown}");
    let head =
        "| learner | radius | guarantee | runs | truncated | regret | gap regret | behind best | growth |";
    assert!(part(&findings, "table").unwrap().starts_with(head));
}

#[test]
fn text_summary_and_json_have_everything() {
    let results = three();
    let findings = analyse(&results);
    let text = findings.text();
    assert!(text.starts_with("corridor: 64 episodes, 20 seeds, V* = 3\nlearner  radius"), "{text}");
    assert!(text.contains("\n* lr has the least"), "{text}");
    let summary = findings.summary(&results);
    for piece in ["# Made up", "## What the numbers say", "## How it was computed", "V\\* = 3", "commit abc"]
    {
        assert!(summary.contains(piece), "{piece}: {summary}");
    }
    let json = findings.json(&results);
    assert_eq!((&json["study"]["name"], &json["version"]), (&"made".into(), &"0.0.0".into()));
    assert_eq!((json["runs"]["done"].as_u64(), json["interrupted"].as_bool()), (Some(60), Some(false)));
    assert_eq!(json["rows"][2]["label"], "random");
    assert_eq!((json["best"].as_str(), json["sound"].as_bool()), (Some("lr"), Some(true)));
    assert_eq!(json["words"].as_array().unwrap().len(), findings.words.len());
}

/// Two worlds; the rival pays 1 more than lr on the first and 1 less on the second, but for a
/// little luck.
fn two_worlds(guarantee: &'static str, ask: ComparisonAsk, seeds: u64) -> Findings {
    let study = study(&["corridor", "ladder@dim=2"], &["lr", "levis", "random"], seeds, 4);
    analyse(&results(asking(study, ask), |world, learner, seed| {
        let luck = 0.01 * (seed % 5) as f64;
        let more = [1.0, -1.0][world] + luck;
        let gap = [5.0, 5.0 + more, 50.0 + luck][learner];
        Some(with(run(seed, 4, |_| gap), |row| row.guarantee = Some(guarantee.into())))
    }))
}

#[test]
fn the_reference_is_judged_where_rivals_have_a_guarantee() {
    let judged = two_worlds("yes", against("lr", &["random"], true), 10);
    assert!(!judged.sound);
    assert!(says(
        &judged,
        "Of 2 pairs of a world and a rival whose guarantee holds or is unknown, lr pays less in 1, more in 1"
    ));
    assert!(says(&judged, "lr pays more than levis on ladder (dim = 2), by 0.98"), "{:#?}", judged.words);
    assert!(
        says(&judged, "Beside it, not judged: random on corridor differs by 45.0"),
        "{:#?}",
        judged.words
    );
    let data = &judged.data["comparison"];
    assert_eq!(data["nowhere_worse"], false);
    assert_eq!(data["best"]["ladder@dim=2"], "levis");
    let difference = &data["against"]["differences"][0];
    // all ten differences are positive: 2 of 1,024 ways, times four comparisons
    assert_eq!(difference["p"], 2.0 / 1024.0);
    assert_eq!((&difference["verdict"], &difference["test"]), (&"less".into(), &"exact-sign-flips".into()));
    assert_eq!(difference["adjusted_p"], 8.0 / 1024.0);
    assert!(judged.methods.iter().any(|m| m.contains("over 4 comparisons")), "{:?}", judged.methods);
    let verdict = part(&judged, "verdict").unwrap();
    assert!(verdict.contains("`lr` pays less in 1 of 2 pairs of a world and a rival whose"), "{verdict}");
    let levis = part(&judged, "beside levis").unwrap();
    assert!(
        levis.starts_with("`levis` pays more on `corridor` (by 1.0") && levis.contains("less on"),
        "{levis}"
    );
    // not asked to judge, or nobody with a guarantee: the same numbers, no "no"
    assert!(two_worlds("yes", against("lr", &[], false), 10).sound);
    assert!(two_worlds("no", against("lr", &[], true), 10).sound);
}

#[test]
fn few_seeds_are_tested_by_students_t_and_one_by_nothing() {
    let few = two_worlds("yes", against("lr", &[], true), 5);
    assert_eq!(few.data["comparison"]["against"]["differences"][0]["test"], "student");
    assert!(!few.sound && few.methods.iter().any(|m| m.contains("too few signs")));
    let one = two_worlds("yes", against("lr", &[], true), 1);
    assert!(one.sound && says(&one, "4 pairs could not be compared"), "{:#?}", one.words);
    assert_eq!(one.data["comparison"]["nowhere_worse"], false);
}

#[test]
fn a_matrix_has_one_column_for_each_world() {
    let findings = two_worlds("yes", against("lr", &[], false), 10);
    let matrix = part(&findings, "table").unwrap();
    assert!(
        matrix.starts_with("| learner | corridor | ladder@dim=2 |\n|---|---:|---:|\n| `lr` | 5 ± 0 |"),
        "{matrix}"
    );
    assert_eq!(part(&findings, "gap regret lr @ ladder@dim=2"), Some("5 ± 0"));
    assert_eq!(findings.tables.len(), 4, "matrix, two worlds, against");
    assert_eq!(findings.tables[0].title(), "Gap regret");
}

#[test]
fn learners_that_know_different_things_stand_in_blocks() {
    let ids =
        ["eb-ssp", "lr", "random", "eb-ssp@support=known", "lsvi-ucb-ssp", "lsvi-ucb-ssp@features=one-hot"];
    let study = study(&["corridor", "ladder"], &ids, 2, 4);
    let findings = analyse(&results(asking(study, ComparisonAsk::default()), |_, learner, seed| {
        Some(run(seed, 4, |_| learner as f64))
    }));
    let told: Vec<[&str; 3]> =
        findings.tables[0].rows().iter().map(|row| [0, 1, 2].map(|i| row[i].as_str())).collect();
    let expected = [
        ["lr", "the models", "1 ± 0"],
        ["lsvi-ucb-ssp", "the models", "4 ± 0"],
        ["eb-ssp@support=known", "the map", "3 ± 0"],
        ["eb-ssp", "nothing", "0 ± 0"],
        ["random", "nothing", "2 ± 0"],
        ["lsvi-ucb-ssp@features=one-hot", "nothing", "5 ± 0"],
    ];
    assert_eq!(told, expected);
    let of_a_world: Vec<&str> = findings.tables[1].rows().iter().map(|row| row[1].as_str()).collect();
    assert_eq!(of_a_world, expected.map(|row| row[1]), "the table of one world has the same blocks");
    assert_eq!(findings.data["comparison"]["rows"][0]["knows"], "nothing", "data keep their order");
    // what is in force counts, whoever set it
    let known = |_: usize, _: usize, seed: u64| {
        let mut run = run(seed, 4, |_| 1.0);
        run.parameters.insert("support".into(), "known".into());
        Some(run)
    };
    let only = crate::analysis::tests::study(&["corridor"], &["eb-ssp"], 1, 4);
    let findings = analyse(&results(asking(only, ComparisonAsk::default()), known));
    assert_eq!(findings.data["comparison"]["rows"][0]["knows"], "map");
    assert_eq!(findings.tables[0].headings()[1], "radius", "no column where all know the same");
}

#[test]
fn truncated_runs_are_lower_bounds() {
    let study = study(&["corridor"], &["lr", "levis"], 8, 4);
    let findings = analyse(&results(asking(study, against("lr", &[], true)), |_, learner, seed| {
        let cut = |row: &mut crate::results::RunRow| {
            row.guarantee = Some("yes".into());
            if learner == 1 {
                row.outcome = "truncated".into();
                row.episodes = 2;
            }
        };
        // the rival is cut off so early that it has paid less
        Some(with(run(seed, 4, |_| [9.0, 3.0][learner]), cut))
    }));
    let row = &findings.data["comparison"]["rows"][1];
    assert_eq!((row["truncated"].as_u64(), row["growth"].is_null()), (Some(8), true));
    assert_eq!(findings.data["comparison"]["best"], "lr", "who was cut off is not the best");
    assert!(findings.tables[0].rows()[1].contains(&"≥ 3 ± 0".to_string()));
    assert!(findings.sound, "a lower bound below 0 says nothing");
    let warning = "levis: 8 of 8 runs met the cap on steps and are truncated; their regret is that of fewer";
    assert!(findings.warnings[0].starts_with(warning), "{:?}", findings.warnings);
    assert_eq!(findings.data["comparison"]["rows"][1]["regret_per_episode"]["mean"], 1.5);
    assert!(says(&findings, "levis pays 0.33 times as much, or more."), "{:#?}", findings.words);
}

#[test]
fn nothing_and_little_are_told_as_such() {
    let ask = || against("lr", &["levis"], true);
    let empty = || asking(study(&["corridor"], &["lr", "levis"], 3, 4), ask());
    let none = analyse(&results(empty(), |_, _, _| None));
    assert!(none.sound && none.words.is_empty(), "{:?}", none.words);
    let missing = "0 of 6 runs are there, and the numbers are those of these: 0 of 3 of every learner";
    assert_eq!(none.warnings, [missing]);
    assert!(none.text().contains("0 of 3"), "{}", none.text());
    let mut some = results(empty(), |_, l, seed| (l as u64 + seed < 3).then(|| run(seed, 4, |k| k as f64)));
    some.cells[1].failed = vec![(2, "no memory".into())];
    let findings = analyse(&some);
    let uneven = "5 of 6 runs are there, and the numbers are those of these, not equally many of every \
                  learner: lr 3 of 3, levis 2 of 3";
    assert_eq!(findings.warnings[0], uneven);
    assert_eq!(findings.warnings[1], "1 run failed: levis on corridor with seed 2 (no memory)");
    assert_eq!(findings.tables[0].rows()[1][3], "2 of 3");
    assert!(says(&findings, "lr and levis have exactly the same curve with every seed."));
    let json = findings.json(&some);
    assert_eq!((json["runs"]["failed"].as_u64(), json["interrupted"].as_bool()), (Some(1), Some(false)));
    // no worlds at all
    let nowhere = analyse(&results(asking(study(&[], &["lr"], 2, 4), ask()), |_, _, _| None));
    assert!(nowhere.sound && nowhere.parts.iter().all(|(name, _)| name == "build"), "{:?}", nowhere.parts);
}

#[test]
fn times_are_shown_if_asked_for() {
    let ask = ComparisonAsk { times: true, ..ComparisonAsk::default() };
    let made = asking(study(&["corridor"], &["lr"], 2, 50), ask);
    let findings = analyse(&results(made, |_, _, seed| {
        // on a busy machine a run waits; what it worked counts
        Some(Run { seconds: 9.0, ..run(seed, 50, |_| 0.0) })
    }));
    let table = &findings.tables[0];
    assert_eq!(table.headings()[10..], ["steps/s", "memory"]);
    // 200 steps in a second
    assert_eq!(table.rows()[0][10..], ["200", "3.4 kB"]);
    assert!(says(&findings, "The gap regret of lr is 0 in every run: what regret there is, is luck."));
    let sizes = [812, 9_940, 999_499, 12_000_000].map(super::tables::bytes);
    assert_eq!(sizes, ["812 B", "9.9 kB", "999 kB", "12 MB"]);
}

/// A figure of Regret/K with a published point in the colour of the second learner.
fn with_print(mut results: Results, points: Vec<(f64, f64)>) -> Findings {
    let (colour, marker) = (Colour::BLUE, Marker::Square);
    results.study.learners[1].look.colour = Some(colour);
    let marks = vec![Marks { label: "published".into(), colour, marker, points }];
    results.study.figures.push(FigureSpec { marks, ..FigureSpec::of(FigureKind::PerRoot) });
    analyse(&results)
}

#[test]
fn curves_are_told_beside_what_others_published() {
    // levis++ pays 1, 2 or 3 an episode, 1.95 on average; of 64 episodes the root is 8
    let findings = with_print(three(), vec![(1.0, 9.0), (7.0, 0.5), (100.0, 7.0)]);
    let said = "levis++ has Regret/K = 1.95 ± 0.39 at √K = 7.0, which lies above 0.5 at 7 (published).";
    assert!(says(&findings, said), "{:#?}", findings.words);
    assert!(says(&with_print(three(), vec![(7.0, 2.0)]), "which agrees with 2 at 7"));
    assert!(!says(&with_print(three(), vec![(9.0, 2.0)]), "published"), "not reached");
    // the study is about Regret/K, so its table is
    let table = part(&findings, "table").unwrap();
    assert!(table.starts_with("| learner | radius | guarantee holds | Regret/K, corridor |"), "{table}");
    assert!(part(&findings, "cells").is_some());
    assert_eq!(findings.tables[0].title(), "Regret/K");
    let band = "Bands in figures: Student's 95 % interval of the mean, at each point for itself.";
    assert!(findings.methods.iter().any(|method| method == band), "{:?}", findings.methods);
}
