//! Studies over many truths: mistakes in what earlier runs paid.

use goalward_lab::Error;
use goalward_lab::study::{read, write};
use std::path::Path;

const RIGHT: &str = r#"episodes = 10
seeds = 1
learners = ["lr"]
[[worlds]]
name = "windy-grid@n=3"
label = "grid"
grid = { truth = ["drawn:1", "drawn:2"], wind = [0.1, 0.2] }
[truths]
against = "lr before"
episodes = 10
[truths.paid]
"grid, wind = 0.1" = { "drawn:1" = 3, "drawn:2" = 4.5 }
"grid, wind = 0.2" = { "drawn:1" = 0, "drawn:2" = 4e0 }
"#;

/// What is written instead of what, and what the message must say: line, key, words.
const MISTAKES: &[(&str, &str, usize, &str, &[&str])] = &[
    ("against =", "agianst =", 9, "truths.agianst", &["no such key", "did you mean against?"]),
    ("against = \"lr before\"\n", "", 8, "truths.against", &["missing", "against = \"lr\""]),
    ("\nepisodes = 10\n[truths.paid]", "\n[truths.paid]", 8, "truths", &["how long", "episodes = 300"]),
    (
        "\"grid, wind = 0.1\" =",
        "\"grid, wind = 0.3\" =",
        11,
        "truths.paid",
        &["\"grid, wind = 0.1\"", "did you mean"],
    ),
    (", \"drawn:2\" = 4.5", "", 12, "truths.paid.grid, wind = 0.1", &["no record of \"drawn:2\""]),
    ("4.5", "inf", 12, "truths.paid.grid, wind = 0.1.drawn:2", &["finite"]),
    ("4.5", "\"much\"", 12, "truths.paid.grid, wind = 0.1.drawn:2", &["found \"much\""]),
    ("truth = [\"drawn:1\", \"drawn:2\"], ", "", 8, "truths", &["grid over truths", "drawn:1"]),
];

#[test]
fn mistakes_are_shown_where_they_stand() {
    for (right, wrong, expected_line, expected_key, words) in MISTAKES {
        assert!(RIGHT.contains(right), "{right}");
        let error = read(&RIGHT.replacen(right, wrong, 1), Path::new("mine.toml"), false).expect_err(wrong);
        let message = error.to_string();
        let Error::Study { line, key, .. } = &error else { panic!("{wrong}: {message}") };
        assert_eq!((*line, key.as_str()), (*expected_line, *expected_key), "{message}");
        for word in *words {
            assert!(message.contains(word), "{wrong}: {word:?} is missing in\n{message}");
        }
    }
    let start = RIGHT.find("episodes = 10\n[truths.paid]").unwrap();
    let error = read(&RIGHT[..start], Path::new("mine.toml"), false).unwrap_err().to_string();
    assert!(error.contains("\"lr before\" is none of the learners \"lr\""), "{error}");
}

#[test]
fn the_right_file_is_right_and_is_written_as_it_was_read() {
    let study = read(RIGHT, Path::new("mine.toml"), false).unwrap().study;
    let again = read(&write(&study), Path::new("mine.toml"), false).unwrap().study;
    assert_eq!(study, again);
}
