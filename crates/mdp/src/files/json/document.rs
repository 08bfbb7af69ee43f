//! A problem file as it stands, and what can be wrong with what it says.

use super::features::Features;
use super::flat::Lists;
use crate::files::text::{fault_at, json_fault};
use crate::problem::{
    Action, ActionNames, Entry, Faults, Instance, Names, Outline, Problem, ProblemBuilder, State,
    model_name_faults,
};
use crate::{Error, Result};
use serde::Deserialize;
use std::path::Path;

/// The largest `dim` of a file: learners hold matrices of dim x dim.
const MOST_DIM: usize = 1024;
/// The largest size of a number in a file: sums and squares of such numbers are still finite.
const LARGEST: f64 = 1e100;
/// A graph with more states without actions, or actions without features, is not looked at: the
/// missing parts take far more room than the file.
const MOST_MISSING: usize = 1000;

fn field(field: impl Into<String>, fault: impl Into<String>) -> Error {
    Error::Field { field: field.into(), fault: fault.into() }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a problem {...}")]
pub(super) struct Document {
    name: Option<String>,
    states: usize,
    start: State,
    goal: State,
    dim: usize,
    cost: Lists,
    features: Features,
    theta: Option<Vec<f64>>,
    kernel: Option<Vec<Entry>>,
    extra: Option<Lists>,
    model_names: Option<Names>,
    state_names: Option<Names>,
    action_names: Option<ActionNames>,
}

/// What a file says of the truth.
#[derive(Debug)]
pub enum Known {
    /// Nothing.
    Nothing,
    /// theta*.
    Theta(Vec<f64>),
    /// The true probabilities, be they a mixture of the models or not.
    Kernel(Vec<Entry>),
}

impl Document {
    pub(super) fn parse(text: &str, path: &Path) -> Result<Document> {
        let start = text.find(|c: char| !c.is_ascii_whitespace()).unwrap_or(text.len());
        let fault = match text[start..].chars().next() {
            None => Some("the file is empty; a problem is a JSON object {...}"),
            Some('\u{feff}') => Some("a byte order mark; save the file as UTF-8 without one"),
            // a list of values in the right order would otherwise pass for an object
            Some('[') => Some("a problem is a JSON object {...}, not a list"),
            Some(_) => None,
        };
        if let Some(fault) = fault {
            return Err(fault_at(text.as_bytes(), start, path, fault.into()));
        }
        serde_json::from_str(text).map_err(|e| json_fault(&e, path))
    }

    pub(super) fn with_features(self, features: Features) -> Document {
        Document { features, ..self }
    }

    /// Checks the content and builds the problem; `size` is the length of the text.
    pub(super) fn into_instance(self, size: usize, default_name: &str) -> Result<Instance> {
        let (builder, known) = self.builder(size, default_name)?;
        let problem = builder.build()?;
        match &known {
            Known::Theta(theta) => Instance::new(problem, theta),
            Known::Kernel(entries) => Instance::from_kernel(problem, entries),
            Known::Nothing => Ok(Instance::of(problem, None)),
        }
    }

    /// Checks the content and hands it to a builder; also what it says of the truth.
    pub(super) fn builder(self, size: usize, default_name: &str) -> Result<(ProblemBuilder, Known)> {
        self.faults(size, 1).none()?;
        let Document { name, start, goal, dim, cost, features, theta, kernel, .. } = self;
        let name = name.as_deref().unwrap_or(default_name);
        let (first_pair, costs) = cost.into_parts();
        let arrays = features.sorted().into_arrays(first_pair, costs);
        let mut builder = ProblemBuilder::of_arrays(name, dim, arrays);
        builder.start(start).goal(goal).allow_lost();
        builder.labels(self.state_names, self.action_names);
        if let Some(names) = &self.model_names {
            builder.model_names(names.iter().map(String::from).collect());
        }
        for fact in self.extra.iter().flat_map(Lists::iter) {
            builder.extra(&fact[..dim], fact[dim])?;
        }
        // the truth may do what no model does; what is possible at the goal is known
        let possible = |entry: &&Entry| entry.3 > 0.0 && entry.0 != goal;
        for &(s, a, next, _) in kernel.iter().flatten().filter(possible) {
            builder.successor(s, a, next)?;
        }
        if theta.is_none() {
            builder.refuse_coarse();
        }
        let known = match (theta, kernel) {
            (_, Some(kernel)) => Known::Kernel(kernel),
            (Some(theta), None) => Known::Theta(theta),
            (None, None) => Known::Nothing,
        };
        Ok((builder, known))
    }

    /// A known model with the same graph, uniform over the possible steps, without wrong parts.
    pub(super) fn graph(&self, size: usize) -> Option<Instance> {
        let mut faults = Faults::new(1);
        self.shape_faults(size, &mut faults);
        if !faults.is_empty() {
            return None;
        }
        let mut builder = Problem::builder("graph", self.states, 1);
        builder.start(self.start).goal(self.goal).allow_lost().labels(self.state_names.clone(), None);
        let arcs = self.arcs();
        let (mut at, mut missing) = (0, 0);
        for (s, costs) in self.cost.iter().enumerate().filter(|(s, _)| *s != self.goal) {
            missing += usize::from(costs.is_empty());
            for a in 0..costs.len().max(1) {
                let cost = costs.get(a).copied().filter(|cost| (0.0..=LARGEST).contains(cost));
                builder.action(s, cost.unwrap_or(1.0)).ok()?;
                let pair = [s as u32, a as u32];
                at += arcs[at..].iter().take_while(|arc| arc[..2] < pair[..]).count();
                let row = arcs[at..].iter().take_while(|arc| arc[..2] == pair).count();
                missing += usize::from(row == 0);
                if missing > MOST_MISSING {
                    return None;
                }
                for arc in &arcs[at..at + row] {
                    builder.feature(s, a, arc[2] as State, &[1.0 / row as f64]).ok()?;
                }
                if row == 0 {
                    builder.feature(s, a, s, &[1.0]).ok()?;
                }
                at += row;
            }
        }
        Instance::new(builder.build().ok()?, &[1.0]).ok()
    }

    /// The steps that the truth makes possible, or without one any that has a feature, in order.
    fn arcs(&self) -> Vec<[u32; 3]> {
        let possible = |phi: &[f64]| match &self.theta {
            Some(theta) => crate::numeric::dot(phi, theta) > 1e-12,
            None => phi.iter().any(|x| *x != 0.0),
        };
        // what is no number of 32 bits is no state or action either
        let narrow = |(s, a, next): (State, Action, State)| {
            let arc = [u32::try_from(s).ok()?, u32::try_from(a).ok()?, u32::try_from(next).ok()?];
            (next < self.states).then_some(arc)
        };
        let mut arcs: Vec<[u32; 3]> = match &self.kernel {
            Some(kernel) => {
                let entries = kernel.iter().filter(|entry| entry.3 > 0.0);
                entries.filter_map(|&(s, a, next, _)| narrow((s, a, next))).collect()
            }
            None => {
                let rows = (0..self.features.len()).filter(|&i| {
                    let phi = self.features.phi(i);
                    phi.len() == self.dim && possible(phi)
                });
                rows.filter_map(|i| narrow(self.key(i))).collect()
            }
        };
        if !arcs.is_sorted() {
            arcs.sort_unstable();
        }
        arcs.dedup();
        arcs
    }

    /// The first `most` faults; the others are counted. Numbers are judged only if all counts fit.
    pub(super) fn faults(&self, size: usize, most: usize) -> Faults {
        let mut faults = Faults::new(most);
        self.shape_faults(size, &mut faults);
        if faults.is_empty() {
            self.number_faults(&mut faults);
            self.feature_faults(&mut faults);
            self.kernel_faults(&mut faults);
        }
        if let Some(names) = &self.model_names {
            for fault in model_name_faults(names.iter(), self.dim) {
                faults.push("content", || fault);
            }
        }
        faults
    }

    /// The counts fit each other; `states` and `dim` are no larger than what the file holds.
    fn shape_faults(&self, size: usize, faults: &mut Faults) {
        let (n, d) = (self.states, self.dim);
        let mut say = |place: &dyn Fn() -> String, fault: &dyn Fn() -> String| {
            faults.push("content", || field(place(), fault()));
        };
        if self.cost.len() != n {
            say(&|| "cost".into(), &|| format!("costs for {} states, but states is {n}", self.cost.len()));
        } else if n == 0 {
            say(&|| "states".into(), &|| "a problem needs at least one state, the goal".into());
        }
        for (key, s) in [("start", self.start), ("goal", self.goal)] {
            if s >= n {
                say(&|| key.into(), &|| format!("state {s} does not exist, there are {n} states"));
            }
        }
        if d == 0 || d > MOST_DIM || d > size {
            let most = MOST_DIM.min(size);
            say(&|| "dim".into(), &|| format!("{d} features; there must be 1 to {most} of them"));
        }
        if let Some(names) = &self.state_names
            && names.len() != n
        {
            say(&|| "state_names".into(), &|| format!("{} names for {n} states", names.len()));
        }
        if let Some(names) = &self.action_names {
            if names.len() != n {
                say(&|| "action_names".into(), &|| format!("{} lists for {n} states", names.len()));
            }
            for s in 0..names.len().min(self.cost.len()) {
                let (has, needs) = (names.length(s), self.cost.length(s));
                if has != needs {
                    say(&|| format!("action_names[{s}]"), &|| format!("{has} names for {needs} actions"));
                }
            }
        }
        if let Some(theta) = &self.theta
            && theta.len() != d
        {
            say(&|| "theta".into(), &|| format!("{} entries, but dim is {d}", theta.len()));
        }
        if self.theta.is_some() && self.kernel.is_some() {
            let fault = "the truth is given twice, by theta and by kernel: leave one of them out";
            say(&|| "kernel".into(), &|| fault.into());
        }
        let needs = d.saturating_add(1);
        for (i, fact) in self.extra.iter().flat_map(Lists::iter).enumerate() {
            if fact.len() != needs {
                let fault = || format!("{} numbers; a fact has dim + 1 = {needs}: a_1..a_d, b", fact.len());
                say(&|| format!("extra[{i}]"), &fault);
            }
        }
    }

    fn number_faults(&self, faults: &mut Faults) {
        for (s, costs) in self.cost.iter().enumerate() {
            for (a, &cost) in costs.iter().enumerate() {
                let fault = match () {
                    _ if cost < 0.0 => "costs must not be negative (a reward is a cost with its sign turned)",
                    _ if cost > LARGEST => "costs must be at most 1e100",
                    _ => continue,
                };
                faults.push("content", || {
                    let (state, action) = (self.state_name(s), self.action_name(s, a));
                    let fault = format!("state {state}, action {action}: cost is {cost:?}, but {fault}");
                    field(format!("cost[{s}][{a}]"), fault)
                });
                if faults.suffices() {
                    return;
                }
            }
        }
        let too_large = |numbers: &[f64]| numbers.iter().copied().find(|x| x.abs() > LARGEST);
        let fault = |place: String, x: f64| field(place, format!("{x:?} is larger than 1e100"));
        if let Some(x) = self.theta.as_deref().and_then(too_large) {
            faults.push("content", || fault("theta".into(), x));
        }
        for (i, fact) in self.extra.iter().flat_map(Lists::iter).enumerate() {
            if let Some(x) = too_large(fact) {
                faults.push("content", || fault(format!("extra[{i}]"), x));
            }
        }
    }

    fn kernel_faults(&self, faults: &mut Faults) {
        let Some(kernel) = &self.kernel else { return };
        let outline = Outline {
            states: self.states,
            goal: self.goal,
            actions: &|s| self.cost.length(s),
            state_name: &|s| self.state_name(s),
            action_name: &|s, a| self.action_name(s, a),
        };
        outline.faults(kernel, faults);
    }

    fn feature_faults(&self, faults: &mut Faults) {
        for i in 0..self.features.len() {
            if faults.suffices() {
                return;
            }
            if let Some(fault) = self.feature_fault(i) {
                faults.push("content", || field(format!("features[{i}]"), fault()));
            }
        }
        if self.features.ascend() {
            return; // none is there twice
        }
        let order = self.features.order();
        let mut again = vec![false; order.len()];
        for w in order.windows(2).filter(|w| self.key(w[0]) == self.key(w[1])) {
            let (s, a, next) = self.key(w[1]);
            again[w[1]] = s < self.states && next < self.states && a < self.cost.length(s);
        }
        for i in (0..again.len()).filter(|&i| again[i]) {
            if faults.suffices() {
                return;
            }
            faults.push("content", || {
                let (s, a, next) = self.key(i);
                let first = order[order.partition_point(|&k| self.key(k) < self.key(i))];
                let place = self.place(s, a, next);
                let fault = format!("{place}: this feature row is given twice, first as features[{first}]");
                field(format!("features[{i}]"), fault)
            });
        }
    }

    fn feature_fault(&self, i: usize) -> Option<impl Fn() -> String> {
        let (states, (s, a, next), phi) = (self.states, self.key(i), self.features.phi(i));
        let has = if s < states { self.cost.length(s) } else { 0 };
        let wide = phi.iter().position(|x| x.abs() > LARGEST);
        let wrong = s >= states || a >= has || next >= states || phi.len() != self.dim || wide.is_some();
        wrong.then_some(move || {
            if s >= states {
                format!("state {s} does not exist, there are {states} states")
            } else if a >= has {
                format!("state {}: action {a} does not exist, cost[{s}] lists {has}", self.state_name(s))
            } else if next >= states {
                let (state, action) = (self.state_name(s), self.action_name(s, a));
                format!(
                    "state {state}, action {action}: next state {next} does not exist, there are \
                     {states} states"
                )
            } else if phi.len() != self.dim {
                let place = self.place(s, a, next);
                format!("{place}: the feature row has {} entries, but dim is {}", phi.len(), self.dim)
            } else {
                let k = wide.unwrap_or(0);
                format!("{}: feature {k} is {:?}, larger than 1e100", self.place(s, a, next), phi[k])
            }
        })
    }

    fn key(&self, i: usize) -> (State, Action, State) {
        self.features.key(i)
    }

    fn place(&self, s: State, a: Action, next: State) -> String {
        let (state, action) = (self.state_name(s), self.action_name(s, a));
        format!("state {state}, action {action}, next {}", self.state_name(next))
    }

    fn state_name(&self, s: State) -> String {
        self.state_names.as_ref().map_or_else(|| s.to_string(), |names| names.get(s).into())
    }

    fn action_name(&self, s: State, a: Action) -> String {
        self.action_names
            .as_ref()
            .map_or_else(|| a.to_string(), |names| names.get(s, a).unwrap_or_default().into())
    }
}

#[cfg(test)]
impl Document {
    /// Whether another document has the same rows, to the bit.
    pub(super) fn same_features(&self, other: &Document) -> bool {
        let bits = |document: &Document, i: usize| {
            document.features.phi(i).iter().map(|x| x.to_bits()).collect::<Vec<_>>()
        };
        let n = self.features.len();
        n == other.features.len()
            && (0..n).all(|i| self.key(i) == other.key(i) && bits(self, i) == bits(other, i))
    }
}
