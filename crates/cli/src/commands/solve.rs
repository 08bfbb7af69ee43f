//! `goalward solve`

use super::World;
use crate::exit::{Outcome, note, report};
use crate::numbers::{count, real, seconds};
use crate::output::{self, Sheet};
use goalward::Error;
use goalward::plan::exact::{self, Exact};
use goalward::problem::Problem;
use goalward::worlds;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

const EXAMPLES: &str = "\
EXAMPLES:
    goalward solve hard-instance
    goalward solve problem.json --precision 1e-9 --json
    goalward solve model.drn.gz --goal done --cost time
    goalward solve problem.json --policy policy.json";

/// Plan on the true model: the optimal cost from the start to the goal, with certified bounds
///
/// The world must say what is true of it (a problem file needs \"theta\"). The optimal cost lies between the two
/// bounds, which differ by at most the relative precision asked for (a note says so where arithmetic cannot reach it). B* is the largest optimal cost of any state, T* the
/// largest expected number of steps of an optimal policy.
///
/// If the goal can be lost for ever, the states are named and the exit code is 1.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    world: World,
    /// The relative distance of the certified bounds
    #[arg(long, value_name = "X", default_value = "1e-6", value_parser = precision)]
    precision: f64,
    /// Write an optimal policy to this file: an action's name for every state's name, as JSON
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Print the result as one JSON value
    #[arg(long)]
    json: bool,
}

fn precision(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x > 0.0 && x < 1.0 => Ok(x),
        _ => Err("expected a number between 0 and 1".into()),
    }
}

/// The JSON of `goalward solve --json`: the start state's cost in the user's units; null where there is none.
#[derive(Serialize)]
struct Solved {
    value: f64,
    lower: f64,
    upper: f64,
    b_star: f64,
    t_star: f64,
    states: usize,
    choices: usize,
    reach_probability: Option<f64>,
    seconds: f64,
}

pub(crate) fn run(args: Args, quiet: bool) -> anyhow::Result<Outcome> {
    let began = Instant::now();
    let instance = worlds::open(&args.world.world, &args.world.params()?)?;
    let (problem, truth) = (&instance.problem, instance.truth()?);
    let exact = exact::solve(problem, truth, args.precision)?;
    let lost = match exact.require_proper(problem) {
        Ok(()) => None,
        Err(error @ Error::NoProperPolicy { .. }) => Some(error),
        Err(error) => return Err(error.into()),
    };
    if exact.width() > args.precision && !quiet {
        note(format!(
            "arithmetic did not reach the precision asked for: the bounds hold, {:.1e} apart",
            exact.width()
        ));
    }
    if let Some(path) = args.policy.as_ref().filter(|_| lost.is_none()) {
        write(path, &policy(problem, &exact))?;
    }

    let start = problem.start();
    let solved = Solved {
        value: exact.v[start],
        lower: exact.lower[start],
        upper: exact.upper[start],
        b_star: exact.b_star,
        t_star: exact.t_star,
        states: problem.states(),
        choices: problem.pairs(),
        // what a lost start can still reach it with is not computed
        reach_probability: (!exact.lost.contains(&start)).then_some(1.0),
        seconds: began.elapsed().as_secs_f64(),
    };
    if args.json {
        output::json(&solved)?;
    } else if lost.is_none() {
        output::text(&summary(&args.world.world, &solved))?;
    }
    match lost {
        None => Ok(Outcome::Done),
        Some(error) => {
            report(&error.into());
            Ok(Outcome::No)
        }
    }
}

fn summary(world: &str, solved: &Solved) -> String {
    let mut sheet = Sheet::default();
    sheet.row("world", world);
    sheet.row("states", format!("{}, {} choices", count(solved.states as u64), count(solved.choices as u64)));
    sheet.row("optimal cost", format!("{} from the start to the goal", real(solved.value)));
    sheet.row("certified", format!("between {} and {}", solved.lower, solved.upper));
    sheet.row("B*", format!("{} (the dearest state)", real(solved.b_star)));
    sheet.row("T*", format!("{} (expected steps, at most)", real(solved.t_star)));
    sheet.row("time", seconds(solved.seconds));
    sheet.render()
}

/// An object from state names to action names, or an array of objects where two states have the same name. The goal
/// needs no action.
fn policy(problem: &Problem, exact: &Exact) -> Value {
    let lost: HashSet<_> = exact.lost.iter().copied().collect();
    let states = (0..problem.states()).filter(|s| *s != problem.goal() && !lost.contains(s));
    let choices: Vec<(String, String)> = states
        .map(|s| {
            let action = problem.action_name(s, exact.policy[s]);
            (problem.state_name(s).into_owned(), action.into_owned())
        })
        .collect();
    let names: HashSet<&str> = choices.iter().map(|(state, _)| state.as_str()).collect();
    if names.len() < choices.len() {
        return choices.iter().map(|(state, action)| json!({ "state": state, "action": action })).collect();
    }
    let object: Map<String, Value> =
        choices.into_iter().map(|(state, action)| (state, action.into())).collect();
    Value::Object(object)
}

fn write(path: &Path, value: &Value) -> anyhow::Result<()> {
    let text = format!("{}\n", serde_json::to_string_pretty(value)?);
    Ok(std::fs::write(path, text).map_err(|source| Error::Io { path: path.into(), source })?)
}
