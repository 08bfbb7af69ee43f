//! A dual active-set method for min w'y over |y| <= 1, G y <= h.
//!
//! The dual is min over lambda >= 0 of |w + G'lambda| + h'lambda. On a working set W its stationary point has a closed
//! form (p, q, y_W, u as in [`Working`]):
//!
//! ```text
//! s^2 = 1 - |y_W|^2    mu = |u| / s    lambda = -(p + mu q)    y = y_W - u / mu
//! ```
//!
//! and with u = 0, the normal case while the ball contains the polytope, lambda = -p and y = y_W. Each step moves lambda
//! towards it, stops at the first multiplier that reaches zero and drops its row; after a full step the most violated
//! row joins. Without the ratio tests it cycles. A step costs O(k |W| + k m).

use super::inner;
use super::whiten::Whitened;
use super::working::Working;
use crate::numeric::norm;

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// No row is violated.
    Optimal,
    /// The set is thinner than rounding: `y` is its point, the multipliers only approach the optimum.
    Touching,
    /// A certificate says that the set is empty.
    Empty,
    /// Too many steps.
    Stalled,
}

/// u below this share of w is rounding.
const FLAT: f64 = 1e-13;
/// s^2 below this is a touch.
const TOUCH: f64 = 1e-12;

/// The method's state and workspace; a solve allocates nothing.
#[derive(Clone, Debug)]
pub(super) struct ActiveSet {
    pub(super) working: Working,
    /// The multipliers of the rows in W.
    pub(super) lambda: Vec<f64>,
    pub(super) y: Vec<f64>,
    /// Whether the ball constrains the answer.
    pub(super) round: bool,
    target: Vec<f64>,
    q: Vec<f64>,
    u: Vec<f64>,
    /// Violations up to this were shown to be rounding.
    deaf: f64,
}

/// Where lambda should go, given W.
enum Aim {
    /// To `target`.
    Target { touching: bool },
    /// Without end along -q: the rows miss the ball.
    Ray,
}

impl ActiveSet {
    pub(super) fn new(free: usize) -> Self {
        let zeros = || vec![0.0; free + 1];
        ActiveSet {
            working: Working::new(free),
            lambda: Vec::with_capacity(free + 1),
            y: vec![0.0; free],
            round: false,
            target: zeros(),
            q: zeros(),
            u: vec![0.0; free],
            deaf: 0.0,
        }
    }

    /// Solves for |w| = 1, starting from the rows named; wrong names are harmless.
    pub(super) fn solve(&mut self, set: &Whitened, w: &[f64], start: impl Iterator<Item = usize>) -> End {
        self.working.clear();
        self.lambda.clear();
        self.deaf = 0.0;
        for row in start.take(set.free) {
            if row < set.limits.len() && !self.working.rows.contains(&row) {
                self.push(set, w, row, 0.0);
            }
        }
        for _ in 0..50 + 10 * (set.free + set.limits.len().min(1000)) {
            let touching = match self.aim(w) {
                Aim::Ray => {
                    if self.follow_ray() {
                        continue;
                    }
                    if certified(
                        set,
                        self.working.rows.iter().zip(&self.q).map(|(&i, q)| (i, -q)),
                        &mut self.u,
                    ) {
                        return End::Empty;
                    }
                    // between a point off the ball by rounding and one off the rows, the former
                    self.working.nearest(&mut self.y);
                    return End::Touching;
                }
                Aim::Target { touching } => {
                    if self.follow_target() {
                        continue;
                    }
                    touching
                }
            };
            let Some((row, violation)) = self.most_violated(set) else {
                return if touching { End::Touching } else { End::Optimal };
            };
            if !self.push(set, w, row, 0.0) && !self.slide(set, w, row) {
                let depends =
                    self.working.rows.iter().zip(&self.q).map(|(&i, z)| (i, -z)).chain([(row, 1.0)]);
                if certified(set, depends, &mut self.u) {
                    return End::Empty;
                }
                self.deaf = violation;
            }
        }
        End::Stalled
    }

    /// Factors W afresh and moves to its stationary point: what many updates lost is regained.
    pub(super) fn refine(&mut self, set: &Whitened, w: &[f64]) {
        let rows = std::mem::take(&mut self.working.rows);
        self.working.clear();
        self.lambda.clear();
        for row in rows {
            self.push(set, w, row, 0.0);
        }
        if let Aim::Target { .. } = self.aim(w) {
            let n = self.working.len();
            self.lambda.iter_mut().zip(&self.target[..n]).for_each(|(l, t)| *l = t.max(0.0));
        }
    }

    /// Sets lambda to -(p + mu q), its negative parts to zero: where the set only touches, no finite mu is best.
    pub(super) fn press(&mut self, mu: f64) {
        self.working.p(&mut self.target);
        self.working.q(&mut self.q);
        let pairs = self.target.iter().zip(&self.q);
        self.lambda.iter_mut().zip(pairs).for_each(|(l, (p, q))| *l = (-(p + mu * q)).max(0.0));
    }

    /// Whether lambda stays nonnegative when W's rows also take over `defect`, with room for rounding.
    pub(super) fn outweighs(&mut self, defect: &[f64]) -> bool {
        self.working.share(defect, &mut self.q);
        self.lambda.iter().zip(&self.q).all(|(l, share)| *l >= 4.0 * share.abs())
    }

    fn push(&mut self, set: &Whitened, w: &[f64], row: usize, lambda: f64) -> bool {
        let joined = self.working.push(row, set.row(row), set.limits[row], w);
        if joined {
            self.lambda.push(lambda);
        }
        joined
    }

    fn drop(&mut self, place: usize) {
        self.working.drop(place);
        self.lambda.remove(place);
    }

    /// Computes target and y, or q alone for a ray.
    fn aim(&mut self, w: &[f64]) -> Aim {
        let n = self.working.len();
        let s_sq = 1.0 - self.working.nearest_sq();
        self.working.q(&mut self.q);
        if s_sq < -TOUCH {
            return Aim::Ray;
        }
        self.working.p(&mut self.target);
        self.working.nearest(&mut self.y);
        let outside = self.working.outside(w, &mut self.u);
        self.round = outside > FLAT;
        if !self.round {
            self.target[..n].iter_mut().for_each(|t| *t = -*t);
            return Aim::Target { touching: false };
        }
        let touching = s_sq <= TOUCH;
        let mu = outside / s_sq.max(TOUCH).sqrt();
        self.target[..n].iter_mut().zip(&self.q).for_each(|(t, q)| *t = -(*t + mu * q));
        if !touching {
            self.y.iter_mut().zip(&self.u).for_each(|(y, u)| *y -= u / mu);
        }
        Aim::Target { touching }
    }

    /// Moves lambda along -q to the first multiplier that reaches zero; false if none does.
    fn follow_ray(&mut self) -> bool {
        let n = self.working.len();
        let Some((place, step)) = first_to_vanish(&self.lambda, &self.q[..n]) else { return false };
        self.lambda.iter_mut().zip(&self.q).for_each(|(l, q)| *l = (*l - step * q).max(0.0));
        self.drop(place);
        true
    }

    /// Moves lambda towards the target; true if a multiplier reached zero on the way.
    fn follow_target(&mut self) -> bool {
        let n = self.working.len();
        let rounding = 1e-14 * self.target[..n].iter().fold(0.0, |m: f64, t| m.max(t.abs()));
        let mut first: Option<(usize, f64)> = None;
        for a in 0..n {
            let (from, to) = (self.lambda[a], self.target[a]);
            if to < -rounding {
                let step = from / (from - to);
                // of several at once, the one that the target wants least
                if first.is_none_or(|(b, least)| step < least || step == least && to < self.target[b]) {
                    first = Some((a, step));
                }
            }
        }
        let step = first.map_or(1.0, |(_, step)| step);
        for (l, t) in self.lambda.iter_mut().zip(&self.target) {
            *l = if step == 1.0 { t.max(0.0) } else { (*l + step * (t - *l)).max(0.0) };
        }
        if let Some((place, _)) = first {
            self.drop(place);
        }
        first.is_some()
    }

    /// The row that y violates most, beyond rounding.
    fn most_violated(&self, set: &Whitened) -> Option<(usize, f64)> {
        let size = norm(&self.y);
        let mut worst: Option<(usize, f64)> = None;
        for (i, (g, &h)) in set.rows.chunks_exact(set.free).zip(&set.limits).enumerate() {
            let violation = inner(g, &self.y) - h;
            if violation > worst.map_or(self.deaf, |(_, v)| v)
                && violation > 1e-12 * (size + h.abs()) + set.noise[i]
                && !self.working.rows.contains(&i)
            {
                worst = Some((i, violation));
            }
        }
        worst
    }

    /// Trades rows of W for a violated row that depends on them; false, with the combination in q, if none may leave.
    fn slide(&mut self, set: &Whitened, w: &[f64], row: usize) -> bool {
        let mut gained = 0.0;
        loop {
            let n = self.working.len();
            self.working.combination(&mut self.q);
            let Some((place, step)) = first_to_vanish(&self.lambda, &self.q[..n]) else { return false };
            self.lambda.iter_mut().zip(&self.q).for_each(|(l, z)| *l = (*l - step * z).max(0.0));
            gained += step;
            self.drop(place);
            if self.push(set, w, row, gained) {
                return true;
            }
        }
    }
}

/// Where lambda - step rate first loses a multiplier; of several at once, the one that falls fastest.
fn first_to_vanish(lambda: &[f64], rate: &[f64]) -> Option<(usize, f64)> {
    let rounding = 1e-12 * rate.iter().fold(0.0, |m: f64, r| m.max(r.abs()));
    let mut first: Option<(usize, f64)> = None;
    for (a, (&l, &r)) in lambda.iter().zip(rate).enumerate() {
        if r > rounding {
            let step = l / r;
            if first.is_none_or(|(b, least)| step < least || step == least && r > rate[b]) {
                first = Some((a, step));
            }
        }
    }
    first
}

/// Whether z, its negative parts taken for rounding, proves that no |y| <= 1 has G y <= h: |G'z| + h'z < 0.
pub(super) fn certified(set: &Whitened, z: impl Iterator<Item = (usize, f64)>, scratch: &mut [f64]) -> bool {
    scratch.fill(0.0);
    let (mut sum, mut size) = (0.0, 0.0);
    for (i, z) in z.map(|(i, z)| (i, z.max(0.0))) {
        scratch.iter_mut().zip(set.row(i)).for_each(|(s, g)| *s += z * g);
        sum += z * set.limits[i];
        size += z * (set.limits[i].abs() + 1e10 * set.noise[i]);
    }
    let pull = norm(scratch);
    pull + sum < -1e-10 * (pull + size)
}
