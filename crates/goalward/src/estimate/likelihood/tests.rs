use super::*;
use crate::numeric::{Stream, categorical};

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
    let mut likelihood = Likelihood::new(problem);
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

#[test]
fn a_state_comes_back_and_a_strange_one_is_refused() {
    let problem = walk();
    let mut likelihood = watched(&problem, &[0.2, 0.3, 0.5], 77);
    let mut other = Likelihood::new(&problem);
    let text = serde_json::to_string(likelihood.counts()).unwrap();
    other.restore(serde_json::from_str(&text).unwrap()).unwrap();
    assert_eq!(other.maximum(), likelihood.maximum());
    for p in [0, 5, 2, 2] {
        assert_eq!(other.prediction(p), likelihood.prediction(p));
        let next = problem.successors(p)[1] as usize;
        assert_eq!(other.observe(p, next), likelihood.observe(p, next));
        assert_eq!(other.counts(), likelihood.counts());
    }
    for spoil in [
        |counts: &mut Counts| counts.visited.push(99),
        |counts: &mut Counts| counts.visited[1] = counts.visited[0],
        |counts: &mut Counts| counts.counts.push(0),
        |counts: &mut Counts| counts.plug_in.push(0.0),
    ] {
        let mut strange = likelihood.counts().clone();
        spoil(&mut strange);
        assert!(Likelihood::new(&problem).restore(strange).is_err());
    }
}

#[test]
fn information_follows_the_data() {
    let problem = walk();
    let (few, many) =
        (watched(&problem, &[0.2, 0.3, 0.5], 1_000), watched(&problem, &[0.2, 0.3, 0.5], 4_000));
    let gain = many.log_information() - few.log_information();
    // two directions, four times the data
    assert!((gain - 2.0 * 4f64.ln()).abs() < 0.3, "{gain}");
    // the running update is the refit, but for the moving estimate
    let mut again = few.clone();
    again.fit();
    assert!((again.log_information() - few.log_information()).abs() < 0.3);
}
