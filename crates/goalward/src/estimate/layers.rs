//! Layered regressions with weights that bound every step's influence (Zhao et al. 2023).
//!
//! Layer l = 1..L has the ridge 2^(-2l) lambda. A step goes into the first layer in which it is new
//! enough, |x| >= 2^-l in the norm of Sigma_l^-1, with a weight w that makes w |x| = 2^-l. So no
//! step of layer l has more influence than 2^-l, whatever its variance: no moments are estimated.
//!
//! A step that is new in no layer goes into the last one with weight 1. Its influence there is
//! below 2^-L too, so the layer's radius stays valid.

use super::Ridge;
use crate::numeric::dot;
use crate::problem::{Pair, Problem, State};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Layer {
    pub(crate) ridge: Ridge,
    /// 2^(-2l) lambda.
    lambda: f64,
    /// |Psi_l|, the number of its steps.
    pub(crate) count: u64,
    /// sum of w^2 y^2.
    squares: f64,
}

impl Layer {
    fn new(dim: usize, lambda: f64) -> Self {
        Layer { ridge: Ridge::new(dim, lambda), lambda, count: 0, squares: 0.0 }
    }

    /// sum of w^2 (y - <theta, x>)^2 over its steps, at the theta of now: squares - theta' Sigma
    /// theta - lambda |theta|^2, as Sigma theta = b.
    pub(crate) fn residuals(&self) -> f64 {
        let theta = self.ridge.theta();
        let rows = self.ridge.sigma().chunks_exact(theta.len().max(1));
        let fitted: f64 = theta.iter().zip(rows).map(|(x, row)| x * dot(row, &theta)).sum();
        (self.squares - fitted - self.lambda * dot(&theta, &theta)).max(0.0)
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Layers {
    /// Layer 1 first.
    pub(crate) layers: Vec<Layer>,
    /// Of the last step: 1/w^2 at its layer, and zeros.
    pub(crate) last: Vec<f64>,
    #[serde(skip)]
    room: (Vec<f64>, Vec<f64>),
}

impl Layers {
    pub(crate) fn new(dim: usize, count: usize, lambda: f64) -> Self {
        let of = |l: usize| Layer::new(dim, lambda * 0.25f64.powi(l as i32));
        let layers = (1..=count).map(of).collect();
        Layers { layers, last: vec![0.0; count], room: (vec![0.0; dim], vec![0.0; dim]) }
    }

    /// Takes a transition in. `u` is V_j/B in [0, 1].
    pub(crate) fn step(&mut self, problem: &Problem, p: Pair, next: State, u: &[f64]) {
        let (mut x, mut scratch) = std::mem::take(&mut self.room);
        x.resize(problem.dim(), 0.0);
        scratch.resize(problem.dim(), 0.0);
        problem.phi_v(p, u, &mut x);
        self.last.fill(0.0);
        // values that are zero everywhere tell nothing
        if x.iter().any(|x| *x != 0.0) {
            self.take(&x, u[next], &mut scratch);
        }
        self.room = (x, scratch);
    }

    fn take(&mut self, x: &[f64], y: f64, scratch: &mut [f64]) {
        let (mut place, mut weight) = (self.layers.len() - 1, 1.0);
        for (i, layer) in self.layers.iter().enumerate() {
            let (norm, bound) = (layer.ridge.running().inverse_norm(x, scratch), influence(i));
            if norm >= bound {
                (place, weight) = (i, bound / norm);
                break;
            }
        }
        let (layer, square) = (&mut self.layers[place], weight * weight);
        layer.ridge.update(x, y, square, scratch);
        layer.count += 1;
        layer.squares += square * y * y;
        self.last[place] = 1.0 / square;
    }

    pub(crate) fn doubled(&self) -> bool {
        self.layers.iter().any(|layer| layer.count > 0 && layer.ridge.doubled())
    }

    pub(crate) fn freeze(&mut self) {
        self.layers.iter_mut().filter(|layer| layer.count > 0).for_each(|layer| layer.ridge.freeze());
    }
}

/// 2^-l, for the layer at a place from 0.
pub(crate) fn influence(place: usize) -> f64 {
    0.5f64.powi(place as i32 + 1)
}
