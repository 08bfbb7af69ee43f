//! What every problem with a truth must be.

use super::Report;
use crate::episode::Arena;
use crate::files::json;
use crate::parameters::Settings;
use crate::problem::Instance;

/// Checks a problem with its truth: that its rows are distributions, that it can be solved, and
/// that it is the same after it was written to a file and read back.
pub fn instance(instance: &Instance) -> Report {
    let problem = &instance.problem;
    let mut report = Report::new(format!("problem {}", problem.name()));
    report.check("it has a truth, and every row is a distribution", rows(instance));
    report.check("it can be solved, and the optimal values satisfy Bellman's equation", solved(instance));
    report.check("a file of it is read back as the same problem", written(instance));
    report
}

fn rows(instance: &Instance) -> Result<String, String> {
    let (problem, truth) = (&instance.problem, instance.truth().map_err(|e| e.to_string())?);
    for s in 0..problem.states() {
        for p in problem.pairs_of(s) {
            let row = truth.row(problem, p);
            let sum: f64 = row.iter().sum();
            if row.iter().any(|x| *x < -1e-12) || (sum - 1.0).abs() > 1e-9 {
                return Err(format!("state {}: a row sums to {sum}", problem.state_name(s)));
            }
        }
    }
    Ok(format!("{} rows", problem.pairs()))
}

fn solved(instance: &Instance) -> Result<String, String> {
    let problem = &instance.problem;
    let arena = Arena::new(problem.name(), &Settings::new(), instance.clone()).map_err(|e| e.to_string())?;
    let exact = arena.exact();
    let truth = instance.truth().map_err(|e| e.to_string())?;
    for s in (0..problem.states()).filter(|&s| s != problem.goal()) {
        let backup = |p: usize| {
            let row = truth.row(problem, p);
            let ahead: f64 =
                row.iter().zip(problem.successors(p)).map(|(x, &next)| x * exact.v[next as usize]).sum();
            problem.cost(p) + ahead
        };
        let best = problem.pairs_of(s).map(backup).fold(f64::INFINITY, f64::min);
        if (best - exact.v[s]).abs() > 1e-6 * best.abs().max(1.0) {
            let name = problem.state_name(s);
            return Err(format!("state {name}: V* is {}, but a backup gives {best}", exact.v[s]));
        }
    }
    Ok(format!("V*(start) = {:.6}", arena.optimal_cost()))
}

fn written(instance: &Instance) -> Result<String, String> {
    let text = json::to_json(instance);
    let again = json::parse(&text).map_err(|e| e.to_string())?;
    match instance.problem.difference(&again.problem) {
        Some(fault) => Err(fault),
        None => Ok(format!("{} bytes", text.len())),
    }
}
