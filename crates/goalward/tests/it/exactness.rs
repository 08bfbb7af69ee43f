//! The benchmark of exactness in small: minima over C ∩ B against Clarabel over all rows that the
//! problem states.

#[path = "../../benches/exact/mod.rs"]
mod exact;

use exact::{Counts, Place, World};
use goalward::Settings;

#[test]
fn seven_hundred_minima_are_those_over_all_rows() {
    let mixture = |pairs: usize, dim: usize| {
        Settings::new().set("states", pairs / 4).set("actions", 4).set("dim", dim).set("successors", 10)
    };
    let worlds = [
        World::new("random-mixture", &mixture(7_000, 4)),
        World::new("random-mixture", &mixture(7_000, 10)),
        World::new("windy-grid", &Settings::new().set("n", 30)),
        World::simplex("random-mixture", &mixture(7_000, 10)),
    ];
    let b = |i: usize| worlds[i].instance.problem.constraints();
    assert!(worlds[0].rows() > 1 << 16 && !b(0).has_features() && b(0).pruned().complete);
    assert!(worlds[1].rows() > 1 << 16 && b(1).has_features());
    assert!(b(2).pruned().complete && b(2).pruned().kept < 20, "{:?}", b(2).pruned());
    assert!(b(3).pruned().complete && b(3).pruned().kept == 10, "{:?}", b(3).pruned());
    let mut all = Counts::default();
    for world in &worlds {
        for place in Place::ALL {
            let (can_bind, counts) = exact::compare(world, place, 60, 7);
            assert_eq!(can_bind == 0, place == Place::Inside, "{}", world.name);
            assert!(counts.unsure == 0 && counts.worst < 1e-8 && counts.excess < 1e-9, "{counts:?}");
            all.add(&counts);
        }
    }
    assert!(all.objectives == 720 && all.beyond + all.above == 0, "{all:?}");
    assert!(all.active > 200 && all.solves > 600, "rows of B must matter: {all:?}");
}
