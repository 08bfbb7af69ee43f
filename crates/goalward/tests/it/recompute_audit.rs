//! What the audit shows, from the trace by a slow direct computation: dense matrices inverted anew
//! at every step, powers by `powi`, the decomposition and the sums written out. The weights and V_j
//! stand in the trace. No code is shared with the library's estimators.

use crate::plain::{Level, Plain, numbers};
use goalward::Settings;
use goalward::episode::{Arena, Audit, AuditReport, RunSpec, Runner, Trace};
use nalgebra::DVector;
use serde_json::Value;

fn close(ours: f64, direct: f64, what: &str) {
    assert!((ours - direct).abs() <= 1e-7 * direct.abs().max(1.0), "{what}: {ours}, directly {direct}");
}

/// A run with its audit, and its trace line by line.
fn traced(arena: &Arena, spec: RunSpec) -> (AuditReport, Vec<Value>) {
    let mut text = Vec::new();
    let mut runner = Runner::new(arena, spec).unwrap();
    let mut audit = Audit::new(arena).unwrap();
    let mut trace = Trace::new(&mut text);
    trace.start(&runner);
    runner.run(&mut [&mut audit, &mut trace]).unwrap();
    trace.flush().unwrap();
    drop(trace);
    let text = String::from_utf8(text).unwrap();
    (audit.report(&runner), text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// theta_hat of now.
fn estimate(level: &Level) -> DVector<f64> {
    level.sigma.clone().lu().solve(&level.b).unwrap()
}

/// I1, I2 and I3 over finished episodes, what was promised, and the most that V_j exceeds V* by.
fn decompose(arena: &Arena, lines: &[Value]) -> ([f64; 3], f64, f64) {
    let plain = Plain::read(arena.instance());
    let theta = DVector::from_vec(arena.instance().truth().unwrap().theta().unwrap().to_vec());
    let start = arena.problem().start();
    let mut v = vec![0.0; plain.rows.len()];
    let (mut sums, mut open) = ([0.0, 0.0, 1.0], [0.0; 3]);
    let (mut promised, mut said, mut above) = (0.0, None, f64::NEG_INFINITY);
    for line in &lines[1..] {
        let at = |key: &str| line[key].as_u64().unwrap() as usize;
        match line["kind"].as_str().unwrap() {
            "step" => {
                let (s, a, next) = (at("state"), at("action"), at("next"));
                if said.is_none() {
                    said = Some(v[start]);
                    open[2] -= v[start];
                }
                let mean = plain.phi(s, a, |n| v[n]).dot(&theta);
                open[0] += plain.cost[s][a] + mean - v[s];
                open[1] += v[next] - mean;
                open[2] += v[s] - v[next];
            }
            "plan" => {
                v = numbers(&line["v"]);
                let off_goal = (0..v.len()).filter(|&s| s != plain.goal);
                let over = off_goal.map(|s| v[s] - arena.exact().v[s]);
                above = over.fold(above, f64::max);
            }
            "episode" => {
                (0..3).for_each(|i| sums[i] += open[i]);
                promised += said.take().unwrap();
                open = [0.0; 3];
            }
            _ => {}
        }
    }
    (sums, promised, above)
}

fn check_decomposition(arena: &Arena, report: &AuditReport, lines: &[Value]) {
    let ([i1, i2, i3], promised, above) = decompose(arena, lines);
    let parts = report.decomposition.unwrap();
    close(parts.i1, i1, "I1");
    close(parts.i2, i2, "I2");
    close(parts.i3, i3, "I3");
    let paid: f64 =
        lines.iter().filter_map(|line| line["cost"].as_f64().filter(|_| line["kind"] == "episode")).sum();
    close(parts.r_hat, paid - promised, "R_hat");
    close(report.cost, paid, "the cost");
    close(parts.optimism, report.episodes as f64 * arena.optimal_cost() - promised, "optimism");
    let margin = report.checks.iter().find(|c| c.statement == "V_j <= V*").unwrap().margin.unwrap();
    // V* is known to rounding, from above and from below
    assert!((margin + above).abs() <= 1e-6, "{margin}, directly {}", -above);
    let calls = lines.iter().filter(|line| line["kind"] == "plan").count();
    assert_eq!(report.planner_calls as usize, calls);
    for (reason, n) in &report.plans {
        let found = lines.iter().filter(|line| line["reason"] == reason.as_str()).count();
        assert_eq!(*n as usize, found, "{reason}");
    }
}

/// What a level comes to, directly.
#[derive(Clone, Copy)]
struct Direct {
    margin: f64,
    variance_margin: f64,
    r: f64,
    s: f64,
    a: f64,
}

/// Replays the regressions of LEVIS++ from its trace.
fn levels(arena: &Arena, lines: &[Value]) -> Vec<Direct> {
    let plain = Plain::read(arena.instance());
    let theta = DVector::from_vec(arena.instance().truth().unwrap().theta().unwrap().to_vec());
    let get = |key: &str| lines[0][key].as_f64().unwrap();
    let (b, lambda, delta, phi_norm) = (get("B"), get("lambda"), get("delta"), get("phi_norm"));
    let (count, d) = (get("levels") as usize, plain.dim as f64);
    let bias = lines[0]["theta_norm"].as_f64().map_or(1.0, |norm| lambda.sqrt() * norm);
    let factor: f64 =
        lines[0]["radius"].as_str().unwrap().strip_prefix("scaled:").map_or(1.0, |x| x.parse().unwrap());
    let beta = |t: f64| {
        let ell = (128.0 * ((t / d).ln().max(0.0) + 2.0) * t.powi(4) / delta).ln();
        let grown = (1.0 + t * t * phi_norm * phi_norm / (d * lambda)).ln();
        factor * (12.0 * (d * grown * ell).sqrt() + 30.0 * d.sqrt() * ell + bias)
    };
    let mut own: Vec<Level> = (0..count).map(|_| Level::new(plain.dim, lambda)).collect();
    let none = Direct { margin: f64::INFINITY, variance_margin: f64::INFINITY, r: 0.0, s: 0.0, a: 0.0 };
    let mut found = vec![none; count];
    let mut v: Vec<f64> = (0..plain.rows.len()).map(|s| f64::from(u8::from(s != plain.goal))).collect();
    let mut planned = false;
    for line in &lines[1..] {
        let at = |key: &str| line[key].as_u64().unwrap() as usize;
        match line["kind"].as_str().unwrap() {
            "step" => {
                let (t, s, a, next) = (at("t") as f64, at("state"), at("action"), at("next"));
                let power = |n: usize, l: usize| (v[n] / b).clamp(0.0, 1.0).powi(1 << l);
                let psi: Vec<DVector<f64>> = (0..=count).map(|l| plain.phi(s, a, |n| power(n, l))).collect();
                let weights = numbers(&line["sigma_sq"]);
                for l in 0..count {
                    if planned && l + 1 < count {
                        let mean = |l: usize| psi[l].dot(&own[l].frozen_theta).clamp(0.0, 1.0);
                        let norm = |l: usize| beta(t) * Level::norm(&own[l].frozen_sigma, &psi[l]);
                        let error = (2.0 * norm(l)).min(1.0) + norm(l + 1).min(1.0);
                        let truly = psi[l + 1].dot(&theta) - psi[l].dot(&theta).powi(2);
                        let off = (mean(l + 1) - mean(l).powi(2) - truly).abs();
                        found[l].variance_margin = found[l].variance_margin.min(error - off);
                    }
                }
                for (l, (level, found)) in own.iter_mut().zip(&mut found).enumerate() {
                    level.take(&psi[l], power(next, l), 1.0 / weights[l]);
                    let off = &theta - estimate(level);
                    let distance = (off.transpose() * &level.sigma * &off)[(0, 0)].sqrt();
                    found.margin = found.margin.min(beta(t) - distance);
                    if planned {
                        let mean = psi[l].dot(&theta);
                        found.s += psi[l + 1].dot(&theta) - mean * mean;
                        found.a += mean - power(next, l);
                        found.r += (beta(t) * Level::norm(&level.sigma, &psi[l])).min(1.0);
                    }
                }
            }
            "plan" => {
                v = numbers(&line["v"]);
                planned = true;
                own.iter_mut().for_each(Level::freeze);
            }
            _ => {}
        }
    }
    found
}

#[test]
fn levis_plus_plus_from_its_trace() {
    let small = Settings::new().set("n", 3);
    let hard = Settings::new().set("dim", 2);
    for (world, params, settings) in [
        ("windy-grid", small, "B=3 norms=computed"),
        ("hard-instance", hard.clone(), "B=3"),
        ("hard-instance", hard, "B=3 radius=scaled:0.003"),
    ] {
        let arena = Arena::open(world, &params).unwrap();
        let given: Vec<String> = settings.split_whitespace().map(String::from).collect();
        let spec = RunSpec::new("levis++", 1_000).settings(Settings::parse(&given).unwrap()).seed(5);
        let (report, lines) = traced(&arena, spec.max_steps(400));
        check_decomposition(&arena, &report, &lines);
        let direct = levels(&arena, &lines);
        assert_eq!(direct.len(), report.levels.len());
        for (ours, direct) in report.levels.iter().zip(direct) {
            let what = |name: &str| format!("{world} {settings}, {name} of level {}", ours.level);
            close(ours.margin.unwrap(), direct.margin, &what("margin"));
            close(ours.sums.r, direct.r, &what("R"));
            close(ours.sums.s, direct.s, &what("S"));
            close(ours.sums.a, direct.a, &what("A"));
            if let Some(margin) = ours.variance_margin {
                close(margin, direct.variance_margin, &what("E"));
            }
        }
    }
}

#[test]
fn the_end_of_ignorance_on_an_interval() {
    // B is an interval, so that its corners are known: theta = (x, 1), |x| <= 5/27
    let arena = Arena::open("hard-instance", &Settings::new().set("dim", 2)).unwrap();
    let given = ["B=3", "radius=scaled:0.003"].map(String::from);
    let spec = RunSpec::new("levis++", 400).settings(Settings::parse(&given).unwrap()).seed(2);
    let (report, lines) = traced(&arena, spec);
    let plain = Plain::read(arena.instance());
    let delta = plain.rows[0][0].iter().map(|(_, phi)| phi[1]).fold(f64::INFINITY, f64::min);
    let lambda = lines[0]["lambda"].as_f64().unwrap();
    let mut level = Level::new(2, lambda);
    let mut v = [1.0, 0.0];
    let mut until = None;
    for line in &lines[1..] {
        let at = |key: &str| line[key].as_u64().unwrap() as usize;
        match line["kind"].as_str().unwrap() {
            "step" => {
                let psi = plain.phi(at("state"), at("action"), |n| v[n] / 3.0);
                level.take(&psi, v[at("next")] / 3.0, 1.0 / numbers(&line["sigma_sq"])[0]);
            }
            "plan" => {
                let planned = numbers(&line["v"]);
                v = [planned[0], planned[1]];
                let far = [-delta, delta].map(|x| {
                    let off = DVector::from_vec(vec![x, 1.0]) - estimate(&level);
                    (off.transpose() * &level.sigma * &off)[(0, 0)].sqrt()
                });
                let beyond = far[0].max(far[1]) > line["beta"].as_f64().unwrap();
                until = until.or(beyond.then(|| line["t"].as_u64().unwrap()));
            }
            _ => {}
        }
    }
    assert!(until.is_some());
    assert_eq!(report.whole_b.unwrap().until, until);
}

#[test]
fn lr_from_its_trace() {
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    let (report, lines) = traced(&arena, RunSpec::new("lr", 80).seed(4));
    check_decomposition(&arena, &report, &lines);
    // later bounds are sharper than those of the plans in force
    let r_hat = report.decomposition.unwrap().r_hat;
    assert!(report.regret_certified.is_some_and(|certified| certified < r_hat && certified >= report.regret));
}
