//! The ellipsoids of LEVIS and LEVIS++ under watch.

use super::{Size, TOLERANCE, Twin, number};
use crate::{Error, Result};
use goalward::confidence::{self, Bernstein, RadiusKind};
use goalward::episode::Arena;
use goalward::estimate::{Home, Ridge};
use goalward::learners::PlanReport;
use goalward::numeric::support::{ConvexSet, Ellipsoid};
use goalward::problem::{Pair, Problem, State};
use serde_json::{Map, Value};

/// {theta : |theta - theta_hat| <= beta in the norm of Sigma}, after every step.
pub(super) struct RegressionTwin {
    method: Method,
    theta_star: Vec<f64>,
    radius: RadiusKind,
    delta: f64,
    lambda: f64,
    /// B, in units of the theory.
    b: f64,
    unit: f64,
    /// V_j, in units of the theory.
    v: Vec<f64>,
    beta: f64,
    at_plan: bool,
}

enum Method {
    /// LEVIS++: level 0 of the weighted regressions.
    Moments { home: Home, bernstein: Bernstein, u: Vec<f64>, radii: Vec<f64> },
    /// LEVIS: one regression without weights.
    Plain { ridge: Ridge, norms: (f64, f64), x: Vec<f64>, scratch: Vec<f64> },
}

impl RegressionTwin {
    /// That of LEVIS++.
    pub(super) fn moments(
        arena: &Arena,
        force: &Map<String, Value>,
        delta: f64,
        radius: &str,
    ) -> Result<Self> {
        let (lambda, levels) = (number(force, "lambda")?, number(force, "levels")?);
        let home = Home::new(arena.problem().dim(), levels as usize, lambda, number(force, "gamma")?);
        let bias = number(force, "theta_norm").map_or(1.0, |norm| lambda.sqrt() * norm);
        let split = force.get("delta_split").and_then(Value::as_bool) == Some(true);
        let delta = if split { delta / (2.0 * levels + 1.0) } else { delta };
        let (phi_norm, horizon) = (number(force, "phi_norm")?, number(force, "horizon")?);
        let bernstein = Bernstein { dim: arena.problem().dim(), lambda, delta, horizon, phi_norm, bias };
        let radii = vec![bias; levels as usize];
        let method = Method::Moments { home, bernstein, u: Vec::new(), radii };
        Self::new(arena, force, delta, radius, method)
    }

    /// That of LEVIS.
    pub(super) fn plain(arena: &Arena, force: &Map<String, Value>, delta: f64, radius: &str) -> Result<Self> {
        let d = arena.problem().dim();
        let ridge = Ridge::new(d, number(force, "lambda")?);
        let norms = (number(force, "phi_norm")?, number(force, "theta_norm")?);
        let method = Method::Plain { ridge, norms, x: vec![0.0; d], scratch: vec![0.0; d] };
        Self::new(arena, force, delta, radius, method)
    }

    fn new(
        arena: &Arena,
        force: &Map<String, Value>,
        delta: f64,
        radius: &str,
        method: Method,
    ) -> Result<Self> {
        let problem = arena.problem();
        let unit = number(force, "cost_unit").unwrap_or(problem.cost_unit());
        let b = number(force, "B")? / unit;
        let mut v = vec![b.min(1.0); problem.states()];
        v[problem.goal()] = 0.0;
        let fault = |_| Error::Option { option: "learners", fault: format!("radius {radius:?}") };
        let mut copy = RegressionTwin {
            method,
            theta_star: arena.instance().truth()?.theta().to_vec(),
            radius: radius.parse().map_err(fault)?,
            delta,
            lambda: number(force, "lambda")?,
            b,
            unit,
            v,
            beta: f64::INFINITY,
            at_plan: true,
        };
        copy.normalise();
        Ok(copy)
    }

    fn normalise(&mut self) {
        if let Method::Moments { u, .. } = &mut self.method {
            u.clear();
            u.extend(self.v.iter().map(|v| (v / self.b).clamp(0.0, 1.0)));
        }
    }

    fn ridge(&self) -> &Ridge {
        match &self.method {
            Method::Moments { home, .. } => &home.levels()[0],
            Method::Plain { ridge, .. } => ridge,
        }
    }

    /// |theta* - theta_hat| in the norm of Sigma.
    fn distance(&self) -> f64 {
        let ridge = self.ridge();
        let off: Vec<f64> = self.theta_star.iter().zip(ridge.theta()).map(|(x, y)| x - y).collect();
        let rows = ridge.sigma().chunks_exact(off.len());
        let squared: f64 = off
            .iter()
            .zip(rows)
            .map(|(x, row)| x * row.iter().zip(&off).map(|(s, y)| s * y).sum::<f64>())
            .sum();
        squared.max(0.0).sqrt()
    }
}

/// The radius of every level of LEVIS++ after t steps.
fn moment_radii(kind: RadiusKind, of: &Bernstein, home: &Home, t: u64) -> Vec<f64> {
    let Bernstein { dim, lambda, delta, phi_norm, bias, .. } = *of;
    match kind {
        RadiusKind::Data => home.noise().iter().map(|&noise| of.radius(t, noise)).collect(),
        RadiusKind::Determinant => {
            let levels = home.levels().iter().zip(home.steepest());
            levels
                .map(|(level, &steepest)| {
                    let ratio = level.running().log_det() - dim as f64 * lambda.ln();
                    confidence::weighted_determinant(ratio, delta, steepest, bias)
                })
                .collect()
        }
        _ => {
            let printed = confidence::levis_plus_plus(t, dim, lambda, delta, phi_norm, bias);
            vec![kind.factor() * printed; home.levels().len()]
        }
    }
}

impl Twin for RegressionTwin {
    fn step(&mut self, problem: &Problem, pair: Pair, next: State, t: u64) {
        let (lambda, delta, b, d) = (self.lambda, self.delta, self.b, problem.dim());
        self.beta = match &mut self.method {
            Method::Moments { home, bernstein, u, radii } => {
                // where the data enter, HOME has the radii of the last plan
                if matches!(self.radius, RadiusKind::Printed | RadiusKind::Scaled(_)) {
                    *radii = moment_radii(self.radius, bernstein, home, t);
                }
                home.step(problem, pair, next, u, radii, t);
                moment_radii(self.radius, bernstein, home, t)[0]
            }
            Method::Plain { ridge, norms, x, scratch } => {
                problem.phi_v(pair, &self.v, x);
                ridge.update(x, self.v[next], 1.0, scratch);
                match self.radius {
                    RadiusKind::Determinant => {
                        let ratio = ridge.running().log_det() - d as f64 * lambda.ln();
                        confidence::realised_determinant(ratio, lambda, delta, b, norms.1)
                    }
                    kind => kind.factor() * confidence::levis(t, d, lambda, delta, b, *norms),
                }
            }
        };
    }

    fn plan(&mut self, _problem: &Problem, plan: &PlanReport) -> bool {
        self.at_plan = self.has();
        match &mut self.method {
            Method::Moments { home, bernstein, radii, .. } => {
                home.freeze();
                *radii = moment_radii(self.radius, bernstein, home, plan.t);
            }
            Method::Plain { ridge, .. } => ridge.freeze(),
        }
        let theirs = plan.theta.first().map_or(&[][..], |theta| theta);
        let ours = self.ridge().frozen_theta();
        let close = |(a, b): (&f64, &f64)| (a - b).abs() <= TOLERANCE * b.abs().max(1.0);
        let same = theirs.len() == ours.len() && ours.iter().zip(theirs).all(close);
        self.v = plan.v.iter().map(|v| v / self.unit).collect();
        self.normalise();
        same && (plan.beta - self.beta).abs() <= TOLERANCE * self.beta
    }

    fn has(&mut self) -> bool {
        self.distance() <= self.beta
    }

    fn had_at_plan(&self) -> bool {
        self.at_plan
    }

    fn set(&mut self, problem: &Problem) -> Option<ConvexSet> {
        let ridge = self.ridge();
        let theta = ridge.theta();
        let ellipsoid = Ellipsoid { center: &theta, shape: ridge.sigma(), radius: self.beta };
        ConvexSet::new(problem.constraints(), ellipsoid).ok()
    }

    fn size(&self) -> Size {
        Size::Radius(self.beta)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use goalward::episode::{Flow, Observer, Plan, RunSpec, Runner, Step};
    use goalward::learners::Probe;
    use goalward::registry::Settings;

    struct Follow<'a> {
        arena: &'a Arena,
        twin: RegressionTwin,
        same: u32,
        strayed: u32,
    }

    struct Reported(Option<PlanReport>);

    impl Probe for Reported {
        fn plan(&mut self, plan: &PlanReport) {
            self.0 = Some(plan.clone());
        }
    }

    impl Observer for Follow<'_> {
        fn step(&mut self, step: &Step) -> Flow {
            let problem = self.arena.problem();
            self.twin.step(problem, problem.pair(step.state, step.action), step.next, step.t);
            Flow::Continue(())
        }
        fn plan(&mut self, plan: &Plan) -> Flow {
            let mut reported = Reported(None);
            plan.learner.probe(&mut reported);
            match self.twin.plan(self.arena.problem(), &reported.0.unwrap()) {
                true => self.same += 1,
                false => self.strayed += 1,
            }
            Flow::Continue(())
        }
    }

    /// A twin with another ridge than the learner's is found out.
    #[test]
    fn a_twin_that_strays_is_seen() {
        let arena = Arena::open("hard-instance", &Settings::new().set("dim", 3)).unwrap();
        let spec = || RunSpec::new("levis", 400).settings(Settings::new().set("B", 3)).seed(1);
        for (lambda, strays) in [(1.0, false), (1.1, true)] {
            let mut runner = Runner::new(&arena, spec()).unwrap();
            let mut force = runner.learner().in_force();
            force.insert("lambda".into(), lambda.into());
            let twin = RegressionTwin::plain(&arena, &force, 0.01, "printed").unwrap();
            let mut follow = Follow { arena: &arena, twin, same: 0, strayed: 0 };
            runner.run(&mut [&mut follow]).unwrap();
            assert_eq!(follow.strayed > 0, strays, "{} same, {} strayed", follow.same, follow.strayed);
            assert!(strays || follow.same > 10);
        }
    }
}
