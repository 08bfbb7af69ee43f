//! Which norms a regression's radius is computed with: those that its theorem assumes, or the problem's own (reading B1).

use super::Brief;
use crate::Result;
use crate::confidence;
use crate::registry::{Parameter, Reader};

pub(super) const NORMS: Parameter = Parameter {
    name: "norms",
    default: "(printed; computed for radius=data and radius=determinant)",
    doc: "printed: |phi_V| <= 1 and sqrt(lambda)|theta*| <= 1, as the theorem assumes and most problems do not meet; computed: \
          the problem's own norms (reading B1), with which the radius is valid",
};
pub(super) const PHI_NORM: Parameter = Parameter {
    name: "phi_norm",
    default: "(1; norms=computed: from the features)",
    doc: "bound on |phi_V| for V in [0,1] (reading B1)",
};
pub(super) const THETA_NORM: Parameter = Parameter {
    name: "theta_norm",
    default: "(1/sqrt(lambda); norms=computed: the largest norm in the set B)",
    doc: "bound on |theta*| (reading B1); with the printed norms sqrt(lambda)|theta*| is the printed 1",
};

/// Which norms a radius is computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Norms {
    /// Those that the theorem assumes.
    Printed,
    /// The problem's own.
    Computed,
}

impl Norms {
    /// What the user said, or the default of this radius.
    pub(super) fn read(settings: &Reader, otherwise: Norms) -> Result<Norms> {
        match settings.text(NORMS.name) {
            None => Ok(otherwise),
            Some("printed") => Ok(Norms::Printed),
            Some("computed") => Ok(Norms::Computed),
            Some(other) => Err(settings.refuse(NORMS.name, other, "expected printed or computed".into())),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Norms::Printed => "printed",
            Norms::Computed => "computed",
        }
    }

    /// The bound on |theta*|: the user's, or the largest norm in the set B; the theorem's if that is what was asked for.
    pub(super) fn theta(self, brief: &Brief, printed: Option<f64>) -> Result<Option<f64>> {
        let given = brief.settings.number_or_none(THETA_NORM.name, 0.0, 1e30)?;
        match (given, self) {
            (Some(given), _) => Ok(Some(given)),
            (None, Norms::Printed) => Ok(printed),
            (None, Norms::Computed) => confidence::theta_norm(brief.problem).map(Some).ok_or_else(|| {
                let reason = "this radius needs a bound on |theta*|, and the set B has none: give one";
                brief.settings.refuse(THETA_NORM.name, "(computed)", reason.into())
            }),
        }
    }

    /// The bound on |phi_V|, likewise.
    pub(super) fn phi(self, brief: &Brief, printed: f64) -> Result<f64> {
        let given = brief.settings.number_or_none(PHI_NORM.name, 0.0, 1e30)?;
        Ok(given.unwrap_or_else(|| match self {
            Norms::Printed => printed,
            Norms::Computed => confidence::phi_norm(brief.problem),
        }))
    }
}
