//! What the graph decides for each objective, and the nodes that remain to be solved.

use super::model::{Model, price};
use super::values::Values;
use crate::numeric::linear::double::Double;
use crate::plan::answer::{Answer, Objective};
use crate::plan::graph::{
    Backwards, Components, NOWHERE, Partition, Region, avoidable, blocks, end_components_within, expand,
    free_components, possible, strong_components,
};
use crate::problem::{Action, Pair, Problem, State, Truth};

type EndComponents = (Vec<u32>, Vec<bool>);

/// Nodes in topological order, ready to be solved.
pub(super) struct Setup {
    pub(super) model: Model,
    pub(super) ends: Vec<u32>,
    partition: Partition,
    /// Of components that are one node: the class of each state, and the pairs that stay inside.
    components: Option<EndComponents>,
    /// Per state: its value is infinite (costs) or 0 (probabilities).
    lost: Vec<bool>,
    /// For probabilities: the states of value 1, with a pair that keeps it; the goal without one.
    sure: Option<Vec<Option<Pair>>>,
}

impl Setup {
    pub(super) fn new(problem: &Problem, truth: &Truth, objective: Objective) -> Setup {
        let back = Backwards::new(problem, truth);
        match objective {
            Objective::Min => {
                let Region { inside, usable, .. } = Region::new(problem, &back);
                drop(back);
                let free = free_components(problem, truth, &usable);
                let lost = inside.into_iter().map(|inside| !inside).collect();
                Setup::of(problem, truth, &usable, free, lost)
            }
            Objective::Max => {
                let lost = avoidable(problem, &back);
                let mut usable: Vec<bool> = back.home.iter().map(|&s| !lost[s as usize]).collect();
                problem.pairs_of(problem.goal()).for_each(|p| usable[p] = false);
                drop(back);
                Setup::of(problem, truth, &usable, None, lost)
            }
            Objective::Reach => {
                let Region { inside, usable, hopeful } = Region::new(problem, &back);
                let sure = keep_sure(problem, &back, &usable);
                let open = |s: State| hopeful[s] && !inside[s];
                let usable: Vec<bool> = back.home.iter().map(|&s| open(s as State)).collect();
                drop(back);
                let strong = strong_components(problem, truth, &usable);
                let mut inner = usable.clone();
                let class = end_components_within(problem, truth, &strong, &mut inner);
                let components = Some((class, inner));
                let lost = hopeful.into_iter().map(|hopeful| !hopeful).collect();
                // what a pair pays is its way to where the goal is sure
                let charge = |p: Pair, _| {
                    let sure = possible(problem, truth, p).filter(|e| inside[e.0]);
                    sure.fold(Double::ZERO, |sum, (_, w)| sum.plus(w))
                };
                Setup::build(problem, truth, &usable, (strong, components), lost, Some(sure), charge)
            }
        }
    }

    pub(super) fn steps(problem: &Problem, truth: &Truth, policy: &[Action], lost: &[State]) -> Setup {
        let mut is_lost = vec![false; problem.states()];
        lost.iter().for_each(|&s| is_lost[s] = true);
        let mut usable = vec![false; problem.pairs()];
        for s in (0..problem.states()).filter(|&s| s != problem.goal() && !is_lost[s]) {
            usable[problem.pair(s, policy[s])] = true;
        }
        let strong = strong_components(problem, truth, &usable);
        Setup::build(problem, truth, &usable, (strong, None), is_lost, None, |_, total| total)
    }

    fn of(
        problem: &Problem,
        truth: &Truth,
        usable: &[bool],
        components: Option<EndComponents>,
        lost: Vec<bool>,
    ) -> Setup {
        let strong = strong_components(problem, truth, usable);
        let charge = |p: Pair, total: Double| price(problem, p, total);
        Setup::build(problem, truth, usable, (strong, components), lost, None, charge)
    }

    fn build(
        problem: &Problem,
        truth: &Truth,
        usable: &[bool],
        (strong, components): (Components, Option<EndComponents>),
        lost: Vec<bool>,
        sure: Option<Vec<Option<Pair>>>,
        charge: impl Fn(Pair, Double) -> Double,
    ) -> Setup {
        let solved =
            |s: State| s != problem.goal() && !lost[s] && sure.as_ref().is_none_or(|sure| sure[s].is_none());
        let order = strong.order.iter().map(|&s| s as State).filter(|&s| solved(s));
        let partition = Partition::new(problem, order, components.as_ref().map(|c| &c.0[..]));
        let ends = blocks(&strong, &partition);
        drop(strong);
        let model = Model::new(problem, truth, usable, &partition, charge);
        Setup { model, ends, partition, components, lost, sure }
    }

    pub(super) fn node_of(&self, s: State) -> Option<u32> {
        Some(self.partition.node_of[s]).filter(|&node| node != NOWHERE)
    }

    pub(super) fn finish(
        &self,
        problem: &Problem,
        truth: &Truth,
        objective: Objective,
        values: Values,
    ) -> Answer {
        let reach = objective == Objective::Reach;
        let inner = self.components.as_ref().map(|c| &c.1[..]);
        let pair = |node: usize| self.model.pair[values.policy[node] as usize];
        let pairs = expand(problem, truth, inner, &self.partition, pair);
        let choice = |s: State| {
            let sure = self.sure.as_ref().and_then(|sure| sure[s]);
            pairs[s].or(sure).map_or(0, |p| p - problem.pairs_of(s).start)
        };
        let known = |s: State| match (reach, self.lost[s]) {
            (false, true) => f64::INFINITY,
            (true, true) => 0.0,
            // probabilities that are 1; the goal costs nothing more
            (true, false) => 1.0,
            (false, false) => 0.0,
        };
        let most = if reach { 1.0 } else { f64::INFINITY };
        let spread = |list: &[f64]| -> Vec<f64> {
            let value = |s: State| match self.node_of(s) {
                Some(node) if s != problem.goal() => list[node as usize].min(most),
                _ => known(s),
            };
            (0..problem.states()).map(value).collect()
        };
        let (lower, upper) = (spread(&values.lower), spread(&values.upper));
        let mut v = spread(&values.x);
        for s in 0..v.len() {
            v[s] = v[s].max(lower[s]).min(upper[s]);
        }
        Answer {
            objective,
            start: problem.start(),
            policy: (0..problem.states()).map(choice).collect(),
            lost: (0..problem.states()).filter(|&s| self.lost[s]).collect(),
            lost_ahead: Vec::new(),
            lower,
            upper,
            v,
            b_star: f64::NAN,
            steps: Vec::new(),
            t_star: f64::NAN,
            q: Vec::new(),
            reach_probability: f64::NAN,
            tails: None,
        }
    }

    /// The tails of nodes, per state: what the graph decides has none.
    pub(super) fn tails(&self, problem: &Problem, nodes: &[f64]) -> Vec<f64> {
        let tail = |s: State| match self.node_of(s) {
            Some(node) if s != problem.goal() => nodes[node as usize],
            _ => 0.0,
        };
        (0..problem.states()).map(tail).collect()
    }
}

/// For each state of probability one but the goal a pair that leads nearer to it.
fn keep_sure(problem: &Problem, back: &Backwards, usable: &[bool]) -> Vec<Option<Pair>> {
    let mut pairs = vec![None; problem.states()];
    let mut queue = vec![problem.goal()];
    let mut at = 0;
    while at < queue.len() {
        for p in back.into(queue[at]).filter(|&p| usable[p]) {
            let s = back.home[p] as State;
            if s != problem.goal() && pairs[s].is_none() {
                pairs[s] = Some(p);
                queue.push(s);
            }
        }
        at += 1;
    }
    pairs
}
