//! A guard around any policy: its bounds, its books, and what it does to the regret.

use goalward::episode::{Agent, Arena, Audit, AuditReport, RunSpec, Runner};
use goalward::learners::{Algorithm, Clock, Player, Probe, Seen, Snapshot};
use goalward::plan::{Options, solve};
use goalward::problem::{Instance, Truth};
use goalward::{Learner, Settings, Transition, worlds};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

fn arena(world: &str) -> Arena {
    let (name, params) = worlds::named(world).unwrap();
    Arena::open(&name, &params).unwrap()
}

fn guarded(inner: &str) -> Settings {
    Settings::new().set("inner", inner)
}

/// Every theta on a grid of the simplex.
fn grid(dim: usize, parts: usize) -> Vec<Vec<f64>> {
    let mut all: Vec<Vec<usize>> = vec![vec![]];
    for _ in 1..dim {
        let longer = all.iter().flat_map(|one| {
            let used: usize = one.iter().sum();
            (0..=parts - used).map(move |next| one.iter().copied().chain([next]).collect())
        });
        all = longer.collect();
    }
    let whole = |one: Vec<usize>| {
        let last = parts - one.iter().sum::<usize>();
        one.into_iter().chain([last]).map(|n| n as f64 / parts as f64).collect()
    };
    all.into_iter().map(whole).collect()
}

/// Which points of a grid lie in the set that the last plan was made over.
struct Inside<'a>(&'a [Vec<f64>], Vec<bool>);

impl Probe for Inside<'_> {
    fn wants_estimate(&self) -> bool {
        false
    }
    fn wants_sets(&self) -> bool {
        true
    }
    fn planned_set(&mut self, planned: &dyn goalward::confidence::ConfidenceSet) {
        self.1 = self.0.iter().map(|theta| planned.margin(theta) >= 0.0).collect();
    }
}

/// The bound lies below the least V_theta over a fine grid of the planned set, and near it.
#[test]
fn cells_come_near_the_least_value_of_one_theta() {
    let mut near = 0;
    for (world, dim, parts, share) in [
        ("delivery@n=4@simplex=true", 3, 60, 0.93),
        ("ladder@rungs=6@dim=3@simplex=true", 3, 60, 0.93),
        ("random-mixture@states=12@dim=3@simplex=true", 3, 60, 0.93),
        ("random-mixture@states=12@dim=2@simplex=true", 2, 200, 0.93),
        ("random-mixture@states=10@dim=4@simplex=true", 4, 24, 0.85),
    ] {
        for seed in 1..=4u64 {
            let world = format!("{world}@truth=drawn:{seed}");
            let arena = arena(&world);
            let mut runner = Runner::new(&arena, RunSpec::new("lr", 8 * seed).seed(seed)).unwrap();
            runner.run(&mut []).unwrap();
            let thetas = grid(dim, parts);
            let mut inside = Inside(&thetas, Vec::new());
            runner.learner().probe(&mut inside);
            let problem = arena.problem();
            let value = |theta: &Vec<f64>| {
                let instance = Instance::of((**problem).clone(), Truth::new(problem, theta).ok());
                let answer = solve(problem, instance.truth().unwrap(), &Options::default()).unwrap();
                answer.v[problem.start()]
            };
            let own = inside.1.iter().zip(&thetas).filter(|(inside, _)| **inside);
            let least = own.map(|(_, theta)| value(theta)).fold(f64::INFINITY, f64::min);
            let bound = runner.learner().lower_bound(problem.start()).unwrap().unwrap();
            assert!(bound <= least * (1.0 + 1e-9), "{world}: {bound} above {least}");
            assert!(bound >= share * least, "{world}: {bound} far below {least}");
            near += usize::from(bound >= 0.95 * least);
        }
    }
    assert!(near >= 14, "{near} of 20 within 5 %");
}

/// The theorem's inequalities hold on every run, whatever the inner learner does.
#[test]
fn the_books_are_right() {
    let mut handed = 0;
    for world in
        ["windy-grid@n=3@simplex=true", "delivery@simplex=true", "ladder@rungs=6@dim=3", "hard-instance"]
    {
        for (i, inner) in ["certainty-equivalence", "random", "q-learning", "psrl-mixture", "eb-ssp:B=oracle"]
            .iter()
            .enumerate()
        {
            let arena = arena(&format!("{world}@truth=drawn:{i}"));
            let spec = RunSpec::new("guarded", 120).settings(guarded(inner)).seed(i as u64);
            let report = audited(&arena, spec.max_steps(20_000));
            let checks: Vec<_> = report.checks.iter().filter(|c| c.statement.starts_with("guard:")).collect();
            assert_eq!(checks.len(), 4, "{world} {inner}");
            for check in checks {
                assert_eq!(check.fails, 0, "{world} {inner}: {}", check.statement);
            }
            handed += report.guard.as_ref().unwrap().handovers.len();
        }
    }
    assert!(handed > 20, "only {handed} hand-overs");
}

fn audited(arena: &Arena, spec: RunSpec) -> AuditReport {
    let mut runner = Runner::new(arena, spec).unwrap();
    let mut audit = Audit::new(arena).unwrap();
    runner.run(&mut [&mut audit]).unwrap();
    audit.report(&runner)
}

/// A policy that never learns plays less and less: as one over the root of the episodes.
#[test]
fn a_bad_policy_is_seldom_followed() {
    let arena = arena("windy-grid@n=3");
    let share = |episodes: u64| {
        let spec = RunSpec::new("guarded", episodes).settings(guarded("random")).seed(1);
        let mut runner = Runner::new(&arena, spec).unwrap();
        runner.run(&mut []).unwrap();
        let guard = runner.learner().guard().unwrap();
        (guard.inner_episodes as f64 / episodes as f64, runner.result().gap_regret)
    };
    let (few, many) = (share(200), share(3_200));
    // sqrt(16) = 4
    assert!(few.0 / many.0 > 2.0 && few.0 / many.0 < 8.0, "{few:?} {many:?}");
    assert!(many.1 < 8.0 * few.1, "the regret grows with the root of K: {few:?} {many:?}");
}

/// Proposals of an own controller are guarded as a learner of the same actions is.
#[test]
fn proposals_are_guarded_like_a_learner() {
    let world = worlds::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    let agent = |spec| Agent::new(&world, spec).unwrap().learner;
    let inner = || RunSpec::new("random", 60).seed(5);
    let (mut own, mut guard) =
        (agent(inner()), agent(RunSpec::new("guarded", 60).settings(guarded("proposals")).seed(5)));
    let mut built_in = agent(RunSpec::new("guarded", 60).settings(guarded("random")).seed(5));
    let mut luck = goalward::Stream::new(9, &[]);
    let mut by = [0, 0];
    for _ in 0..60 {
        let mut s = world.problem.start();
        while s != world.problem.goal() {
            let expected = built_in.act(s).unwrap();
            // an inner learner is only asked while it plays
            let inner = built_in.player() == Some(Player::Inner);
            let proposal = if inner { own.act(s).unwrap() } else { 0 };
            let action = guard.act_on(s, proposal).unwrap();
            assert_eq!((action, guard.player()), (expected, built_in.player()));
            by[usize::from(inner)] += 1;
            let pair = world.problem.pair(s, action);
            let next = world.truth().unwrap().sample(&world.problem, pair, luck.uniform());
            let step = Transition { state: s, action, cost: world.problem.cost(pair), next };
            for learner in [&mut own, &mut guard, &mut built_in] {
                learner.observe(&step).unwrap();
            }
            s = next;
        }
        for learner in [&mut own, &mut guard, &mut built_in] {
            learner.end_episode();
        }
    }
    let (ours, theirs) = (guard.guard().unwrap(), built_in.guard().unwrap());
    assert_eq!((ours.ledger, &ours.handovers), (theirs.ledger, &theirs.handovers));
    assert!(by[0] > 0 && by[1] > 0);
    // all steps were answers of the guard: its theorem holds
    assert!(
        guard
            .claim()
            .unwrap()
            .statements
            .iter()
            .all(|one| one.needs.iter().all(|need| { !format!("{need:?}").contains("own decision") }))
    );
}

#[test]
fn missing_unknown_and_late_proposals() {
    let world = worlds::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    let spec = RunSpec::new("guarded", 60).settings(guarded("proposals")).seed(5);
    let mut learner = Agent::new(&world, spec).unwrap().learner;
    // an unknown action is an error, and counts for nothing
    let error = learner.act_on(0, 99).unwrap_err().to_string();
    assert!(error.contains("99"), "{error}");
    assert_eq!(learner.player(), None);
    assert_eq!(learner.act_on(0, 1).unwrap(), 1);
    assert_eq!(learner.player(), Some(Player::Inner));
    // another action than the answer is booked to whom it was left
    let pair = world.problem.pair(0, 0);
    let next = world.problem.successors(pair)[0] as usize;
    let step = Transition { state: 0, action: 0, cost: world.problem.cost(pair), next };
    learner.observe(&step).unwrap();
    assert_eq!(learner.player(), Some(Player::Inner));
    // nothing is proposed: the episode is handed over, and later proposals are ignored
    learner.act(next).unwrap();
    assert_eq!(learner.player(), Some(Player::Outer));
    assert_eq!(learner.guard().unwrap().handovers.len(), 1);
    for proposal in 0..world.problem.actions(next) {
        learner.act_on(next, proposal).unwrap();
        assert_eq!(learner.player(), Some(Player::Outer));
    }
    assert_eq!(learner.guard().unwrap().handovers.len(), 1);
    // a learner without a guard takes none
    let mut lr = Agent::new(&world, RunSpec::new("lr", 60)).unwrap().learner;
    let error = lr.act_on(0, 1).unwrap_err().to_string();
    assert!(error.contains("guarded@inner=proposals"), "{error}");
}

/// A learner that is given plays as the one of its id does, through a snapshot, too.
#[test]
fn a_learner_that_is_given_is_guarded_like_one_that_is_named() {
    let world = worlds::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    let agent = |spec: RunSpec| Agent::new(&world, spec.seed(5)).unwrap().learner;
    for id in ["random", "q-learning", "knowledge-gradient"] {
        let named = || agent(RunSpec::new("guarded", 60).settings(guarded(id)));
        let given = || {
            let mut learner = agent(RunSpec::new("guarded", 60).settings(guarded("proposals")));
            learner.follow(agent(RunSpec::new(id, 60))).unwrap();
            learner
        };
        let mut both = [named(), given()];
        let mut luck = goalward::Stream::new(9, &[]);
        for k in 0..60 {
            let mut s = world.problem.start();
            while s != world.problem.goal() {
                let [action, same] = both.each_mut().map(|learner| learner.act(s).unwrap());
                assert_eq!((action, both[0].player()), (same, both[1].player()), "{id}");
                let pair = world.problem.pair(s, action);
                let next = world.truth().unwrap().sample(&world.problem, pair, luck.uniform());
                let step = Transition { state: s, action, cost: world.problem.cost(pair), next };
                for learner in &mut both {
                    learner.observe(&step).unwrap();
                }
                s = next;
            }
            both.iter_mut().for_each(Learner::end_episode);
            if k == 30 {
                let snapshots = both.each_ref().map(|learner| learner.snapshot());
                both = [named(), given()];
                both.iter_mut().zip(&snapshots).for_each(|(one, kept)| one.restore(kept).unwrap());
            }
        }
        let [ours, theirs] = both.each_ref().map(|learner| learner.guard().unwrap());
        assert_eq!(ours, theirs);
        assert!(ours.inner_episodes > 0 && ours.inner == id);
        assert_eq!(both[0].in_force(), both[1].in_force());
    }
}

/// A policy of one action, which counts what it is told and cannot be restored.
struct Stubborn(Arc<AtomicU64>);

impl Algorithm for Stubborn {
    fn act(&mut self, _: usize) -> usize {
        0
    }
    fn observe(&mut self, _: &Transition, _: usize, _: &Clock) -> Seen {
        self.0.fetch_add(1, Relaxed);
        Seen::Counted
    }
    fn snapshot(&self) -> Snapshot {
        Snapshot::of(&())
    }
    fn restore(&mut self, _: &Snapshot, _: &Clock) -> goalward::Result<()> {
        Err(goalward::Error::Checkpoint { reason: "it forgets".into() })
    }
}

#[test]
fn an_algorithm_of_ones_own_sees_every_step_and_keeps_its_errors() {
    let arena = arena("windy-grid@n=3");
    let heard = Arc::new(AtomicU64::new(0));
    let built = |inner: &str| {
        let spec = RunSpec::new("guarded", 60).settings(guarded(inner));
        Runner::new(&arena, spec).unwrap().into_learner()
    };
    let mine = || Learner::of("mine", arena.problem(), Box::new(Stubborn(heard.clone()))).unwrap();
    let mut learner = built("proposals");
    learner.follow(mine()).unwrap();
    let mut runner = Runner::with_learner(&arena, RunSpec::new("guarded", 60), learner).unwrap();
    runner.run(&mut []).unwrap();
    let guard = runner.learner().guard().unwrap();
    assert!(guard.inner == "mine" && !guard.handovers.is_empty());
    assert_eq!(heard.load(Relaxed), runner.result().steps);
    assert_eq!(runner.result().parameters["inner"], "mine");

    let kept = runner.learner().snapshot();
    let mut same = built("proposals");
    same.follow(mine()).unwrap();
    let told = same.restore(&kept).unwrap_err().to_string();
    assert!(told.contains("the inner learner mine is not restored") && told.contains("it forgets"), "{told}");
    let told = built("proposals").restore(&kept).unwrap_err().to_string();
    assert!(told.contains("it follows proposals here, and followed mine then"), "{told}");
}

#[test]
fn only_a_fresh_guard_follows_a_learner_without_one() {
    let [small, large] = ["windy-grid@n=3", "windy-grid@n=4"].map(arena);
    let built = |arena, id: &str, settings| {
        Runner::new(arena, RunSpec::new(id, 60).settings(settings)).unwrap().into_learner()
    };
    let proposals = || built(&small, "guarded", guarded("proposals"));
    let plain = |arena| built(arena, "random", Settings::new());
    let (mut acted, mut taught, mut twice) = (proposals(), proposals(), proposals());
    acted.act_on(0, 1).unwrap();
    let pair = small.problem().pair(0, 1);
    let next = small.problem().successors(pair)[0] as usize;
    let step = Transition { state: 0, action: 1, cost: small.problem().cost(pair), next };
    taught.observe(&step).unwrap();
    twice.follow(plain(&small)).unwrap();
    for (mut learner, inner, what) in [
        (acted, plain(&small), "before the first action"),
        (taught, plain(&small), "before the first action"),
        (twice, plain(&small), "guarded@inner=proposals"),
        (built(&small, "lr", Settings::new()), plain(&small), "guarded@inner=proposals"),
        (built(&small, "guarded", guarded("random")), plain(&small), "guarded@inner=proposals"),
        (proposals(), built(&small, "guarded", guarded("random")), "guards nothing"),
        (proposals(), plain(&large), "states"),
    ] {
        let before = learner.snapshot();
        let told = learner.follow(inner).unwrap_err().to_string();
        assert!(told.contains(what), "{told}");
        assert_eq!(learner.snapshot(), before);
    }
}

#[test]
fn what_cannot_be_guarded_is_refused() {
    let world = worlds::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    let error = |settings: Settings| {
        Agent::new(&world, RunSpec::new("guarded", 60).settings(settings)).unwrap_err().to_string()
    };
    for (settings, what) in [
        (guarded("guarded"), "guards nothing"),
        (guarded("nobody"), "nobody"),
        (guarded("q-learning:nothing=1"), "nothing"),
        (guarded("levis++"), "B"),
        (guarded(""), "inner"),
        (Settings::new().set("budget", "0"), "budget"),
        (Settings::new().set("budget", "nan"), "budget"),
        (Settings::new().set("kappa", "-1"), "kappa"),
        (Settings::new().set("kappa", "inf"), "kappa"),
    ] {
        let told = error(settings);
        assert!(told.contains(what), "{told}");
    }
    let spec = RunSpec::new("guarded", 5).settings(guarded("levis++:B=9:radius=scaled:0.003"));
    assert_eq!(
        Agent::new(&world, spec).unwrap().learner.guard().unwrap().inner,
        "levis++:B=9:radius=scaled:0.003"
    );
}
