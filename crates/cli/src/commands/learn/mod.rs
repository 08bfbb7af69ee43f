//! `goalward learn`: one run, with its trace and its checkpoints.

mod replay;
mod report;
mod resume;
mod show;
mod terms;
pub(super) mod theta;
mod trace_file;

use super::vigilant::Vigilant;
use super::{Parameters, spelled, together};
use crate::counts::whole;
use crate::exit::{self, Outcome, Usage};
use crate::interrupt::{Interrupt, Pause};
use crate::lock::Lock;
use crate::names::{LearnerName, WorldName};
use crate::output;
use crate::outputs::{self, Output, Takes, only_over};
use crate::progress::Meter;
use crate::show::Show;
use goalward::episode::{Checkpoint, Ending, Observer, RunSpec, Runner, TraceMark};
use goalward::files;
use goalward::learners;
use goalward::parameters::{Settings, name_and_settings, parse_count};
use goalward::worlds::{self, Place};
use replay::Replay;
pub(super) use resume::{differs, same_settings};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;
use trace_file::TraceFile;

const EXAMPLES: &str = "\
EXAMPLES:
    goalward learn hard-instance --set B=3 --episodes 1000
    goalward learn hard-instance@dim=2 --learner levis++@radius=scaled:0.003 --set B=oracle --json
    goalward learn problem.json --learner random --seed 7 --trace run.jsonl
    goalward learn windy-grid --episodes 50 --trace - | jq -c 'select(.theta) | .theta'
    goalward learn CliffWalking.json --episodes 100
    goalward learn FrozenLake.json --restart --episodes 1e3
    goalward learn windy-grid --episodes 200 --replay run.html
    goalward learn windy-grid --episodes 200 --show learnt.png
    goalward learn hard-instance --set B=3 --episodes 100000 --checkpoint run.ckpt
    goalward learn --resume run.ckpt --episodes 200000
    goalward learn problem.json --on-misfit tabular    # go on without the models if they are wrong";

const DEFAULT_EPISODES: u64 = 1000;

/// Let a learner act in a world for a number of episodes and report its regret
///
/// Every episode starts at the world's start and ends at its goal. The same seed gives the same
/// run, bit for bit: the world's luck depends on the seed alone, so that all learners meet the
/// same. Regret is the cost of the run less what an optimal policy pays on average.
///
/// The result shows theta_hat, the estimate, model by model: its name, its weight and, from lr and
/// levis++lr, an interval. The claim "set" has the probability that all intervals hold.
///
/// An optimistic learner also certifies its regret without knowing the truth: "regret certified at
/// most" is what was paid, less what its plans promised at the start of every episode.
///
/// --trace writes every step and every planning call as a line of JSON. --checkpoint saves the run
/// from its first moment on, so that it can be taken up again with --resume after Ctrl-C, a crash
/// or a kill; the resumed run and its trace are the same as if nothing had happened. Other
/// options beside --resume must agree with the checkpoint; only --episodes and --max-steps may be
/// raised.
///
/// A trace or checkpoint replaces nothing but another trace or checkpoint, and only one run at a
/// time writes it. If the trace was moved, name its new place by --trace beside --resume.
///
/// Learners that rely on the models watch whether any mixture of them explains what happens. They
/// keep an e-value: if some mixture is true, the probability that it ever reaches 1/ALPHA is at most
/// ALPHA. The line "misfit" of the result says how large it is and, if there is evidence, which
/// steps the models explain worst. --on-misfit says what to do when every mixture is rejected.
///
/// --replay writes one page that opens in any browser, offline: the path of every episode, and what
/// the learner believed then. With --resume it begins where the run is taken up, and says so.
///
/// --show draws what the learner made of it: the values of its last plan and what it would do, and
/// V* beside them. A grid world is drawn as arrows and values, any other problem as a table of its
/// first states. An optimistic learner's values lie below V*, and come up to it where it has been.
///
/// Ctrl-C stops between two steps, saves the run if --checkpoint was given, and reports the results
/// so far (exit code 130). A planning call under way is cut off, and made when the run is taken up
/// again. While the world is opened and solved nothing is there to save, and Ctrl-C ends it at once.
/// So does a second Ctrl-C at any time, without a result.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LearnArgs {
    /// A built-in world (`goalward list worlds`), or a path to a model (Storm's DRN, a Gymnasium
    /// table) or a problem file; windy-grid@n=3 is short for windy-grid --param n=3
    #[arg(value_name = "WORLD", required_unless_present = "resume")]
    #[arg(value_parser = WorldName, hide_possible_values = true)]
    world: Option<String>,
    #[command(flatten)]
    parameters: Parameters,
    /// The learner (`goalward list learners`) [default: levis++lr if B is set, else lr, which needs
    /// to know nothing]; levis++@B=3 is short for levis++ --set B=3
    #[arg(long, value_name = "ID", value_parser = LearnerName, hide_possible_values = true)]
    learner: Option<String>,
    /// Set a parameter of the learner; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// The number of episodes [default: 1000]
    #[arg(long, value_name = "K", value_parser = whole::<u64>(..))]
    episodes: Option<u64>,
    /// The seed of the world's luck and of the learner's own [default: 0]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(..))]
    seed: Option<u64>,
    /// End the run as truncated after so many steps; with --resume, `none` lifts the checkpoint's
    /// limit
    #[arg(long, value_name = "N")]
    max_steps: Option<Cap>,
    /// Write everything that happens to this file, one JSON object a line; - prints it instead of
    /// the result
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Save the run to this file, to be taken up again with --resume
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Save it every so many steps
    #[arg(long, value_name = "STEPS", default_value_t = 10_000)]
    #[arg(value_parser = whole::<u64>(1..))]
    checkpoint_every: u64,
    /// Go on with a saved run; it is saved to the same file unless --checkpoint names another
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Write a page to this file that shows the run episode by episode: path, values, policy and
    /// confidence set
    #[arg(long, value_name = "FILE.html")]
    replay: Option<PathBuf>,
    /// Show the last plan's values and policy beside V* in the terminal; FILE (.png, .svg) gets a
    /// picture of them too
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    show: Option<Option<PathBuf>>,
    #[command(flatten)]
    vigilance: Vigilant,
    /// Print the result as one JSON value
    #[arg(long)]
    json: bool,
}

/// A limit on steps, or `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cap(Option<u64>);

impl FromStr for Cap {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Cap, &'static str> {
        match text {
            "none" => Ok(Cap(None)),
            _ => parse_count(text).map(|n| Cap(Some(n))).map_err(|_| "expected a whole number or none"),
        }
    }
}

impl LearnArgs {
    /// The same with WORLD@KEY=VALUE and ID@KEY=VALUE written out as --param and --set.
    fn written_out(mut self) -> anyhow::Result<LearnArgs> {
        let pairs = |settings: Settings| settings.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>();
        if let Some(world) = &self.world {
            let (id, own) = worlds::named(world)?;
            together("--param", own.clone(), &self.parameters.settings()?)?;
            self.parameters.params.extend(pairs(own));
            self.world = Some(id);
        }
        if let Some(learner) = &self.learner {
            let (id, own) = name_and_settings(learner)?;
            together("--set", own.clone(), &Settings::parse(&self.settings)?)?;
            self.settings.extend(pairs(own));
            self.learner = Some(id.into());
        }
        Ok(self)
    }
}

/// What is to be run, from the arguments or from a checkpoint.
struct Task {
    world: String,
    params: Settings,
    begin: Begin,
    trace: Option<Output>,
    checkpoint: Option<Saved>,
    replay: Option<Output>,
    show: Option<Show>,
}

/// The file that a run is saved to, which nobody else writes.
pub(super) struct Saved {
    pub(super) path: PathBuf,
    _lock: Lock,
}

impl Saved {
    /// A file by that name may be overwritten if it is a checkpoint.
    fn to(path: &Path, files: &mut outputs::Files) -> anyhow::Result<Saved> {
        let saved = Saved::over(path, "--checkpoint", files)?;
        only_over("checkpoint", "--checkpoint", path, |first| first.starts_with("{\"version\":"))?;
        Ok(saved)
    }

    /// Whatever is there will be judged by who reads it.
    pub(super) fn over(path: &Path, what: &str, files: &mut outputs::Files) -> anyhow::Result<Saved> {
        files.writes(what, path, Takes::Files)?;
        Ok(Saved { path: path.into(), _lock: Lock::on(what, path)? })
    }
}

enum Begin {
    Afresh(RunSpec),
    From(Box<Checkpoint>),
}

impl Task {
    fn new(args: &LearnArgs) -> anyhow::Result<Task> {
        if let Some(path) = &args.resume {
            return resume::task(args, path);
        }
        // clap asks for WORLD unless --resume is given
        let world = args.world.clone().ok_or_else(|| Usage::new("WORLD is missing"))?;
        let mut files = outputs::Files::default();
        files.reads_world(&world);
        if args.json {
            files.prints("--json")?;
        }
        let trace =
            args.trace.as_ref().map(|path| files.writes("--trace", path, Takes::Stdout)).transpose()?;
        if let Some(Output::File(path)) = &trace {
            trace_file::judge(path)?;
        }
        if let (Some(given), Some(Output::Nowhere | Output::Stdout), Some(_)) =
            (&args.trace, &trace, &args.checkpoint)
        {
            let reason = format!(
                "--trace {} with --checkpoint: a trace must be a file to be taken up",
                given.display()
            );
            return Err(Usage::new(reason).hint("name a file, or leave one of them out").into());
        }
        if args.checkpoint.is_some()
            && let Ok(Place::File(path)) = worlds::locate(&world)
            && !files::can_be_reopened(path)
        {
            let reason =
                format!("--checkpoint: {world} is read once, and a saved run must open its world again");
            return Err(Usage::new(reason).hint("write the world to a file first, and give that").into());
        }
        let settings = Settings::parse(&args.settings)?;
        let spec = RunSpec {
            learner: args.learner.clone().unwrap_or_else(|| learners::recommended(&settings).id.into()),
            settings,
            seed: args.seed.unwrap_or(0),
            episodes: args.episodes.unwrap_or(DEFAULT_EPISODES),
            max_steps: args.max_steps.and_then(|cap| cap.0),
            vigilance: args.vigilance.given(),
        };
        let checkpoint = args.checkpoint.as_ref().map(|path| Saved::to(path, &mut files)).transpose()?;
        let printed = trace == Some(Output::Stdout);
        Ok(Task {
            world,
            params: args.parameters.settings()?,
            begin: Begin::Afresh(spec),
            trace,
            checkpoint,
            replay: replay::judge(args.replay.as_deref(), &mut files)?,
            show: Show::judge(&args.show, args.json || printed, &mut files)?,
        })
    }
}

pub(crate) fn run(args: LearnArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let began = Instant::now();
    let args = args.written_out()?;
    let task = Task::new(&args)?;
    let learner = match &task.begin {
        Begin::Afresh(spec) => &spec.learner,
        Begin::From(checkpoint) => &checkpoint.spec.learner,
    };
    let arena = super::arena(&task.world, &task.params, &[learner], 1, quiet)?;
    // files are touched only after everything that was given has proved right
    let (mut runner, mark) = match task.begin {
        Begin::Afresh(spec) => (Runner::new(&arena, spec)?, None),
        Begin::From(checkpoint) => (Runner::resume(&arena, &checkpoint)?, checkpoint.trace),
    };
    if args.learner.is_none() && args.resume.is_none() && !quiet {
        exit::note(format!("no --learner was given: {} is recommended here", runner.spec().learner));
    }
    if !quiet {
        super::say_if_known(arena.problem(), &runner.spec().learner, &spelled(&task.world, &task.params))?;
    }
    let printed = task.trace == Some(Output::Stdout);
    let mut files = RunFiles::open(task.trace, mark, task.checkpoint, &runner)?;
    let mut replay = task.replay.map(|output| Replay::new(output, &runner));
    let interrupt = Interrupt::listen(quiet)?;
    interrupt.begin();
    runner.heed(interrupt.halt());
    let ending = match go_on(&mut runner, &mut files, &mut replay, args.checkpoint_every, &interrupt, quiet) {
        // a reader of the trace that went away has all that it wanted
        Err(error) if printed && output::nobody_reads(&error) => return Ok(Outcome::Done),
        ending => ending?,
    };
    replay.map_or(Ok(()), |replay| replay.write(&runner))?;

    let interrupted = ending == Ending::Paused;
    let finished = report::Finished {
        result: runner.result(),
        episodes_asked: runner.spec().episodes,
        interrupted,
        seconds: began.elapsed().as_secs_f64(),
    };
    match args.json {
        true => output::json(&finished)?,
        false if printed => {}
        false => output::text(&report::summary(&finished, runner.spec(), ending))?,
    }
    if let Some(show) = &task.show {
        show::put(show, &runner, quiet)?;
    }
    if !quiet {
        say_how_it_ended(ending, files.checkpoint.as_ref());
    }
    Ok(super::ended(interrupted))
}

/// Says what to do if not all episodes are done.
fn say_how_it_ended(ending: Ending, checkpoint: Option<&Saved>) {
    match (ending, checkpoint.map(|saved| saved.path.display())) {
        (Ending::Finished, _) => {}
        (Ending::Truncated, _) => {
            exit::note("the limit on steps ended the run in the middle of an episode: see \"truncated\"");
        }
        (Ending::Misfit, _) => {
            exit::note(
                "the data reject every mixture of the models, and --on-misfit stop ends the run there",
            );
        }
        (Ending::Paused, Some(path)) => {
            exit::note(format!("stopped by Ctrl-C; goalward learn --resume {path} goes on from here"));
        }
        (Ending::Paused, None) => {
            exit::note("stopped by Ctrl-C; nothing was saved, because no --checkpoint was given");
        }
    }
}

/// Runs to the end or to Ctrl-C, and saves on the way.
fn go_on(
    runner: &mut Runner,
    files: &mut RunFiles,
    replay: &mut Option<Replay>,
    every: u64,
    interrupt: &Interrupt,
    quiet: bool,
) -> anyhow::Result<Ending> {
    let every = files.checkpoint.is_some().then_some(every);
    let mut pacer = Pause { every, interrupt };
    let (done, halt) = (runner.progress().episodes, interrupt.halt().clone());
    let mut meter = Meter::new(done, runner.spec().episodes, halt, quiet);
    files.save(runner)?;
    let ending = loop {
        let mut observers: Vec<&mut dyn Observer> = vec![&mut pacer, &mut meter];
        if let Some(trace) = &mut files.trace {
            observers.push(&mut trace.trace);
        }
        if let Some(replay) = replay {
            observers.push(&mut replay.recorder);
        }
        let ending = runner.run(&mut observers)?;
        // the mark stands before the last line: a run that is raised later writes on from there
        files.save(runner)?;
        if ending != Ending::Paused || interrupt.pressed() {
            break ending;
        }
    };
    if ending != Ending::Paused
        && let Some(trace) = &mut files.trace
    {
        trace.trace.end(runner);
        trace.flush()?;
    }
    Ok(ending)
}

/// The files of a run.
struct RunFiles {
    trace: Option<TraceFile>,
    checkpoint: Option<Saved>,
}

impl RunFiles {
    fn open(
        trace: Option<Output>,
        mark: Option<TraceMark>,
        checkpoint: Option<Saved>,
        runner: &Runner,
    ) -> anyhow::Result<RunFiles> {
        let trace = match (mark, trace) {
            (Some(mark), _) => Some(TraceFile::reopen(mark, runner)?),
            (None, Some(output)) => {
                let mut trace = TraceFile::create(&output)?;
                trace.trace.start(runner);
                Some(trace)
            }
            (None, None) => None,
        };
        Ok(RunFiles { trace, checkpoint })
    }

    /// Writes the trace through, then the checkpoint that points into it: never the other way
    /// round.
    fn save(&mut self, runner: &Runner) -> anyhow::Result<()> {
        if let Some(trace) = &mut self.trace {
            trace.flush()?;
        }
        if let Some(saved) = &self.checkpoint {
            let mut checkpoint = Checkpoint::of(runner);
            if let Some(trace) = &self.trace {
                trace.sync()?;
                checkpoint.trace = Some(trace.mark());
            }
            checkpoint.write(&saved.path)?;
        }
        Ok(())
    }
}
