//! `goalward mix`

use super::{Parameters, problem_file, put};
use crate::exit::{Outcome, Usage};
use crate::progress::Busy;
use goalward::problem::mix;
use goalward::registry::parse_number;
use goalward::worlds;
use std::path::PathBuf;

const EXAMPLES: &str = "\
EXAMPLES:
    goalward mix sunny.drn rainy.drn --goal home -o weather.json
    goalward mix a.json b.json c.json --cost 1 --weights 1/5,3/10,1/2 -o mixed.json && goalward learn mixed.json";

/// Make one learning problem of several models over the same states: the truth is some mixture of them
///
/// Every model becomes one feature, and theta holds the weights of the mixture. That no weight is negative is written
/// down as a known fact ("extra"). With --weights the problem has a truth, and can be simulated: `learn` and `compare`
/// show how soon the weights are found out. Without, it is for your own loop.
///
/// Models are files (Storm's DRN, Gymnasium tables, problem files with a theta) or worlds; --goal, --cost and --start hold
/// for every model file among them. States, and the actions of a state, are matched by name where both models have names,
/// else by number. Start, goal and costs must agree; what does not is named.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The models
    #[arg(value_name = "MODEL", required = true)]
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
    let open = |model: &String| worlds::open(model, &settings).map(|instance| (model.clone(), instance));
    let busy = Busy::new("mixing", quiet);
    let models = args.models.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let instance = mix(&models, weights.as_deref())?;
    drop(busy);
    put(&instance, &output, quiet)?;
    Ok(Outcome::Done)
}
