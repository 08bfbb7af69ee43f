//! Replays a trace by a slow direct computation that shares no code with the learner: dense
//! matrices inverted anew at every step, powers by `powi`, support problems put to Clarabel as they
//! stand, features read from the problem's JSON.

use crate::plain::{Level, Plain, numbers};
use crate::worlds_for_tests::irregular;
use goalward::Settings;
use goalward::episode::{Arena, RunSpec, Runner, Trace};
use nalgebra::DVector;
use serde_json::Value;

const TOLERANCE: f64 = 1e-8;

fn close(ours: f64, direct: f64, what: &str) {
    assert!((ours - direct).abs() <= TOLERANCE * direct.abs().max(1.0), "{what}: {ours}, directly {direct}");
}

/// Runs the learner for so many steps and replays its trace; gives the number of plans checked.
fn replay(arena: &Arena, learner: &str, settings: Settings, steps: u64) -> usize {
    let mut text = Vec::new();
    let mut trace = Trace::new(&mut text);
    let spec = RunSpec::new(learner, u64::MAX).settings(settings).seed(11).max_steps(steps);
    let mut runner = Runner::new(arena, spec).unwrap();
    trace.start(&runner);
    runner.run(&mut [&mut trace]).unwrap();
    trace.flush().unwrap();
    let lines: Vec<Value> =
        String::from_utf8(text).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();

    let plain = Plain::read(arena.instance());
    let start = &lines[0];
    let get = |key: &str| start[key].as_f64().unwrap_or_else(|| panic!("{key} is not in {start}"));
    let (b, lambda, delta) = (get("B"), get("lambda"), get("delta"));
    let weighted = learner == "levis++";
    let count = if weighted { get("levels") as usize } else { 1 };
    let factor: f64 =
        start["radius"].as_str().unwrap().strip_prefix("scaled:").map_or(1.0, |x| x.parse().unwrap());
    let d = plain.dim as f64;
    let beta = |t: f64| {
        factor
            * if weighted {
                let ell = (128.0 * ((t / d).ln().max(0.0) + 2.0) * t.powi(4) / delta).ln();
                12.0 * (d * (1.0 + t * t / (d * lambda)).ln() * ell).sqrt() + 30.0 * d.sqrt() * ell + 1.0
            } else {
                b * (d * (4.0 / delta * (t * t + t.powi(3) * b * b / lambda)).ln()).sqrt()
                    + (lambda * d).sqrt()
            }
    };
    // radii that the data enter: per level, as of the last plan
    let kind = start["radius"].as_str().unwrap();
    let own = ["data", "determinant"].contains(&kind);
    let mut noise = vec![(0.0, 0.0); count];
    let mut betas = vec![if own { lambda.sqrt() * get("theta_norm") } else { 0.0 }; count];
    let radius_of = |t: f64, (product, half): (f64, f64), log_det: f64| {
        let bias = lambda.sqrt() * get("theta_norm");
        if kind == "determinant" {
            let mut k = 0;
            while 0.25 * 1.25f64.powi(k) < half {
                k += 1;
            }
            let parts = f64::from((k + 1) * (k + 2));
            let log = 2.0 * (parts / delta).ln() + log_det - d * lambda.ln();
            return 0.25 * 1.25f64.powi(k) * log.sqrt() + bias;
        }
        let (mut end, mut n) = (get("horizon"), 0.0);
        while end < t {
            (end, n) = (2.0 * end, n + 1.0);
        }
        let share = delta / (2.0 * count as f64 + 1.0) / ((n + 1.0) * (n + 2.0));
        let ell = (32.0 * ((end.sqrt() / 0.001).ln() + 1.0) * t * t / share).ln();
        let l = get("phi_norm") * end.sqrt();
        12.0 * (d * (1.0 + t * l * l / (d * lambda)).ln() * ell).sqrt()
            + 24.0 * ell * product
            + 0.006 * ell
            + bias
    };
    let mut levels: Vec<Level> = (0..count).map(|_| Level::new(plain.dim, lambda)).collect();
    let mut v: Vec<f64> = (0..plain.rows.len()).map(|s| if s == plain.goal { 0.0 } else { 1.0 }).collect();
    let (mut t_j, mut plans, mut due) = (0, 0, None);
    for line in &lines[1..] {
        let at = |key: &str| line[key].as_u64().unwrap() as usize;
        match line["kind"].as_str().unwrap() {
            "step" => {
                assert_eq!(due, None, "step {}: a plan was due", at("t"));
                let (t, s, a, next) = (at("t") as f64, at("state"), at("action"), at("next"));
                if weighted {
                    let power = |n: usize, l: usize| (v[n] / b).clamp(0.0, 1.0).powi(1 << l);
                    let psi: Vec<DVector<f64>> =
                        (0..count).map(|l| plain.phi(s, a, |n| power(n, l))).collect();
                    let mean = |l: usize| psi[l].dot(&levels[l].frozen_theta).clamp(0.0, 1.0);
                    let error =
                        |l: usize, k: f64| (k * Level::norm(&levels[l].frozen_sigma, &psi[l])).min(1.0);
                    let sigma_sq: Vec<f64> = (0..count)
                        .map(|l| {
                            let own = if l + 1 == count {
                                1.0
                            } else {
                                let of = |l: usize| if own { betas[l] } else { beta(t) };
                                mean(l + 1) - mean(l).powi(2)
                                    + error(l, 2.0 * of(l))
                                    + error(l + 1, of(l + 1))
                            };
                            own.max(1.0 / t).max(Level::norm(&levels[l].sigma, &psi[l]) / d.sqrt())
                        })
                        .collect();
                    for l in 0..count {
                        let powers = plain.rows[s][a].iter().map(|(n, _)| power(*n, l));
                        let span = powers.clone().fold(0.0, f64::max) - powers.fold(1.0, f64::min);
                        let (loud, x) = (
                            span / sigma_sq[l].sqrt(),
                            Level::norm(&levels[l].sigma, &psi[l]) / sigma_sq[l].sqrt(),
                        );
                        noise[l] =
                            (f64::max(noise[l].0, loud * x.min(1.0)), f64::max(noise[l].1, 0.5 * loud));
                    }
                    for (l, ours) in numbers(&line["sigma_sq"]).iter().enumerate() {
                        close(*ours, sigma_sq[l], &format!("sigma_sq[{l}] at step {t}"));
                        levels[l].take(&psi[l], power(next, l), 1.0 / sigma_sq[l]);
                    }
                } else {
                    assert!(line.get("sigma_sq").is_none());
                    let x = plain.phi(s, a, |n| v[n]);
                    levels[0].take(&x, v[next], 1.0);
                }
                let grown =
                    |l: &Level| Level::log_det(&l.sigma) - Level::log_det(&l.frozen_sigma) >= 2f64.ln();
                due = match levels.iter().any(grown) {
                    true => Some("determinant"),
                    false => (at("t") >= 2 * t_j).then_some("time"),
                };
            }
            "plan" => {
                assert_eq!(line["reason"].as_str(), due.take());
                plans += 1;
                t_j = at("t");
                assert_eq!(at("j"), plans);
                for (l, level) in levels.iter_mut().enumerate() {
                    level.freeze();
                    betas[l] = match own {
                        true => radius_of(t_j as f64, noise[l], Level::log_det(&level.sigma)),
                        false => beta(t_j as f64),
                    };
                    for (ours, direct) in numbers(&line["theta"][l]).iter().zip(level.frozen_theta.iter()) {
                        close(*ours, *direct, &format!("theta[{l}] of plan {plans}"));
                    }
                    let log_det = line["log_det"][l].as_f64().unwrap();
                    close(log_det, Level::log_det(&level.frozen_sigma), "log_det");
                }
                close(line["beta"].as_f64().unwrap(), betas[0], "beta");
                let ours = numbers(&line["v"]);
                if line.get("empty").is_none() {
                    let mut set = plain.support(&levels[0].frozen_sigma, &levels[0].frozen_theta, betas[0]);
                    let direct = plain.devi(
                        std::slice::from_mut(&mut set),
                        b,
                        t_j as f64,
                        line["sweeps"].as_u64().unwrap(),
                    );
                    for s in 0..v.len() {
                        close(ours[s], direct[s], &format!("v[{s}] of plan {plans} at step {t_j}"));
                    }
                }
                v = ours;
            }
            _ => {}
        }
    }
    assert_eq!(at_last_step(&lines), steps);
    plans
}

fn at_last_step(lines: &[Value]) -> u64 {
    lines.iter().rev().find_map(|l| l["t"].as_u64()).unwrap()
}

fn settings(b: f64, radius: &str) -> Settings {
    Settings::new().set("B", b).set("radius", radius)
}

#[test]
fn levis_plus_plus_on_windy_grid() {
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    assert!(replay(&arena, "levis++", settings(4.0, "scaled:0.003"), 2_000) > 12);
}

#[test]
fn levis_plus_plus_on_random_mixture() {
    let arena = Arena::open("random-mixture", &Settings::new().set("states", 10)).unwrap();
    assert!(replay(&arena, "levis++", settings(6.0, "scaled:0.002"), 2_000) > 12);
}

#[test]
fn levis_plus_plus_on_an_irregular_problem() {
    let arena = Arena::new("irregular", &Settings::new(), irregular(5, 7, 7)).unwrap();
    assert!(replay(&arena, "levis++", settings(8.0, "scaled:0.002"), 2_000) > 12);
    assert!(replay(&arena, "levis++", settings(8.0, "printed"), 200) > 8);
}

#[test]
fn levis_plus_plus_with_radii_of_the_data() {
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    assert!(replay(&arena, "levis++", settings(4.0, "determinant"), 1_000) > 12);
    let arena = Arena::new("irregular", &Settings::new(), irregular(5, 7, 7)).unwrap();
    assert!(replay(&arena, "levis++", settings(8.0, "determinant"), 500) > 12);
}

#[test]
fn levis_on_windy_grid_and_irregular() {
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    assert!(replay(&arena, "levis", settings(4.0, "printed"), 2_000) > 12);
    let arena = Arena::new("irregular", &Settings::new(), irregular(6, 7, 7)).unwrap();
    assert!(replay(&arena, "levis", settings(8.0, "scaled:0.1"), 2_000) > 12);
}
