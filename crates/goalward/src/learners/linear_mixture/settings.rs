//! Reads what the user says of bounds, radii and norms.

use crate::Result;
use crate::confidence::{self, MomentRule, Norms, Perturbation, RadiusKind};
use crate::learners::Brief;
use crate::learners::shared::{
    B, C_MIN, DELTA, DELTA_SPLIT, GAMMA, LAMBDA, LEVELS, NORMS, PHI_NORM, SCALE, THETA_NORM,
};
use crate::numeric::Portable;
use crate::parameters::Key;
use serde_json::json;

/// `scale=X` is another way to say `radius=scaled:X`, and the only way to say zero.
pub(super) const OWN_SCALE: Key<f64> = SCALE.computed("1; radius=scaled:X: X").doc(
    "multiplies the printed radius, as radius=scaled:X does; any value but 1 has no guarantee; 0 plans for \
     the theta in B that is nearest to the estimate, without discount",
);

/// A factor below this says nothing that zero does not, and cannot be computed with.
const LEAST: f64 = 1e-30;

/// What `radius` and `scale` say together. Both are noted down.
pub(super) fn radius(brief: &Brief, key: &Key<RadiusKind>) -> Result<RadiusKind> {
    let settings = &brief.settings;
    let said = settings.get(key)?;
    let refuse = |reason: String| Err(settings.refuse(&OWN_SCALE, reason));
    let kind = match (settings.given(&OWN_SCALE)?, said) {
        (None, kind) => kind,
        (Some(scale), _) if scale > 0.0 && scale < LEAST => {
            return refuse(format!("it must be 0, or at least {LEAST:e}"));
        }
        (Some(scale), RadiusKind::Scaled(x)) if x == scale => said,
        (Some(_), RadiusKind::Scaled(_)) => return refuse(format!("radius={said} says otherwise")),
        (Some(1.0), kind) => kind,
        (Some(scale), RadiusKind::Printed) => RadiusKind::Scaled(scale),
        (Some(_), kind) => return refuse(format!("only the printed radius is scaled, not radius={kind}")),
    };
    settings.note(key, &kind);
    settings.note(&OWN_SCALE, &kind.factor());
    Ok(kind)
}

/// The bound on |theta*|: the user's, or the largest norm in the set B; the theorem's if that is
/// what was asked for.
pub(super) fn theta_norm(norms: Norms, brief: &Brief, printed: Option<f64>) -> Result<Option<f64>> {
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
pub(super) fn phi_norm(norms: Norms, brief: &Brief, printed: f64) -> Result<f64> {
    brief.settings.get_or(&PHI_NORM, || match norms {
        Norms::Printed => printed,
        Norms::Computed => confidence::phi_norm(brief.problem),
    })
}

/// B, in the user's units, for a learner with costs in this unit.
pub(super) fn bound(unit: f64, brief: &Brief) -> Result<f64> {
    let told = brief.told.b_star;
    if brief.settings.text(&B) == Some("oracle") && told == Some(0.0) {
        let reason = match brief.problem.costs().iter().all(|c| *c == 0.0) {
            true => {
                "B* = 0: every cost is zero, so that every policy is optimal and there is nothing to learn"
            }
            false => {
                "B* = 0: the goal can be reached for nothing, and a bound of zero leaves nothing to \
                 compute with; give a positive one"
            }
        };
        return Err(brief.settings.refuse(&B, format!("{reason}; lr takes such a problem as it is")));
    }
    // beyond these bounds lambda = 1/B^2 is no number that a regression could be computed with
    brief.bound(&B, told, 1e-9 * unit, 1e12 * unit)
}

/// The smallest cost, or a smaller one that the user gives; zero has no level count.
pub(super) fn least_cost(brief: &Brief) -> Result<f64> {
    let smallest = brief.problem.min_cost();
    let c_min = brief.settings.given(&C_MIN)?.unwrap_or(smallest);
    let shown = brief.settings.text(&C_MIN).map_or_else(|| c_min.to_string(), String::from);
    let refuse = |reason: &str| Err(brief.settings.refuse_value(&C_MIN, &shown, reason.into()));
    if c_min > smallest {
        return refuse(&format!("the smallest cost off the goal is {smallest}"));
    }
    if c_min == 0.0 {
        return refuse(
            "LEVIS++ needs positive costs; rho-levis++ takes zero costs and needs t_star instead, lr takes \
             them and needs nothing",
        );
    }
    // a goal that is the only state has no costs; any level count will do
    Ok(if c_min.is_finite() { c_min } else { 1.0 })
}

/// What LEVIS++ and its variants have in common. `b` and `c_min` are in the user's units, `unit` is
/// what costs are divided by; the radius comes with the norms of the variant's printed radius.
pub(super) fn moment_rule(
    brief: &Brief,
    unit: f64,
    b: f64,
    c_min: f64,
    perturbation: Option<Perturbation>,
    (radius, printed): (RadiusKind, Norms),
) -> Result<MomentRule> {
    let (settings, dim) = (&brief.settings, brief.problem.dim());
    let (b, c_min) = (b / unit, c_min / unit);
    let levels = settings.get_or(&LEVELS, || MomentRule::levels_of(b, c_min))? as usize;
    let lambda = settings.get_or(&LAMBDA, || 1.0 / (b * b))?;
    let own = radius == RadiusKind::Determinant;
    let norms = settings.get_or(&NORMS, || if own { Norms::Computed } else { printed })?;
    let theta_norm = theta_norm(norms, brief, None)?;
    let phi_norm = phi_norm(norms, brief, 1.0)?;
    // Hoeffding's bound needs level 0 alone
    let delta_split = !own && settings.get(&DELTA_SPLIT)?;
    settings.note(&DELTA_SPLIT, &delta_split);
    settings.note_as(B.name(), json!(b * unit));
    settings.note_as(C_MIN.name(), json!(c_min * unit));
    settings.note_as("cost_unit", json!(unit));
    Ok(MomentRule {
        dim,
        unit,
        b,
        c_min,
        perturbation,
        delta: settings.get(&DELTA)?,
        lambda,
        gamma: settings.get_or(&GAMMA, || (dim as f64).to_the(-0.25))?,
        levels,
        radius,
        delta_split,
        norms,
        phi_norm,
        theta_norm,
    })
}
