//! `goalward mix`

use super::{Parameters, problem_file, put, say_restarting, together};
use crate::exit::{Outcome, Usage};
use crate::names::{Suggest, worlds as ids};
use crate::outputs::is_stdin;
use crate::progress::{Busy, waiting};
use goalward::parameters::parse_number;
use goalward::problem::{Mixer, distinct_names};
use goalward::worlds::{self, RESTART};
use std::collections::HashSet;
use std::path::{PathBuf, is_separator};

const EXAMPLES: &str = "\
EXAMPLES:
    goalward mix sunny.drn rainy.drn --goal home -o weather.json
    goalward mix icy.json dry.json --weights 0.2,0.8 --restart -o lake.json
    goalward mix windy-grid@wind=0.1 windy-grid@wind=0.4 --param n=3 --weights 0.5,0.5 -o two.json
    goalward mix a.json b.json c.json --cost 1 --weights 1/5,3/10,1/2 -o mixed.json && goalward \
    learn mixed.json";

/// Make one learning problem of several models over the same states: the truth is some mixture of
/// them
///
/// Every model becomes one feature, and theta holds the weights of the mixture. The file says that
/// no weight is negative ("extra"). With --weights the problem has a truth and can be simulated:
/// `learn` and `compare` show how soon the weights are found. Without them it is for a loop of your
/// own.
///
/// Models are files (Storm's DRN, Gymnasium tables, problem files with a theta) or worlds; --goal,
/// --cost and --start hold for every model file among them. States, and the actions of a state, are
/// matched by name where both models have names, else by number. Start, goal and costs must agree.
/// If a mixture may enter states from which the goal cannot be reached, --restart leads such a step
/// back to the start, so that learners accept the problem.
///
/// Results name every model ("model_names") by the name inside its file, else by the file, else by
/// the path as typed: the first of these in which no two are alike. Names that are still the same
/// get numbers (calm, calm-2). A model that is a mixture itself, with a theta, counts as one model.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MixArgs {
    /// The models
    #[arg(value_name = "MODEL", required = true, value_parser = Suggest(ids), hide_possible_values = true)]
    models: Vec<String>,
    #[command(flatten)]
    parameters: Parameters,
    /// The true weights, separated by commas; fractions such as 1/3 are fine
    #[arg(long, value_name = "W,W,...", value_delimiter = ',')]
    weights: Option<Vec<String>>,
    /// Write to this file; - is standard output [default: -]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: MixArgs) -> anyhow::Result<Outcome> {
    let weight = |text: &String| {
        parse_number(text.trim()).ok_or_else(|| Usage::new(format!("--weights: {text:?} is not a number")))
    };
    let weights = args.weights.as_ref().map(|texts| texts.iter().map(weight).collect::<Result<Vec<_>, _>>());
    let weights = weights.transpose()?;
    let settings = args.parameters.settings()?;
    let restart = settings.get(RESTART.name()).unwrap_or("false");
    let restart: bool =
        restart.parse().map_err(|_| Usage::new(format!("restart={restart}: expected true or false")))?;
    // the mixture restarts: models that did so by themselves would have different actions
    let settings = settings.without(RESTART.name());
    let named = |model: &String| -> anyhow::Result<_> {
        let (world, own) = worlds::named(model)?;
        Ok((world, together("--param", own, &settings)?))
    };
    let names = args.models.iter().map(named).collect::<Result<Vec<_>, _>>()?;
    let output = problem_file(args.output.as_deref(), names.iter().map(|(name, _)| name))?;
    if names.iter().filter(|(name, _)| is_stdin(name)).count() > 1 {
        let reason = "standard input is given twice, and can be read once";
        return Err(Usage::new(reason).hint("write one of the models to a file, and give that").into());
    }
    let busy = Busy::new("mixing");
    // one model is in memory at a time, beside the mixture
    let mut mixer = Mixer::new(args.models.len());
    let mut own = Vec::new();
    for (i, (model, (world, params))) in args.models.iter().zip(&names).enumerate() {
        busy.say(format!("mixing {model} ({} of {})", i + 1, names.len()));
        let waiting = waiting(world);
        let (instance, _) = worlds::open_heeding(world, params, busy.halt())?;
        drop(waiting);
        mixer.add(model, &instance)?;
        own.push(instance.problem.name().to_string());
    }
    busy.say("building the mixture");
    let instance = match restart {
        true => {
            let (instance, lost) = mixer.finish_restarting(weights.as_deref())?;
            busy.aside(|| say_restarting(&instance.problem, &lost));
            instance
        }
        false => mixer.finish(weights.as_deref())?,
    };
    let instance = instance.with_model_names(model_names(&args.models, &own))?;
    busy.aside(|| super::tell(&instance));
    put(&instance, &output, busy)?;
    Ok(Outcome::Done)
}

/// The first names in which no two are alike: those of the problems, of the files, or as typed.
fn model_names(typed: &[String], own: &[String]) -> Vec<String> {
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    let typed: Vec<&str> = typed.iter().map(String::as_str).collect();
    let files: Vec<&str> = typed.iter().map(|typed| stem(typed)).collect();
    let differ = |names: &&Vec<&str>| {
        let all: HashSet<&str> = names.iter().copied().collect();
        all.len() == names.len() && names.iter().all(|name| !name.trim().is_empty())
    };
    distinct_names([&own, &files, &typed].into_iter().find(differ).unwrap_or(&own))
}

/// The name of a file without its folder and its ending; a world as it was typed.
fn stem(typed: &str) -> &str {
    let name = typed.rsplit(is_separator).next().unwrap_or(typed);
    let name = name.strip_suffix(".gz").unwrap_or(name);
    [".json", ".drn"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_called_by_what_tells_them_apart() {
        let named = |typed: &[&str], second: &str| {
            let own = ["windy-grid", second, "windy-grid"];
            let own = own[..typed.len()].iter();
            let typed: Vec<String> = typed.iter().map(|typed| typed.to_string()).collect();
            model_names(&typed, &own.map(|own| own.to_string()).collect::<Vec<_>>())
        };
        let (grid, corridor) = ("windy-grid", "corridor");
        // their own names
        assert_eq!(named(&["a.json", "b.json"], corridor), ["windy-grid", "corridor"]);
        // those of the files
        assert_eq!(named(&["x/a.json", "x/b.drn.gz"], grid), ["a", "b"]);
        assert_eq!(named(&["windy-grid@wind=0.1", "grid.json"], grid), ["windy-grid@wind=0.1", "grid"]);
        // as they were typed
        assert_eq!(named(&["icy/lake.json", "dry/lake.json"], grid), ["icy/lake.json", "dry/lake.json"]);
        // with numbers
        assert_eq!(named(&["a.json", "a.json"], grid), ["windy-grid", "windy-grid-2"]);
        assert_eq!(named(&["a", "b", "a"], corridor), ["windy-grid", "corridor", "windy-grid-2"]);
        assert_eq!(named(&["a.json", ".json"], grid), ["a.json", ".json"]);
    }
}
