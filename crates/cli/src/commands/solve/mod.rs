//! `goalward solve`

mod values;

use super::{World, spelled, state_names};
use crate::counts::share;
use crate::exit::{Outcome, note, report};
use crate::numbers::{count, every_digit, real, seconds};
use crate::output::{self, Json, Sheet};
use crate::outputs::{Files, Output};
use crate::progress::Busy;
use crate::show::Show;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use goalward::Error;
use goalward::plan::{self, Answer, Extras, Objective, Options};
use goalward::problem::{Instance, Need, Note, Problem, State};
use goalward_lab::pictures::grid::Scene;
use goalward_lab::pictures::sight::Sight;
use serde::{Serialize, Serializer};
use serde_json::json;
use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Instant;
use values::Values;

const EXAMPLES: &str = "\
EXAMPLES:
    goalward solve hard-instance
    goalward solve problem.json --precision 1e-9 --json
    goalward solve model.drn.gz --goal done --cost time
    goalward solve model.drn.gz --goal done --cost time --objective max
    goalward solve frozen-lake.json --objective reach
    goalward solve frozen-lake.json --restart --policy policy.json
    goalward solve windy-grid --policy - | jq -r 'to_entries[0].value'
    goalward solve windy-grid --show
    goalward solve windy-grid --show map.png --values values.csv";

/// Plan on the true model: the optimal value from the start, with certified bounds
///
/// The world must have a truth (a problem file needs "theta"). The optimal value lies between two
/// bounds, which differ by at most the relative precision asked for (where arithmetic cannot reach
/// it, the output says so). A certificate proves them, and a separate pass checks it. B* is the
/// largest optimal cost of any state, T* the largest expected number of steps of the policy.
///
/// Objectives: `min` is the least expected cost to the goal over the policies that reach it with
/// probability one; `max` the greatest, infinite if some policy may miss the goal; `reach` the
/// greatest probability of reaching the goal.
///
/// The exit code is 1 if, for `min`, no policy reaches the goal from the start with probability one
/// (the states in the way are named), or if no finite bound on the value could be proven.
///
/// --show draws a grid world as arrows and values, any other problem as a table of its first
/// states. --values writes the value of every state (V), of every action (Q = cost + expected V of
/// the next state), and the policy. An action is optimal where Q is least.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SolveArgs {
    #[command(flatten)]
    world: World,
    /// What is optimised
    #[arg(long, value_name = "WHAT", default_value = "min", value_parser = objective())]
    objective: Objective,
    /// The relative distance of the certified bounds
    #[arg(long, value_name = "X", default_value = "1e-6", value_parser = share)]
    precision: f64,
    /// Write an optimal policy to this file: an action's name for every state's name, as JSON; -
    /// prints it instead of the summary
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Write every state's value, every action's Q and the policy to this file, in the order of the
    /// states: CSV or JSON by its ending (.csv, .json); - prints CSV instead of the summary
    #[arg(long, value_name = "FILE")]
    values: Option<PathBuf>,
    /// Show values and policy in the terminal; FILE (.png, .svg) gets a picture of them too
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    show: Option<Option<PathBuf>>,
    #[command(flatten)]
    printed: Json,
}

const OBJECTIVES: [(Objective, &str, &str); 3] = [
    (Objective::Min, "min", "The least expected cost"),
    (Objective::Max, "max", "The greatest expected cost"),
    (Objective::Reach, "reach", "The greatest probability of reaching the goal"),
];

fn objective() -> impl TypedValueParser<Value = Objective> {
    let named = |text: String| OBJECTIVES.into_iter().find(|(_, name, _)| text == *name);
    let values = OBJECTIVES.map(|(_, name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(values).map(move |text| named(text).map_or(Objective::Min, |(found, ..)| found))
}

/// The JSON of `goalward solve --json`. A value is a cost in the user's units or a probability;
/// null where it is unknown or infinite.
#[derive(Serialize)]
struct Solved {
    objective: &'static str,
    value: f64,
    lower: f64,
    upper: f64,
    b_star: f64,
    t_star: f64,
    states: usize,
    choices: usize,
    reach_probability: f64,
    /// Whether all intervals are as narrow as was asked for.
    precision_reached: bool,
    /// `min`: states that cannot reach the goal surely; `max`: that may miss it; `reach`: that
    /// cannot reach it.
    lost: Vec<State>,
    /// What was done to the numbers of the model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Note>,
    seconds: f64,
}

pub(crate) fn run(args: SolveArgs) -> anyhow::Result<Outcome> {
    let began = Instant::now();
    let (world, params) = args.world.named()?;
    let mut files = Files::default();
    files.reads_world(&world);
    let outputs = Outputs::check(&args, &mut files)?;
    let busy = Busy::new(format!("opening {world}"));
    let instance = super::open(&world, &params, &busy)?;
    super::fits(&Need::solving(&instance), &busy)?;
    busy.say("planning");
    let (problem, truth) = (&instance.problem, instance.truth()?);
    let extras = Extras { q: outputs.values.is_some(), ..Extras::ALL };
    let halt = busy.halt().clone();
    let options = Options { extras, halt, ..Options::fast(args.objective, args.precision) };
    let answer = plan::solve(problem, truth, &options)?;
    let start = problem.start();
    let unknown = answer.is_vacuous(start);
    let width = answer.width();
    let precision_reached = width <= args.precision;
    if !precision_reached && !unknown {
        busy.aside(|| {
            note(format!(
                "arithmetic did not reach the precision asked for: the bounds hold, {width:.1e} apart"
            ))
        });
    }
    let no = args.objective == Objective::Min && answer.is_lost(start);
    if let Some(file) = outputs.policy.as_ref().filter(|_| !no && !unknown) {
        let policy = policy(problem, &answer)?;
        file.put_with(|out| out.write_all(&policy))?;
    }
    let solved = Solved::of(&instance, &answer, precision_reached, began);
    drop(busy);
    let world = spelled(&world, &params);
    if args.printed.json {
        output::json(&solved)?;
    } else if !no && !unknown && !outputs.printed() {
        output::text(&summary(&world, problem, &solved, width))?;
    }
    if !unknown {
        outputs.put(&instance, &answer, &world)?;
    }
    if no {
        let states = answer.lost.iter().map(|&s| problem.state_name(s).into_owned()).collect();
        report(&Error::NoProperPolicy { states }.into());
        let best = real(answer.reach_probability);
        note(format!("the best probability of reaching it from the start is {best}"));
    } else if unknown {
        report(&Error::NoBound { states: vec![problem.state_name(start).into_owned()] }.into());
        note(format!("tried: {}", plan::tried(problem)));
        note(format!("all that is certain: it is {} or more", solved.lower));
    }
    Ok(if no || unknown { Outcome::No } else { Outcome::Done })
}

struct Outputs {
    policy: Option<Output>,
    values: Option<Output>,
    show: Option<Show>,
}

impl Outputs {
    fn check(args: &SolveArgs, files: &mut Files) -> anyhow::Result<Outputs> {
        if args.printed.json {
            files.prints("--json")?;
        }
        let policy = args.policy.as_ref();
        let policy = policy.map(|path| files.writes("--policy", path)).transpose()?;
        let values = args.values.as_ref();
        let values = values.map(|path| values::check(path, files)).transpose()?;
        let outputs = Outputs { policy, values, show: None };
        // where something else has standard output, a picture goes to its file alone
        let show = Show::check(&args.show, args.printed.json || outputs.printed(), files)?;
        Ok(Outputs { show, ..outputs })
    }

    /// Whether one of them has standard output: there is no summary then.
    fn printed(&self) -> bool {
        [&self.policy, &self.values].contains(&&Some(Output::Stdout))
    }

    fn put(&self, instance: &Instance, answer: &Answer, world: &str) -> anyhow::Result<()> {
        let (problem, truth) = (&instance.problem, instance.truth()?);
        if let Some(output) = &self.values {
            Values { problem, answer }.put(output)?;
        }
        let Some(show) = &self.show else { return Ok(()) };
        let (name, measure) = match answer.objective {
            Objective::Min => ("V*", "least expected cost to the goal"),
            Objective::Max => ("the greatest cost", "greatest expected cost to the goal"),
            Objective::Reach => ("the probability", "greatest probability of reaching the goal"),
        };
        let sight = Sight::of(name, problem, truth, answer);
        let scene = Scene { problem, truth: Some(truth), measure: measure.into(), sights: vec![sight] };
        let note = format!("{} from the start: {}", measure, real(answer.value()));
        show.put(&scene, &format!("{name} and the best policy on {world}"), &[note])
    }
}

impl Solved {
    fn of(instance: &Instance, answer: &Answer, precision_reached: bool, began: Instant) -> Solved {
        let problem = &instance.problem;
        let start = problem.start();
        let inside = |s: &State| !answer.is_lost(*s);
        let t_star = match answer.objective {
            Objective::Reach => f64::NAN,
            Objective::Max if !answer.lost.is_empty() => f64::INFINITY,
            // infinite if the steps from some state are not known
            _ => (0..problem.states()).filter(inside).map(|s| answer.steps[s]).fold(0.0, f64::max),
        };
        Solved {
            objective: OBJECTIVES
                .iter()
                .find(|(o, ..)| *o == answer.objective)
                .map_or("", |(_, name, _)| name),
            value: answer.value(),
            lower: answer.lower[start],
            upper: answer.upper[start],
            b_star: answer.b_star,
            notes: instance.notes.clone(),
            t_star,
            states: instance.size().states,
            choices: instance.size().choices,
            reach_probability: answer.reach_probability,
            precision_reached,
            lost: answer.lost.clone(),
            seconds: began.elapsed().as_secs_f64(),
        }
    }
}

fn summary(world: &str, problem: &Problem, solved: &Solved, width: f64) -> String {
    let mut sheet = Sheet::default();
    let what = match solved.objective {
        "max" => "greatest cost",
        "reach" => "probability",
        _ => "optimal cost",
    };
    sheet.row("world", world);
    sheet.row("states", format!("{}, {} choices", count(solved.states as u64), count(solved.choices as u64)));
    if solved.value.is_infinite() {
        sheet.row(what, "infinite: a policy may miss the goal");
    } else {
        sheet.row(what, format!("{} from the start to the goal", real(solved.value)));
        sheet.row(
            "certified",
            format!("between {} and {}", every_digit(solved.lower), every_digit(solved.upper)),
        );
        if !solved.precision_reached {
            sheet.row("precision", format!("not reached: bounds are {width:.1e} apart"));
        }
    }
    if solved.objective != "reach" {
        let said = |x: f64| if x.is_infinite() { "infinite".into() } else { real(x) };
        sheet.row("B*", format!("{} (the highest cost-to-go of any state)", said(solved.b_star)));
        sheet.row("T*", format!("{} (the most expected steps from any state)", said(solved.t_star)));
    }
    if solved.objective != "min" {
        sheet.row("reach", format!("with probability {} at best", real(solved.reach_probability)));
    }
    if !solved.lost.is_empty() {
        let what = match solved.objective {
            "reach" => "cannot reach the goal",
            "max" => "may miss the goal",
            _ => "cannot reach the goal surely",
        };
        sheet.row("lost", format!("{} {what}", state_names(problem, &solved.lost)));
    }
    sheet.row("time", seconds(solved.seconds));
    sheet.render()
}

/// The action of each state as JSON, in the order of the states: an object from state names to
/// action names, or an array of objects where two states have the same name. The goal needs no
/// action.
fn policy(problem: &Problem, answer: &Answer) -> serde_json::Result<Vec<u8>> {
    let lost: HashSet<_> = answer.lost.iter().copied().collect();
    let states = (0..problem.states()).filter(|s| *s != problem.goal() && !lost.contains(s));
    let choice = |s: State| (problem.state_name(s), problem.action_name(s, answer.policy[s]));
    let choices: Vec<_> = states.map(choice).collect();
    let names: HashSet<_> = choices.iter().map(|(state, _)| state).collect();
    let mut out = Vec::new();
    let mut json = serde_json::Serializer::pretty(&mut out);
    if names.len() == choices.len() {
        json.collect_map(choices.iter().map(|(state, action)| (state, action)))?;
    } else {
        json.collect_seq(choices.iter().map(|(state, action)| json!({ "state": state, "action": action })))?;
    }
    out.push(b'\n');
    Ok(out)
}
