//! What a learner is to do if its models are wrong, from the command line.

use crate::counts::share;
use crate::exit::Usage;
use goalward::learners::{OnMisfit, Vigilance};

/// The options about models that do not explain the data.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Vigilant {
    /// What to do when the data reject every mixture of the models: warn (say so and go on), stop
    /// (end the run), or tabular (go on with a new learner that ignores the models) [default: warn]
    #[arg(long, value_name = "WHAT", value_parser = ["warn", "stop", "tabular"])]
    on_misfit: Option<String>,
    /// The probability with which a mixture that is true may be rejected, for all times at once
    /// [default: 0.01]
    #[arg(long, value_name = "ALPHA", value_parser = share)]
    misfit_level: Option<f64>,
}

impl Vigilant {
    /// What is asked for, with the defaults.
    pub(super) fn given(&self) -> Vigilance {
        let usual = Vigilance::default();
        let on_misfit = self.on_misfit.as_deref().and_then(|word| word.parse().ok());
        Vigilance {
            level: self.misfit_level.unwrap_or(usual.level),
            on_misfit: on_misfit.unwrap_or(usual.on_misfit),
        }
    }

    /// What was typed must be what a checkpoint has.
    pub(super) fn agree(
        &self,
        saved: &Vigilance,
        differs: impl Fn(&str, &str) -> Usage,
    ) -> Result<(), Usage> {
        let on = |on: OnMisfit| format!("--on-misfit {}", on.word());
        let level = |level: f64| format!("--misfit-level {level}");
        let given = self.given();
        if self.on_misfit.is_some() && given.on_misfit != saved.on_misfit {
            return Err(differs(&on(given.on_misfit), &on(saved.on_misfit)));
        }
        if self.misfit_level.is_some() && given.level != saved.level {
            return Err(differs(&level(given.level), &level(saved.level)));
        }
        Ok(())
    }
}
