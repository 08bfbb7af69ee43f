//! Everything that is wrong with a world or file, in one go, and what is worth knowing of it.
//!
//! A file is read as far as it can be: a fault of form or a row that is no distribution does not
//! hide what the graph says. Errors make a world unusable (or, where the goal can be lost, unusable
//! for learning); warnings are perhaps not meant; notes are good to know.

mod features;
mod finding;
mod graph;

pub use finding::{Finding, Level};

use crate::files::json::Known;
use crate::files::{self, Explicit, Options, Source, json};
use crate::numeric::halt::Halt;
use crate::parameters::Settings;
use crate::problem::{Instance, Problem, Truth};
use crate::worlds::{self, Place};
use crate::{Error, Result};
use finding::Findings;
use goalward_mdp::shown;
use serde::Serialize;
use std::collections::BTreeMap;

/// The most faults of one sort that are kept; the others are counted.
const MOST: usize = 200;

/// What a check found. What could not be determined is `None`.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The world's id or the file's path.
    pub world: String,
    /// `world`, `problem`, `DRN` or `Gymnasium`.
    pub format: &'static str,
    /// Whether nothing is wrong: there may be warnings.
    pub ok: bool,
    /// How many errors there are.
    pub errors: usize,
    /// How many warnings there are.
    pub warnings: usize,
    /// The number of states.
    pub states: Option<usize>,
    /// The number of state-action pairs.
    pub choices: Option<usize>,
    /// The number of transitions.
    pub transitions: Option<usize>,
    /// The start's name.
    pub start: Option<String>,
    /// The goal's name.
    pub goal: Option<String>,
    /// The labels of a model file, with the number of states that carry each.
    pub labels: BTreeMap<String, usize>,
    /// The reward models of a model file.
    pub reward_models: Vec<String>,
    /// What a step of a model file costs, in words: a reward model, minus the reward, or 1 whatever
    /// the rewards.
    pub cost_from: Option<String>,
    /// The smallest cost off the goal.
    pub smallest_cost: Option<f64>,
    /// The largest cost.
    pub largest_cost: Option<f64>,
    /// What costs are divided by inside.
    pub cost_unit: Option<f64>,
    /// The dimension d of the features.
    pub dim: Option<usize>,
    /// The dimension of B, the set of all theta that make every row a distribution.
    pub free: Option<usize>,
    /// The rows that state B, one for each transition and each known fact.
    pub rows: Option<usize>,
    /// How many of them are left: the others are implied by these.
    pub rows_kept: Option<usize>,
    /// Whether all that are left are facets; if not, there were too many to look at all.
    pub rows_are_facets: Option<bool>,
    /// The number of directions of B that some transition can show.
    pub rank: Option<usize>,
    /// Whether transitions can tell theta: `rank` equals `free`.
    pub identifiable: Option<bool>,
    /// The size in memory, in bytes.
    pub bytes: Option<usize>,
    /// What was found, at most 50 of a kind.
    pub findings: Vec<Finding>,
    /// How many more there are of each kind.
    pub omitted: BTreeMap<&'static str, usize>,
}

/// Checks a built-in world, a model file or a problem file. An error only if there is no such
/// thing, if it cannot be read at all or if a parameter is wrong; everything else is in the report.
///
/// ```
/// use goalward::{Settings, check::check};
/// let report = check("windy-grid", &Settings::new().set("n", 3))?;
/// assert!(report.ok && report.identifiable == Some(true));
/// # Ok::<(), goalward::Error>(())
/// ```
pub fn check(world: &str, settings: &Settings) -> Result<Report> {
    check_heeding(world, settings, &Halt::never())
}

/// The same; `halt` hears how much was read.
pub fn check_heeding(world: &str, settings: &Settings, halt: &Halt) -> Result<Report> {
    let mut report = Report { world: world.into(), format: "world", ..Report::default() };
    let mut findings = Findings::default();
    let (settings, restart) = &worlds::apart(world, settings)?;
    match worlds::locate(world)? {
        Place::Built(entry) => {
            let instance = worlds::build(entry.id, settings).map_err(worlds::offer)?;
            let (instance, _) = worlds::restarting(*restart, instance)?;
            report.instance(&instance, &mut findings);
            graph::look(&instance, &mut findings);
        }
        Place::File(path) => match files::read(path, halt) {
            Ok(Source::Model(model)) => {
                let options = Options::new(world, settings).map_err(worlds::offer)?;
                report.model(*model, &options, *restart, &mut findings);
            }
            Ok(Source::Problem(draft)) => {
                files::refuse_parameters(world, settings)?;
                report.draft(*draft, *restart, &mut findings);
            }
            Err(fault @ (Error::File { .. } | Error::InFile { .. })) => findings.error(&fault),
            Err(error) => return Err(error),
        },
    }
    report.errors = findings.count(Level::Error);
    report.warnings = findings.count(Level::Warning);
    report.ok = report.errors == 0;
    report.omitted = findings.omitted();
    report.findings = findings.kept;
    report.findings.sort_by_key(|finding| finding.level);
    Ok(report)
}

impl Report {
    fn model(&mut self, mut model: Explicit, options: &Options, restart: bool, findings: &mut Findings) {
        self.format = model.format();
        let (faults, more) = model.form_faults();
        faults.iter().for_each(|fault| findings.error(fault));
        findings.uncounted(Level::Error, "form", more);
        // every row as the file lists it, before any is left out because its state is never played
        model.number_faults().for_each(|fault| findings.error(&fault));
        let rescaled = model.rescaled();
        model.settle(options);
        self.labels = model.labels().map(|(label, states)| (label.into(), states)).collect();
        self.reward_models = model.reward_models().map(String::from).collect();
        self.states = Some(model.states());
        self.choices = Some(model.choices());
        self.transitions = Some(model.transitions());
        rescaled.iter().for_each(|note| findings.note(note));
        let chosen = match model.choose(options) {
            Ok(chosen) => chosen,
            Err(_) => return model.choose_faults(options).iter().for_each(|fault| findings.error(fault)),
        };
        self.cost_from = Some(model.cost_words(&chosen));
        findings.faults(&model.chosen_faults(&chosen, MOST));
        let sound = findings.count(Level::Error) == 0;
        match model.into_mended_instance(&chosen).and_then(|mended| worlds::restarting(restart, mended)) {
            Ok((instance, _)) => {
                // rows that were rescaled are known already, from all states
                let notes = instance.notes.iter().filter(|note| note.kind != "rescaled");
                notes.for_each(|note| findings.note(note));
                if sound {
                    self.instance(&instance, findings);
                } else {
                    self.places(&instance);
                }
                graph::look(&instance, findings);
            }
            Err(fault) => findings.error(&fault),
        }
    }

    fn draft(&mut self, draft: json::Draft, restart: bool, findings: &mut Findings) {
        self.format = "problem";
        let mut graph = draft.graph();
        let faults = draft.faults(MOST);
        findings.faults(&faults);
        if faults.is_empty() {
            match draft.builder() {
                Ok((builder, known)) => {
                    let faults = builder.faults(MOST);
                    findings.faults(&faults);
                    if faults.is_empty() {
                        match builder.build() {
                            Ok(problem) => {
                                let restarted = self.with_truth(problem, known, restart, findings);
                                graph = restarted.or(graph);
                            }
                            Err(fault) => findings.error(&fault),
                        }
                    }
                }
                Err(fault) => findings.error(&fault),
            }
        }
        if let Some(graph) = graph {
            if self.states.is_none() {
                self.places(&graph);
            }
            graph::look(&graph, findings);
        }
    }

    /// Gives the instance back if its graph is another one than the draft's: with second chances.
    fn with_truth(
        &mut self,
        problem: Problem,
        known: Known,
        restart: bool,
        findings: &mut Findings,
    ) -> Option<Instance> {
        let truth = match &known {
            Known::Nothing => {
                let note = "the file has no theta: it can be learnt from your own loop, but \
                            neither simulated nor solved";
                findings.add(Finding::new(Level::Note, "theta", note));
                None
            }
            Known::Kernel(entries) => match Truth::from_kernel(&problem, entries) {
                Ok(truth) => Some(truth),
                Err(fault) => {
                    findings.error(&fault);
                    None
                }
            },
            Known::Theta(theta) => {
                Truth::faults(&problem, theta, MOST).iter().for_each(|fault| findings.error(fault));
                Truth::new(&problem, theta).ok()
            }
        };
        match worlds::restarting(restart, Instance::of(problem, truth)) {
            Ok((instance, lost)) => {
                instance.notes.iter().for_each(|note| findings.note(note));
                self.instance(&instance, findings);
                if instance.truth.as_ref().is_some_and(|truth| truth.theta().is_none()) {
                    let note = "the true kernel is no mixture of the models: learners that learn theta \
                                have no guarantee here";
                    findings.add(Finding::new(Level::Note, "kernel", note));
                }
                (!lost.is_empty()).then_some(instance)
            }
            Err(fault) => {
                findings.error(&fault);
                None
            }
        }
    }

    fn places(&mut self, instance: &Instance) {
        let problem = &instance.problem;
        self.states = Some(instance.size().states);
        self.choices = Some(instance.size().choices);
        self.start = Some(problem.state_name(problem.start()).into_owned());
        self.goal = Some(problem.state_name(problem.goal()).into_owned());
    }

    fn instance(&mut self, instance: &Instance, findings: &mut Findings) {
        let problem = &*instance.problem;
        self.places(instance);
        let transitions = || (0..problem.pairs()).map(|p| problem.successors(p).len()).sum();
        self.transitions = Some(self.transitions.unwrap_or_else(transitions));
        self.bytes = Some(instance.bytes());
        self.smallest_cost = Some(problem.min_cost()).filter(|cost| cost.is_finite());
        self.largest_cost = problem.costs().iter().copied().reduce(f64::max);
        self.cost_unit = Some(problem.cost_unit());
        if problem.cost_unit() > 1.0 {
            let unit = problem.cost_unit();
            let text = shown(unit);
            let message = format!(
                "costs go up to {text}, beyond 1: they are divided by {text} inside, and all that \
                 goes out is in your units"
            );
            findings.add(Finding::new(Level::Note, "cost-scale", message).value(unit));
        }
        self.dim = Some(problem.dim());
        self.free = Some(problem.constraints().free());
        let pruned = problem.constraints().pruned();
        self.rows = Some(pruned.seen);
        self.rows_kept = Some(pruned.kept);
        self.rows_are_facets = Some(pruned.complete);
        if let Some((rank, hidden)) = features::seen(problem) {
            self.rank = Some(rank);
            self.identifiable = Some(hidden.is_none());
            if let Some(direction) = hidden {
                findings.add(features::finding(problem, rank, &direction));
            }
        }
    }
}
