//! `solve --values`, `solve --show` and `learn --show`.

use super::*;
use goalward::plan::{self, Objective, Options};
use goalward::{Settings, worlds};

/// The rows of a CSV file whose fields have no commas but in quotes.
fn rows(text: &str) -> Vec<Vec<String>> {
    let line = |line: &str| {
        let mut fields = vec![String::new()];
        let mut quoted = false;
        for sign in line.chars() {
            match sign {
                '"' => quoted = !quoted,
                ',' if !quoted => fields.push(String::new()),
                sign => fields.last_mut().unwrap().push(sign),
            }
        }
        fields
    };
    text.lines().map(line).collect()
}

#[test]
fn values_are_those_of_solve_and_q_follows_from_them() {
    let place = Place::new();
    let solved = place
        .run("solve windy-grid@n=4 --precision 1e-9 --values v.csv --json --policy policy.json")
        .done()
        .json();
    let rows = rows(&String::from_utf8(place.read("v.csv")).unwrap());
    let head =
        ["state", "state_name", "value", "lower", "upper", "action", "action_name", "cost", "q", "optimal"];
    assert_eq!(rows[0], head);
    let instance = worlds::build("windy-grid", &Settings::new().set("n", 4)).unwrap();
    let (problem, truth) = (&instance.problem, instance.truth().unwrap());
    let number = |text: &str| text.parse::<f64>().unwrap();
    let mut values = vec![f64::NAN; problem.states()];
    for row in &rows[1..] {
        values[row[0].parse::<usize>().unwrap()] = number(&row[2]);
    }
    assert_eq!(values[problem.start()], solved["value"].as_f64().unwrap());
    assert_eq!(values.iter().copied().fold(0.0, f64::max), solved["b_star"].as_f64().unwrap());
    let policy: Value = serde_json::from_slice(&place.read("policy.json")).unwrap();
    let (mut next, mut pairs) = (0, 0);
    for row in &rows[1..] {
        let s: usize = row[0].parse().unwrap();
        assert!(s == next || s + 1 == next, "states in their order");
        next = s + 1;
        assert_eq!(row[1], problem.state_name(s));
        assert!(number(&row[3]) <= number(&row[2]) && number(&row[2]) <= number(&row[4]), "{row:?}");
        let Ok(a) = row[5].parse::<usize>() else { continue };
        pairs += 1;
        let pair = problem.pair(s, a);
        let ways = problem.successors(pair).iter().zip(truth.row(problem, pair));
        let q = problem.cost(pair) + ways.map(|(&to, p)| p * values[to as usize]).sum::<f64>();
        assert!((number(&row[8]) - q).abs() <= 1e-12 * q.abs().max(1.0), "{row:?} {q}");
        if s != problem.goal() {
            assert!(q >= values[s] - 1e-6, "{row:?}");
            let optimal = policy[row[1].as_str()] == row[6].as_str();
            assert_eq!(row[9], optimal.to_string(), "{row:?}");
            assert!(!optimal || (q - values[s]).abs() < 1e-6, "{row:?}");
        }
    }
    assert_eq!((next, pairs), (problem.states(), problem.pairs()));
}

#[test]
fn values_as_json_and_on_standard_output() {
    let place = Place::new();
    let out = place.run("solve frozen-lake --restart --values -").done().out;
    assert!(out.starts_with("state,state_name,value"), "{out}");
    assert!(out.lines().all(|line| line.split(',').count() >= 10), "nothing else is printed: {out}");
    place.run("solve frozen-lake --restart --values v.json").done();
    let states: Value = serde_json::from_slice(&place.read("v.json")).unwrap();
    let states = states.as_array().unwrap();
    let table = rows(&out);
    for row in &table[1..] {
        let state = &states[row[0].parse::<usize>().unwrap()];
        assert_eq!(state["name"], row[1].as_str());
        assert_eq!(state["value"].as_f64().unwrap(), row[2].parse::<f64>().unwrap());
        if let Ok(a) = row[5].parse::<usize>() {
            let action = &state["actions"][a];
            assert_eq!(action["q"].as_f64().unwrap(), row[8].parse::<f64>().unwrap());
            assert_eq!(state["policy"] == a, row[9] == "true");
        }
    }
    // costs play no part in a probability, and what is lost is infinite
    let instance = worlds::build("frozen-lake", &Settings::new()).unwrap();
    let (problem, truth) = (&instance.problem, instance.truth().unwrap());
    let reach = plan::solve(problem, truth, &Options::fast(Objective::Reach, 1e-6)).unwrap();
    let out = place.run("solve frozen-lake --objective reach --values -").done().out;
    let first = rows(&out)[1].clone();
    assert!((first[2].parse::<f64>().unwrap() - reach.value()).abs() < 1e-9, "{first:?}");
    assert!(first[8].parse::<f64>().unwrap() <= reach.value() + 1e-6, "{first:?}");
    let ran = place.run("solve frozen-lake --values lost.csv");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(String::from_utf8(place.read("lost.csv")).unwrap().contains(",inf,inf,inf,"));
}

#[test]
fn a_grid_is_shown_with_arrows() {
    let place = Place::new();
    let out = place.run("solve windy-grid@n=3 --show").done().out;
    assert!(out.contains("optimal cost"), "{out}");
    assert_eq!(out.matches(['→', '↓', '←', '↑']).count(), 8, "{out}");
    assert!(out.contains("S start, G goal"), "{out}");
    let solved = place.run("solve windy-grid@n=3 --show map.png --json").done();
    assert!(solved.json()["value"].is_number(), "one JSON value alone: {}", solved.out);
    assert!(place.read("map.png").starts_with(b"\x89PNG"));
    place.run("solve windy-grid@n=3 --show map.svg --values -").done();
    let svg = String::from_utf8(place.read("map.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("goal") && svg.contains("start"));
    // start and goal with names of their own lie where they belong, holes are no cells
    for (world, cells) in [("delivery", 25), ("cliff", 38)] {
        let out = place.run(&format!("solve {world} --show")).done().out;
        let map: Vec<&str> = out.lines().skip_while(|line| *line != "V*").skip(1).collect();
        assert!(!out.contains("(start)") && !out.contains("(goal)"), "{out}");
        let arrows = map.iter().map(|line| line.matches(['→', '↓', '←', '↑']).count()).sum::<usize>();
        assert_eq!(arrows, cells - 1, "all but the goal: {out}");
        assert!(out.contains("= another action is as good"), "{out}");
    }
    let out = place.run("solve frozen-lake --restart --show").done().out;
    assert!(!out.contains('↖') && out.contains("O no way there"), "{out}");
    // no grid: a table
    let out = place.run("solve taxi --show").done().out;
    assert!(out.contains("more states") && out.contains("(start)"), "{out}");
    assert!(out.lines().filter(|line| line.contains("pickup")).count() > 1, "{out}");
}

#[test]
fn a_learner_is_shown_beside_the_truth() {
    let place = Place::new();
    let run = "learn windy-grid@n=3 --episodes 30 --set B=oracle --quiet";
    let plain = place.run(run).done().out;
    let out = place.run(&format!("{run} --show")).done().out;
    let head = out.lines().find(|line| line.contains("last plan")).unwrap();
    assert!(head.ends_with("V*"), "side by side: {out}");
    assert_eq!(out.matches(['→', '↓', '←', '↑']).count(), 16, "{out}");
    // but for the time the summary is the same
    let without = |text: &str| {
        let kept = text.lines().filter(|line| !line.trim_start().starts_with("time"));
        kept.map(String::from).collect::<Vec<_>>()
    };
    assert!(without(&out).starts_with(&without(&plain)), "{out}\n{plain}");
    let json = place.run(&format!("{run} --show learnt.svg --json")).done().json();
    assert_eq!(json["episodes"], 30);
    assert!(String::from_utf8(place.read("learnt.svg")).unwrap().contains("last plan"));
    // no plan, no values
    let ran = place.run("learn windy-grid@n=3 --learner random --episodes 3 --show").done();
    assert!(ran.err.contains("V* alone is shown") && ran.out.contains('→'), "{} {}", ran.out, ran.err);
    // a run that is taken up again
    place.run(&format!("{run} --checkpoint run.ckpt")).done();
    let again = place.run("learn --resume run.ckpt --episodes 40 --show --quiet").done().out;
    assert!(again.contains("last plan"), "{again}");
}

#[test]
fn wrong_files_are_refused_before_the_work() {
    let place = Place::new();
    place.run("export corridor --output world.json").done();
    let before = place.read("world.json");
    for (command, word) in [
        ("solve corridor --values values.txt", ".csv or .json"),
        ("solve corridor --values values", ".csv or .json"),
        ("solve corridor --show picture.gif", ".png or .svg"),
        ("solve corridor --show -", ".png or .svg"),
        ("solve corridor --show --json", "--json"),
        ("solve corridor --values - --json", "--json"),
        ("solve corridor --values - --show", "standard output"),
        ("solve corridor --values a.json --policy a.json", "the same file"),
        ("solve world.json --values world.json", "overwritten"),
        ("learn corridor --show learnt.pdf", ".png or .svg"),
        ("learn corridor --show --json", "--json"),
    ] {
        let ran = place.run(command);
        assert_eq!(ran.code, Some(2), "{command}: {}", ran.err);
        assert!(ran.err.contains(word) && ran.out.is_empty(), "{command}: {}", ran.err);
    }
    assert_eq!(place.read("world.json"), before);
    assert!(!place.path("values.txt").exists() && !place.path("a.json").exists());
}
