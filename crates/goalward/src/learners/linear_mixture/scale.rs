//! Reads which radius a regression's set has, and the factor on it.

use crate::Result;
use crate::confidence::RadiusKind;
use crate::learners::Brief;
use crate::learners::shared::SCALE;
use crate::parameters::Key;

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
