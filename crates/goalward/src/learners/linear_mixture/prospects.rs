//! What policies promise: the regret of an episode under each of some thetas, and how well an
//! episode tells these thetas apart.

use super::cells::RATE;
use super::model::Point;
use super::optimist::Optimist;
use crate::learners::Call;
use crate::numeric::{Portable, dot};
use crate::plan::{Cut, Devi, Halt, Planner};
use crate::problem::{Pair, Problem, State};

/// Sweeps over the states of a policy, at most, in which visits are handed on.
const SWEEPS: usize = 100;
/// Visits that were not handed on yet, of one for the start, that no longer matter.
const LITTLE: f64 = 0.01;
/// So few visits to a state are not handed on.
const FEW: f64 = 1e-5;
/// No state is held to be left more rarely than once in so many steps.
const STAYS: f64 = 0.999;
/// No transition is held to be less likely.
const RARE: f64 = 1e-12;

/// What an episode of a policy promises.
struct Prospect {
    /// Its regret under each theta.
    regret: Vec<f64>,
    /// For each theta as the truth, and each other one: the nats it has against the other one.
    apart: Vec<f64>,
}

/// The states that a policy can meet from the start, the farthest from the goal first, with what it
/// does there.
#[derive(PartialEq)]
struct Course {
    states: Vec<State>,
    pairs: Vec<Pair>,
    start: usize,
}

/// The plan for a theta.
struct Plan {
    q: Vec<f64>,
    v: Vec<f64>,
    course: Course,
}

/// How far a learner looks before it follows a plan.
#[derive(Clone, Copy)]
pub(super) struct Ahead {
    /// Thetas to draw.
    pub(super) draws: u64,
    /// Episodes, at least.
    pub(super) horizon: u64,
}

impl Ahead {
    /// The theta whose plan is to be followed: one of the draws from a posterior, or their mean.
    ///
    /// Of the episodes ahead, l follow one plan, and the others the plan that is best by then: the one
    /// with the least mean regret, once the draws are weighed by what l episodes have against each. The
    /// plan and l with the least regret in all are taken.
    pub(super) fn choose(
        self,
        optimist: &Optimist,
        draws: Vec<Vec<f64>>,
        call: &Call,
    ) -> Result<Vec<f64>, Cut> {
        if draws.len() == 1 {
            return Ok(draws.into_iter().flatten().collect());
        }
        let mut thetas = vec![mean(&draws)];
        thetas.extend(draws);
        let task = optimist.task(RATE);
        let mut devi = Devi::new(task.problem);
        let mut plans = Vec::new();
        for theta in &thetas {
            let mut point = Point(theta.clone());
            devi.plan_unless(&task, &mut point, Planner::Fast, &optimist.standing.v, call.halt)?;
            plans.push(Plan::new(task.problem, devi.q.clone(), devi.v.clone()));
        }
        let is_new = |i: &usize| !plans[..*i].iter().any(|before| before.course == plans[*i].course);
        let different: Vec<usize> = (0..plans.len()).filter(is_new).collect();
        let mut chosen = 0;
        if different.len() > 1 {
            let prospect = |&i: &usize| plans[i].course.prospect(task.problem, &thetas, &plans, call.halt);
            let prospects: Result<Vec<Prospect>, Cut> = different.iter().map(prospect).collect();
            let horizon = self.horizon.max(call.clock.episodes_begun());
            chosen = different[best(&prospects?, thetas.len(), horizon as f64)];
        }
        Ok(thetas.swap_remove(chosen))
    }
}

fn mean(thetas: &[Vec<f64>]) -> Vec<f64> {
    let mut mean = vec![0.0; thetas[0].len()];
    for theta in thetas {
        mean.iter_mut().zip(theta).for_each(|(mean, x)| *mean += x / thetas.len() as f64);
    }
    mean
}

/// Which of the prospects has the least regret over a horizon, all thetas being as likely.
fn best(prospects: &[Prospect], thetas: usize, horizon: f64) -> usize {
    let least = |weights: &[f64]| -> f64 {
        let regrets = prospects.iter().map(|one| dot(weights, &one.regret));
        regrets.fold(f64::INFINITY, f64::min) / weights.iter().sum::<f64>()
    };
    let mut taken = (f64::INFINITY, 0);
    for (i, one) in prospects.iter().enumerate() {
        let at_once = one.regret.iter().sum::<f64>() / thetas as f64;
        let mut l = 1.0;
        while l <= horizon {
            let after: f64 = one
                .apart
                .chunks_exact(thetas)
                .map(|apart| least(&apart.iter().map(|nats| (-l * nats).exp_e()).collect::<Vec<_>>()))
                .sum();
            let total = l * at_once + (horizon - l) * after / thetas as f64;
            if total < taken.0 {
                taken = (total, i);
            }
            l *= 2.0;
        }
    }
    taken.1
}

impl Plan {
    fn new(problem: &Problem, q: Vec<f64>, v: Vec<f64>) -> Plan {
        let greedy = |s: State| problem.pairs_of(s).min_by(|&a, &b| q[a].total_cmp(&q[b]));
        let mut met = vec![false; problem.states()];
        let mut states = vec![problem.start()];
        met[problem.start()] = true;
        met[problem.goal()] = true;
        let mut i = 0;
        while i < states.len() {
            let next = greedy(states[i]).map_or(&[][..], |p| problem.successors(p));
            for next in next.iter().map(|&next| next as State) {
                if !std::mem::replace(&mut met[next], true) {
                    states.push(next);
                }
            }
            i += 1;
        }
        states.sort_unstable_by(|&a, &b| v[b].total_cmp(&v[a]).then(a.cmp(&b)));
        let pairs = states.iter().filter_map(|&s| greedy(s)).collect();
        let start = states.iter().position(|&s| s == problem.start()).unwrap_or(0);
        Plan { q, v, course: Course { states, pairs, start } }
    }
}

impl Course {
    fn prospect(
        &self,
        problem: &Problem,
        thetas: &[Vec<f64>],
        plans: &[Plan],
        halt: &Halt,
    ) -> Result<Prospect, Cut> {
        let mut place = vec![None; problem.states()];
        self.states.iter().enumerate().for_each(|(i, &s)| place[s] = Some(i));
        let laws: Vec<Vec<f64>> = thetas.iter().map(|theta| self.law(problem, theta)).collect();
        let nats: Vec<Vec<f64>> =
            laws.iter().map(|law| law.iter().map(|w| w.max(RARE).log_e()).collect()).collect();
        let (mut regret, mut apart) = (Vec::new(), Vec::new());
        for ((law, own), plan) in laws.iter().zip(&nats).zip(plans) {
            let visits = self.visits(problem, law, &place, halt)?;
            let beyond = self.states.iter().zip(&self.pairs).map(|(&s, &p)| (plan.q[p] - plan.v[s]).max(0.0));
            regret.push(visits.iter().zip(beyond).map(|(visits, beyond)| visits * beyond).sum());
            let mut steps = law.clone();
            self.rows(problem).zip(&visits).for_each(|(row, visits)| {
                steps[row].iter_mut().for_each(|w| *w *= visits);
            });
            apart.extend(nats.iter().map(|other| (dot(&steps, own) - dot(&steps, other)).max(0.0)));
        }
        Ok(Prospect { regret, apart })
    }

    /// The places of each pair's transitions among all.
    fn rows<'a>(&'a self, problem: &'a Problem) -> impl Iterator<Item = std::ops::Range<usize>> + 'a {
        self.pairs.iter().scan(0, |end, &p| {
            let from = *end;
            *end += problem.successors(p).len();
            Some(from..*end)
        })
    }

    /// The probabilities of all transitions.
    fn law(&self, problem: &Problem, theta: &[f64]) -> Vec<f64> {
        let rows = self.pairs.iter().flat_map(|&p| problem.phi(p).chunks_exact(theta.len()));
        rows.map(|phi| dot(phi, theta).max(0.0)).collect()
    }

    /// How often each state is visited in an episode, nearly.
    fn visits(
        &self,
        problem: &Problem,
        law: &[f64],
        place: &[Option<usize>],
        halt: &Halt,
    ) -> Result<Vec<f64>, Cut> {
        let mut visits = vec![0.0; self.states.len()];
        let mut waiting = visits.clone();
        waiting[self.start] = 1.0;
        for _ in 0..SWEEPS {
            halt.check()?;
            for (i, row) in self.rows(problem).enumerate() {
                if waiting[i] <= FEW {
                    continue;
                }
                let next = problem.successors(self.pairs[i]);
                let arcs = || next.iter().map(|&next| place[next as State]).zip(&law[row.clone()]);
                // what comes back at once is handed on at once
                let own: f64 = arcs().filter(|(at, _)| *at == Some(i)).map(|(_, w)| w).sum();
                let here = std::mem::take(&mut waiting[i]) / (1.0 - own.min(STAYS));
                visits[i] += here;
                for (at, weight) in arcs() {
                    if let Some(at) = at.filter(|at| *at != i) {
                        waiting[at] += here * weight;
                    }
                }
            }
            if waiting.iter().sum::<f64>() < LITTLE {
                break;
            }
        }
        Ok(visits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(regret: [f64; 2], apart: [f64; 4]) -> Prospect {
        Prospect { regret: regret.to_vec(), apart: apart.to_vec() }
    }

    /// A plan that costs more now is taken if it tells more, and if there is time to use that.
    #[test]
    fn what_is_told_is_worth_its_price_on_a_long_horizon() {
        // safe: regret 0 or 4, and nothing is learnt; trying: 3 either way, and all is learnt
        let safe = told([0.0, 4.0], [0.0; 4]);
        let other = told([6.0, 0.0], [0.0; 4]);
        let trying = told([3.0, 3.0], [0.0, 99.0, 99.0, 0.0]);
        // of 2 episodes: 2 * 2 without trying, 3 + 1 * 0 with it
        let all = [safe, other, trying];
        assert_eq!(best(&all, 2, 1.0), 0);
        assert_eq!(best(&all, 2, 2.0), 2);
        assert_eq!(best(&all, 2, 100.0), 2);
    }
}
