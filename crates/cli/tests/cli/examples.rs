//! The models that come with goalward, in the commands that the README shows.

use super::*;

fn example(name: &str) -> String {
    format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_examples_of_the_readme_run() {
    let place = Place::new();
    for name in ["sunny.drn", "rainy.drn", "pond.json"] {
        std::fs::copy(example(name), place.path(name)).unwrap();
    }
    place.run("check sunny.drn").done();
    let sunny = place.run("solve sunny.drn --json").done().json()["value"].as_f64().unwrap();
    assert!((sunny - (10.0 / 0.9 + 5.0 / 0.95)).abs() < 1e-6, "the path, then the ford: {sunny}");
    place.run("mix sunny.drn rainy.drn --weights 0.3,0.7 -o weather.json").done();
    let learnt = place.run("learn weather.json --episodes 1e3 --json").done().json();
    let sunny = learnt["theta_hat"][0].as_f64().unwrap();
    assert!((sunny - 0.3).abs() < 0.1, "the weather is found out: {learnt}");
    let reach = place.run("solve pond.json --objective reach --json").done().json();
    assert!(reach["value"].as_f64().unwrap() < 1.0, "{reach}");
    assert_eq!(place.run("solve pond.json").code, Some(1));
    // the note on its rewards comes first, without --quiet
    place.run("learn pond.json --quiet --episodes 20").refused(&["--restart"]);
    place.run("learn pond.json --restart --episodes 20").done();
}
