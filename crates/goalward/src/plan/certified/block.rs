//! One strongly connected block after the other, those that lead nowhere else first: values, a policy and bounds.

use super::super::model::{Choice, Model};
use super::bounds;
use super::krylov::Krylov;
use super::reduce::{Elimination, Reduction};
use super::{Sense, Values};

/// Blocks of more arcs are not eliminated: the rows alone would take too much memory.
const REDUCE_ARCS: usize = 3_000_000;
/// Elimination of one policy may take so many multiplications for each arc, and this many in any case, before the block
/// is left to Krylov's method.
const WORK_PER_ARC: f64 = 100.0;
const WORK: f64 = 1e7;
/// And this many where that fails.
const LAST_WORK: f64 = 6e9;
/// Rounds of policy iteration; it needs a dozen.
const ROUNDS: usize = 100;
/// Gauss-Seidel sweeps of value iteration in one improvement.
const SWEEPS: usize = 4;
/// An improvement counts if it exceeds this part of the value.
const NOISE: f64 = 1e-14;
/// The same where the values come from Krylov's method.
const KRYLOV_NOISE: f64 = 1e-12;
/// Rounds of policy iteration for a margin.
const MARGIN_ROUNDS: usize = 30;

/// Solves block by block; the workspaces are shared by all.
pub(super) struct Solver<'a> {
    model: &'a Model,
    sense: Sense,
    precision: f64,
    values: Values,
    first: Reduction,
    second: Reduction,
    krylov: Krylov,
    b: Vec<f64>,
    x: Vec<f64>,
}

/// Which method evaluates the policies of the block at hand.
#[derive(Clone, Copy)]
enum Method {
    Elimination { work: f64 },
    Krylov,
}

impl<'a> Solver<'a> {
    pub(super) fn new(model: &'a Model, sense: Sense, precision: f64) -> Solver<'a> {
        let n = model.nodes + 1;
        let values = Values {
            x: vec![0.0; n],
            lower: vec![0.0; n],
            upper: vec![0.0; n],
            policy: (0..model.nodes).map(|s| model.choices(s).start as u32).collect(),
            wide: false,
        };
        Solver {
            model,
            sense,
            precision,
            values,
            first: Reduction::default(),
            second: Reduction::default(),
            krylov: Krylov::default(),
            b: Vec::new(),
            x: Vec::new(),
        }
    }

    /// All blocks, given by their ends.
    pub(super) fn run(mut self, ends: &[u32]) -> Values {
        let mut start = 0;
        for &end in ends {
            let end = end as usize;
            if end - start == 1 {
                self.single(start);
            } else {
                self.block(start, end);
            }
            start = end;
        }
        self.values
    }

    /// A node on its own: no equation to solve, each bound is the formula with the bounds of the successors.
    fn single(&mut self, s: usize) {
        let (model, sense, values) = (self.model, self.sense, &mut self.values);
        let (mut best, mut all) = (sense.worst(), sense.worst());
        let mut by_policy = 0.0;
        for choice in model.choices(s) {
            let arcs = model.arcs(choice);
            let charge = model.charge(choice);
            let (mut x, mut lower, mut upper) = (charge, charge, charge);
            for &(next, w) in arcs {
                x += w * values.x[next as usize];
                lower += w * values.lower[next as usize];
                upper += w * values.upper[next as usize];
            }
            // k + 4 roundings, each relative, of numbers that are not negative
            let roundings = (arcs.len() + 8) as f64 * f64::EPSILON;
            let leaving = model.leaving[choice];
            let down = lower / leaving * (1.0 - roundings);
            let down = if down < 1e-290 { 0.0 } else { down };
            let zero = upper == 0.0 && arcs.iter().all(|e| values.upper[e.0 as usize] == 0.0);
            let up = if zero { 0.0 } else { upper / leaving * (1.0 + roundings) + 1e-300 };
            let (own, other) = if sense == Sense::Least { (up, down) } else { (down, up) };
            if sense.better(x / leaving, best) {
                (best, by_policy, values.policy[s]) = (x / leaving, own, choice as u32);
            }
            if sense.better(other, all) {
                all = other;
            }
        }
        let (lower, upper) = if sense == Sense::Least { (all, by_policy) } else { (by_policy, all) };
        (values.lower[s], values.upper[s]) = (lower, upper);
        values.x[s] = best.max(lower).min(upper);
        values.wide |= upper - lower > self.precision * upper;
    }

    fn block(&mut self, start: usize, end: usize) {
        let model = self.model;
        let arcs: usize = (start..end).flat_map(|s| model.choices(s)).map(|c| model.arcs(c).len()).sum();
        let work = WORK.max(WORK_PER_ARC * arcs as f64);
        let small = arcs <= REDUCE_ARCS;
        let methods = [Method::Elimination { work }, Method::Krylov, Method::Elimination { work: LAST_WORK }];
        for method in methods {
            let done = match method {
                Method::Krylov => self.by_krylov(start, end),
                Method::Elimination { work } => small && self.by_elimination(start, end, work),
            };
            if done && self.bound(method, start, end) {
                return;
            }
        }
        // nothing is proven: bounds that always hold
        self.values.wide = true;
        for s in start..end {
            self.values.lower[s] = 0.0;
            self.values.upper[s] = f64::INFINITY;
        }
    }

    /// What a choice pays and brings from the blocks before.
    fn inflow(&self, start: usize, end: usize, choice: Choice) -> f64 {
        let arcs = self.model.arcs(choice).iter();
        let outside = arcs.filter(|e| !(start..end).contains(&(e.0 as usize)));
        outside.fold(self.model.charge(choice), |b, &(e, w)| b + w * self.values.x[e as usize])
    }

    /// Policy iteration on the nodes with a decision. `false` if elimination is too much work.
    fn by_elimination(&mut self, start: usize, end: usize, work: f64) -> bool {
        let n = end - start;
        let base = self.model.choices(start).start;
        self.first.load(self.model, start, end);
        if !self.first.eliminate_forced() {
            return false;
        }
        let choices = self.first.choices(n - 1).end;
        let mut b: Vec<f64> = (0..choices).map(|c| self.inflow(start, end, base + c)).collect();
        self.first.forward(&mut b);
        let mut x = vec![0.0; n];
        let mut policy: Vec<u32> = (0..n).map(|k| self.first.first[k]).collect();
        if !self.first.rest.is_empty() {
            self.first_policy(&b, &mut policy);
            if !self.iterate(&b, &mut policy, &mut x, work) {
                return false;
            }
        }
        self.first.backward(&b, &mut x);
        for k in 0..n {
            self.values.x[start + k] = x[k];
            self.values.policy[start + k] = base as u32 + policy[k];
        }
        true
    }

    /// A policy that leaves: the nodes that can leave at once, then those that lead to them, and so on.
    fn first_policy(&self, b: &[f64], policy: &mut [u32]) {
        let mut settled = vec![false; policy.len()];
        let mut queue = Vec::new();
        for &node in &self.first.rest {
            let mut best = f64::INFINITY;
            for choice in self.first.choices(node as usize) {
                let price = b[choice] / self.first.out[choice];
                if self.first.out[choice] > 0.0 && price < best {
                    (best, policy[node as usize]) = (price, choice as u32);
                }
            }
            if best < f64::INFINITY {
                settled[node as usize] = true;
                queue.push(node);
            }
        }
        let mut at = 0;
        while at < queue.len() {
            for (choice, home) in self.first.leading_to(queue[at] as usize) {
                if !settled[home] {
                    settled[home] = true;
                    policy[home] = choice;
                    queue.push(home as u32);
                }
            }
            at += 1;
        }
    }

    /// Policy iteration on the rest of the first reduction. `false` if it is too much work, or went wrong.
    fn iterate(&mut self, b: &[f64], policy: &mut Vec<u32>, x: &mut [f64], work: f64) -> bool {
        let rest = std::mem::take(&mut self.first.rest);
        self.first.rest.clone_from(&rest);
        let leaving: Vec<f64> = (0..b.len()).map(|c| self.first.leaving(c)).collect();
        let (mut kept, mut noise) = (policy.clone(), NOISE);
        let mut values = Vec::new();
        for round in 0..ROUNDS {
            if std::env::var_os("DBG").is_some() {
                eprintln!("round {round} rest {} of {}", rest.len(), x.len());
            }
            match self.evaluate(&rest, b, policy, x, work) {
                Elimination::Done => {}
                Elimination::TooMuch => return false,
                Elimination::Improper if round == 0 => return false,
                Elimination::Improper => {
                    // rounding made a policy that never leaves look better
                    policy.clone_from(&kept);
                    noise *= 100.0;
                    if noise > 1e-6 || self.evaluate(&rest, b, policy, x, work) != Elimination::Done {
                        return false;
                    }
                }
            }
            kept.clone_from(policy);
            values.clear();
            values.extend(rest.iter().map(|&s| x[s as usize]));
            let mut changed = false;
            for sweep in 0..SWEEPS {
                let mut moved = false;
                for k in 0..rest.len() {
                    let s = rest[if sweep % 2 == 0 { k } else { rest.len() - 1 - k }] as usize;
                    for choice in self.first.choices(s) {
                        let own = x[s];
                        let fall: f64 =
                            self.first.rows[choice].iter().map(|&(j, w)| w * (own - x[j as usize])).sum();
                        let gain = (b[choice] - fall - self.first.out[choice] * own) / leaving[choice];
                        if self.sense.sigma() * gain < -noise * own.abs() {
                            x[s] += gain;
                            if policy[s] != choice as u32 {
                                policy[s] = choice as u32;
                                changed = true;
                            }
                            moved = true;
                        }
                    }
                }
                if !moved {
                    break;
                }
            }
            if !changed || *policy == kept {
                rest.iter().zip(&values).for_each(|(&s, &value)| x[s as usize] = value);
                return true;
            }
        }
        policy.clone_from(&kept);
        self.evaluate(&rest, b, policy, x, work) == Elimination::Done
    }

    fn evaluate(&mut self, rest: &[u32], b: &[f64], policy: &[u32], x: &mut [f64], work: f64) -> Elimination {
        self.second.load_policy(&self.first, policy);
        let outcome = self.second.eliminate_all(work);
        if outcome == Elimination::Done {
            self.b.clear();
            self.b.extend(rest.iter().map(|&s| b[policy[s as usize] as usize]));
            self.x.clear();
            self.x.resize(rest.len(), 0.0);
            self.second.solve(&mut self.b, &mut self.x);
            rest.iter().zip(&self.x).for_each(|(&s, &value)| x[s as usize] = value);
        }
        outcome
    }

    /// Policy iteration with inexact evaluations. `false` if it went wrong.
    fn by_krylov(&mut self, start: usize, end: usize) -> bool {
        let n = end - start;
        let model = self.model;
        let mut policy = self.leaving_policy(start, end);
        let mut x = vec![0.0; n];
        let (mut tolerance, mut noise) = (1e-4, KRYLOV_NOISE);
        let mut kept: Option<Vec<Choice>> = None;
        for _ in 0..ROUNDS {
            let b: Vec<f64> = policy.iter().map(|&choice| self.inflow(start, end, choice)).collect();
            self.krylov.load(model, start, &policy);
            if !self.krylov.solve(&b, &mut x, tolerance) || x.iter().any(|&x| x < 0.0) {
                if tolerance > 1e-12 && !x.iter().any(|x| !x.is_finite()) && self.leaves(start, &policy) {
                    tolerance *= 1e-3;
                    continue;
                }
                match kept.take() {
                    // an improvement by values that were not accurate enough
                    Some(before) if before != policy => {
                        (policy, tolerance, noise) = (before, 1e-13, noise * 10.0);
                        x.fill(0.0);
                        continue;
                    }
                    _ => return false,
                }
            }
            (0..n).for_each(|k| self.values.x[start + k] = x[k]);
            kept = Some(policy.clone());
            let floor = noise.max(tolerance * 1e-2);
            let (largest, changes) = self.improve(start, end, &mut policy, floor);
            if changes == 0 && tolerance <= 1e-12 {
                (0..n).for_each(|k| {
                    self.values.x[start + k] = x[k];
                    self.values.policy[start + k] = policy[k] as u32;
                });
                return self.leaves(start, &policy);
            }
            (0..n).for_each(|k| x[k] = self.values.x[start + k]);
            let next = if changes == 0 { tolerance * 1e-5 } else { tolerance.min(1e-3 * largest) };
            tolerance = next.max(1e-13);
        }
        false
    }

    /// One Gauss-Seidel sweep of value iteration in place; the largest relative gain, and how many choices changed.
    fn improve(&mut self, start: usize, end: usize, policy: &mut [Choice], noise: f64) -> (f64, usize) {
        let (model, sigma) = (self.model, self.sense.sigma());
        let x = &mut self.values.x;
        let (mut largest, mut changes) = (0.0f64, 0);
        for s in start..end {
            let own = x[s];
            let mut best = -noise * own.abs();
            let mut to = policy[s - start];
            for choice in model.choices(s) {
                let fall: f64 = model.arcs(choice).iter().map(|&(j, w)| w * (own - x[j as usize])).sum();
                let gain = sigma * (model.charge(choice) - fall) / model.leaving[choice];
                if gain < best {
                    (best, to) = (gain, choice);
                }
            }
            if to != policy[s - start] {
                policy[s - start] = to;
                x[s] = own + sigma * best;
                largest = largest.max(best.abs() / own.abs().max(f64::MIN_POSITIVE));
                changes += 1;
            }
        }
        (largest, changes)
    }

    /// Any policy that leaves the block from everywhere: backwards from the nodes that can leave at once.
    fn leaving_policy(&self, start: usize, end: usize) -> Vec<Choice> {
        let (model, n) = (self.model, end - start);
        let mut policy = vec![usize::MAX; n];
        let mut first = vec![0u32; n + 2];
        let all = || (start..end).flat_map(|s| model.choices(s).map(move |choice| (s - start, choice)));
        let local = |next: u32| Some((next as usize).wrapping_sub(start)).filter(|&j| j < n);
        for (_, choice) in all() {
            model.arcs(choice).iter().filter_map(|e| local(e.0)).for_each(|j| first[j + 2] += 1);
        }
        (2..n + 2).for_each(|j| first[j] += first[j - 1]);
        let mut into = vec![(0u32, 0u32); first[n + 1] as usize];
        let mut queue: Vec<u32> = Vec::with_capacity(n);
        for (s, choice) in all() {
            for &(next, _) in model.arcs(choice) {
                match local(next) {
                    Some(j) => {
                        into[first[j + 1] as usize] = (s as u32, choice as u32);
                        first[j + 1] += 1;
                    }
                    None if policy[s] == usize::MAX => {
                        policy[s] = choice;
                        queue.push(s as u32);
                    }
                    None => {}
                }
            }
        }
        let mut at = 0;
        while at < queue.len() {
            let j = queue[at] as usize;
            for &(s, choice) in &into[first[j] as usize..first[j + 1] as usize] {
                if policy[s as usize] == usize::MAX {
                    policy[s as usize] = choice as Choice;
                    queue.push(s);
                }
            }
            at += 1;
        }
        policy
    }

    /// Whether a policy leaves the block from everywhere.
    fn leaves(&self, start: usize, policy: &[Choice]) -> bool {
        let n = policy.len();
        let local = |next: u32| Some((next as usize).wrapping_sub(start)).filter(|&j| j < n);
        let mut first = vec![0u32; n + 2];
        for &choice in policy {
            self.model.arcs(choice).iter().filter_map(|e| local(e.0)).for_each(|j| first[j + 2] += 1);
        }
        (2..n + 2).for_each(|j| first[j] += first[j - 1]);
        let mut into = vec![0u32; first[n + 1] as usize];
        let (mut reached, mut queue) = (vec![false; n], Vec::with_capacity(n));
        for (s, &choice) in policy.iter().enumerate() {
            for &(next, _) in self.model.arcs(choice) {
                match local(next) {
                    Some(j) => {
                        into[first[j + 1] as usize] = s as u32;
                        first[j + 1] += 1;
                    }
                    None if !reached[s] => {
                        reached[s] = true;
                        queue.push(s);
                    }
                    None => {}
                }
            }
        }
        let mut at = 0;
        while at < queue.len() {
            for &s in &into[first[queue[at]] as usize..first[queue[at] + 1] as usize] {
                if !std::mem::replace(&mut reached[s as usize], true) {
                    queue.push(s as usize);
                }
            }
            at += 1;
        }
        queue.len() == n
    }

    /// Bounds for a block whose values and policy are in place. `false` if none could be proven.
    fn bound(&mut self, method: Method, start: usize, end: usize) -> bool {
        let (model, sense, precision) = (self.model, self.sense, self.precision);
        if bounds::by_scaling(model, sense, precision, &mut self.values, start, end) {
            return true;
        }
        let fine = self.by_margin(method, start, end);
        self.values.wide |= (start..end)
            .any(|s| self.values.upper[s] - self.values.lower[s] > precision * self.values.upper[s]);
        fine
    }

    fn by_margin(&mut self, method: Method, start: usize, end: usize) -> bool {
        let (model, sense) = (self.model, self.sense);
        let n = end - start;
        let mut policy: Vec<Choice> =
            self.values.policy[start..end].iter().map(|&choice| choice as Choice).collect();
        // the policy's side first: its equations are the ones at hand
        let need = |values: &Values, policy: &[Choice], own: bool| -> Vec<f64> {
            let missing =
                |k: usize| bounds::missing(model, sense, values, (start, end), start + k, policy[k], own);
            (0..n).map(|k| 1.5 * missing(k).max(0.0)).collect()
        };
        let Some(margin) = self.margin(method, start, &policy, need(&self.values, &policy, true), false)
        else {
            return false;
        };
        let least = sense == Sense::Least;
        self.set(start, &margin, least);
        for round in 0..MARGIN_ROUNDS {
            let needs = need(&self.values, &policy, false);
            let Some(margin) = self.margin(method, start, &policy, needs, round > 0) else { return false };
            self.set(start, &margin, !least);
            let bound = if least { &self.values.lower } else { &self.values.upper };
            if !bounds::violators(model, sense, bound, start, end, &mut policy) {
                return bounds::hold(model, sense, &self.values, start, end);
            }
        }
        false
    }

    /// The upper or the lower bounds of a block: x plus or minus a margin.
    fn set(&mut self, start: usize, margin: &[f64], above: bool) {
        for (k, m) in margin.iter().enumerate() {
            let x = self.values.x[start + k];
            match above {
                true => self.values.upper[start + k] = x + m,
                false => self.values.lower[start + k] = (x - m).max(0.0),
            }
        }
    }

    /// The policy's equations with other costs; `fresh` says that the policy is not the one solved last.
    fn margin(
        &mut self,
        method: Method,
        start: usize,
        policy: &[Choice],
        mut need: Vec<f64>,
        fresh: bool,
    ) -> Option<Vec<f64>> {
        let n = policy.len();
        let mut x = vec![0.0; n];
        match method {
            Method::Krylov => {
                if fresh {
                    if !self.leaves(start, policy) {
                        return None;
                    }
                    self.krylov.load(self.model, start, policy);
                }
                // a rough solution is off by a share of the largest need everywhere
                let floor = 0.1 * need.iter().copied().fold(0.0, f64::max);
                need.iter_mut().for_each(|x| *x += floor);
                self.krylov.solve(&need, &mut x, 1e-3 / (n as f64).sqrt()).then_some(())?;
            }
            Method::Elimination { work } => {
                let base = self.model.choices(start).start;
                let local: Vec<u32> = policy.iter().map(|&choice| (choice - base) as u32).collect();
                let mut b = vec![0.0; self.first.choices(n - 1).end];
                (0..n).for_each(|k| b[local[k] as usize] = need[k]);
                self.first.forward(&mut b);
                let rest = self.first.rest.clone();
                if fresh {
                    if self.evaluate(&rest, &b, &local, &mut x, work) != Elimination::Done {
                        return None;
                    }
                } else if !rest.is_empty() {
                    let mut own: Vec<f64> = rest.iter().map(|&s| b[local[s as usize] as usize]).collect();
                    let mut y = vec![0.0; rest.len()];
                    self.second.solve(&mut own, &mut y);
                    rest.iter().zip(&y).for_each(|(&s, &y)| x[s as usize] = y);
                }
                self.first.backward(&b, &mut x);
            }
        }
        x.iter().all(|x| x.is_finite()).then_some(x)
    }
}
