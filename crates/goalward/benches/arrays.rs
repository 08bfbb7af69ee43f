//! Building a problem from ten sparse models in arrays: `cargo xtask bench arrays`. The reference of
//! `cargo xtask bench python`, whose script makes the same models with numpy.
//!
//! 100,000 states of four actions, five successors in each model, two of which differ from model to
//! model. *arrays_mb* is what the models take, *build_s* the least of three builds, *extra_mb* the
//! peak of resident memory over the arrays while one is built.

mod harness;

use goalward::Problem;
use goalward::problem::{Csr, Rows, Shape};
use harness::{Table, micros, reset_peak, status};

const STATES: usize = 100_000;
const ACTIONS: usize = 4;
const MODELS: usize = 10;
const SUCCESSORS: usize = 5;

struct Model {
    indptr: Vec<i32>,
    indices: Vec<i32>,
    data: Vec<f64>,
}

/// The goal is the last state, and has no rows.
fn model(m: usize) -> Model {
    let pairs = STATES * ACTIONS;
    let (mut indptr, mut indices, mut data) = (vec![0], Vec::new(), Vec::new());
    for pair in 0..pairs {
        let (s, a) = (pair / ACTIONS, pair % ACTIONS);
        if s != STATES - 1 {
            for j in 0..SUCCESSORS {
                let next = if j < 3 { s + 1 + a + j } else { s + 10 + (m + j + a) % 7 };
                indices.push((if j == 0 { next.min(STATES - 1) } else { next % STATES }) as i32);
            }
            let first = 0.2 + 0.02 * m as f64;
            data.extend([first, 0.2, 0.2, 0.2, 0.4 - first]);
        }
        indptr.push(data.len() as i32);
    }
    Model { indptr, indices, data }
}

fn main() {
    let models: Vec<Model> = (0..MODELS).map(model).collect();
    let pairs = (STATES - 1) * ACTIONS;
    let rows: Vec<Csr<i32, i32, f64>> = models
        .iter()
        .map(|m| Csr::new("m", pairs, &m.indptr[..=pairs], &m.indices, &m.data).expect("they fit together"))
        .collect();
    let rows: Vec<&dyn Rows> = rows.iter().map(|row| row as &dyn Rows).collect();
    let bytes: usize = models.iter().map(|m| 4 * (m.indptr.len() + m.indices.len()) + 8 * m.data.len()).sum();
    let build = || {
        let mut first_pair: Vec<usize> = (0..STATES).map(|s| s * ACTIONS).collect();
        first_pair.push(pairs);
        let shape = Shape { first_pair, costs: vec![1.0; pairs] };
        let mut builder = Problem::from_arrays("arrays", shape, &rows, None).expect("they are models");
        builder.start(0).goal(STATES - 1).simplex();
        builder.build().expect("it is a problem")
    };
    let before = status("VmRSS:");
    reset_peak();
    let problem = build();
    let extra = status("VmHWM:") - before;
    let size = problem.bytes();
    drop(problem);
    let seconds = (0..3).map(|_| micros(1, || drop(build()))).fold(f64::INFINITY, f64::min) * 1e-6;
    let mut table = Table::new("arrays", &["arrays_mb", "problem_mb", "build_s", "extra_mb"]);
    table.row("ten sparse models", &[bytes as f64 / 1e6, size as f64 / 1e6, seconds, extra / 1e6]);
    table.print();
}
