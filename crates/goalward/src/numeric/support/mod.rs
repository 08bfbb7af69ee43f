//! Support minimisation: min <c, theta> over (ellipsoid ∩ polytope), for one set and millions of objectives.

/// {theta : (theta - center)' shape (theta - center) <= radius^2}.
#[derive(Clone, Copy, Debug)]
pub struct Ellipsoid<'a> {
    /// The centre, d numbers.
    pub center: &'a [f64],
    /// The positive definite matrix Sigma, d x d.
    pub shape: &'a [f64],
    /// The radius beta in the norm of the shape.
    pub radius: f64,
}

/// How a support problem ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Value and bound agree to 1e-9 relative.
    Optimal,
    /// They do not; the bound is still a bound.
    Inaccurate,
}

/// The answer to one support problem.
#[derive(Clone, Copy, Debug)]
pub struct Support {
    /// <c, theta> at the best point found, which lies in the set (to rounding).
    pub value: f64,
    /// A certified lower bound on the minimum, from a dual feasible point.
    pub bound: f64,
    /// How it ended.
    pub status: Status,
}

/// What one objective's last solve leaves for its next: the rows that were active.
#[derive(Clone, Debug, Default)]
pub struct Warm {
    /// The working set.
    pub rows: Vec<u16>,
}

/// One set, millions of objectives.
pub trait SupportMin {
    /// Minimises <c, theta> over the set.
    fn min(&mut self, c: &[f64], warm: &mut Warm) -> Support;
}
