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
    /// The theorem behind the printed radius with the quantities that the data realised:
    /// `Bernstein` (LEVIS++ only).
    Data,
}

impl FromStr for RadiusKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "printed" => return Ok(RadiusKind::Printed),
            "determinant" => return Ok(RadiusKind::Determinant),
            "data" => return Ok(RadiusKind::Data),
            _ => {}
        }
        let factor = text.strip_prefix("scaled:").and_then(|x| x.parse::<f64>().ok());
        factor
            .filter(|x| (1e-30..=1e30).contains(x))
            .map(RadiusKind::Scaled)
            .ok_or_else(|| "printed, determinant, data, or scaled:X with X from 1e-30 to 1e30".into())
    }
}

impl fmt::Display for RadiusKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            RadiusKind::Printed => f.write_str("printed"),
            RadiusKind::Scaled(x) => write!(f, "scaled:{x}"),
            RadiusKind::Determinant => f.write_str("determinant"),
            RadiusKind::Data => f.write_str("data"),
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
            RadiusKind::Printed | RadiusKind::Determinant | RadiusKind::Data => 1.0,
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

/// The radii of LEVIS+, whose weights come from estimated variances. With iota = log(4 t^2/delta):
///
/// * beta_hat = 8 sqrt(d log(1 + t L^2/lambda) iota) + 4 sqrt(d) iota + sqrt(lambda) S,
/// * beta_check = 8 d sqrt(log(1 + t L^2/lambda) iota) + 4 sqrt(d) iota + sqrt(lambda) S,
/// * beta_tilde = 8 B^2 sqrt(d log(1 + t B^4 L^2/(d lambda)) iota) + 4 B^2 iota + sqrt(lambda) S.
///
/// All three are one lemma: noise of at most R with variance at most sigma^2, and |x| <= X, give 8
/// sigma sqrt(d log(1 + t X^2/(d lambda)) iota) + 4 R iota + sqrt(lambda) S. For the weighted
/// regression of V_j, R = sqrt(d) and X = sqrt(d) L, as sigma_bar >= B/sqrt(d); sigma = 1 where the
/// variance is known to be bounded by sigma_bar, and sqrt(d) where it is not yet. For that of V_j^2,
/// R = sigma = B^2 and X = B^2 L. L bounds |phi_V| for V in [0, 1] and S bounds |theta*|: with both
/// sqrt(d) they are those of LEVIS+, with L = 1 those of UCRL-VTR+.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TwoRadii {
    /// The dimension d.
    pub dim: usize,
    /// The ridge.
    pub lambda: f64,
    /// The failure probability.
    pub delta: f64,
    /// B.
    pub b: f64,
    /// L.
    pub phi_norm: f64,
    /// S.
    pub theta_norm: f64,
}

impl TwoRadii {
    fn iota(&self, t: u64) -> f64 {
        (4.0 / self.delta).log_e() + 2.0 * (t.max(1) as f64).log_e()
    }

    fn bias(&self) -> f64 {
        self.lambda.sqrt() * self.theta_norm
    }

    fn weighted(&self, t: u64, sigma: f64) -> f64 {
        let (d, iota) = (self.dim as f64, self.iota(t));
        let growth = (t as f64 * self.phi_norm * self.phi_norm / self.lambda).log_1p();
        8.0 * sigma * (d * growth * iota).sqrt() + 4.0 * d.sqrt() * iota + self.bias()
    }

    /// beta_hat.
    pub(crate) fn hat(&self, t: u64) -> f64 {
        self.weighted(t, 1.0)
    }

    /// beta_check.
    pub(crate) fn check(&self, t: u64) -> f64 {
        self.weighted(t, (self.dim as f64).sqrt())
    }

    /// beta_tilde/B^2.
    pub(crate) fn tilde(&self, t: u64) -> f64 {
        let (d, iota) = (self.dim as f64, self.iota(t));
        let steepness = self.b * self.b * self.phi_norm;
        let growth = (t as f64 * steepness * steepness / (d * self.lambda)).log_1p();
        8.0 * (d * growth * iota).sqrt() + 4.0 * iota + self.bias() / (self.b * self.b)
    }
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

/// What the radius `data` of LEVIS++ is made of: Theorem 4.3 of Zhou and Gu (2022), which the
/// printed radius is derived from, with the data's own quantities in place of worst cases.
///
/// The theorem: for x_i and eta_i with E eta = 0, E eta^2 <= 1, |eta| <= R, |x| <= L (R and L the
/// same for all i), with probability 1 - delta, for all k at once,
///
/// |theta_k - theta*|_{Z_k} <= 12 sqrt(d log(1 + k L^2/(d lambda)) ell) + 24 ell M_k + 6 ell eps +
/// sqrt(lambda) |theta*|, ell = log(32 (log(R/eps) + 1) k^2 / delta), M_k = max over i <= k of
/// |eta_i| min(1, |x_i| in the norm of Z_{i-1}^-1), for any eps > 0.
///
/// * The print bounds M_k by 1/gamma^2 = sqrt(d). Here |eta_i| is at most the span of U^(2^l) over
///   the successors of the pair divided by sigma_bar_i, and the running maximum of that product is
///   computed.
/// * eps = 1/1000, where the print has 1/gamma^2.
/// * alpha_t = 1/sqrt(t), so R = sqrt(T) and L = L_phi sqrt(T) up to a horizon T. They enter under
///   logarithms alone. The print makes them depend on t and pays by a union bound over plans, t^4
///   instead of t^2. Here the horizon doubles: the theorem is applied to the process stopped at
///   T_n = horizon 2^n with probability delta/((n+1)(n+2)), n = 0, 1, ..., which adds up to delta;
///   the radius at t is that of the first T_n >= t. So the radius is valid at all times, also
///   beyond the horizon.
/// * L_phi and |theta*| are the problem's own ([`phi_norm`](super::phi_norm),
///   [`theta_norm`](super::theta_norm); reading B1).
///
/// Since M_k <= 1/gamma^2 always, the radius is of the printed one's order, and so is the regret
/// bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bernstein {
    /// d.
    pub dim: usize,
    /// The ridge.
    pub lambda: f64,
    /// The failure probability of one regression: delta/(2L+1) (reading T5).
    pub delta: f64,
    /// The first horizon, at least 1.
    pub horizon: f64,
    /// L_phi.
    pub phi_norm: f64,
    /// sqrt(lambda) |theta*|.
    pub bias: f64,
}

/// The theorem's eps.
const EPSILON: f64 = 1e-3;

impl Bernstein {
    /// The radius after t steps whose largest noise term was M_t.
    pub(super) fn radius(&self, t: u64, noise: f64) -> f64 {
        if t == 0 {
            return self.bias;
        }
        let (t, d) = (t as f64, self.dim as f64);
        let n = (t / self.horizon).log_2().ceil().max(0.0);
        let end = self.horizon * n.exp_2();
        let share = self.delta / ((n + 1.0) * (n + 2.0));
        let r = end.sqrt();
        let ell = (32.0 * ((r / EPSILON).log_e() + 1.0) / share).log_e() + 2.0 * t.log_e();
        let growth = (t * self.phi_norm * self.phi_norm * end / (d * self.lambda)).log_1p();
        12.0 * (d * growth * ell).sqrt() + 24.0 * ell * noise + 6.0 * ell * EPSILON + self.bias
    }
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

    /// d = 2, lambda = 1/4, delta = 0.02, horizon 100, L_phi = 2, |theta*| = 3; ell and the
    /// logarithm computed apart, digit by digit from the formulas above.
    #[test]
    fn data_radius_by_hand() {
        let of = Bernstein { dim: 2, lambda: 0.25, delta: 0.02, horizon: 100.0, phi_norm: 2.0, bias: 1.5 };
        assert_eq!(of.radius(0, 0.0), 1.5);
        for (t, ell, growth, whole) in [
            // T = 100, n = 0: log(32 (log(10/0.001) + 1) 50^2 / 0.01), log(1 + 50 * 4 * 100 / 0.5)
            (50, 18.218353068383152f64, 10.596659732783579f64, 456.0249290967649),
            // T = 400, n = 2: log(32 (log(20/0.001) + 1) 300^2 * 12 / 0.02), log(1 + 300 * 4 *
            // 400 / 0.5)
            (300, 23.659313204335692, 13.774689605110144, 591.9180600864755),
        ] {
            let expected = 12.0 * (2.0 * growth * ell).sqrt() + 24.0 * ell * 0.5 + 0.006 * ell + 1.5;
            assert!((expected - whole).abs() < 1e-9);
            assert!((of.radius(t, 0.5) - whole).abs() < 1e-9, "{} at {t}", of.radius(t, 0.5));
        }
        // the horizon itself belongs to its own stretch
        assert!(of.radius(101, 0.5) > of.radius(100, 0.5) + 5.0);
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
        for text in ["printed", "determinant", "data", "scaled:0.003"] {
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

    /// The horizon, its double, and the steps after them.
    #[test]
    fn the_radius_of_the_data_from_stretch_to_stretch() {
        let of = Bernstein { dim: 3, lambda: 0.6, delta: 0.03, horizon: 70.0, phi_norm: 1.3, bias: 0.9 };
        for (t, expected) in [
            (1, 209.66003087271935),
            (70, 397.81727704040446),
            (71, 425.4773810072495),
            (140, 455.5567852944899),
            (141, 476.92299070681287),
            (1_000, 598.4928360340858),
        ] {
            near(of.radius(t, 0.31), expected);
        }
    }

    #[test]
    fn factors_have_limits_and_belong_to_scaled_alone() {
        for (text, factor) in
            [("scaled:1e-30", 1e-30), ("scaled:0.25", 0.25), ("scaled:1e30", 1e30), ("printed", 1.0)]
        {
            assert_eq!(text.parse::<RadiusKind>().unwrap().factor(), factor);
        }
        assert_eq!(["determinant", "data"].map(|x| x.parse::<RadiusKind>().unwrap().factor()), [1.0; 2]);
        for bad in ["scaled:9e-31", "scaled:1.1e30"] {
            assert!(bad.parse::<RadiusKind>().unwrap_err().contains("from 1e-30 to 1e30"));
        }
    }
}
