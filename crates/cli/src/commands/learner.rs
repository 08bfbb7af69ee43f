//! The learner of `learn` and `serve`: as it is typed, and as a checkpoint has it.

use super::together;
use crate::counts::{share, whole};
use crate::exit::Usage;
use crate::names::{Suggest, learners as ids};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use goalward::episode::RunSpec;
use goalward::learners::{self, OnMisfit, Vigilance};
use goalward::parameters::{Parameter, Settings, name_and_settings};

/// Unless --episodes is given.
const EPISODES: u64 = 1000;

#[derive(clap::Args)]
pub(super) struct LearnerArgs {
    /// The learner (`goalward list learners`) [default: levis++lr if B is set, else guarded, which
    /// needs to know nothing]; levis++@B=3 is short for levis++ --set B=3
    #[arg(long, value_name = "ID", value_parser = Suggest(ids), hide_possible_values = true)]
    pub(super) learner: Option<String>,
    /// Set a parameter of the learner; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// The number of episodes [default: 1000]
    #[arg(long, value_name = "K", value_parser = whole::<u64>(..))]
    pub(super) episodes: Option<u64>,
    /// The seed of the world's luck and of the learner's own [default: 0]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(..))]
    seed: Option<u64>,
    /// What to do when the data reject every mixture of the models: warn (say so and go on), stop
    /// (end the run), or tabular (go on with a new learner that ignores the models) [default: warn]
    #[arg(long, value_name = "WHAT", value_parser = on_misfit(), hide_possible_values = false)]
    on_misfit: Option<OnMisfit>,
    /// The probability with which a mixture that is true may be rejected, for all times at once
    /// [default: 0.01]
    #[arg(long, value_name = "ALPHA", value_parser = share)]
    misfit_level: Option<f64>,
}

fn on_misfit() -> impl TypedValueParser<Value = OnMisfit> {
    PossibleValuesParser::new(OnMisfit::ALL.map(OnMisfit::word)).try_map(|word| word.parse::<OnMisfit>())
}

/// ID@KEY=VALUE and --set: the id, and all settings.
pub(super) fn learner_named(learner: &str, flags: &[String]) -> anyhow::Result<(String, Settings)> {
    let (id, own) = name_and_settings(learner)?;
    Ok((id.into(), together("--set", own, &Settings::parse(flags)?)?))
}

impl LearnerArgs {
    /// The run that is asked for, with the defaults and without a limit on steps.
    pub(super) fn spec(&self) -> anyhow::Result<RunSpec> {
        let (learner, settings) = match &self.learner {
            Some(learner) => learner_named(learner, &self.settings)?,
            None => {
                let settings = Settings::parse(&self.settings)?;
                (learners::recommended(&settings).id.into(), settings)
            }
        };
        let usual = Vigilance::default();
        let vigilance = Vigilance {
            level: self.misfit_level.unwrap_or(usual.level),
            on_misfit: self.on_misfit.unwrap_or(usual.on_misfit),
        };
        let (seed, episodes) = (self.seed.unwrap_or(0), self.episodes.unwrap_or(EPISODES));
        Ok(RunSpec { learner, settings, seed, episodes, max_steps: None, vigilance })
    }

    /// Requires that a checkpoint has what was typed, the number of episodes apart.
    pub(super) fn agree(&self, asked: &RunSpec, saved: &RunSpec) -> Result<(), Usage> {
        let (asks, has) = (&asked.vigilance, &saved.vigilance);
        same("--learner", self.learner.as_ref().map(|_| &asked.learner), &saved.learner)?;
        same("--seed", self.seed, saved.seed)?;
        same("--on-misfit", self.on_misfit.map(OnMisfit::word), has.on_misfit.word())?;
        same("--misfit-level", self.misfit_level.map(|_| asks.level), has.level)?;
        let parameters = learners::entry(&saved.learner).map_or(&[][..], |learner| learner.parameters);
        same_settings("--set", &asked.settings, &saved.settings, parameters)
    }
}

/// Requires that what was typed for a flag is what a checkpoint has.
pub(super) fn same<T: PartialEq + ToString>(flag: &str, given: Option<T>, saved: T) -> Result<(), Usage> {
    match given.filter(|given| *given != saved) {
        Some(given) => {
            Err(differs(&format!("{flag} {}", given.to_string()), &format!("{flag} {}", saved.to_string())))
        }
        None => Ok(()),
    }
}

/// The same of parameters, whether the checkpoint's run has them from its user or by default.
pub(super) fn same_settings(
    flag: &str,
    given: &Settings,
    saved: &Settings,
    parameters: &[Parameter],
) -> Result<(), Usage> {
    let default = |key: &str| parameters.iter().find(|p| p.name == key).map(Parameter::default);
    for (key, value) in given.iter() {
        let had = saved.get(key).map(String::from).or_else(|| default(key));
        // as text or as numbers: 3 is 3.0
        let number = |text: &str| text.parse::<f64>().ok();
        let same = |had: &String| had == value || number(had).is_some_and(|had| number(value) == Some(had));
        if !had.as_ref().is_some_and(same) {
            let saved = had.map_or(format!("no {flag} {key}"), |had| format!("{flag} {key}={had}"));
            return Err(differs(&format!("{flag} {key}={value}"), &saved));
        }
    }
    Ok(())
}

pub(super) fn differs(given: &str, saved: &str) -> Usage {
    Usage::new(format!("{given} does not agree with the checkpoint, which has {saved}"))
        .hint("leave it out: with --resume everything is taken from the checkpoint")
}
