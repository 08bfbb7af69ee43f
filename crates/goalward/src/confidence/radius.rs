//! Radii of ellipsoidal confidence sets, and which of them a result was obtained with.

use crate::numeric::Portable;
use crate::parameters::Value;
use std::fmt;
use std::str::FromStr;

/// Which radius a learner uses; every result says so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RadiusKind {
    /// The paper's formula to the letter, with reading T1.
    Printed,
    /// The whole printed radius times a factor: no guarantee.
    Scaled(f64),
    /// The self-normalised bound with the realised determinant: `realised_determinant` for LEVIS,
    /// whose regression has no weights, `weighted_determinant` for LEVIS++.
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
            .filter(|x| (1e-30..=1e30).contains(x))
            .map(RadiusKind::Scaled)
            .ok_or_else(|| "printed, determinant, or scaled:X with X from 1e-30 to 1e30".into())
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

impl Value for RadiusKind {
    fn read(text: &str) -> Option<RadiusKind> {
        text.parse().ok()
    }

    fn typed(&self) -> String {
        self.to_string()
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
}

/// beta_hat_t of Theorem 5.1:
///
/// 12 sqrt(d log(1 + t^2 L^2 / (d lambda)) ell) + 30 sqrt(d) ell + bias, ell = log(128
/// (max(log(t/d), 0) + 2) t^4 / delta).
///
/// Reading T1: max(log(t/d), 0), because log(t/d) + 2 is negative at t = 1 for d >= 8. As printed
/// L = 1 (`phi_norm`) and bias = 1, which stands for sqrt(lambda) |theta*| with lambda = 1/B^2
/// (reading T3); reading B1 gives both their own values where Assumption 3.1's normalisation fails,
/// as it does on the paper's own instance.
pub fn levis_plus_plus(t: u64, dim: usize, lambda: f64, delta: f64, phi_norm: f64, bias: f64) -> f64 {
    let (t, d) = (t as f64, dim as f64);
    let ell = (128.0 * ((t / d).log_e().max(0.0) + 2.0) / delta).log_e() + 4.0 * t.log_e();
    let growth = (t * t * phi_norm * phi_norm / (d * lambda)).log_1p();
    12.0 * (d * growth * ell).sqrt() + 30.0 * d.sqrt() * ell + bias
}

/// beta_t of LEVIS: B sqrt(d log((4/delta) (t^2 + t^3 B^2 L^2/(d lambda)))) + sqrt(lambda)
/// |theta*|, with L a bound on |phi_V| for V in [0, 1]; `norms` are L and the bound on |theta*|. As
/// printed both are sqrt(d), which leaves t^3 B^2/lambda and sqrt(lambda d).
///
/// The self-normalised bound that it is derived from (`realised_determinant`) is smaller whatever
/// the norms are, since log det(Sigma_t) - log det(lambda I) <= d log(1 + t B^2 L^2/(d lambda)).
pub fn levis(t: u64, dim: usize, lambda: f64, delta: f64, b: f64, norms: (f64, f64)) -> f64 {
    let (t, d) = (t as f64, dim as f64);
    let (phi_norm, theta_norm) = norms;
    let growth = (t * b * b * (phi_norm * phi_norm / d) / lambda).log_1p();
    let ell = (4.0 / delta).log_e() + 2.0 * t.log_e() + growth;
    b * (d * ell).sqrt() + lambda.sqrt() * theta_norm
}

/// The self-normalised bound with the realised determinant, valid for all t at once:
/// (B/2) sqrt(2 log(1/delta) + log det(Sigma_t) - log det(lambda I)) + sqrt(lambda) |theta*|.
///
/// Valid if `theta_norm` bounds |theta*|, V_j lies in [0, B] and is fixed before s' is drawn: LEVIS
/// clamps V_j and plans before it acts. The noise V_j(s') - E V_j lies in an interval of width at
/// most B, so it is (B/2)-sub-Gaussian. `log_det_ratio` is log det(Sigma_t) - log det(lambda I),
/// `theta_norm` a bound on |theta*|.
pub(super) fn realised_determinant(
    log_det_ratio: f64,
    lambda: f64,
    delta: f64,
    b: f64,
    theta_norm: f64,
) -> f64 {
    0.5 * b * (2.0 * (1.0 / delta).log_e() + log_det_ratio.max(0.0)).sqrt() + lambda.sqrt() * theta_norm
}

/// The realised determinant for a weighted regression:
/// R sqrt(2 log(1/delta_k) + log det(Sigma_t) - log det(lambda I)) + bias.
///
/// With weights 1/sigma_bar_i^2 fixed before s' is drawn, the noise eta_i lies in an interval of
/// width span_i/sigma_bar_i, so it is R_i-sub-Gaussian, R_i = span_i/(2 sigma_bar_i), whether or
/// not sigma_bar_i has anything to do with the variance. R_i has no bound that holds for all times
/// (sigma_bar^2 may be as small as 1/t), but its running maximum is known before s' is: for every k
/// the process stopped before the first R_i > R_k = 1.25^k/4 is R_k-sub-Gaussian, and the
/// self-normalised bound holds for it at all times with probability 1 - delta_k, delta_k =
/// delta/((k+1)(k+2)), which adds up to delta. The radius takes the first R_k that is not below the
/// maximum so far (`steepest`). It is valid at all times, whatever the weights are worth, and only
/// level 0 needs it. The paper's regret bound is not claimed with it: R has no bound of the order
/// of one.
pub(super) fn weighted_determinant(log_det_ratio: f64, delta: f64, steepest: f64, bias: f64) -> f64 {
    let k = ((4.0 * steepest).log_e() / 1.25f64.log_e() - 1e-12).ceil().max(0.0);
    let r = 0.25 * 1.25f64.to_the(k);
    let share = delta / ((k + 1.0) * (k + 2.0));
    r * (1.0 + 1e-11) * (2.0 * (1.0 / share).log_e() + log_det_ratio.max(0.0)).sqrt() + bias
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
            let assumed = (d as f64).sqrt();
            let beta = levis(t, d, 1.0, 0.01, 3.0, (assumed, assumed));
            assert!((beta - expected).abs() < 0.005, "d={d} t={t}: {beta}");
        }
    }

    #[test]
    fn finite_from_the_first_step_to_the_last() {
        for d in [1, 8, 64] {
            for t in [1, 2, 1_000, u64::MAX / 2] {
                assert!(levis_plus_plus(t, d, 1e-12, 1e-9, 1.0, 1.0).is_finite());
                assert!(levis(t, d, 1e-12, 1e-9, 1e6, (1.0, 1.0)).is_finite());
            }
        }
        assert!(realised_determinant(-1e-16, 1.0, 0.01, 3.0, 1.0).is_finite());
    }

    #[test]
    fn weighted_determinant_by_hand() {
        // 0.4 needs k = 3: 1.25^3/4 = 0.48828125, 1.25^2/4 = 0.390625
        let expected = 0.48828125 * (2.0 * (20.0f64 / 0.1).log_e() + 7.0).sqrt() + 0.3;
        assert!((weighted_determinant(7.0, 0.1, 0.4, 0.3) - expected).abs() < 1e-8);
        // below a quarter it is a quarter, and a grid point is its own
        for (steepest, k) in [(0.0, 0.0), (0.25, 0.0), (0.390625, 2.0)] {
            let expected = 0.25 * 1.25f64.to_the(k) * (2.0 * ((k + 1.0) * (k + 2.0) / 0.1f64).log_e()).sqrt();
            assert!((weighted_determinant(-1e-9, 0.1, steepest, 0.0) - expected).abs() < 1e-8);
        }
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

    /// Relative, to the rounding of a dozen operations.
    fn near(ours: f64, expected: f64) {
        assert!((ours - expected).abs() <= 1e-12 * expected.abs(), "{ours}, not {expected}");
    }

    /// No argument is 1 and no two are alike. Expected values here and below: the formulas of the
    /// documentation with 40 digits, apart from this program.
    #[test]
    fn printed_radii_with_norms_of_their_own() {
        for (t, d, lambda, delta, phi_norm, bias, expected) in [
            (500, 3, 0.3, 0.02, 1.7, 0.8, 2307.0115621268537),
            // t < d: log(t/d) counts as 0
            (2, 5, 2.5, 0.02, 0.4, 3.1, 844.4676718205038),
            (6, 5, 0.07, 0.3, 2.6, 0.0, 1196.2791055740838),
        ] {
            near(levis_plus_plus(t, d, lambda, delta, phi_norm, bias), expected);
        }
        for (t, d, lambda, delta, b, norms, expected) in [
            (700, 3, 0.6, 0.03, 2.5, (1.3, 2.1), 23.839765691350028),
            (3, 5, 4.0, 0.2, 0.7, (0.4, 0.25), 4.070908594003142),
        ] {
            near(levis(t, d, lambda, delta, b, norms), expected);
        }
    }

    #[test]
    fn a_determinant_below_the_ridges_counts_as_equal_to_it() {
        for (log_det_ratio, expected) in [(4.2, 5.812401854672315), (-0.7, 4.936939009534997)] {
            near(realised_determinant(log_det_ratio, 0.6, 0.03, 2.5, 2.1), expected);
        }
        for (log_det_ratio, steepest, expected) in [
            (2.5, 0.3, 2.0309147782454313),
            (2.5, 0.6, 3.36536028190683),
            (2.5, 3.0, 17.137424341854537),
            (-0.7, 0.3, 1.9172647691992057),
        ] {
            let ours = weighted_determinant(log_det_ratio, 0.03, steepest, 0.9);
            assert!((ours - expected).abs() <= 2e-11 * expected, "{ours}, not {expected}");
            // what rounding could take is given back
            assert!(ours > expected, "{ours}, {expected}");
        }
    }

    #[test]
    fn factors_have_limits_and_belong_to_scaled_alone() {
        for (text, factor) in
            [("scaled:1e-30", 1e-30), ("scaled:0.25", 0.25), ("scaled:1e30", 1e30), ("printed", 1.0)]
        {
            assert_eq!(text.parse::<RadiusKind>().unwrap().factor(), factor);
        }
        assert_eq!("determinant".parse::<RadiusKind>().unwrap().factor(), 1.0);
        for bad in ["scaled:9e-31", "scaled:1.1e30"] {
            assert!(bad.parse::<RadiusKind>().unwrap_err().contains("from 1e-30 to 1e30"));
        }
    }
}
