//! Ten kills of a study, and three pairs of shards; `cargo xtask soak studies` has many.

use super::*;

#[path = "../../soak/kills.rs"]
mod kills;
#[path = "../../soak/pairs.rs"]
mod pairs;

#[test]
fn killed_at_random_moments_the_records_are_the_same() {
    let place = Place::new();
    let program = assert_cmd::cargo::cargo_bin("goalward");
    let killed = kills::kill(&program, place.0.path(), 10, 1).unwrap();
    assert_eq!(killed.kills, 10);
    assert_eq!(killed.differences, Vec::<String>::new());
}

#[test]
fn processes_of_the_same_number_share_a_folder() {
    let place = Place::new();
    let program = assert_cmd::cargo::cargo_bin("goalward");
    let pairs = pairs::pairs(&program, place.0.path(), 3).unwrap();
    if !pairs.alike {
        eprintln!("skipped: processes of the same number, which unshare may not make here");
    }
    assert_eq!((pairs.pairs, pairs.faults), (3, Vec::new()));
}
