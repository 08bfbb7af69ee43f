//! `goalward fit`

use super::World;
use super::learn::theta::{known, plain};
use crate::counts::share;
use crate::exit::{Outcome, Usage, hint_at, note};
use crate::numbers::{count, real, seconds};
use crate::output::{Json, Sheet};
use crate::progress::{Busy, Reading};
use goalward::offline::{self, Fit, Fitter, Log, Range, Weight};
use goalward::problem::{Problem, State};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

const EXAMPLES: &str = "\
EXAMPLES:
    goalward learn windy-grid@n=3 --learner random --episodes 200 --trace steps.jsonl
    goalward fit windy-grid@n=3 steps.jsonl
    goalward fit weather.json log.csv.gz --delta 0.05 --json
    goalward solve weather.json --policy policy.json && goalward fit weather.json log.csv --policy policy.json
    zcat log.csv.gz | goalward fit weather.json -

A LOG:
    state,action,next,cost          {\"state\": 0, \"action\": \"right\", \"next\": 1, \"cost\": 0.2}
    \"(0,0)\",right,\"(0,1)\",0.2       {\"state\": 1, \"action\": 1, \"next\": 4}";

/// Estimate the mixture from logged transitions: weights with intervals, and what a policy costs
///
/// The log is CSV with a header (state, action, next and perhaps cost, in any order), JSON lines
/// with the same fields, or a trace of goalward, packed with gzip or not. States and actions are
/// numbers or names. A cost must be the action's own. The world needs no true theta.
///
/// With probability 1 - delta all intervals hold, for all weights and at all times at once. Any
/// policy may have gathered the data, also one that learnt from them. The rows must be in the order
/// of time, and none may be left out because of its outcome.
///
/// Misfit says whether any mixture of the models explains the log. Where every mixture is rejected
/// the weights mean nothing. A step that no model allows rejects them all.
///
/// The value range is the cost from the start of --policy, or of the best policy of the fitted
/// mixture. Every state may have its own weights in the confidence set, so the range is wider than
/// need be; it is infinite where the goal may be missed. The ranges hold for all policies at once,
/// so a policy may be chosen by its range.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct FitArgs {
    #[command(flatten)]
    world: World,
    /// The logged transitions; - is standard input
    #[arg(value_name = "LOG")]
    log: PathBuf,
    /// The probability with which an interval may be wrong, and with which a true mixture may be
    /// rejected
    #[arg(long, value_name = "X", default_value = "0.01", value_parser = share)]
    delta: f64,
    /// The policy whose cost is asked for, as `solve --policy` writes it [default: the best one of
    /// the fitted mixture]
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    #[command(flatten)]
    printed: Json,
}

pub(crate) fn run(args: FitArgs) -> anyhow::Result<Outcome> {
    let began = Instant::now();
    let (world, params) = args.world.named()?;
    let stdin = |path: &Path| path == Path::new("-");
    let policy_from = args.policy.as_deref().filter(|path| stdin(path));
    if [Path::new(&world), &args.log].into_iter().chain(policy_from).filter(|path| stdin(path)).count() > 1 {
        let reason = "standard input can be read once: only one of WORLD, LOG and --policy may be -";
        return Err(Usage::new(reason).into());
    }
    let busy = Busy::new(format!("opening {world}"));
    let problem = super::open(&world, &params, &busy)?.problem;
    let policy = args.policy.as_deref().map(|path| policy(&problem, path)).transpose()?;
    drop(busy);
    let mut fit = read(&problem, &args)?;
    let busy = Busy::new("looking for what the policy costs");
    let given = policy.is_some();
    let policy = policy.or_else(|| fit.policy());
    let range = match &policy {
        Some(policy) if !fit.contradiction => Some(fit.range(policy)?),
        _ => None,
    };
    drop(busy);
    let summary =
        Summary { world: super::spelled(&world, &params), problem: &problem, fit: &fit, given, range };
    let time = began.elapsed().as_secs_f64();
    args.printed.put(&summary.json(&args.log, time), || summary.text(time))?;
    summary.warn();
    Ok(Outcome::Done)
}

fn read(problem: &Arc<Problem>, args: &FitArgs) -> anyhow::Result<Fit> {
    let mut fitter = Fitter::new(problem, args.delta)?;
    let source = offline::open(&args.log)?;
    let (read, reading) = (source.read.clone(), Reading::new(source.size));
    let mut log = Log::new(problem, source.bytes, &args.log);
    let mut rows = 0u64;
    while let Some(row) = log.next_row()? {
        fitter.observe(&row)?;
        rows += 1;
        reading.at(rows, read.get());
    }
    if rows == 0 {
        let reason = format!("{}: there is no transition in it", args.log.display());
        return Err(Usage::new(reason).hint("goalward fit --help shows what a log looks like").into());
    }
    drop(reading);
    let _busy = Busy::new("fitting");
    Ok(fitter.finish())
}

fn policy(problem: &Problem, path: &Path) -> anyhow::Result<Vec<usize>> {
    let io = |source| goalward::Error::Io { path: path.into(), source };
    let text = match path == Path::new("-") {
        true => std::io::read_to_string(std::io::stdin()).map_err(io)?,
        false => std::fs::read_to_string(path).map_err(io)?,
    };
    Ok(offline::read_policy(problem, &text, path)?)
}

struct Summary<'a> {
    world: String,
    problem: &'a Problem,
    fit: &'a Fit,
    given: bool,
    range: Option<Range>,
}

impl Summary<'_> {
    fn text(&self, time: f64) -> String {
        let fit = self.fit;
        let mut sheet = Sheet::default();
        sheet.row("world", &self.world);
        let (rows, distinct) = (count(fit.rows), count(fit.distinct as u64));
        sheet.row("rows", format!("{rows}, {distinct} different transitions"));
        let names: Vec<String> = fit.weights.iter().map(|w| plain(&w.model)).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let line = |(name, w): (&String, &Weight)| {
            let ends = (w.low.unwrap_or(f64::NEG_INFINITY), w.high.unwrap_or(f64::INFINITY));
            let known = if fit.contradiction { real(w.weight) } else { known(w.weight, ends) };
            format!("{name:<width$} {known}")
        };
        sheet.rows("weights", names.iter().zip(&fit.weights).map(line));
        let hidden: Vec<&str> =
            names.iter().zip(&fit.weights).filter(|(_, w)| w.hidden).map(|(name, _)| name.as_str()).collect();
        if !hidden.is_empty() {
            let words = "cannot be told by transitions: no probability depends on a part of them";
            sheet.row("hidden", format!("{} {words}", hidden.join(", ")));
        }
        let level = match fit.contradiction {
            true => "no mixture is left: the data contradict every one".into(),
            false => format!("with probability {} all intervals hold, at all times", real(1.0 - fit.delta)),
        };
        sheet.row("level", level);
        sheet.row("misfit", &fit.misfit.text);
        for step in &fit.impossible {
            let line = step.line.map_or(String::new(), |line| format!(", first in line {line}"));
            sheet.row("impossible", format!("{} ({} times{line})", step.text, step.times));
        }
        sheet.row("policy", if self.given { "as given" } else { "the best one of the fitted mixture" });
        sheet.row("costs", self.costs());
        sheet.row("time", seconds(time));
        sheet.render()
    }

    fn costs(&self) -> String {
        let Some(range) = &self.range else {
            return match self.fit.contradiction {
                true => "unknown: no mixture is left".into(),
                false => "infinite: with the fitted mixture the goal cannot be reached surely".into(),
            };
        };
        let fitted = real(range.fitted);
        match range.upper.is_finite() {
            true => {
                format!("{fitted} from the start; between {} and {}", real(range.lower), real(range.upper))
            }
            false => {
                format!("{fitted} from the start; at least {}, and the goal may be missed", real(range.lower))
            }
        }
    }

    fn json(&self, log: &Path, time: f64) -> Value {
        let fit = self.fit;
        let number = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
        let names = |states: &[State]| -> Vec<String> {
            states.iter().map(|&s| self.problem.state_name(s).into_owned()).collect()
        };
        let value = self.range.as_ref().map(|range| {
            json!({
                "policy": if self.given { "given" } else { "fitted" },
                "fitted": number(range.fitted),
                "lower": number(range.lower),
                "upper": number(range.upper),
                "may_miss_goal": range.upper.is_infinite(),
                "trapped": names(&range.trapped),
            })
        });
        json!({
            "world": self.world,
            "log": log.display().to_string(),
            "rows": fit.rows,
            "distinct": fit.distinct,
            "delta": fit.delta,
            "weights": fit.weights,
            "contradiction": fit.contradiction,
            "misfit": fit.misfit,
            "impossible_rows": fit.impossible_rows,
            "impossible": fit.impossible,
            "value": value,
            "seconds": time,
        })
    }

    fn warn(&self) {
        let rejected = self.fit.misfit.step.is_some();
        if rejected || self.fit.contradiction {
            note("no mixture of the models explains the log: weights and costs mean nothing");
            hint_at("are rows missing, or out of order? else a model is missing, or wrong");
        }
        let trapped = self.range.iter().flat_map(|range| &range.trapped).copied().collect::<Vec<_>>();
        if !trapped.is_empty() {
            let names = super::state_names(self.problem, &trapped);
            note(format!("for all that is known the policy may never leave these states: {names}"));
        }
    }
}
