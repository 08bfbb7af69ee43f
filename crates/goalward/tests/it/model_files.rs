//! Small models in others' formats: what is right has the value that paper and pencil give, what is
//! wrong is refused with its line.

use goalward::Settings;
use goalward::files::json;
use goalward::plan::{Options, solve};
use goalward::problem::Instance;
use goalward::{Error, Result, worlds};
use std::io::Write;
use std::path::PathBuf;
use tempfile::TempDir;

/// Two reward models, a fraction, a quoted label, two goal states, names, a comment.
///
/// From 0, in time: walk pays 5 and returns over 1 (which pays 1) with 1/4, so 5.25/(3/4) = 7; run
/// pays 2 and stays with 1/2, so 4. In energy state 0 itself pays 1: walk 1/(3/4) = 4/3, run
/// 4/(1/2) = 8. In steps: walk (5/4)/(3/4) = 5/3, run 2.
pub(crate) const CROSSING: &str = "\
// made by hand
@type: MDP
@value_type: rational
@parameters

@reward_models
time energy
@nr_states
4
@nr_choices
5
@model
state 0 [0, 1] init
\taction walk [5, 0]
\t\t1 : 1/4
\t\t2 : 0.5
\t\t3 : 1/4
\taction run [2, 3]
\t\t0 : 0.5
\t\t2 : 0.5
state 1 [1, 0] wet \"x = 2 & y\"
\taction back [0, 0]
\t\t0 : 1
state 2 [9, 9] done
\taction 0 [0, 0]
\t\t2 : 1
state 3 done
\taction 0
\t\t2 : 1
";

/// A table whose terminating transitions differ in reward: 3 is the goal, 2 a losing state.
const POND: &str = r#"{
 "env": "Pond", "kwargs": {"size": [2, 2]}, "n_states": 4, "n_actions": 2,
 "initial_distribution": [1.0, 0.0, 0.0, 0.0],
 "columns": ["state", "action", "prob", "next_state", "reward", "terminated"],
 "transitions": [
  [0, 0, 0.25, 1, 0.0, false],
  [0, 0, 0.25, 1, 0.0, false],
  [0, 0, 0.5, 0, 0.0, false],
  [0, 1, 1.0, 0, 0.0, false],
  [1, 0, 0.5, 3, 1.0, true],
  [1, 0, 0.5, 2, 0.0, true],
  [1, 1, 0.5, 3, 1.0, true],
  [1, 1, 0.5, 0, 0.0, false],
  [2, 0, 1.0, 2, 0.0, true],
  [2, 1, 1.0, 2, 0.0, true],
  [3, 0, 1.0, 3, 0.0, true],
  [3, 1, 1.0, 3, 0.0, true]
 ]
}
"#;

pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    }
}

pub(crate) fn settings(text: &str) -> Settings {
    Settings::parse(text.split_whitespace()).unwrap()
}

fn open(text: &str, options: &str) -> Result<Instance> {
    let folder = Folder::new();
    worlds::open(&folder.put("model.drn", text), &settings(options))
}

/// V*(start), certified to 1e-12.
pub(crate) fn value(instance: &Instance) -> f64 {
    let exact = solve(&instance.problem, instance.truth().unwrap(), &Options::exact(1e-12)).unwrap();
    exact.require_proper(&instance.problem).unwrap();
    assert!(exact.width() <= 1e-12);
    exact.v[instance.problem.start()]
}

#[track_caller]
fn assert_value(text: &str, options: &str, expected: f64) -> Instance {
    let instance = open(text, options).unwrap();
    let found = value(&instance);
    assert!((found - expected).abs() <= 1e-12 * expected, "{options}: {found} is not {expected}");
    instance
}

#[test]
fn rewards_labels_and_names_of_a_storm_model() {
    let instance = assert_value(CROSSING, "goal=done cost=time", 4.0);
    let problem = &instance.problem;
    assert_eq!((problem.states(), problem.pairs(), problem.dim()), (3, 3, 1));
    assert_eq!((0..3).map(|s| problem.state_name(s)).collect::<Vec<_>>(), ["0", "1", "done"]);
    assert_eq!((problem.action_name(0, 1), problem.name()), ("run".into(), "model"));
    // both goal states were successors of walk
    assert_eq!((problem.successors(0), problem.phi(0)), (&[1, 2][..], &[0.25, 0.75][..]));
    assert_eq!(problem.cost_unit(), 5.0);
    assert_value(CROSSING, "goal=done cost=energy", 4.0 / 3.0);
    assert_value(CROSSING, "goal=done cost=1", 5.0 / 3.0);
    assert_value(CROSSING, "goal=2 cost=1", 5.0 / 3.0 + 1.0 / 3.0);
    assert_value(CROSSING, "goal=done cost=time start=1", 5.0);
    // a state's number names it where no label does
    let by_number = assert_value(CROSSING, "goal=2 cost=time", 4.0).problem;
    assert!(by_number.state_names().is_none() && by_number.states() == 4);
    // the quoted label, as it is and in quotes
    let mut quoted = Settings::new().set("goal", "x = 2 & y").set("cost", 1).set("start", 0);
    let folder = Folder::new();
    let path = folder.put("model.drn", CROSSING);
    for label in ["x = 2 & y", "\"x = 2 & y\""] {
        quoted = quoted.set("goal", label);
        let instance = worlds::open(&path, &quoted).unwrap();
        assert_eq!(instance.problem.goal(), 1);
    }
}

#[test]
fn what_is_open_must_be_said_and_what_there_is_is_listed() {
    for (options, parts) in [
        ("cost=time", &["goal", "\"done\" (2 states)", "\"wet\" (1 states)", "\"x = 2 & y\""][..]),
        ("goal=dune cost=time", &["\"dune\" is neither a label nor one of the 4 states", "\"done\""]),
        ("goal=4 cost=1", &["goal", "4 states"]),
        ("goal=done", &["cost", "\"time\", \"energy\""]),
        ("goal=done cost=tim", &["no reward model \"tim\"", "\"time\"", "1 for unit costs"]),
        ("goal=done cost=1 start=9", &["start", "\"9\" is none of the 4 states", "there are 0"]),
        ("goal=done cost=1 speed=2", &["no parameter \"speed\"", "goal, cost, start"]),
    ] {
        let error = open(CROSSING, options).unwrap_err().to_string();
        for part in parts {
            assert!(error.contains(part), "{options}: {error:?} does not say {part:?}");
        }
    }
    let none = CROSSING.replace(" init", "");
    let error = open(&none, "goal=done cost=1").unwrap_err().to_string();
    assert!(error.contains("no state is marked as initial"), "{error}");
    // one label and one reward model need not be said
    let alone = CROSSING.replace(" wet \"x = 2 & y\"", "").replace("time energy", "time");
    let alone = alone.replace("[0, 1]", "[0]").replace("[5, 0]", "[5]").replace("[2, 3]", "[2]");
    let alone = alone.replace("[1, 0]", "[1]").replace("[0, 0]", "[0]").replace("[9, 9]", "[9]");
    assert_value(&alone, "", 4.0);
    // no reward model: every step costs 1
    let plain = alone.replace("@reward_models\ntime\n", "");
    let plain: String = plain.lines().map(|l| l.split(" [").next().unwrap().to_string() + "\n").collect();
    let plain = plain.replace("state 0", "state 0 init").replace("state 2", "state 2 done");
    assert_value(&plain, "", 5.0 / 3.0);
}

#[test]
fn several_starts_are_drawn_only_if_asked_for() {
    let two = CROSSING.replace("[1, 0] wet", "[1, 0] init wet");
    let error = open(&two, "goal=done cost=time").unwrap_err().to_string();
    assert!(error.contains("several states are initial") && error.contains("there are 0, 1"), "{error}");
    let instance = assert_value(&two, "goal=done cost=time start=all", 4.5);
    let problem = &instance.problem;
    assert_eq!(
        (problem.state_name(problem.start()), problem.cost(problem.pairs() - 1)),
        ("start".into(), 0.0)
    );
}

#[test]
fn a_gymnasium_table_becomes_a_cost_problem() {
    // rewards are positive somewhere: every step costs 1; from 1 the second action returns instead
    // of losing
    let instance = open(POND, "").unwrap();
    let exact = solve(&instance.problem, instance.truth().unwrap(), &Options::exact(1e-12)).unwrap();
    // V(1) = 1 + V(0)/2 by the second action, V(0) = 1 + V(0)/2 + V(1)/2, so V(0) = 6 and V(1) = 4
    assert!((exact.v[0] - 6.0).abs() < 1e-11 && (exact.v[1] - 4.0).abs() < 1e-11, "{:?}", exact.v);
    assert_eq!((instance.problem.goal(), exact.lost.clone()), (3, vec![2]));
    assert_eq!(instance.problem.name(), "Pond");
    // equal rows added up
    assert_eq!((instance.problem.successors(0), instance.problem.phi(0)), (&[0, 1][..], &[0.5, 0.5][..]));
    let error = exact.require_proper(&instance.problem).unwrap_err();
    assert!(matches!(&error, Error::NoProperPolicy { states } if states == &["2"]), "{error}");
    // rewards as costs: none may be positive
    let error = open(POND, "cost=reward").unwrap_err().to_string();
    assert!(error.contains(":10: ") && error.contains("cost is -0.5"), "{error}");
    let costs = POND.replace("1.0, true]", "-3.0, true]").replace("0.0, false]", "-2.0, false]");
    let costs = costs.replace("0.0, true]", "-9.0, true]");
    let instance = open(&costs, "").unwrap();
    // from 1 the second action: (3 + 2)/2 + V(0)/2, from 0: 2 + V(0)/2 + V(1)/2, so V(0) = 13
    let exact = solve(&instance.problem, instance.truth().unwrap(), &Options::exact(1e-12)).unwrap();
    assert!((exact.v[0] - 13.0).abs() < 1e-11, "{:?}", exact.v);
}

/// What `json.dump(env.unwrapped.P)` writes: the same table, by state and action, without a start.
#[test]
fn a_nested_table_is_the_same_table() {
    let nested = r#"{"0": {"0": [[0.25, 1, 0.0, false], [0.25, 1, 0.0, false], [0.5, 0, 0.0, false]],
          "1": [[1.0, 0, 0.0, false]]},
    "1": {"0": [[0.5, 3, 1.0, true], [0.5, 2, 0.0, true]],
          "1": [[0.5, 3, 1.0, true], [0.5, 0, 0.0, false]]},
    "2": {"0": [[1.0, 2, 0, true]], "1": [[1.0, 2, 0, true]]},
    "3": {"0": [[1.0, 3, 0, true]], "1": [[1.0, 3, 0, true]]}}"#;
    let (flat, nest) = (open(POND, "").unwrap(), open(nested, "start=0").unwrap());
    let rest = |instance: &Instance| json::to_json(instance).split_once("\"states\"").unwrap().1.to_string();
    assert_eq!(rest(&flat), rest(&nest));
    for (from, to, part) in [
        (
            "[[0.5, 3, 1.0, true], [0.5, 0,",
            "[[0.6, 3, 1.0, true], [0.5, 0,",
            ":4: state 1, action 1: the row sums to 1.1",
        ),
        ("\"1\": [[0.5, 3", "\"up\": [[0.5, 3", ":4:"),
        ("[0.5, 2, 0.0, true]", "[0.5, 4000000000, 0.0, true]", "4000000001 states"),
        ("[0.5, 2, 0.0, true]", "[0.5, 2, 0.0]", ":3:"),
    ] {
        assert_eq!(nested.matches(from).count(), 1, "{from}");
        let error = open(&nested.replace(from, to), "start=0").unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    let error = open(nested, "").unwrap_err().to_string();
    assert!(error.contains("no state is marked as initial"), "{error}");
}

#[test]
fn a_terminal_state_where_play_also_goes_on_gets_a_goal_of_its_own() {
    let table = |rows: &str| {
        format!(
            r#"{{"n_states": 2, "n_actions": 1, "initial_distribution": [1, 0],
            "columns": ["state", "action", "prob", "next_state", "reward", "terminated"],
            "transitions": [{rows}]}}"#
        )
    };
    // V(0) = 1 + V(1)/2, V(1) = 1 + V(0): 3
    let both = table("[0,0,0.5,1,-1,false],[0,0,0.5,1,-1,true],[1,0,1,0,-1,false]");
    let instance = assert_value(&both, "", 3.0);
    assert_eq!((instance.problem.states(), instance.problem.state_name(2)), (3, "goal".into()));
    // a table may leave out the rows of states where play has ended
    let bare = table("[0,0,0.5,0,-1,false],[0,0,0.5,1,-1,true]");
    assert_eq!(assert_value(&bare, "", 2.0).problem.states(), 2);
    // the start is a state where play goes on, even if something terminates there
    let start = table("[0,0,0.5,1,-1,false],[0,0,0.5,0,-1,true],[1,0,1,0,-1,false]");
    assert_value(&start, "", 3.0);
    // the lower reward loses: a twin of state 1, which is also entered otherwise
    let twin = table("[0,0,0.5,1,-1,false],[0,0,0.5,1,-2,true],[1,0,1,0,-1,true]");
    let instance = open(&twin, "").unwrap();
    let names: Vec<_> = (0..4).map(|s| instance.problem.state_name(s).into_owned()).collect();
    assert_eq!(names, ["0", "1", "1 (lost)", "goal"]);
}

#[test]
fn packed_files_are_unpacked_whatever_their_name() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(CROSSING.as_bytes()).unwrap();
    let packed = encoder.finish().unwrap();
    let folder = Folder::new();
    for name in ["model.drn.gz", "model", "model.json"] {
        let instance = worlds::open(&folder.put(name, &packed), &settings("goal=done cost=time")).unwrap();
        assert_eq!((value(&instance), instance.problem.name()), (4.0, "model"));
    }
    // two files in one, as gzip allows
    let (a, b) = CROSSING.split_at(200);
    let members = [a, b].map(|part| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(part.as_bytes()).unwrap();
        encoder.finish().unwrap()
    });
    let path = folder.put("two.gz", members.concat());
    assert_eq!(value(&worlds::open(&path, &settings("goal=done cost=time")).unwrap()), 4.0);
    let cut = folder.put("cut.drn.gz", &packed[..packed.len() / 2]);
    let error = worlds::open(&cut, &settings("goal=done cost=time")).unwrap_err().to_string();
    assert!(error.contains("cut.drn.gz:"), "{error}");
    // a problem file too
    let problem = worlds::open("hard-instance", &Settings::new()).unwrap();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(json::to_json(&problem).as_bytes()).unwrap();
    let path = folder.put("hard.json.gz", encoder.finish().unwrap());
    assert_eq!(json::read(&PathBuf::from(path)).unwrap().problem.states(), 2);
}

/// Rows that are off by less than 1e-5 are divided by their sums.
#[test]
fn few_digits_are_forgiven() {
    let thirds = CROSSING.replace("1 : 1/4", "1 : 0.333333").replace("3 : 1/4", "3 : 0.333333");
    let thirds = thirds.replace("2 : 0.5\n\t\t3", "2 : 0.333333\n\t\t3");
    let instance = open(&thirds, "goal=done cost=energy").unwrap();
    let row = instance.truth().unwrap().row(&instance.problem, 0);
    assert!((row[0] - 1.0 / 3.0).abs() < 1e-15 && (row[1] - 2.0 / 3.0).abs() < 1e-15);
}

/// Bounds are of the model as read: what a rational file says beyond f64 is told. A file of doubles
/// means the doubles that it names.
#[test]
fn rational_numbers_that_are_rounded_are_said() {
    let notes = |text: &str| open(text, "goal=done cost=time").unwrap().notes;
    assert_eq!(notes(CROSSING), []);
    let thirds = CROSSING.replace("2 : 0.5\n\t\t3 : 1/4", "2 : 1/3\n\t\t3 : 5/12");
    let found = notes(&thirds);
    assert_eq!((found.len(), found[0].kind), (1, "rounded"));
    assert!(found[0].message.starts_with("2 rational numbers, the first \"1/3\""), "{found:?}");
    let tenths = CROSSING.replace("0 : 0.5\n\t\t2 : 0.5", "0 : 0.4\n\t\t2 : 0.6");
    assert_eq!(notes(&tenths)[0].kind, "rounded");
    assert_eq!(notes(&tenths.replace("@value_type: rational", "@value_type: double")), []);
}

/// (what is put in place of what, what the error must say); the first of it is the line.
const BROKEN: &[(&str, &str, &[&str])] = &[
    // the header
    (CROSSING, "@", &[":1:1:", "no part of a DRN header"]),
    ("@type: MDP\n", "", &[":11:1:", "@type"]),
    ("@type: MDP", "@type: CTMC", &[":2:1:", "rates"]),
    ("@type: MDP", "@type: POMDP", &[":2:1:", "observed in part"]),
    ("@type: MDP", "@type: SMG", &[":2:1:", "unknown type \"SMG\""]),
    ("rational", "parametric", &[":3:1:", "only double and rational"]),
    ("rational", "double-interval", &[":3:1:", "only double and rational"]),
    ("@parameters\n\n", "@parameters\np q\n", &[":5:1:", "parameters", "\"p q\""]),
    ("time energy", "time time", &[":7:1:", "time is given twice"]),
    ("@nr_states\n4", "@nr_states\nfour", &[":9:1:", "\"four\""]),
    ("@nr_states\n4", "@nr_states", &[":9:1:", "number is missing"]),
    ("@nr_states\n4", "@nr_states\n5", &[":29:1:", "4 states, but @nr_states says 5"]),
    ("@nr_states\n4", "@nr_states\n1000000000000000", &[":29:1:", "says 1000000000000000"]),
    ("@nr_states\n4", "@nr_states\n3", &[":17:3:", "next state 3 does not exist"]),
    ("@nr_choices\n5", "@nr_choices\n6", &[":29:1:", "5 choices, but @nr_choices says 6"]),
    ("@model\n", "@modle\n", &[":12:1:", "\"@modle\""]),
    // states
    ("state 1 ", "state 2 ", &[":21:7:", "state 2, where state 1 is expected"]),
    ("state 1 ", "state one ", &[":21:7:", "\"one\" is not a state's number"]),
    ("state 1 [1, 0]", "state 1 [1, 0", &[":21:9:", "] is missing"]),
    ("state 1 [1, 0]", "state 1 [1]", &[":21:10:", "1 rewards, but there are 2 reward models"]),
    ("state 1 [1, 0]", "state 1 [1, x]", &[":21:10:", "\"x\" is not a number"]),
    ("state 1 [1, 0]", "state 1 !3 [1, 0]", &[":21:9:", "rate"]),
    ("& y\"", "& y", &[":21:20:", "not closed"]),
    // actions
    ("action back [0, 0]", "action back (0, 0)", &[":22:14:", "\"(0, 0)\""]),
    ("action back [0, 0]", "action back [0, 0, 0]", &[":22:15:", "3 rewards"]),
    ("action back [0, 0]", "action back [0, 0] now", &[":22:", "\"now\" after the rewards"]),
    ("\taction back [0, 0]\n\t\t0 : 1\n", "", &[":27:1:", "4 choices, but @nr_choices says 5"]),
    ("\t\t0 : 1\n", "", &[":22:", "state 1, action back", "no successor"]),
    // transitions
    ("\t\t0 : 1\n", "\t\t0 : 1.1\n", &[":22:", "state 1, action back, next 0", "1.1"]),
    ("1 : 1/4", "1 : 0.35", &[":14:", "state 0, action walk: the row sums to 1.1", "tolerance 1e-5"]),
    ("1 : 1/4", "1 : 0.249", &[":14:", "state 0, action walk: the row sums to 0.999"]),
    ("1 : 1/4", "1 : -1/4", &[":14:", "state 0, action walk, next 1", "-0.25"]),
    ("1 : 1/4", "1 : nan", &[":14:", "walk, next 1", "NaN"]),
    ("1 : 1/4", "1 : 1/0", &[":15:7:", "\"1/0\" is not a number"]),
    ("1 : 1/4", "1 : p", &[":15:7:", "\"p\" is not a number"]),
    ("1 : 1/4", "1 0.25", &[":15:3:", "\"next : probability\""]),
    ("1 : 1/4", "9 : 1/4", &[":15:3:", "next state 9 does not exist"]),
    ("1 : 1/4", "99999999999 : 1/4", &[":15:3:", "\"99999999999\" is not a state's number"]),
    ("1 : 1/4", "to 1 : 1/4", &[":15:3:", "neither a state, an action nor a transition"]),
    ("[5, 0]", "[-5, 0]", &[":14:", "state 0, action walk: cost is -5"]),
    ("[5, 0]", "[nan, 0]", &[":14:", "cost is NaN"]),
    ("[5, 0]", "[1e300, 0]", &[":14:", "cost is 1e300"]),
];

#[test]
fn broken_models_are_refused_with_their_lines() {
    assert!(BROKEN.len() >= 30);
    let mut faults = Vec::new();
    for (from, to, parts) in BROKEN {
        assert_eq!(CROSSING.matches(from).count(), 1, "{from:?} must occur once");
        match open(&CROSSING.replace(from, to), "goal=done cost=time") {
            Ok(_) => faults.push(format!("{from:?} -> {to:?} was accepted")),
            Err(error) => {
                let text = error.to_string();
                let unsaid = parts.iter().filter(|part| !text.contains(**part));
                faults
                    .extend(unsaid.map(|part| format!("{from:?} -> {to:?}: {text:?} does not say {part:?}")));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

const BROKEN_TABLES: &[(&str, &str, &[&str])] = &[
    ("[0, 1, 1.0, 0, 0.0, false]", "[0, 1, 1.1, 0, 0.0, false]", &[":9: ", "state 0, action 1", "1.1"]),
    (
        "[1, 0, 0.5, 3, 1.0, true]",
        "[1, 0, 0.6, 3, 1.0, true]",
        &[":10: ", "state 1, action 0: the row sums to 1.1"],
    ),
    (
        "[1, 0, 0.5, 3, 1.0, true]",
        "[1, 0, -0.5, 3, 1.0, true]",
        &[":10: ", "state 1, action 0, next 3", "-0.5"],
    ),
    ("[1, 0, 0.5, 3, 1.0, true]", "[1, 0, 0.5, 4, 1.0, true]", &[":10:1:", "next_state 4 does not exist"]),
    ("[1, 0, 0.5, 3, 1.0, true]", "[1, 2, 0.5, 3, 1.0, true]", &[":10:1:", "action 2 does not exist"]),
    ("[1, 0, 0.5, 3, 1.0, true]", "[7, 0, 0.5, 3, 1.0, true]", &[":10:1:", "state 7 does not exist"]),
    ("[1, 0, 0.5, 3, 1.0, true]", "[1, 0, NaN, 3, 1.0, true]", &[":10:", "expected"]),
    ("[1, 0, 0.5, 3, 1.0, true]", "[1, 0, 0.5, 3, 1.0]", &[":10:", "invalid length 5"]),
    ("[1, 0, 0.5, 3, 1.0, true]", "[1, 0, 0.5, 3, 1.0, 1]", &[":10:", "bool"]),
    ("[1, 0, 0.5, 3, 1.0, true]", "[1, 0, 0.5, -3, 1.0, true]", &[":10:", "-3"]),
    ("\"n_states\": 4", "\"n_states\": 1000000000000000", &["n_states", "cannot name more than 24"]),
    ("\"n_states\": 4, ", "", &["n_states", "missing"]),
    (
        "[1.0, 0.0, 0.0, 0.0]",
        "[1.0, 0.0, 0.0, 0.0, 0.0]",
        &["initial_distribution", "5 entries for 4 states"],
    ),
    ("[1.0, 0.0, 0.0, 0.0]", "[0.0, 0.0, 0.0, 0.0]", &["start", "no state is marked as initial"]),
    (
        "[1.0, 0.0, 0.0, 0.0]",
        "[0.5, 0.5, 0.0, 0.0]",
        &["start", "several states are initial", "there are 0, 1"],
    ),
    ("\"prob\", ", "", &["columns", "expected"]),
    ("\"env\": \"Pond\"", "\"env\": \"Pond\", \"env\": \"x\"", &[":2:", "duplicate field `env`"]),
    (" ]\n}\n", " ]\n", &[":19:", "EOF"]),
    (" ]\n}\n", " ]\n}\n{}", &[":20:1:", "trailing"]),
];

#[test]
fn broken_tables_are_refused_with_their_lines() {
    for (from, to, parts) in BROKEN_TABLES {
        assert_eq!(POND.matches(from).count(), 1, "{from:?} must occur once");
        let error = open(&POND.replace(from, to), "").map(|_| to).unwrap_err().to_string();
        for part in *parts {
            assert!(error.contains(part), "{from:?} -> {to:?}: {error:?} does not say {part:?}");
        }
    }
}
