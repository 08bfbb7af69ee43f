//! What `learn` says is proved: of what kind, with which probability, under which conditions, in
//! words that need no page.

use super::*;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/claims.txt");

/// Learners whose claims differ, and worlds where they do.
const ASKED: [&str; 15] = [
    "windy-grid@n=3 --learner lr",
    "windy-grid@n=3 --learner lr --set delta=0.3",
    "windy-grid@n=3 --learner guarded",
    "windy-grid@n=3 --learner lr --set net=2",
    "random-mixture@free=0.9@states=6 --learner lr",
    "windy-grid@n=3 --learner levis++lr --set B=oracle",
    "windy-grid@n=3 --learner levis++ --set B=oracle",
    "windy-grid@n=3 --learner levis++@radius=determinant --set B=oracle",
    "windy-grid@n=3 --learner levis++@radius=determinant --set B=1",
    "windy-grid@n=3 --learner psrl-mixture",
    "windy-grid@n=3 --learner psrl-ssp",
    "windy-grid@n=3 --learner optimal",
    "windy-grid@n=3 --learner q-learning",
    "windy-grid@n=3 --learner bernstein-ssp",
    "windy-grid@n=3 --learner eb-ssp@support=known --set B=oracle",
];

/// The rows from "radius" on that speak of claims.
fn claims(out: &str) -> String {
    let rows = out.lines().skip_while(|row| !row.starts_with("  radius"));
    let told = |row: &&str| !row.starts_with("  oracle") && !row.starts_with("  episodes");
    rows.take_while(told).map(|row| format!("{row}\n")).collect()
}

#[test]
fn what_is_proved_is_said_in_words() {
    let place = Place::new();
    let said = ASKED.map(|line| {
        let out = place.run(&format!("learn {line} --episodes 3 --seed 1")).done().out;
        format!("$ goalward learn {line}\n{}", claims(&out))
    });
    let now = said.join("\n");
    let bless = std::env::var_os("BLESS").is_some();
    if bless {
        std::fs::write(TABLE, &now).unwrap();
    }
    let then = std::fs::read_to_string(TABLE).unwrap();
    assert!(then == now, "BLESS=1 writes tests/cli/claims.txt, which is to be read:\n{now}");
}

/// One probability for each statement, whatever delta: `lr` has the same for all of them, others
/// have their own for the regret, and say when nothing is left of it.
#[test]
fn a_probability_belongs_to_a_statement() {
    let place = Place::new();
    let level = |learner: &str, delta: f64, kind: &str| {
        let line =
            format!("learn windy-grid@n=3 --learner {learner} --set delta={delta} --episodes 3 --json");
        let guarantee = place.run(&line).done().json()["guarantee"].clone();
        let keys: Vec<_> = guarantee.as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys, ["claims", "conditions", "holds"]);
        let claims = guarantee["claims"].as_array().unwrap();
        let claim = claims.iter().find(|claim| claim["kind"] == kind).unwrap();
        assert!(claim["statement"].is_string() && claim["holds"].is_string(), "{claim}");
        (claim["level"].as_f64().unwrap(), claim["vacuous"] == true)
    };
    for delta in [0.01, 0.25, 0.9] {
        for kind in ["set", "optimism", "certificate", "regret"] {
            assert_eq!(level("lr", delta, kind), (delta, false), "{kind}");
        }
    }
    for delta in [0.01, 0.25] {
        let learner = "lsvi-ucb-ssp@B=oracle@t_star=oracle";
        assert_eq!(level(learner, delta, "regret"), (4.0 * delta, delta == 0.25));
    }
}
