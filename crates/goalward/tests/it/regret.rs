//! Regret and gap regret have the same mean wherever a run stops.

use goalward::Settings;
use goalward::episode::{Arena, Ending, Flow, Observer, RunSpec, Runner, Step, Stop};

/// A mean with its standard error.
fn mean(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0) / n).sqrt())
}

fn settings(pairs: &[(&str, u64)]) -> Settings {
    pairs.iter().fold(Settings::new(), |s, (key, value)| s.set(key, value))
}

#[test]
fn a_run_that_is_cut_off_has_the_regret_of_its_gaps_on_average() {
    let worlds = [
        ("windy-grid", settings(&[("n", 3)]), 3),
        ("windy-grid", settings(&[("n", 4)]), 11),
        ("corridor", settings(&[("length", 5)]), 4),
        ("random-mixture", Settings::new(), 7),
    ];
    for (world, params, cap) in worlds {
        let arena = Arena::open(world, &params).unwrap();
        let (mut corrected, mut plain, mut cut) = (Vec::new(), Vec::new(), 0);
        for seed in 0..2000 {
            let spec = RunSpec::new("random", 100).seed(seed).max_steps(cap);
            let mut runner = Runner::new(&arena, spec).unwrap();
            assert_eq!(runner.run(&mut []).unwrap(), Ending::Truncated);
            let result = runner.result();
            cut += usize::from(runner.progress().episode_steps > 0);
            corrected.push(result.regret - result.gap_regret);
            let paid = result.total_cost - result.episodes as f64 * result.optimal_cost;
            plain.push(paid - result.gap_regret);
        }
        let ((off, error), (bias, bias_error)) = (mean(&corrected), mean(&plain));
        assert!(off.abs() < 3.5 * error, "{world}: {off} ± {error}");
        assert!(bias.abs() > 6.0 * bias_error, "{world}: {bias} ± {bias_error} would not show a bias");
        assert!(cut > 500, "{world}: {cut} runs end within an episode");
    }
}

/// Asks to pause after so many steps.
struct Pause(u64);

impl Observer for Pause {
    fn step(&mut self, step: &Step) -> Flow {
        if step.t == self.0 { Flow::Break(Stop) } else { Flow::Continue(()) }
    }
}

#[test]
fn what_was_paused_or_raised_ends_with_the_regret_of_an_unbroken_run() {
    let arena = Arena::open("windy-grid", &settings(&[("n", 3)])).unwrap();
    let spec = RunSpec::new("random", 6).seed(3);
    let mut whole = Runner::new(&arena, spec.clone()).unwrap();
    whole.run(&mut []).unwrap();
    let whole = whole.result();
    assert_eq!(whole.regret, whole.total_cost - 6.0 * whole.optimal_cost, "finished: nothing to correct");

    let mut runner = Runner::new(&arena, spec).unwrap();
    for t in [2, 5, 9] {
        assert_eq!(runner.run(&mut [&mut Pause(t)]).unwrap(), Ending::Paused);
        let (now, result) = (runner.progress(), runner.result());
        let ahead = arena.exact().v[now.state];
        let paid = now.total_cost - (now.episodes + 1) as f64 * arena.optimal_cost();
        assert!((result.regret - (paid + ahead)).abs() < 1e-12, "{} of {now:?}", result.regret);
    }
    runner.run(&mut []).unwrap();
    assert_eq!(runner.result().regret, whole.regret);
}

/// To believe one's estimate fails for good where what it rules out is never tried; optimism and
/// posterior sampling find out.
#[test]
fn certainty_equivalence_never_tries_the_shortcut() {
    let arena = Arena::open("shortcut", &Settings::new()).unwrap();
    let pays = |learner: &str, episodes: u64, seed: u64| {
        let mut runner = Runner::new(&arena, RunSpec::new(learner, episodes).seed(seed)).unwrap();
        runner.run(&mut []).unwrap();
        runner.result().gap_regret
    };
    let mean =
        |learner: &str, episodes: u64| (0..20).map(|seed| pays(learner, episodes, seed)).sum::<f64>() / 20.0;
    let (early, late) = (mean("certainty-equivalence", 500), mean("certainty-equivalence", 1_000));
    // the road costs 2, and the shortcut 1/0.815: whose first action is the road loses 0.77 in every
    // episode, and half of the runs begin so
    assert!(late > 0.25 * (2.0 - 1.0 / 0.815) * 1_000.0, "{late}");
    assert!(late > 1.9 * early, "{early} {late}");
    for learner in ["lr", "psrl-mixture"] {
        let (early, late) = (mean(learner, 500), mean(learner, 1_000));
        assert!(late < 10.0 && late - early < 1.0, "{learner}: {early} {late}");
    }
}
