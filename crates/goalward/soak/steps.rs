//! `cargo xtask soak steps [PROBLEMS [EPISODES [SECONDS [FIRST [STREAM]]]]]`: no step takes long.
//! Random problems of all worlds, by default 200 of up to 10,000 pairs and ten models, with known
//! simplex weights and without; then the hardest of these sizes. Another stream draws other
//! problems, a third of whose mixtures have up to fifty successors. Three learners run on each for
//! 300 episodes or 60 s. Exit code 1 if a step takes more than a second, planning included, or if
//! opening a problem, making a learner, or saving one and taking it up again does.

use goalward::Settings;
use goalward::episode::{Arena, Checkpoint, Ending, Flow, Observer, RunSpec, Runner, Step, Stop};
use goalward::numeric::{Portable, Stream};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const LEARNERS: [&str; 4] = ["guarded", "lr", "levis++lr", "psrl-mixture"];
const LIMIT: Duration = Duration::from_secs(1);
/// The clock of processors ticks a few times in this.
const TOLD: Duration = Duration::from_millis(50);
/// The pairs of a problem, at most.
const PAIRS: f64 = 10_000.0;
/// The stream that problems are drawn from unless another one is given.
const STREAM: u64 = 20_261;

/// Problems of 10,000 pairs and ten models without known weights, where sets have most corners.
const HARDEST: [&str; 6] = [
    "random-mixture@states=5000@actions=2@dim=10@successors=5",
    "random-mixture@states=1250@actions=8@dim=10@successors=5@goal_prob=0.001",
    "random-mixture@states=2500@actions=4@dim=10@successors=20",
    "random-mixture@states=1250@actions=8@dim=10@successors=50",
    "ladder@rungs=5000@actions=2@dim=10",
    "low-rank@states=2500@actions=4@dim=10@rank=6@successors=5",
];

/// Draws of one problem's parameters.
struct Draw {
    stream: Stream,
    /// Whether some mixtures have many successors.
    wide: bool,
}

impl Draw {
    /// Between two numbers: evenly by their logarithms, or every other time evenly.
    fn about(&mut self, low: f64, high: f64) -> f64 {
        let share = self.stream.uniform();
        match self.stream.below(2) {
            0 => (low.log_e() + share * (high / low).log_e()).exp_e(),
            _ => low + share * (high - low),
        }
    }

    fn whole(&mut self, low: usize, high: usize) -> usize {
        (self.about(low as f64, high as f64 + 1.0) as usize).clamp(low, high)
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.stream.below(all.len())]
    }

    /// States and actions of no more pairs than there may be.
    fn sizes(&mut self, states: &'static str, set: Settings) -> Settings {
        let actions = self.whole(2, 8);
        self.with_actions(states, actions, set)
    }

    fn with_actions(&mut self, states: &'static str, actions: usize, set: Settings) -> Settings {
        let most = PAIRS as usize / actions;
        set.set(states, self.whole(5, most)).set("actions", actions)
    }

    fn world(&mut self, n: usize) -> (&'static str, Settings) {
        let (d, seed) = (self.whole(2, 10), self.stream.below(1 << 30));
        let simplex = |set: Settings, yes: bool| set.set("simplex", yes);
        let any = Settings::new();
        let of_candidates = any.clone().set("dim", d).set("seed", seed);
        let (world, set) = match n % 16 {
            0 => ("hard-instance", any.set("dim", d)),
            1 => {
                let most = (PAIRS as usize >> (d - 1)).max(3);
                ("corridor", any.set("dim", d).set("length", self.whole(3, most)))
            }
            2 => ("windy-grid", any.set("n", self.whole(3, 50)).set("wind", self.about(0.2, 0.95))),
            3..=5 => {
                let (few, many) = if self.wide && n % 16 == 5 { (20, 50) } else { (2, 5) };
                let set = self.sizes("states", of_candidates).set("successors", self.whole(few, many));
                let set = set.set("goal_prob", self.about(1e-3, 0.3)).set("cost_min", self.about(1e-3, 1.0));
                ("random-mixture", set.set("free", self.one_of(&[0.0, 0.0, 0.2])))
            }
            6 => ("ladder", self.sizes("rungs", of_candidates).set("sure", self.about(0.05, 0.9))),
            7 => ("min-lower-bound", any.set("dim", d).set("seed", seed)),
            8 => {
                let actions = self.whole(3, 8);
                let set = self.with_actions("states", actions, any).set("seed", seed);
                ("rosenberg", set.set("dim", d.clamp(3, actions)))
            }
            9 => ("psrl-random-mdp", {
                let set = any.set("states", self.whole(5, 60)).set("actions", self.whole(2, 8));
                set.set("dim", d.max(2)).set("seed", seed)
            }),
            10 => {
                let set = any.set("rows", self.whole(3, 50)).set("columns", self.whole(3, 50));
                ("psrl-gridworld", set.set("success", self.about(0.3, 0.95)))
            }
            11 => ("river-swim", any.set("length", self.whole(4, 60))),
            12 => ("cliff", any.set("rows", self.whole(3, 30)).set("columns", self.whole(4, 60))),
            13 => ("delivery", any.set("n", self.whole(3, 20))),
            14 => ("taxi", any.set("rain", self.about(0.05, 0.5))),
            _ => {
                let set = self.sizes("states", of_candidates).set("rank", self.whole(2, 6));
                ("low-rank", set.set("successors", self.whole(2, 5)))
            }
        };
        match world {
            "min-lower-bound" => (world, set),
            _ => (world, simplex(set, self.one_of(&[true, false]))),
        }
    }
}

/// The processor time of this process so far, where the system says it.
fn processor() -> Option<Duration> {
    let line = std::fs::read_to_string("/proc/self/stat").ok()?;
    let ticks = line.rsplit_once(')')?.1.split_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.map(|ticks| ticks.parse::<u64>().unwrap_or(0)).sum();
    Some(Duration::from_millis(10 * ticks))
}

/// A moment. What passed since is the time on the wall or on processors, whichever is less: other
/// programs may be at work.
#[derive(Clone, Copy)]
struct Moment(Instant, Option<Duration>);

impl Moment {
    fn now() -> Moment {
        Moment(Instant::now(), processor())
    }

    fn passed(self) -> Duration {
        let on_wall = self.0.elapsed();
        match self.1.zip(processor()) {
            Some((then, now)) if on_wall > TOLD => on_wall.min(now - then),
            _ => on_wall,
        }
    }
}

/// The longest step of a run, and when it must end.
struct Clock {
    last: Moment,
    end: Instant,
    longest: (Duration, u64),
}

impl Observer for Clock {
    fn step(&mut self, step: &Step) -> Flow {
        self.longest = self.longest.max((self.last.passed(), step.t));
        self.last = Moment::now();
        if self.last.0 > self.end { Flow::Break(Stop) } else { Flow::Continue(()) }
    }
}

/// What was found so far.
#[derive(Default)]
struct Tally {
    reached: u64,
    refused: u64,
    ended: u64,
    out_of_time: u64,
    slow: u64,
    longest: (Duration, String),
}

impl Tally {
    fn note(&mut self, what: String, time: Duration) {
        if time > LIMIT {
            self.slow += 1;
            println!("{what} took {:.2} s", time.as_secs_f64());
        }
        if time > self.longest.0 {
            self.longest = (time, what);
        }
    }

    /// Runs every learner on one problem.
    fn try_all(&mut self, arena: &Arena, spelled: &str, spec: impl Fn(&str) -> RunSpec, seconds: u64) {
        let (costs, goal) = (arena.problem().costs(), arena.problem().pairs_of(arena.problem().goal()));
        let free = (0..costs.len()).any(|p| costs[p] == 0.0 && !goal.contains(&p));
        // the paper's learner wants positive costs
        for learner in LEARNERS.into_iter().filter(|learner| !free || *learner != "levis++lr") {
            if let Err(error) = self.try_one(arena, spelled, spec(learner), seconds) {
                println!("{spelled}: {learner}: {error}");
                self.refused += 1;
            }
        }
    }

    fn try_one(&mut self, arena: &Arena, spelled: &str, spec: RunSpec, seconds: u64) -> goalward::Result<()> {
        let learner = spec.learner.clone();
        let making = Moment::now();
        let mut runner = Runner::new(arena, spec)?;
        self.note(format!("{spelled}: making {learner}"), making.passed());
        let last = Moment::now();
        let end = last.0 + Duration::from_secs(seconds);
        let mut clock = Clock { last, end, longest: (Duration::ZERO, 0) };
        match runner.run(&mut [&mut clock])? {
            Ending::Paused => self.out_of_time += 1,
            _ => self.ended += 1,
        }
        let (time, t) = clock.longest;
        self.note(format!("{spelled}: step {t} of {learner}"), time);
        let saving = Moment::now();
        let bytes = Checkpoint::of(&runner).to_bytes()?;
        self.note(format!("{spelled}: saving {learner}"), saving.passed());
        let resuming = Moment::now();
        Runner::resume(arena, &Checkpoint::from_bytes(&bytes, Path::new("a checkpoint"))?)?;
        self.note(format!("{spelled}: taking {learner} up"), resuming.passed());
        Ok(())
    }
}

fn main() -> ExitCode {
    // cargo itself passes --bench
    let given: Vec<u64> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let given = |i: usize, default: u64| given.get(i).copied().unwrap_or(default);
    let (problems, episodes, seconds, first) = (given(0, 200), given(1, 300), given(2, 60), given(3, 0));
    let stream = given(4, STREAM);
    let mut tally = Tally::default();
    let drawn = (first..first + problems).map(|n| {
        let mut draw = Draw { stream: Stream::new(stream, &[n]), wide: stream != STREAM };
        let (world, set) = draw.world(n as usize);
        set.iter().fold(world.to_string(), |all, (key, value)| format!("{all}@{key}={value}"))
    });
    for (n, spelled) in (first..).zip(drawn.chain(HARDEST.map(String::from))) {
        let opening = Moment::now();
        let (world, set) = spelled.split_once('@').map_or((&spelled[..], ""), |parts| parts);
        let set = set.split('@').filter_map(|part| part.split_once('='));
        let set = set.fold(Settings::new(), |set, (key, value)| set.set(key, value));
        let arena = match Arena::open(world, &set) {
            Ok(arena) => arena,
            Err(error) => {
                println!("{spelled}: {error}");
                tally.refused += 1;
                continue;
            }
        };
        tally.note(format!("{spelled}: opening"), opening.passed());
        let spec = |learner: &str| {
            RunSpec::new(learner, episodes).seed(n).settings(match learner {
                "levis++lr" => Settings::new().set("B", "oracle"),
                _ => Settings::new(),
            })
        };
        tally.try_all(&arena, &spelled, spec, seconds);
        tally.reached += 1;
        let longest = tally.longest.0.as_secs_f64();
        eprintln!("{n} {spelled}: the longest so far {longest:.2} s");
    }
    let Tally { reached, refused, ended, out_of_time, slow, longest } = tally;
    println!(
        "{reached} problems reached, {refused} refused; {ended} runs ended their {episodes} episodes, \
         {out_of_time} their {seconds} s; {slow} waits of more than a second; the longest, {:.2} s: {}",
        longest.0.as_secs_f64(),
        longest.1
    );
    ExitCode::from(u8::from(slow > 0 || refused > 0))
}
