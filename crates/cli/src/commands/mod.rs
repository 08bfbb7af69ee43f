//! One module for each command: its arguments, its help, and what it calls.

pub(crate) mod audit;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod export;
pub(crate) mod fit;
pub(crate) mod learn;
mod learner;
pub(crate) mod list;
pub(crate) mod mix;
pub(crate) mod serve;
pub(crate) mod solve;
pub(crate) mod study;

use crate::exit::{self, Outcome, Usage, note};
use crate::names::{Suggest, worlds as ids};
use crate::numbers;
use crate::outputs::{Files, Output};
use crate::progress::{Busy, waiting};
use goalward::Settings;
use goalward::episode::Arena;
use goalward::files::json;
use goalward::learners::Family;
use goalward::problem::{Instance, Need, Problem, State, all_rows};
use goalward::worlds::RESTART;
use goalward::{learners, worlds};
use std::path::{Path, PathBuf};

/// A world and its parameters, as every command that works on one takes them.
#[derive(clap::Args)]
pub(crate) struct World {
    /// A built-in world (`goalward list worlds`), or a path to a model (Storm's DRN, a Gymnasium
    /// table) or a problem file; windy-grid@n=3 is short for windy-grid --param n=3
    #[arg(value_name = "WORLD", value_parser = Suggest(ids), hide_possible_values = true)]
    world: String,
    #[command(flatten)]
    parameters: Parameters,
}

impl World {
    fn named(&self) -> anyhow::Result<(String, Settings)> {
        self.parameters.of(&self.world)
    }
}

/// Settings behind an @ and those of `flag`; a key may not be in both.
fn together(flag: &str, own: Settings, flags: &Settings) -> anyhow::Result<Settings> {
    let twice = |error| Usage::new(format!("{flag} {error}")).hint("leave one of them out");
    Ok(own.and(flags).map_err(twice)?)
}

/// Parameters of a built-in world; goal, cost and start of a model file.
#[derive(clap::Args)]
pub(crate) struct Parameters {
    /// Set a parameter of a built-in world; may be repeated
    #[arg(long = "param", value_name = "KEY=VALUE")]
    params: Vec<String>,
    /// In a model file: the goal, as a label or a state; several states become one [default: the
    /// only label]
    #[arg(long, value_name = "LABEL|STATE", help_heading = "Model files")]
    goal: Option<String>,
    /// In a model file: the reward model that is the cost; 1 for unit costs [default: the only one;
    /// 1 if there is none]
    #[arg(long, value_name = "NAME", help_heading = "Model files")]
    cost: Option<String>,
    /// In a model file: the start; `all` draws one of several initial states [default: the only
    /// one]
    #[arg(long, value_name = "STATE", help_heading = "Model files")]
    start: Option<String>,
    /// A step into a state from which the goal cannot be reached leads back to the start, at the
    /// step's own cost
    #[arg(long)]
    restart: bool,
}

impl Parameters {
    /// WORLD@KEY=VALUE: the id or the path, and all parameters.
    fn of(&self, world: &str) -> anyhow::Result<(String, Settings)> {
        let (world, own) = worlds::named(world)?;
        Ok((world, together("--param", own, &self.settings()?)?))
    }

    /// All of them as settings: --goal G is --param goal=G.
    fn settings(&self) -> anyhow::Result<Settings> {
        let restart = self.restart.then(|| "true".to_string());
        let named =
            [("goal", &self.goal), ("cost", &self.cost), ("start", &self.start), (RESTART.name(), &restart)];
        let given = named.into_iter().filter_map(|(key, value)| Some((key, value.as_ref()?)));
        let flags = given.fold(Settings::new(), |all, (key, value)| all.set(key, value));
        together("--param", Settings::parse(&self.params)?, &flags)
    }
}

/// Work that takes more memory than this is announced.
const WORTH_SAYING: u64 = 256_000_000;

/// Opens a world and solves it for `jobs` runs of a learner, if there is memory for them.
fn arena(world: &str, params: &Settings, learner: &str, jobs: usize) -> anyhow::Result<Arena> {
    // a wrong name should be reported before a large file is read
    let entry = learners::entry(learner)?;
    let busy = Busy::new(format!("opening {world}"));
    let instance = open(world, params, &busy)?;
    let runs = jobs.min(rayon::current_num_threads()).max(1);
    fits(&Need::runs(&instance, entry.bytes(&instance.problem), runs as u64), &busy)?;
    busy.say("planning on the truth");
    Ok(Arena::heeding(world, params, instance, busy.halt())?)
}

/// A world with its parameters, for people.
fn spelled(world: &str, params: &Settings) -> String {
    params.iter().fold(world.to_string(), |text, (key, value)| format!("{text}@{key}={value}"))
}

/// Opens a world, and prints its notes; with --restart also which states lead back to the start.
fn open(world: &str, params: &Settings, busy: &Busy) -> goalward::Result<Instance> {
    let waiting = waiting(world);
    let (instance, lost) = worlds::open_heeding(world, params, busy.halt())?;
    drop(waiting);
    busy.aside(|| {
        tell(&instance);
        if params.get(RESTART.name()) == Some("true") {
            say_restarting(&instance.problem, &lost);
        }
    });
    Ok(instance)
}

/// Notes that there is nothing to learn if only one theta is possible.
fn say_if_known(problem: &Problem, learner: &str, world: &str) -> goalward::Result<()> {
    if problem.constraints().free() > 0 {
        return Ok(());
    }
    let known = match problem.dim() {
        1 => "this problem has one model",
        _ => "only one mixture of the models is possible",
    };
    let more = match learners::entry(learner)?.family {
        Family::LinearMixture | Family::Baseline => String::new(),
        _ => format!("; {learner} makes no use of that, and learns from scratch what happens"),
    };
    note(format!("{known}, which is known: there is nothing to learn{more}"));
    exit::hint_at(format!("goalward solve {world} gives the best policy and its cost"));
    Ok(())
}

fn tell(instance: &Instance) {
    for told in &instance.notes {
        note(&told.message);
        if let Some(hint) = &told.hint {
            exit::hint_at(hint);
        }
    }
}

/// Notes which states lead back to the start.
fn say_restarting(problem: &Problem, lost: &[State]) {
    if lost.is_empty() {
        note("the goal can be reached from everywhere: no state restarts");
    } else if lost.contains(&problem.start()) {
        note("the goal cannot be reached from the start itself: no state restarts");
    } else {
        note(format!("a step into one of these leads back to the start: {}", state_names(problem, lost)));
    }
}

/// The first few names of a list of states.
fn state_names(problem: &Problem, states: &[State]) -> String {
    const SHOWN: usize = 12;
    let shown: Vec<_> = states.iter().take(SHOWN).map(|&s| problem.state_name(s)).collect();
    let more = states.len().saturating_sub(SHOWN);
    shown.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
}

/// Notes the memory that is needed, if that is much, and requires that the machine has it.
fn fits(need: &Need, busy: &Busy) -> anyhow::Result<()> {
    if need.total() > WORTH_SAYING {
        busy.aside(|| note(format!("this takes about {need}")));
    }
    Ok(need.require()?)
}

/// Where a problem file goes that is made of these worlds: to none of their files.
fn problem_file<'a>(
    file: Option<&Path>,
    worlds: impl IntoIterator<Item = &'a String>,
) -> anyhow::Result<Output> {
    let mut files = Files::default();
    worlds.into_iter().for_each(|world| files.reads_world(world));
    file.map_or(Ok(Output::Stdout), |path| files.writes("--output", path))
}

fn put(instance: &Instance, output: &Output, busy: Busy) -> anyhow::Result<()> {
    busy.say(format!("writing {} feature rows", numbers::count(all_rows(&instance.problem))));
    output.put_with(|out| json::write(instance, out))?;
    drop(busy);
    if let Output::File(path) = output {
        wrote(std::slice::from_ref(path));
    }
    Ok(())
}

fn wrote(files: &[PathBuf]) {
    let files: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
    note(format!("wrote {}", files.join(", ")));
}

fn ended(interrupted: bool) -> Outcome {
    if interrupted { Outcome::Interrupted } else { Outcome::Done }
}
