//! Every lemma of `docs/theory.md` with numbers: random ones, and extreme ones. Nothing here shares
//! code with the learners, but for Lemma 0, which is about their plans.

use goalward::confidence::{Observed, Theory};
use goalward::numeric::{Stream, categorical};

/// A distribution with zeros, tiny and equal entries among them.
fn distribution(draw: &mut Stream, n: usize) -> Vec<f64> {
    let kind = draw.below(4);
    let weight = |draw: &mut Stream| match kind {
        0 => draw.exponential(),
        1 => draw.exponential().powi(12),
        2 if draw.below(2) == 0 => 0.0,
        3 => (-40.0 * draw.uniform()).exp(),
        _ => 1.0,
    };
    let mut p: Vec<f64> = (0..n).map(|_| weight(draw)).collect();
    let at = draw.below(n);
    p[at] += 1e-3;
    let sum: f64 = p.iter().sum();
    p.iter().map(|x| x / sum).collect()
}

/// H^2 and Delta.
fn distances(p: &[f64], q: &[f64]) -> (f64, f64) {
    let both = || p.iter().zip(q).filter(|(p, q)| **p + **q > 0.0);
    let hellinger = both().map(|(p, q)| (p.sqrt() - q.sqrt()).powi(2)).sum::<f64>() / 2.0;
    (hellinger, both().map(|(p, q)| (p - q).powi(2) / (p + q)).sum())
}

fn mean(p: &[f64], f: &[f64]) -> f64 {
    p.iter().zip(f).map(|(p, f)| p * f).sum()
}

fn variance(p: &[f64], f: &[f64]) -> f64 {
    let m = mean(p, f);
    p.iter().zip(f).map(|(p, f)| p * (f - m).powi(2)).sum()
}

#[test]
fn delta_lies_between_two_and_four_squared_hellinger_distances() {
    let mut draw = Stream::new(1, &[1]);
    for _ in 0..20_000 {
        let n = 2 + draw.below(6);
        let (p, q) = (distribution(&mut draw, n), distribution(&mut draw, n));
        let (h, delta) = distances(&p, &q);
        assert!(2.0 * h <= delta + 1e-12 && delta <= 4.0 * h + 1e-12 && delta <= 2.0 + 1e-12);
    }
}

#[test]
fn lemma_1_its_process_is_a_supermartingale() {
    // E sqrt(p/p*) exp(H^2) <= 1, whatever the two distributions are
    let mut draw = Stream::new(2, &[1]);
    for _ in 0..20_000 {
        let n = 2 + draw.below(6);
        let (p, truth) = (distribution(&mut draw, n), distribution(&mut draw, n));
        let (h, _) = distances(&p, &truth);
        let grown: f64 = p.iter().zip(&truth).map(|(p, t)| (p * t).sqrt()).sum::<f64>() * h.exp();
        assert!(grown <= 1.0 + 1e-12, "{grown}");
        // and moving towards a third one by a share e costs at most e
        let (other, e) = (distribution(&mut draw, n), draw.uniform());
        let mixed: Vec<f64> = p.iter().zip(&other).map(|(p, o)| (1.0 - e) * p + e * o).collect();
        let (moved, (from, _)) = (distances(&mixed, &p).0, distances(&mixed, &truth));
        assert!(moved <= e + 1e-12 && from >= 0.5 * h - e - 1e-12);
    }
}

/// A few candidate kernels of some pairs, theta* in the simplex (its vertices among them), and what
/// happened at random pairs.
struct Sample {
    /// Per pair, per model, a distribution.
    models: Vec<Vec<Vec<f64>>>,
    truth: Vec<f64>,
    steps: Vec<(usize, usize)>,
}

impl Sample {
    fn new(draw: &mut Stream, d: usize, pairs: usize, steps: usize) -> Sample {
        let models: Vec<Vec<Vec<f64>>> =
            (0..pairs).map(|_| (0..d).map(|_| distribution(draw, 3)).collect()).collect();
        let truth = distribution(draw, d);
        let mut sample = Sample { models, truth, steps: Vec::new() };
        for _ in 0..steps {
            let pair = draw.below(pairs);
            let next = categorical(&sample.kernel(pair, &sample.truth), draw.uniform());
            sample.steps.push((pair, next));
        }
        sample
    }

    fn kernel(&self, pair: usize, theta: &[f64]) -> Vec<f64> {
        let models = &self.models[pair];
        (0..models[0].len()).map(|i| models.iter().zip(theta).map(|(m, w)| w * m[i]).sum()).collect()
    }

    fn loss(&self, theta: &[f64], t: usize) -> f64 {
        -self.steps[..t].iter().map(|&(pair, next)| self.kernel(pair, theta)[next].ln()).sum::<f64>()
    }

    fn apart(&self, theta: &[f64], t: usize) -> f64 {
        let pairs: Vec<f64> = (0..self.models.len())
            .map(|pair| distances(&self.kernel(pair, theta), &self.kernel(pair, &self.truth)).0)
            .collect();
        self.steps[..t].iter().map(|&(pair, _)| pairs[pair]).sum()
    }
}

#[test]
fn lemma_1_holds_for_all_theta_and_all_times_at_once() {
    let (d, runs, delta) = (3, 200, 0.1);
    let mut draw = Stream::new(3, &[1]);
    let mut lost = 0;
    for _ in 0..runs {
        let sample = Sample::new(&mut draw, d, 4, 300);
        let theory = Theory { m: d - 1, delta, weight: 0.2, gamma_hat: 0.0 };
        let fails = [1, 3, 10, 30, 100, 300].into_iter().any(|t| {
            let least = sample.loss(&sample.truth, t);
            (0..60).any(|_| {
                let theta = distribution(&mut draw, d);
                sample.apart(&theta, t) > sample.loss(&theta, t) - least + theory.gamma0(t as u64)
            })
        });
        lost += usize::from(fails);
    }
    assert!(lost as f64 <= delta * runs as f64, "{lost} of {runs}");
}

#[test]
fn the_uniform_mixture_loses_no_more_than_the_closed_form() {
    // over the segment between two models: the integral by a fine sum
    let mut draw = Stream::new(4, &[1]);
    for t in [1, 2, 5, 20, 100, 1000] {
        for _ in 0..5 {
            let sample = Sample::new(&mut draw, 2, 3, t);
            let n = 4000;
            let points = (0..n).map(|i| (i as f64 + 0.5) / n as f64);
            let losses: Vec<f64> = points.map(|w| sample.loss(&[w, 1.0 - w], t)).collect();
            let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
            let mixture = least - (losses.iter().map(|f| (least - f).exp()).sum::<f64>() / n as f64).ln();
            let (m, t) = (1.0, t as f64);
            let closed = least + m * (1.0 + t / m).ln() + t * (1.0 + m / t).ln();
            assert!(mixture <= closed + 1e-6, "t = {t}: {mixture} and {closed}");
            // and the price is at most m ln(1 + t/m) + m
            assert!(t * (1.0 + m / t).ln() <= m + 1e-12);
        }
    }
}

#[test]
fn lemma_2_carries_means_and_variances_over() {
    let mut draw = Stream::new(5, &[1]);
    for _ in 0..50_000 {
        let n = 2 + draw.below(6);
        let (p, q) = (distribution(&mut draw, n), distribution(&mut draw, n));
        let b = 10f64.powi(draw.below(5) as i32 - 2);
        let f: Vec<f64> =
            (0..n).map(|_| b * [0.0, 1.0, draw.uniform(), draw.uniform().powi(9)][draw.below(4)]).collect();
        let (_, delta) = distances(&p, &q);
        let bound = 2.0 * (delta * variance(&p, &f)).sqrt() + b * delta;
        assert!((mean(&p, &f) - mean(&q, &f)).abs() <= bound * (1.0 + 1e-12) + 1e-12 * b);
        let g: Vec<f64> = f.iter().map(|f| f * b).collect();
        assert!(mean(&q, &g) <= 3.0 * mean(&p, &g) + b * b * delta + 1e-12 * b * b);
    }
}

#[test]
fn lemma_3_distances_cannot_add_up() {
    let mut draw = Stream::new(6, &[1]);
    let mut closest = 0f64;
    for round in 0..40 {
        let (d, pairs, steps) = (2 + round % 3, 12, 400);
        let sample = Sample::new(&mut draw, d, pairs, 0);
        let theory = Theory { m: d - 1, delta: 0.1, weight: 0.2, gamma_hat: 0.0 };
        let kernels: Vec<Vec<f64>> = (0..pairs).map(|p| sample.kernel(p, &sample.truth)).collect();
        for x in [0.01, 0.3, 2.0, 20.0] {
            // an adversary: at random pairs, whatever theta is furthest off and still allowed
            let mut visits = vec![0.0; pairs];
            let mut sum = 0.0;
            for _ in 0..steps {
                let pair = draw.below(pairs);
                let worst = (0..30)
                    .map(|_| {
                        // anywhere between theta* and some other theta
                        let (other, share) = (distribution(&mut draw, d), draw.uniform().powi(4));
                        let near = sample.truth.iter().zip(&other);
                        let theta: Vec<f64> = near.map(|(t, o)| t + share * (o - t)).collect();
                        let apart: Vec<f64> =
                            (0..pairs).map(|p| distances(&sample.kernel(p, &theta), &kernels[p]).1).collect();
                        let before: f64 = visits.iter().zip(&apart).map(|(n, d)| n * d).sum();
                        if before <= x { apart[pair] } else { 0.0 }
                    })
                    .fold(0.0, f64::max);
                visits[pair] += 1.0;
                sum += worst;
            }
            let most = theory.eluder(x, steps as u64);
            closest = closest.max(sum / most);
            assert!(sum <= most, "d = {d}, x = {x}: {sum} and {most}");
        }
    }
    // the bound is not tight, but it is a bound on something
    assert!(closest > 1e-6, "{closest}");
}

#[test]
fn lemma_3_its_witness_is_a_linear_form() {
    let mut draw = Stream::new(7, &[1]);
    for _ in 0..20_000 {
        let sample = Sample::new(&mut draw, 3, 1, 0);
        let of = |theta: &[f64]| sample.kernel(0, theta);
        let truth = of(&sample.truth);
        let (own, other) = (of(&distribution(&mut draw, 3)), of(&distribution(&mut draw, 3)));
        let u: Vec<f64> =
            own.iter().zip(&truth).map(|(p, t)| if p + t > 0.0 { (p - t) / (p + t) } else { 0.0 }).collect();
        let form = |p: &[f64]| mean(p, &u) - mean(&truth, &u);
        let (_, own_delta) = distances(&own, &truth);
        let (_, delta) = distances(&other, &truth);
        assert!((form(&own) - own_delta).abs() < 1e-12);
        let squares: Vec<f64> = u.iter().map(|u| u * u).collect();
        assert!(mean(&truth, &squares) <= own_delta + 1e-12);
        assert!(form(&other).powi(2) <= delta * (4.0 * own_delta + delta) + 1e-12);
    }
}

#[test]
fn a_bucket_holds_no_more_than_the_closed_form_says() {
    for m in [1, 2, 4, 9, 31] {
        for t in [1, 2, 10, 1000, 1_000_000, 1_000_000_000] {
            let theory = Theory { m, delta: 0.01, weight: 0.2, gamma_hat: 0.0 };
            let (n, t2, m) = (theory.bucket(t), (t * t) as f64, m as f64);
            let fits = |n: f64| n * 1.1f64.ln() <= m * (1.0 + 4.0 * n * t2).ln();
            assert!(fits(n) && !fits(n + 1.0), "{n}");
            assert!(n <= 21.0 * m * (39.0 * m * t2).ln(), "m = {m}, T = {t}: {n}");
        }
    }
}

#[test]
fn lemma_4_holds_for_all_times_at_once() {
    let (delta, runs, steps) = (0.2, 400, 500);
    let theory = Theory { m: 1, delta, weight: 0.2, gamma_hat: 0.0 };
    let mut draw = Stream::new(8, &[1]);
    let mut lost = 0;
    for run in 0..runs {
        // large, rare gains and small, frequent losses; or a coin; or a variance that changes
        let rare: f64 = [0.5, 0.05, 0.002][run % 3];
        let (mut sum, mut variance, mut fails) = (0.0, 0.0, false);
        for n in 1..=steps {
            let size = if run % 2 == 0 { 1.0 } else { 1.0 / f64::from(1 + n % 7) };
            let gain = (1.0 - rare) * size;
            let x = if draw.uniform() < rare { gain } else { -rare * size };
            sum += x;
            variance += rare * gain.powi(2) + (1.0 - rare) * (rare * size).powi(2);
            let zeta = theory.zeta(n as u64);
            fails |= sum > 2.0 * (zeta * variance).sqrt() + 2.0 * zeta;
        }
        lost += usize::from(fails);
    }
    assert!(f64::from(lost as u32) <= delta * runs as f64, "{lost} of {runs}");
    // Freedman's deviation is at most what the lemma says
    let mut u = 9f64.ln();
    while u < 1e4 {
        assert!((2.0 * u).sqrt() + 2.0 * u / 3.0 <= 2.0 * u);
        u *= 1.01;
    }
}

#[test]
fn theorem_1_its_last_steps() {
    let mut draw = Stream::new(9, &[1]);
    for _ in 0..20_000 {
        let mut any = |most: f64| (most.ln() * draw.uniform()).exp();
        let (e, zeta, b, k) = (any(1e6), 2.2 * any(10.0), any(1e3), any(1e7));
        let (plans, beyond, steps) = (any(1e3), any(1e3), any(1e9));
        let h = 2.0 * (e.sqrt() + zeta.sqrt());
        let a = h * b * (20.0 * zeta + 2.0 * plans + 2.0).sqrt()
            + b * (e + 2.0 * zeta + plans + beyond + 1.0)
            + 2.0 * (1.0 + b) * steps.ln()
            + 1.0;
        // the largest x with x <= 2h sqrt(b (K b + x)) + A
        let root = h * b.sqrt() + (h * h * b + a + k * b).sqrt();
        let x = 2.0 * h * b.sqrt() * root + a;
        assert!((x - 2.0 * h * (b * (k * b + x)).sqrt() - a).abs() <= 1e-9 * x);
        assert!(x <= (2.0 * h * b * k.sqrt() + 5.0 * h * h * b + 2.0 * a) * (1.0 + 1e-12));
        let bound = 4.0 * b * (e.sqrt() + zeta.sqrt()) * k.sqrt()
            + b * (50.0 * e + 72.0 * zeta + 4.0 * plans + 2.0 * beyond + 4.0)
            + 4.0 * (1.0 + b) * steps.ln()
            + 2.0;
        assert!(x <= bound * (1.0 + 1e-12), "{x} and {bound}");
    }
}

#[test]
fn theorem_1_is_what_the_function_computes() {
    let theory = Theory { m: 4, delta: 0.01, weight: 0.2, gamma_hat: 1.0 };
    let seen = Observed { episodes: 400, steps: 10_000, plans: 50, beyond: 3 };
    let (g, b) = (theory.gamma(10_000), 7.0);
    let n = theory.bucket(10_000);
    let e = (8.0 * g * (10_000f64.log2() + 1.0) + 4.0) * n + 2.0;
    let zeta = ((3.0 + 10_000f64.log2()).powi(2) / 1e-4).ln();
    let bound = 4.0 * b * (e.sqrt() + zeta.sqrt()) * 20.0
        + b * (50.0 * e + 72.0 * zeta + 200.0 + 6.0 + 4.0)
        + 32.0 * 10_000f64.ln()
        + 2.0;
    assert!((theory.regret_bound(b, g, &seen) - bound).abs() <= 1e-12 * bound);
    // 2m ln(1 + t/m) + 3m + 2 ln 1e4 + 1, and m ln(1 + t/m) + m + ln (500/0.97) + 1
    let volume = 4.0 * 2501f64.ln();
    assert!((theory.gamma0(10_000) - (2.0 * volume + 12.0 + 2.0 * 1e4f64.ln() + 1.0)).abs() < 1e-9);
    assert!((theory.rho(10_000) - (volume + 4.0 + (500.0 / 0.97f64).ln() + 1.0)).abs() < 1e-9);
}

#[test]
fn theorem_2_its_triggers_can_be_counted() {
    for m in [1, 3, 9] {
        for t in [1u64, 10, 1000, 100_000_000] {
            let theory = Theory { m, delta: 0.05, weight: 0.2, gamma_hat: 0.0 };
            let (n, log) = (theory.bucket(t), (t as f64).log2());
            let doublings = 1.0 + (theory.gamma(t) / theory.gamma(1)).log2();
            let most = 2.0 * log + 4.0 + 11.0 * n * (log + 2.0) * doublings + 8.0 * m as f64 * (2.0 + log);
            assert!((theory.most_plans(t) - most).abs() <= 1e-9 * most);
            for p in 0..12 {
                let y = f64::from(1u32 << p) * theory.gamma(1);
                let groups = theory.eluder(32.0 * y, t) / (6.0 * y);
                assert!(groups <= 11.0 * n.max(1.0) * (log + 2.0), "m = {m}, T = {t}, p = {p}: {groups}");
            }
        }
    }
}
