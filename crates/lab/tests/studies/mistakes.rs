//! Mistakes in study files: every message names the line, the key and what is allowed.

use goalward_lab::Error;
use goalward_lab::grid::Grid;
use goalward_lab::study::read;
use std::path::Path;

const RIGHT: &str = r#"title = "T"
episodes = 10
seeds = 3
worlds = ["windy-grid@n=3"]
learners = ["lr", "random"]
set = { delta = 0.1 }
[record]
plans = 4
[comparison]
against = "lr"
[[figures]]
kind = "regret"
"#;

/// What is written instead of what, and what the message must say: line, key, words.
const MISTAKES: &[(&str, &str, usize, &str, &[&str])] = &[
    (
        "episodes = 10",
        "episodess = 10",
        2,
        "episodess",
        &["no such key", "max_steps", "did you mean episodes?"],
    ),
    ("episodes = 10", "episodes = \"many\"", 2, "episodes", &["a whole number of at least 1", "\"many\""]),
    ("episodes = 10", "episodes = 0", 2, "episodes", &["at least 1", "0"]),
    ("episodes = 10", "episodes = 10.5", 2, "episodes", &["whole number", "10.5"]),
    ("episodes = 10", "episodes = 10\nsteps = 5", 3, "steps", &["either", "episodes"]),
    ("episodes = 10\n", "", 1, "episodes", &["how long", "steps = 1000"]),
    ("seeds = 3", "seeds = 0", 3, "seeds", &["at least 1"]),
    ("seeds = 3", "seeds = \"5..2\"", 3, "seeds", &["5..2 is empty"]),
    ("seeds = 3", "seeds = [1, 1]", 3, "seeds", &["seed 1 is given twice"]),
    ("seeds = 3\n", "", 1, "seeds", &["missing", "seeds = 20"]),
    ("seeds = 3", "seeds = ", 3, "", &["no TOML"]),
    ("windy-grid@n=3", "windy-gird", 4, "worlds[0]", &["windy-gird", "windy-grid"]),
    ("windy-grid@n=3", "windy-grid@m=3", 4, "worlds[0]", &["no parameter \"m\"", "its parameters are n"]),
    ("windy-grid@n=3", "nothing.json", 4, "worlds[0]", &["nothing.json", "No such file"]),
    ("windy-grid@n=3", "windy-grid@n=-1", 4, "worlds[0]", &["n", "-1"]),
    ("[\"windy-grid@n=3\"]", "[]", 4, "worlds", &["empty"]),
    (
        "[\"windy-grid@n=3\"]",
        "[\"windy-grid\", \"windy-grid\"]",
        4,
        "worlds[1]",
        &["called \"windy-grid\"", "label"],
    ),
    (
        "[\"windy-grid@n=3\"]",
        "[{ label = \"g\" }]",
        4,
        "worlds[0].name",
        &["missing", "name = \"windy-grid@n=3\""],
    ),
    (
        "[\"windy-grid@n=3\"]",
        "[{ name = \"windy-grid\", zip = { n = [3, 4], wind = [0.1] } }]",
        4,
        "worlds[0].zip",
        &["side by side", "2"],
    ),
    ("\"lr\", \"random\"", "\"rl\", \"random\"", 5, "learners[0]", &["rl", "lr"]),
    (
        "\"lr\", \"random\"",
        "\"lr@deltta=1\", \"random\"",
        5,
        "learners[0]",
        &["deltta", "did you mean delta?"],
    ),
    (
        "\"lr\", \"random\"",
        "{ name = \"lr@delta=2\", label = \"lr\" }, \"random\"",
        5,
        "learners[0]",
        &["delta", "2"],
    ),
    (
        "\"lr\", \"random\"",
        "\"lr\", \"all tabulr\"",
        5,
        "learners[1]",
        &["\"tabular\"", "did you mean tabular?"],
    ),
    ("\"lr\", \"random\"", "\"lr\", 7", 5, "learners[1]", &["table", "7"]),
    ("set = { delta = 0.1 }", "set = { gama = 0.1 }", 6, "set.gama", &["no learner here", "delta"]),
    ("plans = 4", "plans = \"some\"", 8, "record.plans", &["\"none\", \"all\""]),
    ("plans = 4", "plan = 4", 8, "record.plan", &["episodes, plans, probes", "did you mean plans?"]),
    ("plans = 4", "outline = [1, 1]", 8, "record.outline", &["different"]),
    ("plans = 4", "sets = 1", 8, "record.sets", &["true or false"]),
    ("plans = 4", "sets = \"a map\"", 8, "record.sets", &["found \"a map\", expected true or false"]),
    ("title = \"T\"", "title = 7", 1, "title", &["found 7, expected text in quotes"]),
    ("plans = 4", "outline = 3", 8, "record.outline", &["found 3"]),
    ("[record]\nplans = 4", "record = 3", 7, "record", &["found 3, expected a table"]),
    ("against = \"lr\"", "against = \"LR\"", 10, "comparison.against", &["\"lr\", \"random\""]),
    ("[comparison]\nagainst = \"lr\"", "[coverage]", 9, "coverage", &["sets = true", "[record]"]),
    (
        "kind = \"regret\"",
        "kind = \"regrets\"",
        12,
        "figures[0].kind",
        &["\"log-log\"", "did you mean regret?"],
    ),
    ("kind = \"regret\"", "name = \"x\"", 11, "figures[0].kind", &["missing", "kind = \"regret\""]),
    (
        "kind = \"regret\"",
        "kind = \"bars\"\nband = \"wide\"",
        13,
        "figures[0].band",
        &["\"student\", \"simultaneous\""],
    ),
    ("kind = \"regret\"", "kind = \"bars\"\nsize = [10]", 13, "figures[0].size", &["two values"]),
    ("kind = \"regret\"", "kind = \"bars\"\nname = \"../x\"", 13, "figures[0].name", &["stem of a file"]),
    (
        "kind = \"regret\"",
        "kind = \"bars\"\ny = { log = true, range = [0, 1] }",
        13,
        "figures[0].y.range",
        &["above 0"],
    ),
    ("title = \"T\"", "title = \"T\"\ntitle = \"U\"", 2, "", &["duplicate key"]),
];

#[test]
fn the_right_file_is_right() {
    let file = read(RIGHT, Path::new("right.toml"), false).unwrap();
    assert_eq!(Grid::open(&file).unwrap().jobs.len(), 6);
}

#[test]
fn every_message_names_line_key_and_what_is_allowed() {
    for (right, wrong, expected_line, expected_key, words) in MISTAKES {
        assert!(RIGHT.contains(right), "{right}");
        let text = RIGHT.replacen(right, wrong, 1);
        let outcome =
            read(&text, Path::new("mine.toml"), false).and_then(|file| Grid::open(&file).map(|_| ()));
        let error = outcome.expect_err(wrong);
        let message = error.to_string();
        let Error::Study { line, key, excerpt, .. } = &error else { panic!("{wrong}: {message}") };
        assert_eq!((*line, key.as_str()), (*expected_line, *expected_key), "{message}");
        assert!(message.starts_with(&format!("mine.toml:{line}:")), "{message}");
        assert!(excerpt.contains('^'), "{message}");
        for word in *words {
            assert!(message.contains(word), "{wrong}: {word:?} is missing in\n{message}");
        }
    }
}

/// What lies in the excerpt is the line itself, and the mark is below the value.
#[test]
fn the_mark_is_below_the_value() {
    let text = RIGHT.replace("episodes = 10", "episodes = \"ä\"  # ö");
    let message = read(&text, Path::new("m.toml"), false).unwrap_err().to_string();
    assert!(message.ends_with("  |\n2 | episodes = \"ä\"  # ö\n  |            ^^^"), "{message}");
}

/// A line may list thousands of values: the part around the place is shown.
#[test]
fn of_a_long_line_a_part_is_shown() {
    let many = (0..900).map(|n| n.to_string()).collect::<Vec<_>>().join(", ");
    let wide = format!("[{{ name = \"windy-grid\", grid = {{ n = [{many}] }}, labell = \"x\" }}]");
    for wrong in [wide.clone(), wide.replace(", labell = \"x\"", "").replace("[0,", "[-1,")] {
        let text = RIGHT.replace("[\"windy-grid@n=3\"]", &wrong);
        let outcome = read(&text, Path::new("m.toml"), false).and_then(|file| Grid::open(&file).map(|_| ()));
        let message = outcome.unwrap_err().to_string();
        let mut excerpt = message.lines().skip(1);
        assert!(excerpt.all(|line| line.chars().count() <= 100), "{message}");
        let mut last = message.lines().rev().take(2);
        let (mark, line) = (last.next().unwrap(), last.next().unwrap());
        assert!(line.chars().count() > mark.find('^').unwrap(), "{message}");
    }
}
