//! A dual active-set method for min w'y over |y| <= 1, G y <= h.
//!
//! The dual is min over lambda >= 0 of |w + G'lambda| + h'lambda. On a working set W its stationary
//! point has a closed form (p, q, y_W, u as in [`Working`]):
//!
//! ```text
//! s^2 = 1 - |y_W|^2    mu = |u| / s    lambda = -(p + mu q)    y = y_W - u / mu
//! ```
//!
//! and with u = 0, the normal case, lambda = -p and y = y_W. Each step moves lambda towards it,
//! stops at the first multiplier that reaches zero and drops its row; after a full step the most
//! violated row joins.

use super::lanes::{Lanes, add, inner, width};
use super::whiten::Whitened;
use super::working::Working;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Optimal,
    /// The set is thinner than rounding: `y` is its point, multipliers approach the optimum.
    Touching,
    Empty,
    Stalled,
}

/// u below this share of w is rounding.
const FLAT: f64 = 1e-13;
/// s^2 below this is a touch.
const TOUCH: f64 = 1e-15;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// Nothing: an answer depends on its objective and its start alone.
    Unwanted,
    /// Nothing yet.
    Nothing,
    /// The factor of W, and the number of solves that have reused it.
    Factor(u32),
}

impl Held {
    pub(super) fn note(&mut self, end: End) {
        *self = match (*self, end) {
            (Held::Unwanted, _) => Held::Unwanted,
            (_, End::Empty | End::Stalled) => Held::Nothing,
            (Held::Nothing, _) => Held::Factor(0),
            (Held::Factor(age), _) => Held::Factor(age + 1),
        };
    }

    /// The set is another one now.
    pub(super) fn forget(&mut self) {
        if *self != Held::Unwanted {
            *self = Held::Nothing;
        }
    }
}

/// The method's state and workspace; a solve allocates nothing.
#[derive(Clone, Debug)]
pub(super) struct ActiveSet {
    pub(super) working: Working,
    pub(super) lambda: Vec<f64>,
    pub(super) y: Vec<Lanes>,
    pub(super) round: bool,
    /// The number of steps after which a solve gives up; set by tests.
    pub(super) patience: Option<usize>,
    /// What the next solve may take over.
    pub(super) held: Held,
    target: Vec<f64>,
    q: Vec<f64>,
    /// The objective that took w's place, if any did.
    shaken: Vec<Lanes>,
    /// Violations up to this were shown to be rounding.
    deaf: f64,
}

impl ActiveSet {
    pub(super) fn new(free: usize) -> Self {
        let zeros = || vec![0.0; free + 1];
        ActiveSet {
            working: Working::new(free),
            lambda: Vec::with_capacity(free + 1),
            y: vec![[0.0; 4]; width(free)],
            round: false,
            patience: None,
            held: Held::Unwanted,
            target: zeros(),
            q: zeros(),
            shaken: Vec::new(),
            deaf: 0.0,
        }
    }

    /// Solves for |w| = 1, starting from the rows named; wrong names are harmless.
    pub(super) fn solve(
        &mut self,
        set: &Whitened,
        w: &[Lanes],
        start: impl Iterator<Item = usize> + Clone,
    ) -> End {
        self.shaken.clear();
        self.deaf = 0.0;
        let start = start.take(set.free).filter(|&row| row < set.limits.len());
        if !self.take_over(set, w, start.clone()) {
            self.working.start(w);
            self.lambda.clear();
            for row in start {
                if !self.working.rows.contains(&row) {
                    self.push(set, row, 0.0);
                }
            }
        }
        let end = self.go_on(set, w);
        self.held.note(end);
        end
    }

    fn go_on(&mut self, set: &Whitened, w: &[Lanes]) -> End {
        let rows = set.limits.len().min(1000);
        let (ample, pause) = (50 + 5 * set.free + rows, 40 + 4 * set.free);
        let steps = self.patience.unwrap_or(ample + 4 * pause + 10 * (set.free + rows));
        let mut shake = 1e-12;
        for step in 0..steps {
            if step >= ample && (step - ample) % pause == 0 && shake < 1e-9 {
                shake *= 10.0;
                self.shake(set, w, shake);
            }
            let Some(touching) = self.aim() else {
                if self.follow_ray() {
                    continue;
                }
                if certified(set, self.working.rows.iter().zip(&self.q).map(|(&i, q)| (i, -q))) {
                    return End::Empty;
                }
                // between a point off the ball by rounding and one off the rows, the former
                self.y.copy_from_slice(&self.working.nearest);
                return End::Touching;
            };
            if self.follow_target() {
                continue;
            }
            let Some((row, violation)) = set.most_violated(&self.y, self.deaf, &self.working.rows) else {
                return if touching { End::Touching } else { End::Optimal };
            };
            if !self.push(set, row, 0.0) && !self.slide(set, row) {
                let depends =
                    self.working.rows.iter().zip(&self.q).map(|(&i, z)| (i, -z)).chain([(row, 1.0)]);
                if certified(set, depends) {
                    return End::Empty;
                }
                self.deaf = violation;
            }
        }
        End::Stalled
    }

    /// Goes on for a slightly different objective: where the objective is constant on a face, steps
    /// of length zero may go in circles. The bound shows what the difference costs.
    #[cold]
    fn shake(&mut self, set: &Whitened, w: &[Lanes], share: f64) {
        self.shaken.clear();
        self.shaken.extend_from_slice(w);
        let components = &mut self.shaken.as_flattened_mut()[..set.free];
        for (j, w) in components.iter_mut().enumerate() {
            *w += share * (((j + 1) as f64 * 0.618_033_988_749_894_9).fract() - 0.5);
        }
        let (rows, lambda) = (self.working.rows.clone(), std::mem::take(&mut self.lambda));
        self.working.start(&self.shaken);
        for (row, lambda) in rows.into_iter().zip(lambda) {
            self.push(set, row, lambda);
        }
    }

    /// Factors W afresh and moves to its stationary point: what many updates lost is regained.
    pub(super) fn refine(&mut self, set: &Whitened, w: &[Lanes]) {
        let rows = self.working.rows.clone();
        self.working.start(if self.shaken.is_empty() { w } else { &self.shaken });
        self.lambda.clear();
        for row in rows {
            self.push(set, row, 0.0);
        }
        if self.aim().is_some() {
            let n = self.working.len();
            self.lambda.iter_mut().zip(&self.target[..n]).for_each(|(l, t)| *l = t.max(0.0));
        }
    }

    /// Sets lambda to the non-negative part of -(p + mu q), and y to the point of mu.
    pub(super) fn press(&mut self, mu: f64) {
        self.working.multipliers(mu, &mut self.target);
        self.lambda.iter_mut().zip(&self.target).for_each(|(l, t)| *l = t.max(0.0));
        self.y.copy_from_slice(&self.working.nearest);
        add(&mut self.y, -1.0 / mu, &self.working.outside);
    }

    /// |u|, the part of w outside the span of W's rows.
    pub(super) fn outside_norm(&self) -> f64 {
        inner(&self.working.outside, &self.working.outside).sqrt()
    }

    /// Whether lambda stays non-negative when W's rows also take over `defect`.
    pub(super) fn outweighs(&mut self, defect: &[Lanes]) -> bool {
        self.working.share(defect, &mut self.q);
        self.lambda.iter().zip(&self.q).all(|(l, share)| *l >= 4.0 * share.abs())
    }

    pub(super) fn adopt(
        &mut self,
        rows: impl Iterator<Item = usize>,
        lambda: impl Iterator<Item = f64>,
        y: &[Lanes],
        round: bool,
    ) {
        self.working.rows.clear();
        self.working.rows.extend(rows);
        self.lambda.clear();
        self.lambda.extend(lambda);
        self.y.copy_from_slice(y);
        self.round = round;
    }

    pub(super) fn push(&mut self, set: &Whitened, row: usize, lambda: f64) -> bool {
        set.copy_row(row, &mut self.working.candidate);
        let joined = self.working.push(row, set.limits[row]);
        if joined {
            self.lambda.push(lambda);
        }
        joined
    }

    fn drop(&mut self, place: usize) {
        self.working.drop(place);
        self.lambda.remove(place);
    }

    /// Computes target and y, and whether the set is touched; none where the rows miss the ball:
    /// lambda then grows along -q.
    fn aim(&mut self) -> Option<bool> {
        let s_sq = 1.0 - self.working.nearest_sq();
        if s_sq < -TOUCH {
            self.working.q(&mut self.q);
            return None;
        }
        let outside_sq = self.working.outside_sq();
        self.round = outside_sq > FLAT * FLAT;
        if !self.round {
            // from here on for w - u: were u forgotten now and remembered when a row joins, that
            // row would leave again
            self.working.outside.fill([0.0; 4]);
            self.y.copy_from_slice(&self.working.nearest);
            self.working.multipliers(0.0, &mut self.target);
            return Some(false);
        }
        let touching = s_sq <= TOUCH;
        // y first, which the next row waits for: one root for s / |u|
        let step = (s_sq.max(0.0) / outside_sq).sqrt();
        for (y, (nearest, u)) in self.y.iter_mut().zip(self.working.nearest.iter().zip(&self.working.outside))
        {
            for lane in 0..4 {
                y[lane] = nearest[lane] - step * u[lane];
            }
        }
        self.working.multipliers((outside_sq / s_sq.max(TOUCH)).sqrt(), &mut self.target);
        Some(touching)
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
        let target = &self.target[..self.working.len()];
        let (mut low, mut high) = (0.0, 0.0);
        for &t in target {
            low = if t < low { t } else { low };
            high = if t > high { t } else { high };
        }
        let rounding = 1e-14 * f64::max(high, -low);
        if low >= -rounding {
            self.lambda.iter_mut().zip(target).for_each(|(l, t)| *l = t.max(0.0));
            return false;
        }
        let mut first = (0, f64::INFINITY);
        for (a, (&from, &to)) in self.lambda.iter().zip(target).enumerate() {
            if to < -rounding {
                let step = from / (from - to);
                // of several at once, the one that the target wants least
                if step < first.1 || step == first.1 && to < target[first.0] {
                    first = (a, step);
                }
            }
        }
        let (place, step) = first;
        self.lambda.iter_mut().zip(target).for_each(|(l, t)| *l = (*l + step * (t - *l)).max(0.0));
        self.drop(place);
        true
    }

    /// Trades rows of W for a dependent violated row; false if none may leave.
    fn slide(&mut self, set: &Whitened, row: usize) -> bool {
        let mut gained = 0.0;
        loop {
            let n = self.working.len();
            self.working.combination(&mut self.q);
            let Some((place, step)) = first_to_vanish(&self.lambda, &self.q[..n]) else { return false };
            self.lambda.iter_mut().zip(&self.q).for_each(|(l, z)| *l = (*l - step * z).max(0.0));
            gained += step;
            self.lambda.remove(place);
            if n == set.free && self.working.exchange(place, row, set.limits[row]) {
                self.lambda.push(gained);
                return true;
            }
            if n < set.free {
                self.working.drop(place);
            }
            if self.push(set, row, gained) {
                return true;
            }
        }
    }
}

/// Where lambda - step rate first loses a multiplier; of several, the one that falls fastest.
pub(super) fn first_to_vanish(lambda: &[f64], rate: &[f64]) -> Option<(usize, f64)> {
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

/// Whether z >= 0 proves that no |y| <= 1 has G y <= h: |G'z| + h'z < 0.
pub(super) fn certified(set: &Whitened, z: impl Iterator<Item = (usize, f64)>) -> bool {
    let mut pull = vec![0.0; set.free];
    let (mut sum, mut size) = (0.0, 0.0);
    for (i, z) in z.map(|(i, z)| (i, z.max(0.0))) {
        pull.iter_mut().enumerate().for_each(|(j, p)| *p += z * set.entry(i, j));
        sum += z * set.limits[i];
        size += z * (set.limits[i].abs() + 1e10 * set.doubt[i]);
    }
    let pull = crate::norm(&pull);
    pull + sum < -1e-10 * (pull + size)
}
