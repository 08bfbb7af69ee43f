//! Radii of ellipsoidal confidence sets, and which of them a result was obtained with.

use std::fmt;
use std::str::FromStr;

/// Which radius a learner uses; every result says so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RadiusKind {
    /// The paper's formula to the letter, with reading T1.
    Printed,
    /// The whole printed radius times a factor: no guarantee.
    Scaled(f64),
    /// The self-normalised bound with the realised determinant (LEVIS only).
    Determinant,
}

impl FromStr for RadiusKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "printed" => return Ok(RadiusKind::Printed),
            "determinant" => return Ok(RadiusKind::Determinant),
            _ => {}
        }
        let factor = text.strip_prefix("scaled:").and_then(|x| x.parse::<f64>().ok());
        factor
            .filter(|x| x.is_finite() && *x > 0.0)
            .map(RadiusKind::Scaled)
            .ok_or_else(|| "printed, scaled:X with X > 0, or determinant".into())
    }
}

impl fmt::Display for RadiusKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            RadiusKind::Printed => f.write_str("printed"),
            RadiusKind::Scaled(x) => write!(f, "scaled:{x}"),
            RadiusKind::Determinant => f.write_str("determinant"),
        }
    }
}

impl RadiusKind {
    /// The factor on the radius.
    pub fn factor(self) -> f64 {
        match self {
            RadiusKind::Scaled(x) => x,
            RadiusKind::Printed | RadiusKind::Determinant => 1.0,
        }
    }

    /// Whether the confidence level is proved.
    pub fn guaranteed(self) -> bool {
        !matches!(self, RadiusKind::Scaled(_))
    }
}

/// beta_hat_t of Theorem 5.1:
///
/// 12 sqrt(d log(1 + t^2 L^2 / (d lambda)) ell) + 30 sqrt(d) ell + bias, ell = log(128 (max(log(t/d), 0) + 2) t^4 / delta).
///
/// Reading T1: max(log(t/d), 0), because log(t/d) + 2 is negative at t = 1 for d >= 8. As printed L = 1 (`phi_norm`) and
/// bias = 1, which stands for sqrt(lambda) |theta*| with lambda = 1/B^2 (reading T3); reading B1 gives both their own
/// values where Assumption 3.1's normalisation fails, as it does on the paper's own instance.
pub fn levis_plus_plus(t: u64, dim: usize, lambda: f64, delta: f64, phi_norm: f64, bias: f64) -> f64 {
    let (t, d) = (t as f64, dim as f64);
    let ell = (128.0 * ((t / d).ln().max(0.0) + 2.0) / delta).ln() + 4.0 * t.ln();
    let growth = (t * t * phi_norm * phi_norm / (d * lambda)).ln_1p();
    12.0 * (d * growth * ell).sqrt() + 30.0 * d.sqrt() * ell + bias
}

/// beta_t of LEVIS: B sqrt(d log((4/delta) (t^2 + t^3 B^2/lambda))) + sqrt(lambda d).
pub fn levis(t: u64, dim: usize, lambda: f64, delta: f64, b: f64) -> f64 {
    let (t, d) = (t as f64, dim as f64);
    let ell = (4.0 / delta).ln() + 2.0 * t.ln() + (t * b * b / lambda).ln_1p();
    b * (d * ell).sqrt() + (lambda * d).sqrt()
}

/// The self-normalised bound with the realised determinant, valid for all t at once:
/// (B/2) sqrt(2 log(1/delta) + log det(Sigma_t) - log det(lambda I)) + sqrt(lambda) |theta*|.
///
/// The noise V_j(s') - E V_j lies in an interval of width at most B, so it is (B/2)-sub-Gaussian. `log_det_ratio` is
/// log det(Sigma_t) - log det(lambda I), `theta_norm` a bound on |theta*|.
pub fn realised_determinant(log_det_ratio: f64, lambda: f64, delta: f64, b: f64, theta_norm: f64) -> f64 {
    0.5 * b * (2.0 * (1.0 / delta).ln() + log_det_ratio.max(0.0)).sqrt() + lambda.sqrt() * theta_norm
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_values() {
        let printed = |d, t| levis_plus_plus(t, d, 1.0 / 9.0, 0.01, 1.0, 1.0);
        for (d, t, expected) in [(2, 1_000, 2079.7), (4, 100_000, 4373.7), (16, 1_000_000, 10123.5)] {
            assert!((printed(d, t) - expected).abs() < 0.05, "d={d} t={t}: {}", printed(d, t));
        }
        for (d, t, expected) in [(2, 1_000, 24.23), (4, 100_000, 41.22), (16, 1_000_000, 88.54)] {
            let beta = levis(t, d, 1.0, 0.01, 3.0);
            assert!((beta - expected).abs() < 0.005, "d={d} t={t}: {beta}");
        }
    }

    #[test]
    fn finite_from_the_first_step_to_the_last() {
        for d in [1, 8, 64] {
            for t in [1, 2, 1_000, u64::MAX / 2] {
                assert!(levis_plus_plus(t, d, 1e-12, 1e-9, 1.0, 1.0).is_finite());
                assert!(levis(t, d, 1e-12, 1e-9, 1e6).is_finite());
            }
        }
        assert!(realised_determinant(-1e-16, 1.0, 0.01, 3.0, 1.0).is_finite());
    }

    #[test]
    fn kinds_read_as_they_print() {
        for text in ["printed", "determinant", "scaled:0.003"] {
            assert_eq!(text.parse::<RadiusKind>().unwrap().to_string(), text);
        }
        for bad in ["scaled", "scaled:", "scaled:0", "scaled:-1", "scaled:nan", "scaled:inf", "Printed", ""] {
            assert!(bad.parse::<RadiusKind>().is_err(), "{bad}");
        }
    }
}
