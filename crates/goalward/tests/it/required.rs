//! The least that a learner of the registry must be given.

use goalward::Settings;
use goalward::learners::LearnerEntry;

/// The truth for every parameter without a default: the runner tells it.
pub(crate) fn required(entry: &LearnerEntry) -> Settings {
    let asked = entry.parameters.iter().filter(|parameter| parameter.is_required());
    asked.fold(Settings::new(), |settings, parameter| settings.set(parameter.name, "oracle"))
}
