//! rho-LEVIS++: LEVIS++ on perturbed costs, for costs that may be zero (Theorem 5.2 of the paper).
//!
//! Every cost is raised by rho = 1/(T* K), values are bounded by B_rho = B + T* rho, and rho takes the place of c_min.
//! Reading T6: lambda = 1/B_rho^2 and L = log2(5 B_rho/rho), where the print has B. The regret is that of the costs paid.

use super::LearnerEntry;
use super::levis_plus_plus::{
    B, Config, DELTA, DELTA_SPLIT, GAMMA, HORIZON, LAMBDA, LEVELS, LevisPlusPlus, PLANNER, Perturbation,
    RADIUS,
};
use super::norms::{NORMS, Norms, PHI_NORM, THETA_NORM};
use super::optimist::{ROWS, given_or_true_b, given_or_true_t_star};
use crate::registry::Parameter;

pub(super) const ENTRY: LearnerEntry = LearnerEntry {
    id: "rho-levis++",
    title: "rho-LEVIS++: LEVIS++ on perturbed costs, for zero costs",
    reference: "Di, He, Zhou, Gu (ICML 2023), Theorem 5.2",
    setting: "linear mixture SSP, costs may be zero",
    needs: &["B >= B*", "T*", "K"],
    guarantee: "regret O~(d B sqrt(K) + d^2 B) with probability 1 - (2L+1) delta, if B >= B*, t_star >= T* and the norms in \
                force bound the problem's (norms=computed: always); determinant: validity alone; scaled: none",
    parameters: &[
        B,
        Parameter {
            name: "t_star",
            default: "",
            doc: "upper bound on T*, the expected steps of the optimal policy from the worst state, for instance \
                  --set t_star=20; --set t_star=oracle takes the true T* and says so",
        },
        Parameter { name: "rho", default: "(1/(T* K))", doc: "the perturbation of every cost" },
        DELTA,
        LAMBDA,
        GAMMA,
        LEVELS,
        RADIUS,
        HORIZON,
        DELTA_SPLIT,
        NORMS,
        PHI_NORM,
        THETA_NORM,
        PLANNER,
        ROWS,
    ],
    wants_policy: false,
    build: |brief| {
        let (b, b_oracle) = given_or_true_b(brief.problem.cost_unit(), brief)?;
        let (t_star, t_oracle) = given_or_true_t_star(brief)?;
        let unit = brief.problem.cost_unit();
        // values are bounded by B + T* rho, of which B alone may take all that can be computed with
        let (least, most) = (1e-100 * unit, 1e12 * unit / t_star.max(1.0));
        let rho = match brief.settings.number_or_none("rho", least, most)? {
            Some(rho) => rho,
            None => unit / (t_star * brief.episodes.max(1) as f64),
        };
        let oracle =
            [("B", b_oracle), ("t_star", t_oracle)].into_iter().filter(|x| x.1).map(|x| x.0).collect();
        let perturbation = Some(Perturbation { rho, t_star });
        let config = Config::read(brief, b + t_star * rho, rho, perturbation, Norms::Printed, oracle)?;
        Ok(Box::new(LevisPlusPlus::new(brief, config)?))
    },
};
