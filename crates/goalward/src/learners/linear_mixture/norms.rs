//! Reads which norms a regression's radius is computed with.

use crate::Result;
use crate::confidence::{self, Norms};
use crate::learners::Brief;
use crate::learners::shared::{NORMS, PHI_NORM, THETA_NORM};

/// What the user said, or the default of this radius.
pub(super) fn read(brief: &Brief, otherwise: Norms) -> Result<Norms> {
    brief.settings.get_or(&NORMS, || otherwise)
}

/// The bound on |theta*|: the user's, or the largest norm in the set B; the theorem's if that is
/// what was asked for.
pub(super) fn theta(norms: Norms, brief: &Brief, printed: Option<f64>) -> Result<Option<f64>> {
    let bound = match (brief.settings.given(&THETA_NORM)?, norms) {
        (Some(given), _) => Some(given),
        (None, Norms::Printed) => printed,
        (None, Norms::Computed) => Some(confidence::theta_norm(brief.problem).ok_or_else(|| {
            let reason = "this radius needs a bound on |theta*|, and the set B has none: give one";
            brief.settings.refuse_value(&THETA_NORM, "(computed)", reason.into())
        })?),
    };
    brief.settings.note_as(THETA_NORM.name(), bound.into());
    Ok(bound)
}

/// The bound on |phi_V|, likewise.
pub(super) fn phi(norms: Norms, brief: &Brief, printed: f64) -> Result<f64> {
    brief.settings.get_or(&PHI_NORM, || match norms {
        Norms::Printed => printed,
        Norms::Computed => confidence::phi_norm(brief.problem),
    })
}
