//! `goalward solve --values`: what every state costs, what every action costs, and what to do.

use crate::exit::Usage;
use crate::outputs::{Files, Output};
use crate::show::ending;
use goalward::plan::{Answer, Objective};
use goalward::problem::{Problem, State};
use goalward_lab::quoted;
use serde_json::{Value, json};
use std::path::Path;

/// Where the values go: the ending of a file's name says in which format.
pub(super) fn check(path: &Path, files: &mut Files) -> anyhow::Result<Output> {
    let output = files.writes("--values", path)?;
    if matches!(output, Output::File(_)) && !["csv", "json"].map(Some).contains(&ending(path).as_deref()) {
        let reason = format!("--values {}: its name must end in .csv or .json", path.display());
        return Err(Usage::new(reason).hint("- prints CSV on standard output").into());
    }
    Ok(output)
}

pub(super) struct Values<'a> {
    pub(super) problem: &'a Problem,
    pub(super) answer: &'a Answer,
}

impl Values<'_> {
    pub(super) fn put(&self, output: &Output) -> anyhow::Result<()> {
        match output {
            Output::File(path) if ending(path).as_deref() == Some("json") => {
                output.put(&format!("{}\n", serde_json::to_string_pretty(&self.json())?))
            }
            _ => output.put(&self.csv()),
        }
    }

    /// NaN where nothing is known of a state.
    fn value(&self, s: State) -> f64 {
        if self.answer.is_vacuous(s) { f64::NAN } else { self.answer.v[s] }
    }

    /// What to do in a state; none in the goal, and where no action helps.
    fn policy(&self, s: State) -> Option<usize> {
        let lost = self.answer.objective != Objective::Max && self.answer.is_lost(s);
        let has = s != self.problem.goal() && !lost && self.problem.actions(s) > 0;
        has.then(|| self.answer.policy[s])
    }

    /// A row for each state and action, states in order; a state without actions has one row.
    fn csv(&self) -> String {
        let mut text = String::from("state,state_name,value,lower,upper,action,action_name,cost,q,optimal\n");
        for s in 0..self.problem.states() {
            let (lower, upper) = (self.answer.lower[s], self.answer.upper[s]);
            let state = format!(
                "{s},{},{},{},{}",
                quoted(&self.problem.state_name(s)),
                digits(self.value(s)),
                digits(lower),
                digits(upper)
            );
            if self.problem.actions(s) == 0 {
                text.push_str(&format!("{state},,,,,\n"));
            }
            for a in 0..self.problem.actions(s) {
                let pair = self.problem.pair(s, a);
                let name = quoted(&self.problem.action_name(s, a));
                let (cost, q) = (digits(self.problem.cost(pair)), digits(self.answer.q[pair]));
                text.push_str(&format!("{state},{a},{name},{cost},{q},{}\n", self.policy(s) == Some(a)));
            }
        }
        text
    }

    fn json(&self) -> Value {
        let number = |x: f64| if x.is_finite() { json!(x + 0.0) } else { Value::Null };
        let action = |s: State, a: usize| {
            let pair = self.problem.pair(s, a);
            json!({
                "action": a,
                "name": self.problem.action_name(s, a),
                "cost": number(self.problem.cost(pair)),
                "q": number(self.answer.q[pair]),
            })
        };
        let state = |s: State| {
            json!({
                "state": s,
                "name": self.problem.state_name(s),
                "value": number(self.value(s)),
                "lower": number(self.answer.lower[s]),
                "upper": number(self.answer.upper[s]),
                "lost": self.answer.is_lost(s),
                "policy": self.policy(s),
                "actions": (0..self.problem.actions(s)).map(|a| action(s, a)).collect::<Vec<_>>(),
            })
        };
        (0..self.problem.states()).map(state).collect()
    }
}

/// Every digit; `inf` as programs read it.
fn digits(x: f64) -> String {
    if x.is_nan() { String::new() } else { format!("{}", x + 0.0) }
}
