//! A truth that is given by its probabilities, be it a mixture of the models or not: a simulation
//! may need a truth that no theta makes.

use super::seen::Seen;
use super::truth::{Probabilities, probability};
use super::{
    Action, Faults, Instance, Note, Pair, Problem, ProblemBuilder, ROUNDING, ROW_TOLERANCE, State, Truth,
};
use crate::error::shown;
use crate::numeric::{Cholesky, PolytopeBuilder, dot};
use crate::{Error, Result};
use std::sync::Arc;

/// A probability of the true kernel: state, action, next state, P(next|state, action).
pub type Entry = (State, Action, State, f64);

impl Truth {
    /// The truth whose probabilities are these, whether or not a theta makes them.
    ///
    /// Every pair off the goal needs a row, and each next state must be among the pair's
    /// successors: [`ProblemBuilder::successor`](super::ProblemBuilder::successor) adds one that no
    /// model has. Rows may be off by [`ROW_TOLERANCE`] and are then divided by their sums, and
    /// [`Truth::note`] says so. If some theta in B makes all probabilities but for rounding, the
    /// truth is a mixture and [`Truth::theta`] has it.
    ///
    /// ```
    /// use goalward_mdp::problem::{Problem, Truth};
    /// // two models of two coins: both fair, or both sure
    /// let mut builder = Problem::builder("coins", 3, 2);
    /// for s in [0, 1] {
    ///     let toss = builder.action(s, 1.0)?;
    ///     builder.feature(s, toss, s, &[0.5, 0.0])?.feature(s, toss, s + 1, &[0.5, 1.0])?;
    /// }
    /// let coins = builder.build()?;
    /// let of = |stay: [f64; 2]| {
    ///     let row = |s: usize| [(s, 0, s, stay[s]), (s, 0, s + 1, 1.0 - stay[s])];
    ///     Truth::from_kernel(&coins, &[row(0), row(1)].concat())
    /// };
    /// let alike = of([0.25, 0.25])?;
    /// assert!(alike.theta().is_some_and(|theta| (theta[0] - 0.5).abs() < 1e-12));
    /// let apart = of([0.0, 0.5])?; // one coin is sure, the other fair
    /// assert!(apart.theta().is_none() && apart.row(&coins, 1) == [0.5, 0.5]);
    /// # Ok::<(), goalward_mdp::Error>(())
    /// ```
    pub fn from_kernel(problem: &Problem, entries: &[Entry]) -> Result<Truth> {
        let outline = Outline {
            states: problem.states(),
            goal: problem.goal(),
            actions: &|s| problem.actions(s),
            state_name: &|s| problem.state_name(s).into_owned(),
            action_name: &|s, a| problem.action_name(s, a).into_owned(),
        };
        let mut faults = Faults::new(1);
        outline.faults(entries, &mut faults);
        faults.none()?;
        let mut probabilities = vec![0.0; problem.phi.rows()];
        for (i, &(s, a, next, p)) in entries.iter().enumerate() {
            let pair = problem.pair(s, a);
            match problem.place_of(pair, next) {
                Some(place) => probabilities[problem.rows(pair).start + place] = p,
                None if p == 0.0 => {}
                None => {
                    let place = outline.place(s, a, next);
                    let fault =
                        format!("{place}: the problem has no such successor, not even one of no model");
                    return Err(field(i, fault));
                }
            }
        }
        let note = mend(problem, &mut probabilities);
        let theta = theta_of(problem, &probabilities);
        let probabilities = Probabilities::Own(probabilities);
        Ok(Truth { theta, probabilities, is_kernel: true, note })
    }

    /// The probabilities that are not zero, of all pairs off the goal.
    pub fn entries<'a>(&'a self, problem: &'a Problem) -> impl Iterator<Item = Entry> + 'a {
        let states = (0..problem.states()).filter(|&s| s != problem.goal());
        states.flat_map(move |s| {
            problem.pairs_of(s).enumerate().flat_map(move |(a, pair)| {
                let ends = problem.successors(pair).iter().zip(self.row(problem, pair));
                ends.filter(|(_, p)| **p > 0.0).map(move |(&next, &p)| (s, a, next as State, p))
            })
        })
    }
}

impl Problem {
    /// This problem with the true kernel that these entries list ([`Truth::from_kernel`]).
    ///
    /// Next states that no model has become successors. The problem is then another one, whose
    /// features are whole again if they were split.
    ///
    /// ```
    /// let coin = goalward_mdp::files::json::parse(
    ///     r#"{"states": 3, "start": 0, "goal": 1, "dim": 1, "cost": [[1.0], [], [1.0]],
    ///         "features": [[0, 0, 1, [1.0]], [2, 0, 1, [1.0]]]}"#,
    /// )?;
    /// // in truth it may roll under the table, which no model says
    /// let kernel = [(0, 0, 1, 0.9), (0, 0, 2, 0.1), (2, 0, 1, 1.0)];
    /// let rolls = coin.problem.with_kernel(&kernel)?;
    /// assert_eq!(rolls.problem.successors(0), [1, 2]);
    /// assert!(rolls.truth()?.theta().is_none());
    /// # Ok::<(), goalward_mdp::Error>(())
    /// ```
    pub fn with_kernel(self: &Arc<Problem>, entries: &[Entry]) -> Result<Instance> {
        // what is wrong with an entry is for the truth to say
        let exists = |&(s, a, next, p): &Entry| {
            p > 0.0 && s < self.states() && s != self.goal() && a < self.actions(s) && next < self.states()
        };
        let is_new =
            |entry: &Entry| exists(entry) && self.place_of(self.pair(entry.0, entry.1), entry.2).is_none();
        if !entries.iter().any(is_new) {
            let truth = Truth::from_kernel(self, entries)?;
            let notes = self.notes().iter().cloned().chain(truth.note()).collect();
            return Ok(Instance { problem: self.clone(), truth: Some(truth), model: None, notes });
        }
        let mut builder = ProblemBuilder::like(self);
        builder.allow_lost();
        for s in 0..self.states() {
            for pair in self.pairs_of(s) {
                let a = builder.action(s, self.cost(pair))?;
                let phi = self.phi(pair);
                for (&next, phi) in self.successors(pair).iter().zip(phi.chunks_exact(self.dim())) {
                    builder.feature(s, a, next as usize, phi)?;
                }
            }
        }
        for &(s, a, next, _) in entries.iter().filter(|entry| exists(entry)) {
            builder.successor(s, a, next)?;
        }
        Instance::from_kernel(builder.build()?, entries)
    }
}

impl Instance {
    /// A problem whose true kernel need not be a mixture of its models: [`Truth::from_kernel`].
    pub fn from_kernel(problem: Problem, entries: &[Entry]) -> Result<Instance> {
        let truth = Truth::from_kernel(&problem, entries)?;
        Ok(Instance::of(problem, Some(truth)))
    }
}

fn field(i: usize, fault: String) -> Error {
    Error::Field { field: format!("kernel[{i}]"), fault }
}

/// The shape that a kernel is checked against: of a problem, or of a file.
pub(crate) struct Outline<'a> {
    pub(crate) states: usize,
    pub(crate) goal: State,
    pub(crate) actions: &'a dyn Fn(State) -> usize,
    pub(crate) state_name: &'a dyn Fn(State) -> String,
    pub(crate) action_name: &'a dyn Fn(State, Action) -> String,
}

impl Outline<'_> {
    /// What is wrong with a kernel. Rows are added up only where every entry is right.
    pub(crate) fn faults(&self, entries: &[Entry], faults: &mut Faults) {
        for (i, entry) in entries.iter().enumerate() {
            if faults.suffices() {
                return;
            }
            if let Some(fault) = self.entry_fault(entry) {
                faults.push("content", || field(i, fault));
            }
        }
        let mut order: Vec<usize> = (0..entries.len()).collect();
        let key = |i: usize| (entries[i].0, entries[i].1, entries[i].2);
        order.sort_by_key(|&i| key(i));
        for w in order.windows(2).filter(|w| key(w[0]) == key(w[1])) {
            faults.push("content", || {
                let (s, a, next) = key(w[1]);
                let fault = format!("this probability is given twice, first as kernel[{}]", w[0]);
                field(w[1], format!("{}: {fault}", self.place(s, a, next)))
            });
        }
        if faults.is_empty() {
            self.row_faults(entries, &order, faults);
        }
    }

    fn entry_fault(&self, &(s, a, next, p): &Entry) -> Option<String> {
        let states = self.states;
        if s >= states {
            return Some(format!("state {s} does not exist, there are {states} states"));
        }
        let has = (self.actions)(s);
        if a >= has {
            return Some(format!(
                "state {}: action {a} does not exist, there are {has}",
                (self.state_name)(s)
            ));
        }
        if next >= states {
            let fault = format!("next state {next} does not exist, there are {states} states");
            return Some(format!("{}: {fault}", self.pair(s, a)));
        }
        if !(0.0..=1.0 + ROW_TOLERANCE).contains(&p) {
            let fault = format!("the probability is {}, and must lie in [0, 1]", shown(p));
            return Some(format!("{}: {fault}", self.place(s, a, next)));
        }
        let leaves = s == self.goal && next != s && p > 0.0;
        leaves.then(|| format!("{}: the goal is never left", self.place(s, a, next)))
    }

    fn row_faults(&self, entries: &[Entry], order: &[usize], faults: &mut Faults) {
        let mut at = 0;
        for s in 0..self.states {
            for a in 0..(self.actions)(s) {
                if faults.suffices() {
                    return;
                }
                let first = at;
                while at < order.len() && (entries[order[at]].0, entries[order[at]].1) == (s, a) {
                    at += 1;
                }
                let row = &order[first..at];
                let sum: f64 = row.iter().map(|&i| entries[i].3).sum();
                let Some(&i) = row.iter().min() else {
                    if s != self.goal {
                        faults.push("content", || Error::Field {
                            field: "kernel".into(),
                            fault: format!("{}: there is no row; every pair needs one", self.pair(s, a)),
                        });
                    }
                    continue;
                };
                if (sum - 1.0).abs() > ROW_TOLERANCE {
                    faults.push("content", || {
                        let must = format!("and must sum to one (tolerance {ROW_TOLERANCE:e})");
                        field(i, format!("{}: the row sums to {}, {must}", self.pair(s, a), shown(sum)))
                    });
                }
            }
        }
    }

    fn pair(&self, s: State, a: Action) -> String {
        format!("state {}, action {}", (self.state_name)(s), (self.action_name)(s, a))
    }

    fn place(&self, s: State, a: Action, next: State) -> String {
        format!("{}, next {}", self.pair(s, a), (self.state_name)(next))
    }
}

/// Divides rows that are off by more than rounding by their sums; the note on it.
fn mend(problem: &Problem, probabilities: &mut [f64]) -> Option<Note> {
    let (mut count, mut worst): (usize, Option<(State, Pair, f64)>) = (0, None);
    for s in 0..problem.states() {
        for pair in problem.pairs_of(s) {
            let row = &mut probabilities[problem.rows(pair)];
            if s == problem.goal() {
                row.fill(1.0); // its only successor is itself
                continue;
            }
            let sum: f64 = row.iter().sum();
            let off = |sum: f64| (sum - 1.0).abs();
            if off(sum) <= ROUNDING {
                continue;
            }
            row.iter_mut().for_each(|p| *p /= sum);
            count += 1;
            if worst.is_none_or(|(_, _, other)| off(sum) > off(other)) {
                worst = Some((s, pair, sum));
            }
        }
    }
    let (s, pair, sum) = worst?;
    let state = problem.state_name(s).into_owned();
    let action = problem.action_name(s, pair - problem.pairs_of(s).start).into_owned();
    let place = format!("kernel, state {state}, action {action}");
    Some(Note::rescaled(count, ROW_TOLERANCE, &place, sum).at(state, action))
}

/// The theta in B that makes these probabilities but for rounding, if there is one: by least
/// squares along the directions that kernels see; along the others any point that facts allow.
fn theta_of(problem: &Problem, probabilities: &[f64]) -> Option<Vec<f64>> {
    let b = problem.constraints();
    let k = b.free();
    let lift = |e: &Vec<f64>| -> Vec<f64> { b.basis().chunks_exact(k.max(1)).map(|n| dot(n, e)).collect() };
    let seen = Seen::of(problem);
    // as long as B may be along each, so that all matter alike
    let longer = |(e, reach): (&Vec<f64>, &f64)| lift(e).iter().map(|x| x * reach).collect();
    let along: Vec<Vec<f64>> = seen.directions.iter().zip(&seen.reach).map(longer).collect();
    let m = along.len();
    let each = |show: &mut dyn FnMut(&[f64], f64)| {
        for pair in 0..problem.pairs() {
            let row = &probabilities[problem.rows(pair)];
            problem.phi(pair).chunks_exact(problem.dim()).zip(row).for_each(|(phi, &p)| show(phi, p));
        }
    };
    let mut gram = vec![0.0; m * m];
    each(&mut |phi, _| {
        let row: Vec<f64> = along.iter().map(|e| dot(phi, e)).collect();
        (0..m).for_each(|i| (0..m).for_each(|j| gram[i * m + j] += row[i] * row[j]));
    });
    let factor = Cholesky::factor(&gram, m)?;
    let mut theta = b.interior().to_vec();
    // twice more, for the digits that normal equations lose
    for _ in 0..3 {
        let mut step = vec![0.0; m];
        each(&mut |phi, p| {
            let rest = p - dot(phi, &theta);
            step.iter_mut().zip(&along).for_each(|(x, e)| *x += rest * dot(phi, e));
        });
        factor.solve(&mut step);
        step.iter().zip(&along).for_each(|(x, e)| theta.iter_mut().zip(e).for_each(|(t, e)| *t += x * e));
    }
    let mut fits = true;
    // written so that a NaN does not fit
    each(&mut |phi, p| fits &= (probability(phi, &theta) - p).abs() <= ROUNDING);
    if !fits {
        return None;
    }
    let inside = |theta: &Vec<f64>| Truth::strict_faults(problem, theta, 1).is_empty();
    if inside(&theta) {
        return Some(theta);
    }
    let hidden: Vec<Vec<f64>> = seen.others(k).iter().map(lift).collect();
    let mut allowed = PolytopeBuilder::new(hidden.len());
    for fact in problem.extra() {
        let a: Vec<f64> = hidden.iter().map(|e| dot(&fact.a, e)).collect();
        allowed.halfspace(&a, fact.b - dot(&fact.a, &theta) + ROUNDING / 2.0);
    }
    let allowed = allowed.finish().ok()?;
    let moved = allowed.interior().iter().zip(&hidden);
    moved.for_each(|(y, e)| theta.iter_mut().zip(e).for_each(|(t, e)| *t += y * e));
    Some(theta).filter(inside)
}
