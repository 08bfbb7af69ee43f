//! Problems for tests: random mixtures, and grids with winds.

use super::Instance;
use crate::Problem;
use crate::numeric::Stream;

/// A mixture of models with random successors, the goal among them, and equal weights.
pub(crate) fn mixture(states: usize, actions: usize, successors: usize, dim: usize) -> Instance {
    let mut stream = Stream::new(states as u64, &[dim as u64]);
    let goal = states - 1;
    let mut models = vec![Vec::new(); dim];
    let mut costs = Vec::new();
    for s in 0..goal {
        costs.push((0..actions).map(|_| 0.1 + 0.9 * stream.uniform()).collect::<Vec<f64>>());
        models.iter_mut().for_each(|model| model.push(Vec::new()));
        for _ in 0..actions {
            let mut next: Vec<usize> = (0..successors).map(|_| stream.below(states)).collect();
            next.extend([goal, (s + 1).min(goal)]);
            next.sort_unstable();
            next.dedup();
            for model in &mut models {
                let weights: Vec<f64> = next.iter().map(|_| 0.1 + stream.uniform()).collect();
                let sum: f64 = weights.iter().sum();
                model[s].push(next.iter().zip(&weights).map(|(&n, w)| (n, w / sum)).collect::<Vec<_>>());
            }
        }
    }
    costs.push(Vec::new());
    models.iter_mut().for_each(|model| model.push(Vec::new()));
    let problem = Problem::from_models(&models, &costs, 0, goal).unwrap();
    Instance::new(problem, &vec![1.0 / dim as f64; dim]).unwrap()
}

/// A square grid from corner to corner: a move succeeds, or the wind blows another way.
pub(crate) fn grid(n: usize) -> Instance {
    let goal = n * n - 1;
    let step = |s: usize, way: usize| {
        let (row, column) = (s / n, s % n);
        match way {
            0 => row * n + (column + 1).min(n - 1),
            1 => (row + 1).min(n - 1) * n + column,
            2 => row * n + column.saturating_sub(1),
            _ => row.saturating_sub(1) * n + column,
        }
    };
    let model = |wind: f64| -> Vec<Vec<Vec<(usize, f64)>>> {
        let row = |s: usize, a: usize| {
            let mut row: Vec<(usize, f64)> = Vec::new();
            for (next, p) in (0..4).map(|way| (step(s, way), wind / 4.0)).chain([(step(s, a), 1.0 - wind)]) {
                match row.iter_mut().find(|(other, _)| *other == next) {
                    Some((_, sum)) => *sum += p,
                    None => row.push((next, p)),
                }
            }
            row
        };
        let of = |s: usize| if s == goal { Vec::new() } else { (0..4).map(|a| row(s, a)).collect() };
        (0..=goal).map(of).collect()
    };
    let costs: Vec<Vec<f64>> = (0..=goal).map(|s| if s == goal { vec![] } else { vec![0.2; 4] }).collect();
    let problem = Problem::from_models(&[model(0.1), model(0.8)], &costs, 0, goal).unwrap();
    Instance::new(problem, &[0.5, 0.5]).unwrap()
}
