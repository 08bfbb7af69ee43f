//! Learning runs of `lr` on mixtures of ten models, as multiples of a plain pass on two threads.

use crate::harness::{Table, median, micros, reset_peak, status};
use crate::{ACTIONS, SUCCESSORS, plain_pass, set_of};
use goalward::Settings;
use goalward::learners::{self, Learner, Told, Transition};
use goalward::numeric::Stream;
use goalward::numeric::support::SupportMin;
use goalward::plan::{Devi, Planner, Task};
use goalward::problem::Instance;
use goalward::worlds;
use std::time::Instant;

const DIM: usize = 10;
const EPISODES: usize = 20;
/// Plans at the beginning of a run that are looked at one by one.
const FIRST: usize = 10;
/// Plans that are made on one thread too, where that is asked for.
const COMPARED: usize = 4;
/// So often.
const TURNS: usize = 3;
/// Pairs for which it is.
const ON_ONE: usize = 400_000;

const COLUMNS: &[&str] = &[
    "pairs",
    "simplex",
    "plain2_ms",
    "whole_rows",
    "relaxed",
    "whole2",
    "cold2",
    "plan_least",
    "plan_median",
    "plan_most",
    "learn",
    "learn_s",
    "learn_cpu",
    "plans",
    "relaxed_plans",
    "one_by_two",
    "same",
    "peak_ratio",
    "beside_B",
];

fn world(pairs: usize, simplex: bool) -> Instance {
    let params = Settings::new()
        .set("states", pairs / ACTIONS)
        .set("actions", ACTIONS)
        .set("dim", DIM)
        .set("successors", SUCCESSORS)
        .set("simplex", simplex);
    worlds::build("random-mixture", &params).unwrap()
}

/// A run: the seconds of every plan, those of all, how many plans left out rows, and V(start) after
/// each.
#[derive(Default)]
struct Run {
    plans: Vec<f64>,
    seconds: f64,
    /// Of all processors together.
    cpu: f64,
    relaxed: usize,
    values: Vec<u64>,
}

/// Processor time of this process so far, in seconds: where others use the machine too, a ratio of
/// these says more than one of times.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok());
    0.01 * ticks.sum::<f64>()
}

/// Runs `lr` until it has made so many plans, or for so many episodes.
fn run(instance: &Instance, plans: usize, episodes: usize) -> Run {
    let (problem, truth) = (&instance.problem, instance.truth().unwrap());
    let entry = learners::entry("lr").unwrap();
    let (start, cpu_before) = (Instant::now(), cpu());
    let mut learner = entry.build(problem, &Settings::new(), 0, 1, Told::default()).unwrap();
    let mut run = Run::default();
    let note = |learner: &Learner, run: &mut Run, seconds: f64| {
        let Some(plan) = learner.last_plan().filter(|plan| plan.j as usize > run.plans.len()) else { return };
        run.plans.push(seconds);
        run.relaxed += usize::from(plan.mixture().is_some_and(|plan| plan.relaxed));
        run.values.push(learner.value(problem.start()).unwrap().unwrap_or(f64::NAN).to_bits());
    };
    let mut draw = Stream::new(1, &[]);
    for _ in 0..episodes {
        let mut s = problem.start();
        while s != problem.goal() && run.plans.len() < plans {
            let mut step = None;
            let before = learner.clock().j;
            let seconds = 1e-6
                * micros(1, || {
                    let action = learner.act(s).unwrap();
                    let pair = problem.pair(s, action);
                    let next = truth.sample(problem, pair, draw.uniform());
                    // the first plan comes before the first step
                    step = Some(Transition { state: s, action, cost: problem.cost(pair), next });
                });
            if learner.clock().j > before {
                note(&learner, &mut run, seconds);
            }
            let step = step.unwrap();
            let seconds = 1e-6
                * micros(1, || {
                    learner.observe(&step).unwrap();
                });
            note(&learner, &mut run, seconds);
            s = step.next;
        }
        learner.end_episode();
    }
    run.seconds = start.elapsed().as_secs_f64();
    run.cpu = cpu() - cpu_before;
    run
}

/// A cold sweep over the whole of B and a warm one in plain passes, which are measured in turns with
/// them; how many rows there are, and whether some were left out.
fn whole(instance: &Instance, plain: impl Fn() -> f64) -> (f64, f64, f64, bool) {
    let problem = &*instance.problem;
    let task = Task { problem, costs: problem.costs(), b: 25.0, eps: 1e-4, q: 1e-4 };
    let mut devi = Devi::new(problem);
    // values that a plan would have
    let mut inside = set_of(instance, 1e-3);
    devi.plan(&task, &mut inside, Planner::Fast, &vec![0.0; problem.states()]);
    let v = devi.v.clone();
    drop(devi);
    let mut devi = Devi::new(problem);
    let mut set = set_of(instance, 100.0);
    let mut sweep = || {
        1e-3 * micros(1, || {
            devi.apply(&task, &mut set, &v);
        })
    };
    let (mut plains, mut warm) = (vec![plain()], Vec::new());
    let cold = sweep();
    for _ in 0..7 {
        plains.push(plain());
        warm.push(sweep());
    }
    let plain = median(plains);
    (cold / plain, median(warm) / plain, set.binding_rows() as f64, set.is_relaxed())
}

fn measure(pairs: usize, simplex: bool) -> Vec<f64> {
    let flag = |is: bool| f64::from(u8::from(is));
    let pool = |n: usize| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
    let (one, two) = (pool(1), pool(2));
    reset_peak();
    let instance = world(pairs, simplex);
    let problem = &instance.problem;
    let features = 8.0 * DIM as f64 * problem.rows(problem.pairs() - 1).end as f64;
    let v: Vec<f64> = (0..problem.states()).map(|s| (s % 7) as f64).collect();
    let pass = || {
        std::hint::black_box(plain_pass(&instance, &v));
    };
    let plain = || two.install(|| 1e-3 * micros(1, pass));
    // before the run and after it: others may use the machine too
    let mut plains: Vec<f64> = (0..9).map(|_| plain()).collect();
    let learnt = two.install(|| run(&instance, usize::MAX, EPISODES));
    // of the whole process: what a case before left is used again, so a difference would say too little
    let peak = status("VmHWM:");
    plains.extend((0..9).map(|_| plain()));
    let plain_ms = median(plains);
    // one plain pass on two threads takes this of both
    let passes_of = |count: usize| {
        let before = cpu();
        (0..count).for_each(|_| two.install(|| drop(std::hint::black_box(vec![plain_pass(&instance, &v)]))));
        (cpu() - before) / count as f64
    };
    let plain_cpu = passes_of((20_000_000 / pairs).max(10));
    let (cold, warm, rows, relaxed) = two.install(|| whole(&instance, plain));
    let mut first = learnt.plans[..FIRST.min(learnt.plans.len())].to_vec();
    first.sort_by(f64::total_cmp);
    let (mut ratio, mut same) = (f64::NAN, f64::NAN);
    if pairs == ON_ONE {
        // in turns, the least of each
        let plan = |pool: &rayon::ThreadPool| pool.install(|| run(&instance, COMPARED, EPISODES));
        let runs: Vec<[Run; 2]> = (0..TURNS).map(|_| [plan(&one), plan(&two)]).collect();
        let sum = |run: &Run| run.plans.iter().sum::<f64>();
        let least = |k: usize| runs.iter().map(|run| sum(&run[k])).fold(f64::INFINITY, f64::min);
        ratio = least(0) / least(1);
        same = flag(runs.iter().all(|[one, two]| one.values == two.values));
    }
    let passes = |seconds: f64| 1e3 * seconds / plain_ms;
    vec![
        pairs as f64,
        flag(simplex),
        plain_ms,
        rows,
        flag(relaxed),
        warm,
        cold,
        passes(first[0]),
        passes(first[first.len() / 2]),
        passes(first[first.len() - 1]),
        passes(learnt.seconds),
        learnt.seconds,
        learnt.cpu / plain_cpu,
        learnt.plans.len() as f64,
        learnt.relaxed as f64,
        ratio,
        same,
        peak / features,
        (peak - 1.3 * features) / pairs as f64,
    ]
}

/// The table, for all sizes or one.
pub(crate) fn table(only: Option<usize>) {
    let asked = |part: &str| std::env::args().any(|arg| arg == part);
    let mut table = Table::new("runs", COLUMNS);
    for pairs in
        [100_000, ON_ONE, 1_000_000].into_iter().filter(|pairs| only.is_none_or(|only| only == *pairs))
    {
        for simplex in [true, false].into_iter().filter(|s| !asked(if *s { "general" } else { "simplex" })) {
            let name = if simplex { "simplex" } else { "general position" };
            table.row(&format!("{pairs} pairs, {name}"), &measure(pairs, simplex));
        }
    }
    table.print();
}
