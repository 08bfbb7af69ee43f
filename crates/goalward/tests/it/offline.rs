//! Fits of logged transitions: what is read, what is refused with its place, and what holds of it.

use goalward::Settings;
use goalward::confidence::Suspicion;
use goalward::episode::{Arena, RunSpec, Runner, Trace};
use goalward::numeric::Stream;
use goalward::offline::{Fit, Fitter, Log, open, read_policy};
use goalward::plan::{Options, solve};
use goalward::problem::{Instance, Problem, Truth};
use goalward::worlds;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

fn grid() -> Instance {
    worlds::open("windy-grid", &Settings::new().set("n", 3)).unwrap()
}

/// All rows of a log, or the first error.
fn rows(problem: &Arc<Problem>, text: &[u8]) -> Result<Vec<[usize; 3]>, String> {
    let mut log = Log::new(problem, text, "log.csv");
    let mut rows = Vec::new();
    while let Some(row) = log.next_row().map_err(|error| error.to_string())? {
        rows.push([row.state, row.action, row.next]);
    }
    Ok(rows)
}

const CSV: &str = "state,action,next,cost\n\"(0,0)\",right,\"(0,1)\",0.2\n1,1,4,0.2\n4,down,\"(2,1)\",0.2\n";
const JSON: &str = "{\"state\": 0, \"action\": 0, \"next\": 1}\n\
                    {\"state\": \"(0,1)\", \"action\": \"down\", \"next\": 4, \"cost\": 0.2}\n\
                    {\"next\": 7, \"action\": \"1\", \"state\": \"4\", \"cost\": null}\n";
const TRACE: &str = "{\"kind\":\"start\",\"world\":\"windy-grid\",\"learner\":\"x\",\"seed\":0}\n\
                     {\"kind\":\"step\",\"t\":1,\"episode\":1,\
                     \"state\":0,\"action\":0,\"cost\":0.2,\"next\":1}\n\
                     {\"kind\":\"plan\",\"t\":1,\"v\":[1,2,3]}\n\
                     {\"kind\":\"step\",\"t\":2,\"episode\":1,\
                     \"state\":1,\"action\":1,\"cost\":0.2,\"next\":4}\n\
                     {\"kind\":\"step\",\"t\":3,\"episode\":1,\
                     \"state\":4,\"action\":1,\"cost\":0.2,\"next\":7}\n\
                     {\"kind\":\"end\"}\n";

#[test]
fn three_forms_say_the_same() {
    let problem = grid().problem;
    let expected = [[0, 0, 1], [1, 1, 4], [4, 1, 7]];
    let turned = "cost , next,state , action\n0.2,1,0,0\r\n\r\n.2,4,1,1\r\n2e-1,7,4,1";
    let marked = format!("\u{feff}{CSV}");
    for text in [CSV, JSON, TRACE, turned, &marked] {
        assert_eq!(rows(&problem, text.as_bytes()).unwrap(), expected, "{text}");
    }
    assert_eq!(rows(&problem, b"state,action,next\n").unwrap(), [[0; 3]; 0]);
    assert_eq!(rows(&problem, b"").unwrap(), [[0; 3]; 0]);
}

/// (which log, what is put in place of what, the line, what the error must say besides).
const MALFORMED: &[(&str, &str, &str, usize, &[&str])] = &[
    (CSV, "state,action,next,cost", "state,action,cost", 1, &["header", "no column next"]),
    (CSV, "state,action,next,cost", "state,action,nxt,cost", 1, &["header", "\"nxt\"", "did you mean next?"]),
    (CSV, "state,action,next,cost", "state,action,next,reward", 1, &["header", "\"reward\"", "columns are"]),
    (CSV, "state,action,next,cost", "state,action,next,state", 1, &["header", "state", "twice"]),
    (CSV, "state,action,next,cost\n", "", 1, &["header", "no column"]),
    (CSV, "state,action,next,cost", "[", 1, &["header", "JSON list"]),
    (CSV, "1,1,4,0.2", "1,1,4", 3, &["cost", "3 fields", "header has 4"]),
    (CSV, "1,1,4,0.2", "1,1,4,0.2,7", 3, &["row", "5 fields"]),
    (CSV, "\"(0,0)\",right", "(0,0),right", 2, &["5 fields", "in quotes"]),
    (CSV, "1,1,4,0.2", "9,1,4,0.2", 3, &["state", "no state 9", "0 to 8"]),
    (CSV, "1,1,4,0.2", "-1,1,4,0.2", 3, &["state", "no state \"-1\""]),
    (CSV, "1,1,4,0.2", "1.5,1,4,0.2", 3, &["state", "no state \"1.5\""]),
    (CSV, "1,1,4,0.2", ",1,4,0.2", 3, &["state", "empty"]),
    (CSV, "1,1,4,0.2", "1,4,4,0.2", 3, &["action", "no action \"4\"", "(0,1)", "right, down, left, up"]),
    (CSV, "1,1,4,0.2", "1,dwon,4,0.2", 3, &["action", "no action \"dwon\""]),
    (CSV, "1,1,4,0.2", "1,,4,0.2", 3, &["action", "empty"]),
    (CSV, "1,1,4,0.2", "1,1,99,0.2", 3, &["next", "no state 99"]),
    (CSV, "\"(2,1)\"", "\"(2,l)\"", 4, &["next", "no state", "did you mean \"(2,"]),
    (CSV, "1,1,4,0.2", "1,1,4,0.3", 3, &["cost", "0.3", "(0,1)", "costs 0.2"]),
    (CSV, "1,1,4,0.2", "1,1,4,much", 3, &["cost", "\"much\" is not a number"]),
    (CSV, "1,1,4,0.2", "1,1,4,", 3, &["cost", "\"\" is not a number"]),
    (CSV, "1,1,4,0.2", "1,1,4,nan", 3, &["cost", "NaN"]),
    (CSV, "1,1,4,0.2", "8,1,4,0.2", 3, &["state", "from the goal (2,2)"]),
    (CSV, "\"(2,1)\"", "\"(2,1)", 4, &["row", "not closed"]),
    (CSV, "\"(0,0)\",", "\"(0,0)\"x,", 2, &["row", "closing quote"]),
    (JSON, "\"(0,1)\"", "\"(0,9)\"", 2, &["state", "no state \"(0,9)\""]),
    (JSON, "\"down\"", "true", 2, &["action", "true is neither"]),
    (JSON, "\"next\": 4", "\"next\": 4.5", 2, &["next", "4.5 is neither"]),
    (JSON, "\"next\": 4", "\"next\": -4", 2, &["next", "-4 is neither"]),
    (JSON, "\"next\": 4, ", "", 2, &["next", "does not have it"]),
    (JSON, "\"next\": 4", "\"next_state\": 4", 2, &["next_state", "no such field", "state, action, next"]),
    (JSON, "\"next\": 4", "\"next\": 4, \"next\": 5", 2, &["next", "duplicate"]),
    (JSON, "\"cost\": 0.2", "\"cost\": \"0.2\"", 2, &["cost", "not a number"]),
    (JSON, "\"cost\": 0.2", "\"cost\": 1", 2, &["cost", "1.0", "costs 0.2"]),
    (JSON, "\"cost\": 0.2}", "\"cost\": 0.2", 2, &["JSON", "EOF"]),
    (JSON, "\"cost\": 0.2}", "\"cost\": 0.2} x", 2, &["JSON", "trailing"]),
    (JSON, "\"cost\": 0.2", "\"cost\": 0.2, \"t\": 3", 2, &["t", "no such field"]),
    (JSON, "{\"state\": \"(0,1)\"", "state,action\n{\"state\": \"(0,1)\"", 2, &["JSON", "expected value"]),
    (TRACE, "\"kind\":\"plan\"", "\"kind\":\"dance\"", 3, &["kind", "dance"]),
    (TRACE, "\"t\":2", "\"t\":1", 4, &["t", "step 1 after step 1", "order of time"]),
    (TRACE, "\"t\":2", "\"t\":\"two\"", 4, &["t", "two"]),
    (TRACE, "\"state\":1", "\"state\":8", 4, &["state", "from the goal"]),
];

#[test]
fn malformed_logs_name_line_and_field() {
    let problem = grid().problem;
    for (text, from, to, line, says) in MALFORMED {
        let wrong = text.replacen(from, to, 1);
        assert_ne!(&wrong, text, "{from}");
        let error = rows(&problem, wrong.as_bytes()).unwrap_err();
        assert!(error.starts_with(&format!("log.csv:{line}: ")), "{to}: {error}");
        for part in *says {
            assert!(error.contains(part), "{to}: {error} lacks {part}");
        }
    }
    let error = rows(&problem, b"state,action,next\n1,1,\xff\n").unwrap_err();
    assert!(error.contains("log.csv:2:") && error.contains("0xff") && error.contains("UTF-8"), "{error}");
}

/// Whatever is done to a log, it is read or refused with its line.
#[test]
fn mutated_logs_never_panic() {
    let problem = grid().problem;
    let mut draw = Stream::new(1, &[0x6c_6f67]);
    let mut refused = 0;
    for i in 0..3000 {
        let mut bytes = [CSV, JSON, TRACE][i % 3].as_bytes().to_vec();
        for _ in 0..1 + draw.below(3) {
            let at = draw.below(bytes.len());
            match draw.below(3) {
                0 => bytes[at] = draw.below(256) as u8,
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"\",:{}[]0-\n"[draw.below(10)]),
            }
        }
        if let Err(error) = rows(&problem, &bytes) {
            refused += 1;
            assert!(error.starts_with("log.csv:"), "{error}");
        }
    }
    assert!(refused > 500, "{refused}");
}

/// So many steps of random actions.
fn logged(instance: &Instance, steps: usize, seed: u64, delta: f64) -> Fit {
    let (problem, truth) = (&instance.problem, instance.truth().unwrap());
    let mut fitter = Fitter::new(problem, delta).unwrap();
    let (mut draw, mut s) = (Stream::new(seed, &[7]), problem.start());
    for _ in 0..steps {
        let a = draw.below(problem.actions(s));
        let next = truth.sample(problem, problem.pair(s, a), draw.uniform());
        fitter.step(s, a, next).unwrap();
        s = if next == problem.goal() { problem.start() } else { next };
    }
    fitter.finish()
}

/// Intervals, and the range of the best policy and of a careless one, have the truth. The full
/// count is `cargo xtask soak fits`.
#[test]
fn intervals_and_ranges_have_the_truth() {
    for world in ["windy-grid@n=3", "random-mixture@states=6", "windy-grid@n=3@simplex=true"] {
        let (name, params) = worlds::named(world).unwrap();
        let instance = worlds::open(&name, &params).unwrap();
        let theta = instance.truth().unwrap().theta().unwrap();
        for seed in 0..6 {
            let mut fit = logged(&instance, 2000, seed, 0.01);
            assert!(!fit.contradiction && fit.rows == 2000 && fit.misfit.status == Suspicion::None);
            for (w, x) in fit.weights.iter().zip(theta) {
                let inside =
                    w.low.is_none_or(|low| low <= x + 1e-12) && w.high.is_none_or(|high| high >= x - 1e-12);
                assert!(inside, "{world} {seed}: {x} {w:?}");
                assert!(
                    w.low
                        .zip(w.high)
                        .is_none_or(|(low, high)| low <= w.weight + 1e-6 && w.weight <= high + 1e-6)
                );
            }
            let best = fit.policy().unwrap();
            let first = vec![0; instance.problem.states()];
            for policy in [best, first] {
                let range = fit.range(&policy).unwrap();
                let costs = cost_of(&instance.problem, instance.truth().unwrap(), &policy);
                assert!(
                    range.lower <= costs + 1e-9 && costs <= range.upper,
                    "{world} {seed}: {costs} {range:?}"
                );
                assert!(range.lower > 0.0 && range.lower <= range.fitted && range.fitted <= range.upper);
            }
        }
    }
}

/// What a policy costs from the start.
fn cost_of(problem: &Problem, truth: &Truth, policy: &[usize]) -> f64 {
    let mut builder = Problem::builder("one way", problem.states(), 1);
    builder.start(problem.start()).goal(problem.goal()).allow_lost();
    for s in (0..problem.states()).filter(|&s| s != problem.goal()) {
        let pair = problem.pair(s, policy[s]);
        builder.action(s, problem.cost(pair)).unwrap();
        for (&next, &p) in problem.successors(pair).iter().zip(truth.row(problem, pair)) {
            builder.feature(s, 0, next as usize, &[p]).unwrap();
        }
    }
    let one = Instance::new(builder.build().unwrap(), &[1.0]).unwrap();
    let answer = solve(&one.problem, one.truth().unwrap(), &Options::default()).unwrap();
    if answer.is_lost(problem.start()) { f64::INFINITY } else { answer.v[problem.start()] }
}

/// A wait whose end is likely under both models: with one state, the outer range is the exact one.
#[test]
fn a_range_of_one_state_is_that_of_its_interval() {
    let mut builder = Problem::builder("wait", 2, 2);
    builder.action(0, 1.0).unwrap();
    builder.feature(0, 0, 0, &[0.8, 0.2]).unwrap().feature(0, 0, 1, &[0.2, 0.8]).unwrap();
    builder.simplex();
    let instance = Instance::new(builder.build().unwrap(), &[0.5, 0.5]).unwrap();
    let mut fit = logged(&instance, 500, 3, 0.05);
    let range = fit.range(&[0, 0]).unwrap();
    let (low, high) = (fit.weights[0].low.unwrap(), fit.weights[0].high.unwrap());
    let costs = |slow: f64| 1.0 / (0.2 * slow + 0.8 * (1.0 - slow));
    assert!((range.lower - costs(low)).abs() < 1e-4, "{range:?} {low}");
    assert!((range.upper - costs(high)).abs() < 1e-4, "{range:?} {high}");
    // certified from outside
    assert!(range.lower <= costs(low) + 1e-9 && range.upper >= costs(high) - 1e-9);
}

/// A gate that only the second model opens: until it is known to have some weight, the goal may be
/// missed; the other way round it never is.
#[test]
fn a_range_is_infinite_where_the_goal_may_be_missed() {
    let mut builder = Problem::builder("gate", 3, 2);
    for s in [0, 1] {
        builder.action(s, 1.0).unwrap();
        builder.action(s, 0.0).unwrap();
    }
    // knock: the gate opens under the second model alone; look: it does so half of the time
    builder.feature(0, 0, 0, &[1.0, 0.0]).unwrap().feature(0, 0, 1, &[0.0, 1.0]).unwrap();
    builder.feature(0, 1, 0, &[0.5, 0.5]).unwrap().feature(0, 1, 1, &[0.5, 0.5]).unwrap();
    for a in [0, 1] {
        builder.feature(1, a, 2, &[1.0, 1.0]).unwrap();
    }
    builder.simplex();
    let problem = Arc::new(builder.build().unwrap());
    let mut nothing = Fitter::new(&problem, 0.01).unwrap().finish();
    let knock = nothing.range(&[0, 0, 0]).unwrap();
    assert!(knock.upper.is_infinite() && knock.trapped == [0], "{knock:?}");
    assert!((knock.lower - 2.0).abs() < 1e-6, "{knock:?}");
    // zero costs on the way: finite, and surely
    let look = nothing.range(&[1, 1, 0]).unwrap();
    assert!(look.trapped.is_empty() && look.lower == 0.0 && look.upper.abs() < 1e-6, "{look:?}");
    let look = nothing.range(&[1, 0, 0]).unwrap();
    assert!((look.lower - 1.0).abs() < 1e-6 && (look.upper - 1.0).abs() < 1e-6, "{look:?}");
    let mut fitter = Fitter::new(&problem, 0.01).unwrap();
    for i in 0..400 {
        fitter.step(0, 0, i % 2).unwrap();
    }
    let mut known = fitter.finish();
    let knock = known.range(&[0, 0, 0]).unwrap();
    assert!(
        knock.trapped.is_empty() && knock.lower < 3.0 && 3.0 < knock.upper && knock.upper < 4.0,
        "{knock:?}"
    );
    let error = known.range(&[5, 0, 0]).unwrap_err().to_string();
    assert!(error.contains("policy") && error.contains("state 0"), "{error}");
    for length in [2, 99] {
        let error = known.range(&vec![0; length]).unwrap_err().to_string();
        assert!(error.contains(&format!("{length} entries for 3 states")), "{error}");
    }
}

/// Many thetas, each drawn for its own pair from the intervals' own set, cost no more and no less
/// than the range says; and one that is attained is near its end.
#[test]
fn no_choice_within_the_set_leaves_the_range() {
    let instance = worlds::open("random-mixture", &Settings::new().set("states", 6)).unwrap();
    let problem = &instance.problem;
    let mut fit = logged(&instance, 300, 5, 0.05);
    let policy = fit.policy().unwrap();
    let range = fit.range(&policy).unwrap();
    // points of the set on the way from the fit to the corners of B
    let mut draw = Stream::new(9, &[1]);
    let inside = |theta: &[f64]| {
        let of = |(w, x): (&goalward::offline::Weight, &f64)| {
            w.low.is_none_or(|low| *x >= low) && w.high.is_none_or(|high| *x <= high)
        };
        fit.weights.iter().zip(theta).all(of)
    };
    let fitted = fit.theta().to_vec();
    let mut points = vec![fitted.clone()];
    while points.len() < 40 {
        let raw: Vec<f64> = fitted.iter().map(|_| draw.exponential()).collect();
        let sum: f64 = raw.iter().sum();
        let share = 0.2 * draw.uniform();
        let theta: Vec<f64> =
            fitted.iter().zip(&raw).map(|(f, x)| (1.0 - share) * f + share * x / sum).collect();
        if inside(&theta) {
            points.push(theta);
        }
    }
    // a hair around the fit is in the set for sure, whatever else is
    let mut worst: f64 = 0.0;
    for _ in 0..200 {
        let mut entries = Vec::new();
        for s in (0..problem.states()).filter(|&s| s != problem.goal()) {
            let theta = &points[draw.below(points.len())];
            let near: Vec<f64> = fitted.iter().zip(theta).map(|(f, x)| f + 0.02 * (x - f)).collect();
            let truth = Truth::new(problem, &near).unwrap();
            for (a, pair) in problem.pairs_of(s).enumerate() {
                let row = problem.successors(pair).iter().zip(truth.row(problem, pair));
                entries.extend(row.map(|(&next, &p)| (s, a, next as usize, p)));
            }
        }
        let truth = Truth::from_kernel(problem, &entries).unwrap();
        let costs = cost_of(problem, &truth, &policy);
        worst = worst.max(costs);
        assert!(range.lower <= costs && costs <= range.upper, "{costs} {range:?}");
    }
    assert!(worst > range.fitted);
}

/// A run's own trace, read back, leaves what the learner itself knows.
#[test]
fn a_trace_is_a_log() {
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    let mut text = Vec::new();
    let mut trace = Trace::new(&mut text);
    let mut runner = Runner::new(&arena, RunSpec::new("lr", 30)).unwrap();
    trace.start(&runner);
    runner.run(&mut [&mut trace]).unwrap();
    trace.end(&runner);
    trace.flush().unwrap();
    let problem = arena.problem();
    let mut fitter = Fitter::new(problem, 0.01).unwrap();
    let mut log = Log::new(problem, &text[..], "trace");
    while let Some(row) = log.next_row().unwrap() {
        fitter.observe(&row).unwrap();
    }
    let fit = fitter.finish();
    assert_eq!(fit.rows, runner.progress().steps);
    let theta = runner.learner().theta().unwrap();
    for (w, x) in fit.weights.iter().zip(&theta) {
        assert!((w.weight - x).abs() < 1e-9, "{w:?} {x}");
    }
}

#[test]
fn impossible_steps_and_wrong_models_are_said() {
    let instance = grid();
    let mut fitter = Fitter::new(&instance.problem, 0.01).unwrap();
    fitter.step(0, 0, 1).unwrap();
    for _ in 0..3 {
        fitter.step(0, 0, 8).unwrap();
    }
    let fit = fitter.finish();
    assert_eq!((fit.rows, fit.impossible_rows, fit.impossible.len()), (4, 3, 1));
    assert_eq!((fit.impossible[0].times, fit.misfit.status), (3, Suspicion::Rejected));
    assert!(fit.impossible[0].text.contains("(2,2)"), "{}", fit.impossible[0].text);
    let settings = Settings::new().set("n", 3).set("reversed", 0.3);
    let wrong = worlds::open("windy-grid", &settings).unwrap();
    let fit = logged(&wrong, 5000, 1, 0.01);
    assert_eq!(fit.misfit.status, Suspicion::Rejected, "{}", fit.misfit.text);
    for (state, action, next, field) in
        [(9, 0, 0, "state[1]"), (8, 0, 0, "state[1]"), (0, 4, 0, "action[1]"), (0, 0, 9, "next[1]")]
    {
        let mut fitter = Fitter::new(&instance.problem, 0.01).unwrap();
        fitter.step(0, 0, 1).unwrap();
        let error = fitter.step(state, action, next).unwrap_err().to_string();
        assert!(error.contains(field), "{error}");
    }
    for delta in [0.0, 1.0, -1.0, f64::NAN] {
        assert!(Fitter::new(&instance.problem, delta).is_err());
    }
}

#[test]
fn policies_are_read_as_they_are_written() {
    let problem = grid().problem;
    let read = |text: &str| read_policy(&problem, text, Path::new("policy.json")).map_err(|e| e.to_string());
    let policy = read(r#"{"(0,0)": "down", "1": 2, "(2,2)": null}"#).unwrap();
    assert_eq!((policy[0], policy[1], policy[2]), (1, 2, usize::MAX));
    let listed = read(r#"[{"state": 0, "action": "down"}, {"state": "(0,1)", "action": 2}]"#).unwrap();
    assert_eq!(listed, policy);
    for (text, says) in [
        (r#"{"(0,9)": "down"}"#, "no state"),
        (r#"{"(0,0)": "dive"}"#, "no action"),
        (r#"{"(0,0)": 1, "0": 2}"#, "twice"),
        (r#"[{"state": 0}]"#, "action"),
        (r#"[{"state": 0, "action": 1, "q": 2}]"#, "unknown field"),
        ("7", "object from states"),
        ("{", "EOF"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(says) && error.starts_with("policy.json"), "{text}: {error}");
    }
}

#[test]
fn logs_are_read_packed_or_not() {
    let (folder, problem) = (tempfile::tempdir().unwrap(), grid().problem);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(CSV.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    for (name, bytes) in [("log.csv", CSV.as_bytes()), ("log.csv.gz", &packed)] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let source = open(&path).unwrap();
        assert_eq!(source.size, Some(bytes.len() as u64));
        let (read, mut log, mut rows) = (source.read.clone(), Log::new(&problem, source.bytes, &path), 0);
        while log.next_row().unwrap().is_some() {
            rows += 1;
        }
        assert_eq!((rows, read.get()), (3, bytes.len() as u64));
    }
    assert!(open(folder.path()).is_err() && open(&folder.path().join("none")).is_err());
}
