//! Parameters that several learners have.

use crate::confidence::{Norms, RadiusKind};
use crate::numeric::Rows;
use crate::parameters::{Bound, Choice, Key};
use crate::plan::Planner;
use Choice::{WithCount, WithNumber, Word};

pub(crate) const B: Key<Bound> = Key::number_or_oracle(
    "B",
    "upper bound on B* = max V*, for instance 3; oracle takes the true B* and says so",
);

/// B, for learners that can do without a bound.
pub(crate) const B_OR_DOUBLING: Key<Bound> = Key::number_oracle_or_doubling(
    "B",
    "upper bound on B* = max V*, for instance 3; oracle takes the true B* and says so; doubling begins with \
     a small one and doubles it when values exceed it: nothing needs to be known, no guarantee",
);

pub(crate) const T_STAR: Key<Bound> = Key::number_or_oracle(
    "t_star",
    "upper bound on T*, the expected steps of the optimal policy from the worst state, for instance \
     20; oracle takes the true T* and says so",
);

pub(super) const C_MIN: Key<f64> =
    Key::number("c_min", 0.0, 1e300, "lower bound on the costs off the goal").computed("smallest cost");

pub(super) const DELTA: Key<f64> =
    Key::probability("delta", "failure probability, goes into the radius as given").or("0.01");

pub(super) const LAMBDA: Key<f64> = Key::number("lambda", 1e-24, 1e24, "ridge").computed("1/B^2");

pub(super) const GAMMA: Key<f64> =
    Key::number("gamma", 0.0, 1e30, "weight of the uncertainty in the variance").computed("d^(-1/4)");

pub(super) const LEVELS: Key<u64> =
    Key::count("levels", 2, 4096, "number L of moment levels").computed("max(2, ceil(log2(5B/c_min)))");

/// The factor on a learner's bonuses, or on its radius.
pub(super) const SCALE: Key<f64> =
    Key::number("scale", 0.0, 1e30, "multiplies the radius; any value but 1 has no guarantee").or("1");

/// H of the finite-horizon reduction.
pub(super) const INTERVAL: Key<u64> =
    Key::count("interval", 1, 1_000_000_000, "steps H of an interval").computed("ceil(4 T* ln(4K))");

pub(super) const TERMINAL: Key<f64> =
    Key::number("terminal", 0.0, 1e300, "what an interval pays that ends off the goal").computed("2 B");

/// The whole radius times a factor.
pub(super) const SCALED: Choice = WithNumber("scaled", 1e-30, 1e30);

pub(super) const RADIUS: Key<RadiusKind> = Key::choice(
    "radius",
    &[Word("printed"), Word("determinant"), SCALED],
    "printed: the paper's formula; determinant: Hoeffding's bound with the realised determinant, far smaller and valid, no regret theorem; \
     scaled:X: printed times X, no guarantee",
)
.or("printed");

pub(super) const DELTA_SPLIT: Key<bool> = Key::flag(
    "delta_split",
    "divide delta by 2L+1, so that the guarantee holds with probability 1 - delta (reading T5); \
     radius=determinant never needs to",
)
.or("false");

pub(super) const NORMS: Key<Norms> = Key::choice(
    "norms",
    &[Word("printed"), Word("computed")],
    "printed: |phi_V| <= 1 and sqrt(lambda)|theta*| <= 1, as the theorem assumes and most problems do not \
     meet; computed: the problem's own norms (reading B1), with which the radius is valid",
)
.computed("printed; computed for radius=determinant");

pub(super) const PHI_NORM: Key<f64> =
    Key::number("phi_norm", 0.0, 1e30, "bound on |phi_V| for V in [0,1] (reading B1)")
        .computed("1; norms=computed: from the features");

pub(super) const THETA_NORM: Key<f64> = Key::number(
    "theta_norm",
    0.0,
    1e30,
    "bound on |theta*| (reading B1); with the printed norms sqrt(lambda)|theta*| is the printed 1",
)
.computed("1/sqrt(lambda); norms=computed: the largest norm in the set B");

pub(super) const PLANNER: Key<Planner> = Key::choice(
    "planner",
    &[Word("auto"), Word("faithful"), Word("fast")],
    "faithful: value iteration from zero, as printed; fast: policy iteration with a certificate; auto: \
     faithful, and fast if that takes more than 2^16 support problems",
)
.or("auto");

pub(super) const ROWS: Key<Rows> = Key::choice(
    "rows",
    &[Word("exact"), WithCount("nearest", 1)],
    "which of B's rows that can bind a confidence set takes, where they are many: exact (all, which may be \
     slow) or nearest:N. The nearest are taken, N of more than 65,536 different rows, else the larger of \
     4 N and 2^24 / pairs, with more than 4,096 pairs a quarter of that; the set is then larger, values stay \
     optimistic, and plans say \"relaxed\"",
)
.or("nearest:256");
