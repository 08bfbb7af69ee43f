//! The constants of the regret theorem, as `docs/theory.md` has them.

use crate::numeric::Portable;

/// What the constants depend on.
///
/// ```
/// use goalward::confidence::Theory;
/// let theory = Theory { m: 4, delta: 0.01, weight: 0.2, gamma_hat: 0.0 };
/// assert!(theory.gamma0(1000) < theory.gamma(1000));
/// assert!(theory.gamma(1000) < theory.gamma(2000));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Theory {
    /// The number of directions of B that kernels see.
    pub m: usize,
    /// The failure probability of sets, certificate and regret together: 0.97 of it for the sets, 0.01
    /// for each of the three other events.
    pub delta: f64,
    /// The share of the uniform mixture over B in the threshold r_t.
    pub weight: f64,
    /// How far the loss of the fit may be above that of theta*, in nats.
    pub gamma_hat: f64,
}

/// The share of a level that the sets have.
pub const SHARE_OF_SETS: f64 = 0.97;
/// The share that each of the three other events of Theorem 1 has.
const SHARE_OF_OTHERS: f64 = 0.01;

/// What a run shows of itself, for [`Theory::regret_bound`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observed {
    /// K, the episodes begun.
    pub episodes: u64,
    /// T, the steps.
    pub steps: u64,
    /// J, the planning calls.
    pub plans: u64,
    /// n_G, the steps whose G_t exceeds G.
    pub beyond: u64,
}

impl Theory {
    /// ln(100/delta): of an event beside the sets.
    fn event(&self) -> f64 {
        -(SHARE_OF_OTHERS * self.delta).log_e()
    }

    fn volume(&self, t: u64) -> f64 {
        let m = self.m as f64;
        if self.m == 0 { 0.0 } else { m * (t as f64 / m).log_1p() }
    }

    /// Gamma^0_t = 2m ln(1 + t/m) + 3m + 2 ln(100/delta) + gamma_hat: the squared Hellinger distance
    /// of the fit from theta* over t steps is at most this (Lemma 1).
    pub fn gamma0(&self, t: u64) -> f64 {
        2.0 * self.volume(t) + 3.0 * self.m as f64 + 2.0 * self.event() + self.gamma_hat
    }

    /// rho_t = m ln(1 + t/m) + m + ln(1/(0.97 weight delta)) + gamma_hat: how far the loss of any theta in
    /// the likelihood set is above the least one, at most.
    pub fn rho(&self, t: u64) -> f64 {
        self.volume(t) + self.m as f64 - (self.weight * SHARE_OF_SETS * self.delta).log_e() + self.gamma_hat
    }

    /// Gamma_t = Gamma^0_t + rho_t: the same as [`gamma0`](Self::gamma0) for every theta in the
    /// likelihood set.
    pub fn gamma(&self, t: u64) -> f64 {
        self.gamma0(t) + self.rho(t)
    }

    /// zeta = ln(100 (3 + log2 T)^2/delta), of Freedman's inequality for all times at once (Lemma 4).
    pub fn zeta(&self, steps: u64) -> f64 {
        2.0 * (3.0 + log2(steps)).log_e() + self.event()
    }

    /// N = max{n : n ln 1.1 <= m ln(1 + 4 n T^2)}: how many steps a bucket of Lemma 3 holds.
    pub fn bucket(&self, steps: u64) -> f64 {
        let (m, t) = (self.m as f64, steps.max(1) as f64);
        let fits = |n: f64| n * 1.1f64.log_e() <= m * (1.0 + 4.0 * n * t * t).log_e();
        // the right side is concave in n, so that it is overtaken once
        let (mut low, mut high) = (0.0, 1.0);
        while fits(high) && self.m > 0 {
            (low, high) = (high, 2.0 * high);
        }
        while high - low > 1.0 {
            let middle = ((low + high) / 2.0f64).floor();
            *(if fits(middle) { &mut low } else { &mut high }) = middle;
        }
        low
    }

    /// E(x) = (2x (log2 T + 1) + 4) N + 2: what squared distances can add up to where each is at most
    /// x over the steps before (Lemma 3).
    pub fn eluder(&self, x: f64, steps: u64) -> f64 {
        (2.0 * x * (log2(steps) + 1.0) + 4.0) * self.bucket(steps) + 2.0
    }

    /// The bound of Theorem 1 on the regret and on what is certified of it, for costs of at most 1:
    /// 4 B* (sqrt(E) + sqrt(zeta)) sqrt(K) + B* (50 E + 72 zeta + 4 J + 2 n_G + 4) + 4 (1 + B*) ln T +
    /// 2, with E = E(4G).
    pub fn regret_bound(&self, b_star: f64, g: f64, seen: &Observed) -> f64 {
        let Observed { episodes, steps, plans, beyond } = *seen;
        let (e, zeta) = (self.eluder(4.0 * g, steps), self.zeta(steps));
        let k = episodes as f64;
        4.0 * b_star * (e.sqrt() + zeta.sqrt()) * k.sqrt()
            + b_star * (50.0 * e + 72.0 * zeta + 4.0 * plans as f64 + 2.0 * beyond as f64 + 4.0)
            + 4.0 * (1.0 + b_star) * (steps.max(1) as f64).log_e()
            + 2.0
    }

    /// The bound of Theorem 2 on J: for the passing of time, for its trigger, and for
    /// [further](Self::further_plans) plans.
    pub fn most_plans(&self, steps: u64) -> f64 {
        let doublings = (self.gamma(steps) / self.gamma(1)).log_2();
        let triggered = 11.0 * self.bucket(steps) * (log2(steps) + 2.0) * (1.0 + doublings);
        2.0 * log2(steps) + 4.0 + triggered + self.further_plans(steps)
    }

    /// 8m(2 + log2 t): how many plans Theorem 2 leaves room for that it does not ask for, at 4 B*
    /// each.
    pub fn further_plans(&self, steps: u64) -> f64 {
        8.0 * self.m as f64 * (2.0 + log2(steps))
    }
}

fn log2(steps: u64) -> f64 {
    (steps.max(1) as f64).log_2()
}
