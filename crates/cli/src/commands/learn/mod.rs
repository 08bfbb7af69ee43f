//! `goalward learn`: one run, with its trace and its checkpoints.

mod report;
mod resume;
mod show;
mod terms;
pub(super) mod theta;
mod trace_file;

use super::learner::LearnerArgs;
use super::{Parameters, spelled};
use crate::counts::whole;
use crate::exit::{self, Outcome, Usage};
use crate::lock::Lock;
use crate::names::{Suggest, worlds as ids};
use crate::output::{self, Json};
use crate::outputs::{Files, Output, only_over};
use crate::progress::Meter;
use crate::show::Show;
use crate::signals::{self, Pause};
use goalward::episode::{Checkpoint, Ending, Observer, RunSpec, Runner};
use goalward::files;
use goalward::output::replace;
use goalward::parameters::{Settings, parse_count};
use goalward::plan::Halt;
use goalward::worlds::{self, Place};
use goalward_lab::report::{Recorder, replay};
use std::path::{Path, PathBuf};
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

/// Let a learner act in a world for a number of episodes and report its regret
///
/// Every episode starts at the world's start and ends at its goal. The same seed gives the same
/// run, bit for bit. The world's luck depends on the seed alone, so all learners meet the same.
/// Regret is the cost of the run less what an optimal policy pays on average.
///
/// The result shows theta_hat, the estimate, model by model: its name, its weight and, from lr and
/// levis++lr, an interval. The claim "set" has the probability that all intervals hold.
///
/// An optimistic learner also certifies its regret without knowing the truth: "regret certified at
/// most" is what was paid, less the best lower bound on V* of every start.
///
/// --trace writes every step and every planning call as a line of JSON. --checkpoint saves the run
/// from its first moment on. --resume goes on with it after Ctrl-C, a crash or a kill: the run and
/// its trace are the same as without the interruption. Other options beside --resume must agree
/// with the checkpoint; only --episodes and --max-steps may be raised.
///
/// A trace or checkpoint replaces nothing but another trace or checkpoint, and only one run at a
/// time writes it. If the trace was moved, name its new place by --trace beside --resume.
///
/// Learners that rely on the models watch whether any mixture of them explains the data. If some
/// mixture is true, the probability that their e-value ever reaches 1/ALPHA is at most ALPHA. The
/// line "misfit" of the result has the e-value and, if there is evidence, the steps that the models
/// explain worst. --on-misfit says what to do when every mixture is rejected.
///
/// --replay writes one page for any browser, offline: the path of every episode, and the learner's
/// estimates. With --resume it begins where the run is taken up, and says so.
///
/// --show draws the values and the policy of the last plan, and V* beside them: a grid world as
/// arrows and values, any other problem as a table of its first states. An optimistic learner's
/// values lie below V*, and come up to it where it has been.
///
/// Ctrl-C stops between two steps, saves the run if --checkpoint was given, and reports the results
/// so far (exit code 130). A planning call under way is cut off, and made when the run is taken up
/// again. A second Ctrl-C, or one before the run begins, ends the process at once.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LearnArgs {
    /// A built-in world (`goalward list worlds`), or a path to a model (Storm's DRN, a Gymnasium
    /// table) or a problem file; windy-grid@n=3 is short for windy-grid --param n=3
    #[arg(value_name = "WORLD", required_unless_present = "resume")]
    #[arg(value_parser = Suggest(ids), hide_possible_values = true)]
    world: Option<String>,
    #[command(flatten)]
    parameters: Parameters,
    #[command(flatten)]
    learner: LearnerArgs,
    /// End the run as truncated after N steps; with --resume, `none` lifts the checkpoint's
    /// limit
    #[arg(long, value_name = "N", value_parser = cap)]
    max_steps: Option<Cap>,
    /// Write everything that happens to this file, one JSON object a line; - prints it instead of
    /// the result
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Save the run to this file, to be taken up again with --resume
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// The steps between two saves
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
    printed: Json,
}

/// A limit on steps, or `none`; clap would take an `Option` for an argument that may be left out.
type Cap = Option<u64>;

fn cap(text: &str) -> Result<Cap, &'static str> {
    match text {
        "none" => Ok(None),
        _ => parse_count(text).map(Some).map_err(|_| "expected a whole number or none"),
    }
}

/// What is to be run, and the files of it.
struct Task {
    world: String,
    params: Settings,
    spec: RunSpec,
    resumed: Option<Checkpoint>,
    trace: Option<Output>,
    saved: Option<Lock>,
    show: Option<Show>,
}

/// A file that may be overwritten if it is a checkpoint.
pub(super) fn checkpoint(path: &Path, files: &mut Files) -> anyhow::Result<Lock> {
    files.replaces("--checkpoint", path)?;
    let lock = Lock::on("--checkpoint", path)?;
    only_over("checkpoint", "--checkpoint", path, |first| first.starts_with("{\"version\":"))?;
    Ok(lock)
}

/// The page of the replay may overwrite another page.
fn page(path: Option<&Path>, files: &mut Files) -> anyhow::Result<()> {
    let Some(path) = path else { return Ok(()) };
    files.replaces("--replay", path)?;
    Ok(only_over("HTML page", "--replay", path, |first| first.to_lowercase().starts_with("<!doctype html"))?)
}

impl Task {
    fn new(args: &LearnArgs) -> anyhow::Result<Task> {
        let spec = args.learner.spec()?;
        if let Some(path) = &args.resume {
            return resume::task(args, spec, path);
        }
        // clap asks for WORLD unless --resume is given
        let world = args.world.as_ref().ok_or_else(|| Usage::new("WORLD is missing"))?;
        let (world, params) = args.parameters.of(world)?;
        let mut files = Files::default();
        files.reads_world(&world);
        if args.printed.json {
            files.prints("--json")?;
        }
        let trace = args.trace.as_ref().map(|path| files.writes("--trace", path)).transpose()?;
        if let Some(Output::File(path)) = &trace {
            trace_file::check(path)?;
        }
        if let (Some(given), Some(Output::Nowhere | Output::Stdout), Some(_)) =
            (&args.trace, &trace, &args.checkpoint)
        {
            let given = given.display();
            let reason = format!("--trace {given} with --checkpoint: a trace must be a file to be taken up");
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
        let saved = args.checkpoint.as_ref().map(|path| checkpoint(path, &mut files)).transpose()?;
        page(args.replay.as_deref(), &mut files)?;
        let show = Show::check(&args.show, args.printed.json || trace == Some(Output::Stdout), &mut files)?;
        let spec = RunSpec { max_steps: args.max_steps.flatten(), ..spec };
        Ok(Task { world, params, spec, resumed: None, trace, saved, show })
    }
}

pub(crate) fn run(args: LearnArgs) -> anyhow::Result<Outcome> {
    let began = Instant::now();
    let task = Task::new(&args)?;
    let arena = super::arena(&task.world, &task.params, &task.spec.learner, 1)?;
    // files are touched only after everything that was given has proved right
    let mut runner = match &task.resumed {
        None => Runner::new(&arena, task.spec)?,
        Some(checkpoint) => Runner::resume(&arena, checkpoint)?,
    };
    if args.learner.learner.is_none() && task.resumed.is_none() {
        exit::note(format!("no --learner was given: {} is recommended here", runner.spec().learner));
    }
    super::say_if_known(arena.problem(), &runner.spec().learner, &spelled(&task.world, &task.params))?;
    let printed = task.trace == Some(Output::Stdout);
    let recorder = args.replay.as_ref().map(|_| Recorder::new(&runner));
    let trace = match (task.resumed.and_then(|checkpoint| checkpoint.trace), task.trace) {
        (Some(mark), _) => Some(TraceFile::reopen(mark, &runner)?),
        (None, Some(output)) => Some(TraceFile::create(&output, &runner)?),
        (None, None) => None,
    };
    let mut files = RunFiles { trace, saved: task.saved, recorder };
    let halt = Halt::new();
    signals::listen(&halt)?;
    runner.heed(&halt);
    let ending = match go_on(&mut runner, &mut files, args.checkpoint_every, &halt) {
        // a reader that closes the trace wants no more of it
        Err(error) if printed && output::closed(&error) => return Ok(Outcome::Done),
        ending => ending?,
    };
    if let (Some(path), Some(recorder)) = (&args.replay, files.recorder) {
        replace(path, replay(recorder, &runner)?.as_bytes())?;
    }

    let interrupted = ending == Ending::Paused;
    let finished = report::Finished {
        result: runner.result(),
        episodes_asked: runner.spec().episodes,
        interrupted,
        seconds: began.elapsed().as_secs_f64(),
    };
    if args.printed.json {
        output::json(&finished)?;
    } else if !printed {
        output::text(&report::summary(&finished, &runner, ending))?;
    }
    if let Some(show) = &task.show {
        show::put(show, &runner)?;
    }
    say_how_it_ended(ending, files.saved.as_ref().map(|lock| lock.path.as_path()));
    Ok(super::ended(interrupted))
}

/// Notes what to do if not all episodes are done.
fn say_how_it_ended(ending: Ending, saved: Option<&Path>) {
    match (ending, saved) {
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
            let path = path.display();
            exit::note(format!("stopped by Ctrl-C; goalward learn --resume {path} goes on from here"));
        }
        (Ending::Paused, None) => {
            exit::note("stopped by Ctrl-C; nothing was saved, because no --checkpoint was given");
        }
    }
}

/// Runs to the end or to Ctrl-C, and saves on the way.
fn go_on(runner: &mut Runner, files: &mut RunFiles, every: u64, halt: &Halt) -> anyhow::Result<Ending> {
    let mut pause = Pause { every: files.saved.is_some().then_some(every), halt };
    let mut meter = Meter::new(runner.progress().episodes, runner.spec().episodes, halt.clone());
    files.save(runner)?;
    let ending = loop {
        let mut observers: Vec<&mut dyn Observer> = vec![&mut pause, &mut meter];
        observers.extend(files.trace.as_mut().map(|file| &mut file.trace as &mut dyn Observer));
        observers.extend(files.recorder.as_mut().map(|recorder| recorder as &mut dyn Observer));
        let ending = runner.run(&mut observers)?;
        // the mark stands before the last line: a run whose limit is raised later writes on from there
        files.save(runner)?;
        if ending != Ending::Paused || halt.asked() {
            break ending;
        }
    };
    if ending != Ending::Paused
        && let Some(file) = &mut files.trace
    {
        file.trace.end(runner);
        file.flush()?;
    }
    Ok(ending)
}

struct RunFiles<'a> {
    trace: Option<TraceFile>,
    saved: Option<Lock>,
    recorder: Option<Recorder<'a>>,
}

impl RunFiles<'_> {
    /// Writes the trace through before the checkpoint that points into it.
    fn save(&mut self, runner: &Runner) -> anyhow::Result<()> {
        if let Some(file) = &mut self.trace {
            file.flush()?;
        }
        if let Some(lock) = &self.saved {
            let mut checkpoint = Checkpoint::of(runner);
            if let Some(file) = &self.trace {
                file.sync()?;
                checkpoint.trace = Some(file.mark());
            }
            checkpoint.write(&lock.path)?;
        }
        Ok(())
    }
}
