//! Ten kills of a study; `cargo xtask soak studies` has a hundred.

use super::*;

#[path = "../../soak/kills.rs"]
mod kills;

#[test]
fn killed_at_random_moments_the_records_are_the_same() {
    let place = Place::new();
    let program = assert_cmd::cargo::cargo_bin("goalward");
    let killed = kills::kill(&program, place.0.path(), 10, 1).unwrap();
    assert_eq!(killed.kills, 10);
    assert_eq!(killed.differences, Vec::<String>::new());
}
