//! `goalward mix`

use super::{Parameters, named, problem_file, put, say_restarting};
use crate::exit::{Outcome, Usage};
use crate::names::WorldName;
use crate::progress::{Busy, Waiting};
use goalward::parameters::parse_number;
use goalward::problem::{Instance, mix, mix_restarting};
use goalward::worlds::{self, RESTART};
use std::path::PathBuf;

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
/// Every model becomes one feature, and theta holds the weights of the mixture. That no weight is
/// negative is written down as a known fact ("extra"). With --weights the problem has a truth, and
/// can be simulated: `learn` and `compare` show how soon the weights are found out. Without, it is
/// for your own loop.
///
/// Models are files (Storm's DRN, Gymnasium tables, problem files with a theta) or worlds; --goal,
/// --cost and --start hold for every model file among them. States, and the actions of a state, are
/// matched by name where both models have names, else by number. Start, goal and costs must agree;
/// what does not is named. Where the mixture can be lost for ever, --restart makes a problem of it
/// that learners accept: a step into a lost state leads back to the start.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The models
    #[arg(value_name = "MODEL", required = true, value_parser = WorldName, hide_possible_values = true)]
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

pub(crate) fn run(args: Args, quiet: bool) -> anyhow::Result<Outcome> {
    let weight = |text: &String| {
        parse_number(text.trim()).ok_or_else(|| Usage::new(format!("--weights: {text:?} is not a number")))
    };
    let weights = args.weights.as_ref().map(|texts| texts.iter().map(weight).collect::<Result<Vec<_>, _>>());
    let weights = weights.transpose()?;
    let output = problem_file(args.output.as_deref(), &args.models)?;
    let settings = args.parameters.settings()?;
    let restart = match settings.get(RESTART.name()).unwrap_or("false") {
        "true" => true,
        "false" => false,
        other => return Err(Usage::new(format!("restart={other}: expected true or false")).into()),
    };
    // models that are lost in different states have different actions once they restart: it is the
    // mixture that does
    let settings = settings.without(RESTART.name());
    if args.models.iter().filter(|model| *model == "-").count() > 1 {
        return Err(Usage::new("-, standard input, is given twice, and can be read once").into());
    }
    let busy = Busy::new("mixing", quiet);
    let open = |model: &String| -> anyhow::Result<(String, Instance)> {
        let (world, params) = named(model, &settings)?;
        let waiting = Waiting::new(&world, quiet);
        let instance = worlds::open(&world, &params)?;
        drop(waiting);
        Ok((model.clone(), instance))
    };
    let models = args.models.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let instance = match restart {
        true => {
            let (instance, lost) = mix_restarting(&models, weights.as_deref())?;
            if !quiet {
                busy.aside(|| say_restarting(&instance.problem, &lost));
            }
            instance
        }
        false => mix(&models, weights.as_deref())?,
    };
    if !quiet {
        busy.aside(|| super::tell(&instance));
    }
    drop(busy);
    put(&instance, &output, quiet)?;
    Ok(Outcome::Done)
}
