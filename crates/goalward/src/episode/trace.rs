//! The trace: one JSON object a line for everything that happened. It holds no times, so the same
//! run gives the same bytes.

use super::result::is_zero;
use super::{Episode, Flow, Observer, Plan, Runner, Step, Stop, TraceMark};
use crate::Error;
use crate::confidence::Misfit;
use crate::learners::{Emptiness, PlanReport, Probe, Reason, Violation};
use crate::plan::Planner;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::io::{self, Read, Write};
use std::path::Path;

/// Writes the trace of a run; an I/O error pauses the run and is given back by [`Trace::flush`].
pub struct Trace<W: Write> {
    out: W,
    written: Written,
    failure: Option<io::Error>,
}

/// How much there is of a trace, with the hash of it.
#[derive(Clone, Debug, Default)]
pub struct Written {
    bytes: u64,
    hash: blake3::Hasher,
}

impl Written {
    fn take(&mut self, more: &[u8]) {
        self.bytes += more.len() as u64;
        self.hash.update(more);
    }

    /// What a checkpoint remembers of it.
    pub fn mark(&self, path: &Path) -> TraceMark {
        TraceMark { path: path.into(), bytes: self.bytes, hash: self.hash.finalize().to_hex().to_string() }
    }
}

impl TraceMark {
    /// Reads as much of a trace as belongs to the checkpoint. An error if that is not this very
    /// run's: it must start with the run's own first line, and have the length and the hash that
    /// were remembered.
    pub fn verify(&self, runner: &Runner, mut trace: impl Read) -> crate::Result<Written> {
        let path = self.path.display();
        let refuse = |reason: String| Err(Error::Checkpoint { reason });
        let io = |source| Error::Io { path: self.path.clone(), source };
        let own = first_line(runner);
        let mut written = Written::default();
        let mut first = Vec::new();
        (&mut trace).take(own.len() as u64).read_to_end(&mut first).map_err(io)?;
        if first != own || self.bytes < own.len() as u64 {
            return refuse(format!("the file {path} does not begin as this run's trace does"));
        }
        written.take(&first);
        let mut chunk = vec![0; 1 << 16];
        while written.bytes < self.bytes {
            let most = chunk.len().min(usize::try_from(self.bytes - written.bytes).unwrap_or(usize::MAX));
            match trace.read(&mut chunk[..most]) {
                Ok(0) => {
                    let (bytes, has) = (self.bytes, written.bytes);
                    return refuse(format!(
                        "the trace {path} has {has} bytes, but {bytes} belong to the checkpoint"
                    ));
                }
                Ok(n) => written.take(&chunk[..n]),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(io(e)),
            }
        }
        if written.mark(&self.path).hash != self.hash {
            return refuse(format!("the trace {path} was changed since the checkpoint was written"));
        }
        Ok(written)
    }
}

/// The first line: the world, the learner, all parameters in force, and what is proved of it with
/// them.
fn first_line(runner: &Runner) -> Vec<u8> {
    let (arena, spec) = (runner.arena(), runner.spec());
    let mut line = Map::new();
    line.insert("kind".into(), json!("start"));
    line.insert("world".into(), json!(arena.world));
    line.insert("params".into(), json!(arena.params));
    line.insert("learner".into(), json!(spec.learner));
    line.insert("seed".into(), json!(spec.seed));
    line.insert("radius".into(), Value::Null);
    line.extend(runner.opening().clone());
    line.insert("guarantee".into(), json!(runner.promise()));
    line.insert("extra".into(), json!(arena.problem().extra().len()));
    format!("{}\n", Value::Object(line)).into_bytes()
}

#[derive(Serialize)]
struct StepLine<'a> {
    kind: &'static str,
    t: u64,
    episode: u64,
    state: usize,
    action: usize,
    cost: f64,
    next: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    sigma_sq: Option<&'a [f64]>,
}

/// A plan, its family's details beside what every plan has.
#[derive(Serialize)]
struct PlanLine<'a> {
    kind: &'static str,
    t: u64,
    j: u64,
    reason: Reason,
    #[serde(skip_serializing_if = "Option::is_none")]
    beta: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    theta: Option<&'a [Vec<f64>]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    log_det: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    planner: Option<Planner>,
    sweeps: u64,
    #[serde(skip_serializing_if = "is_zero")]
    fallbacks: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    relaxed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    empty: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<Emptiness>,
    v: &'a [f64],
}

impl<'a> PlanLine<'a> {
    fn new(plan: &'a PlanReport) -> Self {
        let mixture = plan.mixture();
        PlanLine {
            kind: "plan",
            t: plan.t,
            j: plan.j,
            reason: plan.reason,
            beta: mixture.map(|m| m.beta),
            theta: mixture.map(|m| &*m.theta),
            log_det: mixture.map(|m| &*m.log_det),
            planner: mixture.map(|m| m.planner),
            sweeps: plan.sweeps,
            fallbacks: mixture.map_or(0, |m| m.fallbacks),
            relaxed: mixture.is_some_and(|m| m.relaxed),
            empty: plan.empty.is_some(),
            why: plan.empty,
            v: &plan.v,
        }
    }
}

/// What violated the model: a step that no model allows, or data that contradict every model.
#[derive(Serialize)]
struct ViolationLine<'a> {
    kind: &'static str,
    what: &'static str,
    t: u64,
    #[serde(flatten)]
    step: Option<ViolationStep>,
    text: &'a str,
}

#[derive(Serialize)]
struct ViolationStep {
    state: usize,
    action: usize,
    next: usize,
    times: u64,
}

const CONTRADICTION: &str =
    "the data contradict every model in B at the level delta; the last set stays in force";

/// Every mixture of the models is rejected by the step before.
#[derive(Serialize)]
struct MisfitLine<'a> {
    kind: &'static str,
    t: u64,
    #[serde(flatten)]
    misfit: &'a Misfit,
}

#[derive(Serialize)]
struct EpisodeLine {
    kind: &'static str,
    episode: u64,
    cost: f64,
    steps: u64,
    regret: f64,
}

#[derive(Default)]
struct Glimpse {
    sigma_sq: Option<Vec<f64>>,
    plan: Option<PlanReport>,
    violations: Vec<Violation>,
}

impl Probe for Glimpse {
    fn weights(&mut self, sigma_sq: &[f64]) {
        self.sigma_sq = Some(sigma_sq.to_vec());
    }
    fn plan(&mut self, plan: &PlanReport) {
        self.plan = Some(plan.clone());
    }
    fn violation(&mut self, violation: &Violation) {
        self.violations.push(violation.clone());
    }
    fn wants_estimate(&self) -> bool {
        false
    }
}

impl<W: Write> Trace<W> {
    /// A new trace.
    pub fn new(out: W) -> Self {
        Trace::resume(out, Written::default())
    }

    /// A trace that goes on after what was written, which `out` must stand behind.
    pub fn resume(out: W, written: Written) -> Self {
        Trace { out, written, failure: None }
    }

    /// The first line: the world, the learner, all parameters in force, and what is proved of it
    /// with them.
    pub fn start(&mut self, runner: &Runner) {
        let _ = self.put(&first_line(runner)); // a failure is kept for flush
    }

    /// The last line: what the run came to.
    pub fn end(&mut self, runner: &Runner) {
        let mut line = Map::new();
        line.insert("kind".into(), json!("end"));
        if let Ok(Value::Object(result)) = serde_json::to_value(runner.result()) {
            line.extend(result);
        }
        let _ = self.line(&line);
    }

    /// Bytes written so far, from the first line on.
    pub fn bytes(&self) -> u64 {
        self.written.bytes
    }

    /// What was written so far.
    pub fn written(&self) -> &Written {
        &self.written
    }

    /// Writes through; the error that paused the run, if there was one.
    pub fn flush(&mut self) -> io::Result<()> {
        match self.failure.take() {
            Some(error) => Err(error),
            None => self.out.flush(),
        }
    }

    fn line(&mut self, value: &impl Serialize) -> Flow {
        match serde_json::to_vec(value) {
            Ok(mut line) => {
                line.push(b'\n');
                self.put(&line)
            }
            Err(error) => self.failed(error.into()),
        }
    }

    fn put(&mut self, line: &[u8]) -> Flow {
        match self.out.write_all(line) {
            Ok(()) => {
                self.written.take(line);
                Flow::Continue(())
            }
            Err(error) => self.failed(error),
        }
    }

    fn failed(&mut self, error: io::Error) -> Flow {
        self.failure.get_or_insert(error);
        Flow::Break(Stop)
    }
}

impl<W: Write> Observer for Trace<W> {
    fn step(&mut self, step: &Step) -> Flow {
        let mut glimpse = Glimpse::default();
        step.learner.probe(&mut glimpse);
        self.line(&StepLine {
            kind: "step",
            t: step.t,
            episode: step.episode,
            state: step.state,
            action: step.action,
            cost: step.cost,
            next: step.next,
            sigma_sq: glimpse.sigma_sq.as_deref(),
        })?;
        for v in glimpse.violations.iter().filter(|v| v.last == step.t) {
            let named = ViolationStep { state: v.state, action: v.action, next: v.next, times: v.times };
            self.line(&ViolationLine {
                kind: "violation",
                what: "impossible",
                t: step.t,
                step: Some(named),
                text: &v.text,
            })?;
        }
        let rejected = step.learner.rejected() == Some(step.t);
        match rejected.then(|| step.learner.misfit()).flatten() {
            Some(misfit) => self.line(&MisfitLine { kind: "misfit", t: step.t, misfit: &misfit }),
            None => Flow::Continue(()),
        }
    }

    fn plan(&mut self, plan: &Plan) -> Flow {
        let mut glimpse = Glimpse::default();
        plan.learner.probe(&mut glimpse);
        let Some(report) = &glimpse.plan else { return Flow::Continue(()) };
        self.line(&PlanLine::new(report))?;
        if report.empty != Some(Emptiness::Contradiction) {
            return Flow::Continue(());
        }
        let what = "contradiction";
        self.line(&ViolationLine { kind: "violation", what, t: plan.t, step: None, text: CONTRADICTION })
    }

    fn episode(&mut self, ended: &Episode) -> Flow {
        self.line(&EpisodeLine {
            kind: "episode",
            episode: ended.episode,
            cost: ended.cost,
            steps: ended.steps,
            regret: ended.regret,
        })
    }
}
