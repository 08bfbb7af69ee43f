//! LEVIS+ and UCRL-AVE for shortest paths by direct computations that share no code with them:
//! formulas as printed, in the units of the values, dense matrices inverted anew at every step.

use crate::plain::{Level, Made, Plain, Walk};
use crate::worlds_for_tests::irregular;
use goalward::problem::Instance;
use goalward::{Settings, worlds};
use nalgebra::DVector;

/// What regressions and radii agree to.
const TIGHT: f64 = 1e-9;
/// What Clarabel's plans agree to.
const PLANS: f64 = 1e-8;

#[track_caller]
fn close(ours: f64, direct: f64, tolerance: f64, what: &str) {
    let off = (ours - direct).abs();
    assert!(off <= tolerance * direct.abs().max(1.0), "{what}: {ours}, directly {direct}");
}

fn instances() -> Vec<(Instance, f64)> {
    vec![
        (worlds::build("windy-grid", &Settings::new().set("n", 3)).unwrap(), 4.0),
        (worlds::build("hard-instance", &Settings::new().set("dim", 3)).unwrap(), 3.0),
        (irregular(5, 7, 4), 8.0),
    ]
}

/// V of the first step: 1 off the goal.
fn ones(plain: &Plain) -> Vec<f64> {
    (0..plain.rows.len()).map(|s| if s == plain.goal { 0.0 } else { 1.0 }).collect()
}

/// Which trigger should have fired after a step.
fn due(made: &Made, doubled: bool, t_j: u64) -> Option<&'static str> {
    doubled.then_some("Determinant").or((made.t >= 2 * t_j).then_some("Time"))
}

#[track_caller]
fn check_trigger(made: &Made, due: Option<&str>) {
    let reason = made.shown.plan.as_ref().filter(|_| made.planned).map(|plan| format!("{:?}", plan.reason));
    assert_eq!(reason.as_deref(), due, "step {}", made.t);
}

fn grown(level: &Level) -> bool {
    Level::log_det(&level.sigma) - Level::log_det(&level.frozen_sigma) >= 2f64.ln()
}

fn check_values(made: &Made, plain: &Plain, levels: &[(&Level, f64)], b: f64) {
    let plan = made.shown.plan.as_ref().unwrap();
    if plan.empty.is_some() {
        return;
    }
    let set = |(level, beta): &(&Level, f64)| plain.support(&level.frozen_sigma, &level.frozen_theta, *beta);
    let mut sets: Vec<_> = levels.iter().map(set).collect();
    let direct = plain.devi(&mut sets, b, plan.t as f64, plan.sweeps);
    for (s, (ours, direct)) in plan.v.iter().zip(direct).enumerate() {
        close(*ours, direct, PLANS, &format!("v[{s}] of the plan at step {}", plan.t));
    }
}

/// LEVIS+, as section 1 of the formulas has it: V in [0, B], both regressions from scratch.
fn replay_levis_plus(instance: &Instance, b: f64, factor: f64, lambda: Option<f64>, steps: u64) -> u64 {
    let settings = Settings::new().set("B", b).set("scale", factor).set("delta", 0.05);
    let settings = lambda.iter().fold(settings, |settings, lambda| settings.set("lambda", lambda));
    let mut walk = Walk::new(instance, "levis+", &settings, 11);
    let plain = Plain::read(instance);
    let (d, lambda, delta) = (plain.dim as f64, lambda.unwrap_or(1.0 / (b * b)), 0.05);
    let iota = |t: f64| (4.0 * t * t / delta).ln();
    // the norms that the paper assumes are sqrt(d), so d t/lambda stands in the logarithm
    let bias = lambda.sqrt() * d.sqrt();
    let hat =
        |t: f64| 8.0 * (d * (1.0 + d * t / lambda).ln() * iota(t)).sqrt() + 4.0 * d.sqrt() * iota(t) + bias;
    let check =
        |t: f64| 8.0 * d * ((1.0 + d * t / lambda).ln() * iota(t)).sqrt() + 4.0 * d.sqrt() * iota(t) + bias;
    let tilde = |t: f64| {
        8.0 * b * b * (d * (1.0 + t * b.powi(4) / lambda).ln() * iota(t)).sqrt()
            + 4.0 * b * b * iota(t)
            + bias
    };
    let (mut first, mut second) = (Level::new(plain.dim, lambda), Level::new(plain.dim, lambda));
    let theta = |level: &Level| level.sigma.clone().lu().solve(&level.b).unwrap();
    let (mut v, mut t_j, mut plans) = (ones(&plain), 0, 0);
    for _ in 0..steps {
        let made = walk.step();
        let t = made.t as f64;
        let x = plain.phi(made.state, made.action, |n| v[n]);
        let xx = plain.phi(made.state, made.action, |n| v[n] * v[n]);
        let mean = x.dot(&theta(&first)).clamp(0.0, b);
        let variance = xx.dot(&theta(&second)).clamp(0.0, b * b) - mean * mean;
        let error = (2.0 * b * factor * check(t) * Level::norm(&first.sigma, &x)).min(b * b)
            + (factor * tilde(t) * Level::norm(&second.sigma, &xx)).min(b * b);
        let sigma_sq = (variance + error).max(b * b / d);
        let [ours] = made.shown.weights[..] else { panic!("{:?}", made.shown.weights) };
        close(ours * b * b, sigma_sq, TIGHT, &format!("sigma^2 at step {t}"));
        first.take(&x, v[made.next], 1.0 / sigma_sq);
        second.take(&xx, v[made.next].powi(2), 1.0);
        check_trigger(&made, due(&made, grown(&first), t_j));
        if !made.planned {
            continue;
        }
        first.freeze();
        let plan = made.shown.plan.as_ref().unwrap();
        let mixture = plan.mixture().unwrap();
        (t_j, plans) = (made.t, plans + 1);
        for (ours, direct) in mixture.theta[0].iter().zip(first.frozen_theta.iter()) {
            close(*ours, *direct, TIGHT, "theta");
        }
        close(mixture.log_det[0], Level::log_det(&first.sigma), TIGHT, "log_det");
        close(mixture.beta, factor * hat(t), TIGHT, "beta");
        assert_eq!(made.shown.radii, [mixture.beta]);
        check_values(&made, &plain, &[(&first, factor * hat(t))], b);
        v.clone_from(&plan.v);
    }
    plans
}

#[test]
fn levis_plus() {
    for (instance, b) in instances() {
        // with the ridge 1/B^2 the second moment's matrix loses digits in the long run
        for (factor, lambda, steps) in [(1.0, None, 300), (0.02, Some(1.0), 700)] {
            let plans = replay_levis_plus(&instance, b, factor, lambda, steps);
            assert!(plans > 8, "{plans} plans");
        }
    }
}

/// One layer of UCRL-AVE, with all its steps.
struct Layer {
    level: Level,
    /// w, phi_U and U(s').
    steps: Vec<(f64, DVector<f64>, f64)>,
}

/// UCRL-AVE, as section 9.5 of the formulas has it, with V/B for values in [0, 1]. How many plans
/// there were, and which layers have data.
fn replay_ucrl_ave(instance: &Instance, b: f64, factor: f64, steps: u64) -> (u64, Vec<usize>) {
    let horizon: f64 = 1e4;
    let settings = Settings::new().set("B", b).set("scale", factor).set("horizon", horizon);
    let settings = settings.set("delta", 0.05).set("theta_norm", 1.5);
    let mut walk = Walk::new(instance, "ucrl-ave-ssp", &settings, 12);
    let plain = Plain::read(instance);
    let (delta, size) = (0.05, 1.5f64);
    let lambda = 1.0 / (size * size);
    let count = (horizon.powf(-1.5)).recip().log2().ceil() as usize;
    let new = |l: i32| Layer { level: Level::new(plain.dim, 4f64.powi(-l) * lambda), steps: Vec::new() };
    let mut layers: Vec<Layer> = (1..=count as i32).map(new).collect();
    let beta = |l: i32, layer: &Layer, t: f64| {
        let iota = (4.0 * t * t * count as f64 / delta).ln();
        let theta = layer.level.sigma.clone().lu().solve(&layer.level.b).unwrap();
        let squares = |(w, x, y): &(f64, DVector<f64>, f64)| w * w * (y - theta.dot(x)).powi(2);
        let variance = match 2f64.powi(l) >= 64.0 * iota.sqrt() {
            true => 8.0 * layer.steps.iter().map(squares).sum::<f64>(),
            false => layer.steps.len() as f64,
        };
        let reach = 2f64.powi(-l);
        let inside = 8.0 * variance + 8.0 * iota + 2f64.powi(-2 * l + 5) * lambda * size * size;
        factor * (16.0 * reach * (inside * iota).sqrt() + 6.0 * reach * iota + reach * lambda.sqrt() * size)
    };
    let (mut v, mut t_j, mut plans) = (ones(&plain), 0, 0);
    for _ in 0..steps {
        let made = walk.step();
        let x = plain.phi(made.state, made.action, |n| v[n] / b);
        let norms: Vec<f64> = layers.iter().map(|layer| Level::norm(&layer.level.sigma, &x)).collect();
        let place = (0..count).find(|&i| norms[i] >= 0.5f64.powi(i as i32 + 1));
        let weight = place.map_or(1.0, |i| 0.5f64.powi(i as i32 + 1) / norms[i]);
        let place = place.unwrap_or(count - 1);
        for (i, ours) in made.shown.weights.iter().enumerate() {
            // a step to the goal for certain tells nothing
            let direct = if i == place && x.norm() > 0.0 { weight.powi(-2) } else { 0.0 };
            close(*ours, direct, TIGHT, &format!("weight {i} at step {}", made.t));
        }
        assert_eq!(made.shown.weights.len(), count);
        let y = v[made.next] / b;
        if x.norm() > 0.0 {
            layers[place].level.take(&x, y, weight * weight);
            layers[place].steps.push((weight, x, y));
        }
        check_trigger(&made, due(&made, layers.iter().any(|layer| grown(&layer.level)), t_j));
        if !made.planned {
            continue;
        }
        (t_j, plans) = (made.t, plans + 1);
        let plan = made.shown.plan.as_ref().unwrap();
        let mixture = plan.mixture().unwrap();
        let betas: Vec<f64> =
            layers.iter().enumerate().map(|(i, layer)| beta(i as i32 + 1, layer, made.t as f64)).collect();
        for (i, layer) in layers.iter_mut().enumerate() {
            layer.level.freeze();
            for (ours, direct) in mixture.theta[i].iter().zip(layer.level.frozen_theta.iter()) {
                close(*ours, *direct, TIGHT, &format!("theta of layer {i}"));
            }
            close(mixture.log_det[i], Level::log_det(&layer.level.sigma), TIGHT, "log_det");
            close(made.shown.radii[i], betas[i], TIGHT, &format!("radius of layer {i}"));
        }
        let live = layers.iter().zip(&betas).filter(|(layer, _)| !layer.steps.is_empty());
        let live: Vec<(&Level, f64)> = live.map(|(layer, beta)| (&layer.level, *beta)).collect();
        check_values(&made, &plain, &live, b);
        v.clone_from(&plan.v);
    }
    (plans, (1..=count).filter(|l| !layers[l - 1].steps.is_empty()).collect())
}

#[test]
fn ucrl_ave() {
    for (instance, b) in instances() {
        for (factor, steps) in [(1.0, 200), (0.05, 600)] {
            let (plans, live) = replay_ucrl_ave(&instance, b, factor, steps);
            assert!(plans > 8 && live.len() > 1, "{plans} plans, layers {live:?}");
        }
    }
}

/// With a B that is far too large values over B are tiny, and steps go into layers whose radius has
/// the squared residuals.
#[test]
fn ucrl_ave_with_residuals() {
    for (instance, _) in instances() {
        let (plans, live) = replay_ucrl_ave(&instance, 1e7, 0.05, 150);
        // 64 sqrt(log(4 t^2 L/delta)) is less than 2^9 for t = 150
        assert!(plans > 5 && live.iter().any(|l| *l >= 9), "{plans} plans, layers {live:?}");
    }
}
