//! What coverage says of guarantees: where one holds theta* is kept, where a condition fails
//! nothing is promised. A small sample of `cargo xtask soak coverage`.

use goalward::confidence::Holds;
use goalward::files::json;
use goalward::problem::{Instance, Problem};
use goalward_lab::{CoverageOptions, Silent, coverage};

/// One state that is left with probability 1/2 + eps theta_2 = 0.7: theta* is far from the norms
/// that theorems assume.
#[test]
fn a_far_theta_is_kept_or_not_promised() {
    let dir = tempfile::tempdir().unwrap();
    let mut worlds = Vec::new();
    for eps in [1e-2, 1e-4] {
        let mut builder = Problem::builder("steep", 2, 2);
        builder.start(0).goal(1);
        let a = builder.action(0, 1.0).unwrap();
        builder.feature(0, a, 1, &[0.5, eps]).unwrap();
        builder.feature(0, a, 0, &[0.5, -eps]).unwrap();
        let instance = Instance::new(builder.build().unwrap(), &[1.0, 0.2 / eps]).unwrap();
        let path = dir.path().join(format!("steep-{eps:e}.json"));
        std::fs::write(&path, json::to_json(&instance)).unwrap();
        worlds.push(path.to_string_lossy().into_owned());
    }
    let learners =
        ["lr", "levis++lr", "levis@norms=computed", "levis++@norms=computed@delta_split=true", "levis"];
    let options = CoverageOptions {
        out: dir.path().join("out"),
        worlds,
        learners: learners.map(String::from).to_vec(),
        deltas: vec![0.01],
        seeds: 0..12,
        steps: 200,
        force: false,
    };
    let seen = coverage(&options, &Silent).unwrap();
    assert!(seen.sound);
    for row in &seen.rows {
        let holds = row.guarantee.as_ref().map(|g| g.holds);
        let (lost, label) = (row.lost.unwrap().hits, &row.contender.label);
        if label == "levis" {
            // the printed norm is sqrt(2), theta* is at 20 or 2,000
            assert_eq!((holds, row.promised), (Some(Holds::No), None), "{label} on {}", row.world);
            assert_eq!(lost, 12, "{label} on {}", row.world);
        } else {
            assert_eq!((holds, row.promised), (Some(Holds::Yes), Some(0.01)), "{label} on {}", row.world);
            assert_eq!(lost, 0, "{label} on {}", row.world);
        }
    }
}
