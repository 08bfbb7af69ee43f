use super::*;
use crate::numeric::{PolytopeBuilder, Portable, Stream, Tall, categorical};
use serde_json::{Value, json};

/// Three models of a walk on four states.
fn walk() -> Arc<Problem> {
    let mut builder = Problem::builder("walk", 4, 3);
    builder.start(0).goal(3);
    for s in 0..3 {
        for (a, tilt) in [0.0, 0.2].into_iter().enumerate() {
            builder.action(s, 1.0).unwrap();
            let ahead = [0.2 + tilt, 0.5 - tilt, 0.7 - tilt * s as f64];
            builder.feature(s, a, s, &ahead.map(|p| 1.0 - p)).unwrap();
            builder.feature(s, a, s + 1, &ahead).unwrap();
        }
    }
    builder.simplex();
    Arc::new(builder.build().unwrap())
}

fn watched(problem: &Arc<Problem>, theta: &[f64], steps: u64) -> Likelihood {
    watched_from(Likelihood::new(problem), theta, steps)
}

fn watched_from(mut likelihood: Likelihood, theta: &[f64], steps: u64) -> Likelihood {
    let problem = Arc::clone(&likelihood.frame.problem);
    let mut draw = Stream::new(3, &[]);
    for _ in 0..steps {
        let p = draw.below(6);
        let law: Vec<f64> = problem.phi(p).chunks_exact(3).map(|phi| dot(phi, theta)).collect();
        let next = problem.successors(p)[categorical(&law, draw.uniform())] as usize;
        assert_eq!(likelihood.observe(p, next), Seen::Counted);
    }
    likelihood
}

#[test]
fn derivatives_are_those_of_the_loss() {
    let likelihood = watched(&walk(), &[0.2, 0.3, 0.5], 200);
    let theta = [0.3, 0.3, 0.4];
    let (gradient, hessian) = (likelihood.gradient(&theta), likelihood.hessian(&theta));
    let h = 1e-5;
    for i in 0..3 {
        let moved = |by: f64| {
            let mut moved = theta;
            moved[i] += by;
            moved
        };
        let slope = (likelihood.loss(&moved(h)) - likelihood.loss(&moved(-h))) / (2.0 * h);
        assert!((slope - gradient[i]).abs() < 1e-5 * (1.0 + slope.abs()));
        let (up, down) = (likelihood.gradient(&moved(h)), likelihood.gradient(&moved(-h)));
        for j in 0..3 {
            let slope = (up[j] - down[j]) / (2.0 * h);
            assert!((slope - hessian[i * 3 + j]).abs() < 1e-5 * (1.0 + slope.abs()));
        }
    }
}

#[test]
fn the_estimate_approaches_the_truth_also_in_a_corner() {
    for theta in [[0.2, 0.3, 0.5], [0.0, 1.0, 0.0]] {
        let problem = walk();
        let likelihood = watched(&problem, &theta, 30_000);
        let found = likelihood.maximum();
        assert!(problem.constraints().contains(&found.theta, 1e-12));
        assert!(found.loss <= likelihood.loss(&theta) + 1e-5);
        let off = found.theta.iter().zip(theta).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 0.1, "{:?}", found.theta);
        // the prediction costs about m/2 log t more than the best theta in hindsight
        let excess = likelihood.prediction_loss() - found.loss;
        assert!((0.0..15.0).contains(&excess), "{excess}");
    }
}

/// Room for the rows of all six pairs, of two, and of none.
const ROOMS: [usize; 3] = [ROOM, 4 * 3, 0];

#[test]
fn a_state_comes_back_and_a_strange_one_is_refused() {
    let problem = walk();
    for room in ROOMS {
        let mut likelihood =
            watched_from(Likelihood::with_room(&problem, problem.constraints(), room), &[0.2, 0.3, 0.5], 77);
        let mut other = Likelihood::with_room(&problem, problem.constraints(), room);
        let text = serde_json::to_string(&likelihood.counts()).unwrap();
        other.restore(serde_json::from_str(&text).unwrap()).unwrap();
        assert_eq!(other.maximum(), likelihood.maximum());
        for p in [0, 5, 2, 2] {
            assert_eq!(other.prediction(p), likelihood.prediction(p));
            let next = problem.successors(p)[1] as usize;
            assert_eq!(other.observe(p, next), likelihood.observe(p, next));
            assert_eq!(other.counts(), likelihood.counts());
        }
        for spoil in [
            |counts: &mut Value| counts["sums"]["plug_in"].as_array_mut().unwrap().push(json!(0.0)),
            |counts: &mut Value| counts["triples"]["counts"].as_array_mut().unwrap().push(json!(1)),
            |counts: &mut Value| counts["triples"]["early"].as_array_mut().unwrap().push(json!(99)),
            |counts: &mut Value| counts["triples"]["later_places"].as_array_mut().unwrap().push(json!(0)),
            |counts: &mut Value| {
                // a pair or a triple twice
                let tally = counts["triples"].as_object_mut().unwrap();
                for key in ["early", "later_pairs", "later_places"] {
                    let list = tally[key].as_array_mut().unwrap();
                    if list.len() > 1 {
                        list[1] = list[0].clone();
                    }
                }
            },
        ] {
            let mut strange = serde_json::to_value(likelihood.counts()).unwrap();
            spoil(&mut strange);
            let strange: Counts = serde_json::from_value(strange).unwrap();
            assert!(Likelihood::with_room(&problem, problem.constraints(), room).restore(strange).is_err());
        }
    }
}

#[test]
fn triples_without_rows_say_the_same() {
    let (problem, truth) = (walk(), [0.2, 0.3, 0.5]);
    let [whole, part, none] = ROOMS.map(|room| {
        watched_from(Likelihood::with_room(&problem, problem.constraints(), room), &truth, 2_000)
    });
    assert_eq!([&whole, &part, &none].map(|l| l.triples.early()), [12, 4, 0]);
    assert_eq!([&whole, &part, &none].map(Likelihood::triples), [12; 3]);
    let theta = [0.3, 0.3, 0.4];
    let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{a} {b}");
    for other in [&part, &none] {
        close(other.loss(&theta), whole.loss(&theta));
        other.hessian(&theta).into_iter().zip(whole.hessian(&theta)).for_each(|(a, b)| close(a, b));
        let (a, b) = (other.maximum(), whole.maximum());
        close(a.loss, b.loss);
        a.theta.iter().zip(&b.theta).for_each(|(a, b)| assert!((a - b).abs() < 1e-5, "{a} {b}"));
        // the fits differ by (k + 1)/2 pseudo-counts
        assert!((other.prediction_loss() - whole.prediction_loss()).abs() < 2.0);
        assert!((other.log_information() - whole.log_information()).abs() < 0.1);
    }
    // 12 triples of 20 bytes, 6 pairs of 4, and what growing arrays reserve
    assert!((264..=2 * 264).contains(&none.bytes()), "{}", none.bytes());
}

/// Terms that are written out.
struct Listed {
    rows: Vec<f64>,
    constants: Vec<f64>,
    weights: Vec<f64>,
}

impl Summands for Listed {
    fn len(&self) -> usize {
        self.weights.len()
    }

    fn weight(&self, i: usize) -> f64 {
        self.weights[i]
    }

    fn each(&self, mut show: impl FnMut(usize, &[f64], &[f64])) {
        let k = self.rows.len() / self.len();
        let half = self.len() / 2;
        show(0, &self.rows[..half * k], &self.constants[..half]);
        show(half, &self.rows[half * k..], &self.constants[half..]);
    }
}

#[test]
fn rows_that_are_not_written_out_are_kept_to() {
    let (d, count) = (5, 400);
    let mut cut = 0;
    for seed in 0..30 {
        let mut draw = Stream::new(seed, &[]);
        // rows that the centre of the simplex satisfies; the simplex itself sticks out
        let features: Vec<f64> = (0..count)
            .flat_map(|_| {
                let row: Vec<f64> = (0..d).map(|_| draw.uniform() - 0.3).collect();
                let lift = (0.02 - row.iter().sum::<f64>() / d as f64).max(0.0);
                row.into_iter().map(move |x| x + lift)
            })
            .collect();
        let features = Arc::new(Tall::new(d, features));
        let polytope = |most: usize| {
            let mut builder = PolytopeBuilder::new(d).at_most(most).unpruned();
            builder.equality(&vec![1.0; d], 1.0).unwrap();
            builder.no_less_than_zero(&features);
            builder.finish().unwrap()
        };
        let (some, all) = (polytope(20), polytope(count));
        assert!(some.has_features() && !all.has_features());
        // three terms that pull to one side; the same coordinates serve both, since the hull is
        assert_eq!((some.basis(), some.origin()), (all.basis(), all.origin()));
        let (k, mut terms) =
            (some.free(), Listed { rows: Vec::new(), constants: Vec::new(), weights: vec![7.0, 2.0, 30.0] });
        for _ in 0..3 {
            let phi: Vec<f64> = (0..d).map(|i| draw.uniform() * if i == 0 { 1.0 } else { 0.1 }).collect();
            let mut row = vec![0.0; k];
            gram::combine(&phi, some.basis(), &mut row);
            terms.rows.extend(row);
            terms.constants.push(dot(&phi, some.origin()));
        }
        let minimum = |polytope: &Polytope| {
            let inside = polytope.coordinates(polytope.interior());
            let rows = polytope.rows().chunks_exact(k).zip(polytope.offsets());
            let room: Vec<f64> = rows.map(|(row, b)| b - dot(row, &inside)).collect();
            let mut z = inside;
            minimise(polytope, &room, &terms, PATH, 1e-12, &mut z);
            let p = |i: usize| terms.constants[i] + dot(&terms.rows[i * k..(i + 1) * k], &z);
            let loss: f64 = (0..3).map(|i| -terms.weights[i] * p(i).log_e()).sum();
            (z, loss)
        };
        let ((found, loss), (_, expected)) = (minimum(&some), minimum(&all));
        assert!((loss - expected).abs() < 1e-5, "{loss} {expected}");
        let violated = |z: &[f64]| !some.features().unwrap().violated(&some, z, 1e-12).is_empty();
        assert!(!violated(&found));
        cut += u32::from(violated(&minimum(&some.core()).0));
    }
    // most of these the core alone gets wrong
    assert!(cut > 15, "{cut}");
}

#[test]
fn information_follows_the_data() {
    let problem = walk();
    let (few, many) =
        (watched(&problem, &[0.2, 0.3, 0.5], 1_000), watched(&problem, &[0.2, 0.3, 0.5], 4_000));
    let gain = many.log_information() - few.log_information();
    // two directions, four times the data
    assert!((gain - 2.0 * 4f64.log_e()).abs() < 0.3, "{gain}");
    // the running update is the refit, but for the moving estimate
    let mut again = few.clone();
    again.fit();
    assert!((again.log_information() - few.log_information()).abs() < 0.3);
}

/// The posterior mean of the uniform prior, on a fine grid of the triangle of weights.
fn posterior_mean(likelihood: &Likelihood) -> Vec<f64> {
    let (mut mean, mut sum) = (vec![0.0; 3], 0.0);
    let least = likelihood.maximum().loss;
    const N: u32 = 120;
    for i in 0..N {
        for j in 0..N - i {
            let (a, b) = ((f64::from(i) + 0.34) / f64::from(N), (f64::from(j) + 0.34) / f64::from(N));
            let theta = [a, b, 1.0 - a - b];
            let weight = (least - likelihood.loss(&theta)).exp_e();
            mean.iter_mut().zip(theta).for_each(|(m, x)| *m += weight * x);
            sum += weight;
        }
    }
    mean.iter().map(|m| m / sum).collect()
}

/// What predicts is near the Bayesian mixture's prediction, after few and after many steps, and no
/// distribution it gives has more than all.
#[test]
fn the_prediction_is_nearly_that_of_the_posterior() {
    let problem = walk();
    for steps in [0, 1, 3, 10, 100, 1_000] {
        let likelihood = watched(&problem, &[0.1, 0.2, 0.7], steps);
        let mean = posterior_mean(&likelihood);
        for p in 0..6 {
            let predicted = likelihood.prediction(p);
            assert!((predicted.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let exact: Vec<f64> = problem.phi(p).chunks_exact(3).map(|phi| dot(phi, &mean)).collect();
            let off = predicted.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 0.04, "{steps} steps, pair {p}: {predicted:?}, exactly {exact:?}");
        }
    }
}

/// The whole sequence of predictions loses little more than the uniform mixture, in nats.
#[test]
fn predictions_lose_little_more_than_the_mixture() {
    let problem = walk();
    for (steps, theta) in [(400, [0.2, 0.3, 0.5]), (400, [0.0, 1.0, 0.0])] {
        let likelihood = watched(&problem, &theta, steps);
        let least = likelihood.maximum().loss;
        let (mut sum, mut count) = (0.0, 0.0);
        const N: u32 = 120;
        for i in 0..N {
            for j in 0..N - i {
                let (a, b) = ((f64::from(i) + 0.34) / f64::from(N), (f64::from(j) + 0.34) / f64::from(N));
                sum += (least - likelihood.loss(&[a, b, 1.0 - a - b])).exp_e();
                count += 1.0;
            }
        }
        let mixture = least - (sum / f64::from(count as u32)).log_e();
        let excess = likelihood.prediction_loss() - mixture;
        assert!(excess.abs() < 1.2, "{theta:?}: {excess} nats more than the mixture");
    }
}

/// Mean and covariance of the posterior of a uniform prior on B, by a sum over a fine grid of B's
/// hull: two dimensions.
fn by_integration(likelihood: &Likelihood) -> ([f64; 2], [f64; 3]) {
    const GRID: usize = 600;
    let polytope = likelihood.polytope();
    assert_eq!(polytope.free(), 2);
    let inside = |z: &[f64]| {
        let rows = polytope.rows().chunks_exact(2).zip(polytope.offsets());
        rows.into_iter().all(|(row, b)| dot(row, z) <= *b)
    };
    let center = polytope.coordinates(polytope.interior());
    // B is no longer than its extent in any direction
    let half = likelihood.extent();
    let (mut sum, mut first, mut second) = (0.0, [0.0; 2], [0.0; 3]);
    let least = likelihood.maximum().loss;
    for i in 0..GRID {
        for j in 0..GRID {
            let at = |i: usize| ((i as f64 + 0.5) / GRID as f64 * 2.0 - 1.0) * half;
            let z = [center[0] + at(i), center[1] + at(j)];
            if !inside(&z) {
                continue;
            }
            let w = (least - likelihood.loss_at(&z)).exp_e();
            sum += w;
            (first[0], first[1]) = (first[0] + w * z[0], first[1] + w * z[1]);
            second = [second[0] + w * z[0] * z[0], second[1] + w * z[0] * z[1], second[2] + w * z[1] * z[1]];
        }
    }
    let mean = first.map(|x| x / sum);
    let cov = [
        second[0] / sum - mean[0] * mean[0],
        second[1] / sum - mean[0] * mean[1],
        second[2] / sum - mean[1] * mean[1],
    ];
    (mean, cov)
}

/// Draws have the posterior's mean and covariance, without data, with a few, and with many.
#[test]
fn draws_are_those_of_the_posterior() {
    const DRAWS: usize = 4000;
    for (steps, theta) in [(0, [0.2, 0.3, 0.5]), (12, [0.6, 0.3, 0.1]), (400, [0.2, 0.1, 0.7])] {
        let likelihood = watched(&walk(), &theta, steps);
        let (mean, cov) = by_integration(&likelihood);
        let mut stream = Stream::new(1, &[steps]);
        let draws: Vec<Vec<f64>> = (0..DRAWS).map(|_| likelihood.draw(96, &mut stream)).collect();
        let polytope = likelihood.polytope();
        let inside = |z: &Vec<f64>| {
            let rows = polytope.rows().chunks_exact(z.len()).zip(polytope.offsets());
            rows.into_iter().all(|(row, b)| b - dot(row, z) > -1e-9)
        };
        assert!(draws.iter().all(inside));
        let n = DRAWS as f64;
        let average = |f: &dyn Fn(&[f64]) -> f64| draws.iter().map(|z| f(z)).sum::<f64>() / n;
        let sd = [cov[0].sqrt(), cov[2].sqrt()];
        for i in 0..2 {
            let off = average(&|z| z[i]) - mean[i];
            // four standard errors, and a hundredth for the grid
            assert!(off.abs() < (4.0 / n.sqrt() + 0.01) * sd[i], "{steps} steps: mean {i} off by {off}");
        }
        for (cov, i, j) in [(cov[0], 0, 0), (cov[1], 0, 1), (cov[2], 1, 1)] {
            let off = average(&|z| (z[i] - mean[i]) * (z[j] - mean[j])) - cov;
            let scale = sd[i] * sd[j];
            assert!(
                off.abs() < (4.0 * (3.0 / n).sqrt() + 0.02) * scale,
                "{steps} steps: {i}{j} off by {off}"
            );
        }
    }
}

/// Where B keeps its features, chords end at those too.
#[test]
fn draws_stay_inside_features_that_are_not_written_out() {
    let problem = walk();
    let mut rows = PolytopeBuilder::new(3).at_most(0).unpruned();
    rows.equality(&[1.0, 1.0, 1.0], 1.0).unwrap();
    let features: Vec<f64> =
        (0..problem.pairs()).flat_map(|p| problem.phi(p).to_vec()).chain(unit()).collect();
    rows.no_less_than_zero(&Arc::new(Tall::new(3, features)));
    let polytope = Arc::new(rows.finish().unwrap());
    assert!(polytope.has_features());
    let likelihood = watched_from(Likelihood::within(&problem, &polytope), &[0.2, 0.3, 0.5], 30);
    let mut stream = Stream::new(2, &[]);
    let (mut low, mut high) = ([1.0; 3], [0.0; 3]);
    for _ in 0..300 {
        let theta = likelihood.lift(&likelihood.draw(60, &mut stream));
        for i in 0..3 {
            (low[i], high[i]) = (f64::min(low[i], theta[i]), f64::max(high[i], theta[i]));
        }
    }
    assert!(low.iter().all(|x| *x > 0.0) && high.iter().all(|x| *x < 1.0), "{low:?} {high:?}");
    assert!(high.iter().zip(low).all(|(high, low)| high - low > 0.3), "{low:?} {high:?}");
}

/// Of 3,000 rows the 16 that bound B are none of those that walks begin with.
#[test]
fn draws_are_those_of_all_features() {
    let mut rows = PolytopeBuilder::new(3).at_most(0).unpruned();
    rows.equality(&[1.0, 1.0, 1.0], 1.0).unwrap();
    let axes = [[0.5f64.sqrt(), -0.5f64.sqrt(), 0.0], [1.0, 1.0, -2.0].map(|x| x / 6f64.sqrt())];
    // tangents of circles around the centre of the simplex
    let tangent = |radius: f64, turn: f64| {
        let angle = std::f64::consts::TAU * turn;
        [0, 1, 2].map(|i| radius + angle.cosine() * axes[0][i] + angle.sine() * axes[1][i])
    };
    let features = (0..3_000).flat_map(|i| match (i % 23, i / 23) {
        (11, n) if n < 16 => tangent(0.2, n as f64 / 16.0),
        _ => tangent(0.3, i as f64 / 3_000.0),
    });
    rows.no_less_than_zero(&Arc::new(Tall::new(3, features.collect())));
    let likelihood = Likelihood::within(&walk(), &Arc::new(rows.finish().unwrap()));
    let mut stream = Stream::new(4, &[]);
    let (mut square, draws) = (0.0, 2_000);
    for _ in 0..draws {
        let theta = likelihood.lift(&likelihood.draw(40, &mut stream));
        let off = theta.iter().map(|x| (x - 1.0 / 3.0).powi(2)).sum::<f64>();
        assert!(off < (0.2 / 0.98f64).powi(2));
        square += off / f64::from(draws);
    }
    // that of a regular polygon with 16 sides; four standard errors
    let expected = 0.02 * (1.0 + 0.198_912_367_379_658f64.powi(2) / 3.0);
    assert!((square - expected).abs() < 4.0 * 0.04 / 12f64.sqrt() / f64::from(draws).sqrt(), "{square}");
}

/// theta >= 0, as rows.
fn unit() -> impl Iterator<Item = f64> {
    (0..9).map(|i| if i % 4 == 0 { 1.0 } else { 0.0 })
}

/// The squared distance over all steps is what its definition says, and is at most the
/// parabola.
#[test]
fn distances_from_the_fit_are_bounded() {
    let problem = &walk();
    let truth = [0.3, 0.7, 0.0];
    let kernel = |theta: &[f64], p: Pair| -> Vec<f64> {
        problem.phi(p).chunks_exact(problem.dim()).map(|phi| dot(phi, theta).max(0.0)).collect()
    };
    let mut draw = Stream::new(5, &[]);
    let mut likelihood = Likelihood::with_room(problem, problem.constraints(), 12);
    let mut visited = Vec::new();
    for _ in 0..3000 {
        let p = draw.below(6);
        let next = problem.successors(p)[categorical(&kernel(&truth, p), draw.uniform())];
        visited.push(p);
        assert_eq!(likelihood.observe(p, next as State), Seen::Counted);
    }
    likelihood.fit();
    let at_fit = likelihood.lift(likelihood.fitted());
    for corner in 0..problem.dim() {
        for share in [0.0, 0.01, 0.2, 0.9] {
            // from the fit towards one model
            let theta: Vec<f64> = at_fit
                .iter()
                .enumerate()
                .map(|(i, x)| (1.0 - share) * x + if i == corner { share } else { 0.0 })
                .collect();
            let z = likelihood.polytope().coordinates(&theta);
            let direct: f64 = visited
                .iter()
                .map(|&p| {
                    let common = kernel(&theta, p)
                        .iter()
                        .zip(kernel(&at_fit, p))
                        .map(|(x, y)| (x * y).sqrt())
                        .sum::<f64>();
                    1.0 - common
                })
                .sum();
            let own = likelihood.distances(&z)[0];
            let v: Vec<f64> = z.iter().zip(likelihood.fitted()).map(|(z, x)| z - x).collect();
            let above = likelihood.above_distance(|row| dot(row, &v).abs()).at(&v);
            assert!((direct - own).abs() <= 1e-6, "{direct} and {own}");
            assert!(own <= above + 1e-6, "{own} and {above}");
            // and they are not far apart near the fit
            assert!(share > 0.01 || above <= 4.0 * own + 1.0, "{own} and {above}");
        }
    }
}

/// Rounding in rows that B nearly fixes once passed for facts about directions that no kernel sees:
/// B was 1e15 long along them, and plans over it did not end.
#[test]
fn rounding_is_no_fact_about_hidden_directions() {
    for seed in 0..6 {
        for (rank, simplex) in [(6, true), (2, true), (2, false), (3, false)] {
            let settings = crate::Settings::new().set("dim", 10).set("rank", rank).set("simplex", simplex);
            let settings = settings.set("states", 300).set("successors", 2).set("seed", seed);
            let problem = crate::worlds::build("low-rank", &settings).unwrap().problem;
            let frame = Likelihood::new(&problem).frame;
            assert!(frame.seen.len() < frame.polytope().free());
            let hidden = &frame.polytope().lengths().unwrap()[frame.seen.len()..];
            assert!(hidden.iter().all(|length| *length < 1e6), "{seed}, {rank}: {hidden:?}");
            assert!(frame.extent < 1e6, "{seed}, {rank}: {}", frame.extent);
            assert!(frame::largest_norm(&problem).is_some());
        }
    }
}
