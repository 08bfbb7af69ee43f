use super::*;
use crate::numeric::{Portable, Stream};
use crate::parameters::Settings;
use crate::problem::{Pair, Problem};
use crate::worlds;
use std::sync::Arc;

fn watched(problem: &Arc<Problem>) -> (Likelihood, Alarm) {
    (Likelihood::new(problem), Alarm::new(problem, 0.05))
}

fn step(data: &mut Likelihood, alarm: &mut Alarm, pair: Pair, next: usize) {
    let _ = data.observe(pair, next);
    alarm.follow(data, data.total());
}

/// Whatever was seen, what the numerator gives to all that may come next adds up to at most what it
/// had: it is a prediction.
#[test]
fn the_numerator_is_a_prediction() {
    let problem = worlds::build("windy-grid", &Settings::new().set("n", 2)).unwrap().problem;
    let mut draw = Stream::new(5, &[]);
    let (mut data, mut alarm) = watched(&problem);
    for t in 0..400 {
        let pair = draw.below(problem.pairs_of(problem.goal()).start);
        let before = alarm.numerator(&data);
        let successors = problem.successors(pair);
        let after = |&next: &u32| {
            let (mut data, mut alarm) = (data.clone(), alarm.clone());
            step(&mut data, &mut alarm, pair, next as usize);
            (alarm.numerator(&data) - before).exp_e()
        };
        let sum: f64 = successors.iter().map(after).sum();
        assert!(sum <= 1.0 + 1e-9 && sum > 0.2, "step {t}: {sum}");
        // no successor more often than others
        step(&mut data, &mut alarm, pair, successors[draw.below(successors.len())] as usize);
    }
    // some bets are won, some are lost
    let gains = &alarm.gains;
    assert!(gains.iter().any(|g| *g > 0.5) && gains.iter().any(|g| *g < -0.5), "{gains:?}");
}

#[test]
fn a_bet_costs_little_where_it_is_lost() {
    for (share, gain) in [(0.5, -700.0), (0.5, 700.0), (1e-3, -2.0), (1e-3, 9.0), (0.125, 0.0)] {
        let direct = ((1.0 - share) + share * Portable::exp_e(gain)).log_e();
        assert!((mixed(share, gain) - direct).abs() < 1e-9 * (1.0 + direct.abs()), "{share} {gain}");
    }
    assert_eq!(mixed(0.5, -1e9), 0.5f64.log_e());
    assert!((mixed(0.5, 1e9) - 1e9).abs() < 1.0);
}

#[test]
fn a_step_that_no_mixture_allows_rejects_at_once() {
    let problem = worlds::build("windy-grid", &Settings::new().set("n", 2)).unwrap().problem;
    let (mut data, mut alarm) = watched(&problem);
    step(&mut data, &mut alarm, 0, problem.successors(0)[0] as usize);
    assert_eq!(alarm.rejected(), None);
    alarm.impossible(2);
    let misfit = alarm.report(&data);
    assert_eq!((misfit.status, misfit.step, misfit.log_e), (Suspicion::Rejected, Some(2), None));
    assert!(misfit.text.contains("step 2"), "{}", misfit.text);
    assert!(serde_json::to_value(&misfit).unwrap()["log_e"].is_null());
}

#[test]
fn what_is_stored_comes_back_and_names_pairs_that_exist() {
    let problem = worlds::build("windy-grid", &Settings::new().set("n", 2)).unwrap().problem;
    let (mut data, mut alarm) = watched(&problem);
    let mut draw = Stream::new(9, &[]);
    for _ in 0..60 {
        let pair = draw.below(problem.pairs_of(problem.goal()).start);
        let next = problem.successors(pair)[0] as usize;
        step(&mut data, &mut alarm, pair, next);
    }
    let fresh = Alarm::new(&problem, 0.05);
    let stored = || serde_json::from_value::<Alarm>(serde_json::to_value(&alarm).unwrap()).unwrap();
    assert_eq!(fresh.restored(stored()).unwrap(), alarm);
    let forgeries: [fn(&mut Alarm); 3] =
        [|e| e.pairs[0] = 1 << 20, |e| e.gains.clear(), |e| e.visits.truncate(1)];
    for (i, forge) in forgeries.iter().enumerate() {
        let mut forged = stored();
        forge(&mut forged);
        assert!(fresh.restored(forged).is_err(), "forgery {i}");
    }
}
