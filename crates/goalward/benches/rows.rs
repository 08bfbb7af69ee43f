//! The rows of B: what pruning leaves and takes, and whether minima are exact. `cargo xtask bench
//! rows [--objectives N] [--pairs N]`; 0 leaves a part out.
//!
//! First, `random-mixture` of 10 successors and 4 actions: rows in general position. `different`
//! counts rows that are not equal, `facets` what is left (not a number where it was given up),
//! `build_s` the world's time to build with pruning, `prune_s` what of it pruning takes: the
//! difference to B built without, from the same features.
//!
//! For eight and ten dimensions, where it is given up, the share of facets by a sample of the rows.
//!
//! Then minima over C ∩ B against Clarabel over all rows that the problem states, for four worlds
//! and nine ellipsoids each; 100,000 objectives in all, each asked for three times, also as sweeps
//! do. Ends with code 1 if a minimum is off by
//! more than 1e-7 or a bound above the reference by more than 1e-8.

mod exact;
mod harness;

use exact::{Counts, Place, World};
use goalward::Settings;
use goalward::numeric::support::{ConvexSet, Ellipsoid, SupportMin, Warm};
use goalward::numeric::{PolytopeBuilder, Rows, Tall};
use goalward::worlds;
use harness::{Table, micros};
use std::collections::HashSet;
use std::sync::Arc;

fn argument(name: &str) -> Option<usize> {
    std::env::args().skip_while(|a| a != name).nth(1)?.parse().ok()
}

fn mixture(pairs: usize, dim: usize) -> Settings {
    Settings::new().set("states", pairs / 4).set("actions", 4).set("dim", dim).set("successors", 10)
}

fn pruning(most: usize) {
    let columns =
        ["pairs", "dim", "rows", "different", "facets", "complete", "build_s", "prune_s", "unpruned_B_s"];
    let mut table = Table::new("rows", &columns);
    for dim in [2, 4, 6, 10] {
        for pairs in [1_000, 10_000, 100_000, 1_000_000].into_iter().filter(|&pairs| pairs <= most) {
            let mut instance = None;
            let build =
                micros(1, || instance = Some(worlds::build("random-mixture", &mixture(pairs, dim)).unwrap()));
            let problem = instance.take().unwrap().problem;
            let pruned = problem.constraints().pruned();
            let mut numbers = Vec::new();
            (0..problem.pairs()).for_each(|p| numbers.extend_from_slice(problem.phi(p)));
            let phi = Arc::new(Tall::new(dim, numbers));
            drop(problem);
            let mut seen = HashSet::new();
            let different = (phi.get(0..phi.rows()).chunks_exact(dim))
                .filter(|row| {
                    seen.insert(row.iter().fold(0u64, |h, x| {
                        (h.rotate_left(23) ^ x.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    }))
                })
                .count();
            drop(seen);
            let b = |unpruned: bool| {
                let mut builder = PolytopeBuilder::new(dim);
                if unpruned {
                    builder = builder.unpruned();
                }
                builder.equality(&vec![1.0; dim], 1.0).unwrap();
                builder.no_less_than_zero(&phi);
                micros(1, || drop(builder.clone().finish().unwrap())) * 1e-6
            };
            let (without, with) = (b(true), b(false));
            let facets = if pruned.complete { pruned.kept as f64 } else { f64::NAN };
            let numbers = [
                pairs as f64,
                dim as f64,
                pruned.seen as f64,
                different as f64,
                facets,
                f64::from(u8::from(pruned.complete)),
                build * 1e-6,
                with - without,
                without,
            ];
            table.row(&format!("{pairs} pairs, d = {dim}"), &numbers);
        }
    }
    table.print();
}

/// The share of rows in general position that are facets, from 500 rows that are asked of all
/// others.
fn share(pairs: usize, dim: usize) -> (usize, f64) {
    let instance = worlds::build("random-mixture", &mixture(pairs, dim)).unwrap();
    let problem = &instance.problem;
    let (mut others, mut asked) = (Vec::new(), Vec::new());
    let last = problem.rows(problem.pairs() - 1).end;
    let rows = (0..last).map(|row| problem.row(row));
    // neither the goal's own rows nor those that repeat
    let rows: Vec<_> = rows.filter(|row| row.iter().any(|x| *x != row[0])).collect();
    let count = rows.len();
    for (i, row) in rows.into_iter().enumerate() {
        if i % (count / 500) == 0 { asked.push(row) } else { others.extend_from_slice(row) }
    }
    let mut builder = PolytopeBuilder::new(dim).at_most(1).unpruned();
    builder.equality(&vec![1.0; dim], 1.0).unwrap();
    builder.no_less_than_zero(&Arc::new(Tall::new(dim, others)));
    let b = Arc::new(builder.finish().unwrap().with_rows(Rows::Exact));
    let identity: Vec<f64> = (0..dim * dim).map(|i| f64::from(u8::from(i % (dim + 1) == 0))).collect();
    let around = Ellipsoid { center: b.interior(), shape: &identity, radius: 1e3 };
    let mut set = ConvexSet::new(&b, around).unwrap();
    let facets = asked.iter().filter(|row| set.min(row, &mut Warm::default()).value < -1e-12).count();
    (count, facets as f64 / asked.len() as f64)
}

fn shares() {
    for pairs in [1_000, 10_000, 20_000] {
        for dim in [8, 10] {
            let (rows, share) = share(pairs, dim);
            println!(
                "{rows} rows in general position, d = {dim}: {:.0} % are facets, by a sample of 500",
                100.0 * share
            );
        }
    }
}

fn exactness(objectives: usize) -> Counts {
    let columns = [
        "rows",
        "kept",
        "can_bind",
        "objectives",
        "active",
        "unsure",
        "programs",
        "worst",
        "beyond",
        "excess",
        "above",
        "seconds",
    ];
    let mut table = Table::new("exactness", &columns);
    let worlds = [
        World::new("random-mixture", &mixture(10_000, 4)),
        World::new("random-mixture", &mixture(10_000, 10)),
        World::new("windy-grid", &Settings::new().set("n", 100)),
        World::simplex("random-mixture", &mixture(10_000, 10)),
    ];
    let each = objectives.div_ceil(worlds.len() * 9);
    let mut all = Counts::default();
    for world in &worlds {
        let kept = world.instance.problem.constraints().pruned().kept;
        for place in Place::ALL {
            for shape in 0..3 {
                let mut found = None;
                let seconds = 1e-6 * micros(1, || found = Some(exact::compare(world, place, each, shape)));
                let (can_bind, c) = found.unwrap();
                let numbers = [
                    world.rows() as f64,
                    kept as f64,
                    can_bind as f64,
                    c.objectives as f64,
                    c.active as f64,
                    c.unsure as f64,
                    c.solves as f64,
                    c.worst,
                    c.beyond as f64,
                    c.excess,
                    c.above as f64,
                    seconds,
                ];
                table.row(&format!("{}, {place:?} {shape}", world.name), &numbers);
                all.add(&c);
            }
        }
    }
    table.print();
    all
}

fn main() {
    let pairs = argument("--pairs").unwrap_or(1_000_000);
    if pairs > 0 {
        pruning(pairs);
        shares();
    }
    let objectives = argument("--objectives").unwrap_or(100_000);
    if objectives == 0 {
        return;
    }
    let c = exactness(objectives);
    println!(
        "{} objectives, {} with active rows, {} without a reference; largest difference {:.1e}, \
         {} beyond 1e-7; bounds above the \
         reference by {:.1e} at most, {} by more than 1e-8",
        c.objectives, c.active, c.unsure, c.worst, c.beyond, c.excess, c.above
    );
    if c.beyond + c.above > 0 {
        std::process::exit(1);
    }
}
