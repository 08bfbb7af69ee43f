//! What the graph of a known model says: states that are lost, never reached, or circled for free.

use super::finding::{Finding, Findings, Level};
use crate::Error;
use crate::plan::graph::{self, Backwards, Partition, Region, possible};
use crate::problem::{Instance, Problem, State, Truth};

pub(super) fn look(instance: &Instance, findings: &mut Findings) {
    let (problem, Some(truth)) = (&*instance.problem, &instance.truth) else { return };
    let name = |s: State| problem.state_name(s).into_owned();
    let region = Region::new(problem, &Backwards::new(problem, truth));
    let ahead = graph::ahead(problem, truth);
    lost(problem, &region, &ahead, findings);

    let never: Vec<State> = (0..problem.states()).filter(|&s| !ahead[s] && s != problem.goal()).collect();
    if !never.is_empty() {
        let message = match never.len() {
            1 => format!("state {} is never reached from the start", name(never[0])),
            n => format!("{n} states are never reached from the start: {}", listed(&never, name)),
        };
        let finding = Finding::new(Level::Warning, "never-reached", message).value(never.len() as f64);
        findings.add(finding.states(never.into_iter().map(name)));
    }

    for component in free_components(problem, truth, &region) {
        let message = match component.len() {
            1 => format!("state {}: one can stay here for ever at no cost", name(component[0])),
            n => format!("{n} states can be circled for ever at no cost: {}", listed(&component, name)),
        };
        let hint = "planning counts only policies that reach the goal; learners that need c_min > \
                    0 (levis++) do not \
                    apply, rho-levis++ and lr do";
        let finding = Finding::new(Level::Warning, "zero-cost-loop", message).value(component.len() as f64);
        findings.add(finding.hint(hint).states(component.into_iter().map(name)));
    }
}

/// States from which the goal cannot be reached at all, and those from which it can, but by no
/// policy surely.
fn lost(problem: &Problem, region: &Region, ahead: &[bool], findings: &mut Findings) {
    let name = |s: State| problem.state_name(s).into_owned();
    let dead = problem.out_of_reach();
    if !dead.is_empty() {
        let states = dead.iter().map(|&s| name(s)).collect();
        findings.error(&Error::GoalUnreachable { goal: name(problem.goal()), states });
    }
    let lost_ahead: Vec<State> = (0..problem.states()).filter(|&s| ahead[s] && !region.inside[s]).collect();
    let risky: Vec<State> = lost_ahead.iter().copied().filter(|s| dead.binary_search(s).is_err()).collect();
    if !risky.is_empty() {
        let states = risky.iter().map(|&s| name(s)).collect();
        findings.error(&Error::NoProperPolicy { states });
    }
    if region.inside[problem.start()] && !lost_ahead.is_empty() {
        let message = "the start itself is not lost: planning avoids these states, a learner that \
                       tries every action cannot";
        findings.add(Finding::new(Level::Note, "lost", message));
    }
}

/// End components of pairs that cost nothing, among the states that are not lost.
fn free_components(problem: &Problem, truth: &Truth, region: &Region) -> Vec<Vec<State>> {
    let Some((class, _)) = graph::free_components(problem, truth, &region.usable) else { return Vec::new() };
    let inside = (0..problem.states()).filter(|&s| region.inside[s] && s != problem.goal());
    let partition = Partition::new(problem, inside, Some(&class));
    let loops = |s: State| {
        problem.pairs_of(s).any(|p| {
            let mut next = possible(problem, truth, p);
            region.usable[p] && problem.cost(p) == 0.0 && next.all(|(next, _)| next == s)
        })
    };
    let circled = |members: &Vec<State>| members.len() > 1 || loops(members[0]);
    (0..partition.nodes()).map(|node| partition.members(node).collect()).filter(circled).collect()
}

fn listed(states: &[State], name: impl Fn(State) -> String) -> String {
    const SHOWN: usize = 12;
    let shown: Vec<String> = states.iter().take(SHOWN).map(|&s| name(s)).collect();
    let more = if states.len() > SHOWN { ", ..." } else { "" };
    format!("{}{more}", shown.join(", "))
}
