//! Truths that are drawn: what a learner pays on average over the models, not at one of them.

use crate::numeric::{Portable, Stream, dot};
use crate::parameters::{Choice, Key, Value};
use crate::problem::{Problem, Truth};
use crate::{Error, Result};

/// Which truth a world has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WhichTruth {
    /// Its own.
    Own,
    /// One that is drawn with this seed.
    Drawn(u64),
}

pub(super) const TRUTH: Key<WhichTruth> = Key::choice(
    "truth",
    &[Choice::Word("own"), Choice::WithCount("drawn", 0)],
    "own: the world's; drawn:SEED: weights drawn uniformly, from the simplex where every candidate model could \
     be the truth, and from all of B elsewhere",
)
.or("own");

impl Value for WhichTruth {
    fn read(text: &str) -> Option<WhichTruth> {
        match text.strip_prefix("drawn:") {
            Some(seed) => seed.parse().ok().map(WhichTruth::Drawn),
            None => (text == "own").then_some(WhichTruth::Own),
        }
    }
    fn typed(&self) -> String {
        match self {
            WhichTruth::Own => "own".into(),
            WhichTruth::Drawn(seed) => format!("drawn:{seed}"),
        }
    }
}

/// The label of the numbers that draw truths.
const LABEL: u64 = 0x0074_7275_7468; // "truth"

/// Moves of the chain, for each direction of B.
const MOVES: usize = 400;

/// A truth that is drawn uniformly.
pub(super) fn draw(problem: &Problem, seed: u64) -> Result<Truth> {
    let mut stream = Stream::new(seed, &[LABEL]);
    let b = problem.constraints();
    let model = |i: usize| (0..problem.dim()).map(|j| f64::from(u8::from(i == j))).collect::<Vec<f64>>();
    if (0..problem.dim()).all(|i| b.contains(&model(i), 1e-9)) {
        // gaps of a Poisson process are uniform on the simplex
        let gaps: Vec<f64> = (0..problem.dim()).map(|_| -(1.0 - stream.uniform()).log_e()).collect();
        let sum: f64 = gaps.iter().sum();
        return Truth::new(problem, &gaps.iter().map(|gap| gap / sum).collect::<Vec<f64>>());
    }
    if b.has_features() {
        let fault = "B has more than 65,536 different rows: give a truth of your own";
        return Err(Error::Field { field: TRUTH.name().into(), fault: fault.into() });
    }
    Truth::new(problem, &walk(problem, &mut stream))
}

/// Hit and run: from a point of B along a random line to a uniform point of what B has of it.
fn walk(problem: &Problem, stream: &mut Stream) -> Vec<f64> {
    let b = problem.constraints();
    let k = b.free();
    let mut z = b.coordinates(b.interior());
    for _ in 0..MOVES * k {
        let way: Vec<f64> = (0..k).map(|_| 2.0 * stream.uniform() - 1.0).collect();
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        for (row, b) in b.rows().chunks_exact(k).zip(b.offsets()) {
            let (slope, room) = (dot(row, &way), (b - dot(row, &z)).max(0.0));
            if slope > 0.0 {
                high = high.min(room / slope);
            } else if slope < 0.0 {
                low = low.max(room / slope);
            }
        }
        let share = stream.uniform();
        // a line without an end is one that no kernel sees
        if low.is_finite() && high.is_finite() {
            let step = low + share * (high - low);
            z.iter_mut().zip(&way).for_each(|(z, way)| *z += step * way);
        }
    }
    let along = |i: usize| dot(&b.basis()[i * k..(i + 1) * k], &z);
    (0..problem.dim()).map(|i| b.origin()[i] + along(i)).collect()
}

#[cfg(test)]
mod tests {
    use crate::worlds::{named, open};

    fn drawn(world: &str, seed: u64) -> Vec<f64> {
        let (name, settings) = named(world).unwrap();
        open(&name, &settings.set("truth", format!("drawn:{seed}")))
            .unwrap()
            .truth()
            .unwrap()
            .theta()
            .unwrap()
            .to_vec()
    }

    #[test]
    fn weights_are_uniform_on_the_simplex() {
        let draws: Vec<Vec<f64>> = (0..400).map(|seed| drawn("delivery", seed)).collect();
        for theta in &draws {
            assert!((theta.iter().sum::<f64>() - 1.0).abs() < 1e-12 && theta.iter().all(|x| *x >= 0.0));
        }
        for i in 0..3 {
            let mean = draws.iter().map(|theta| theta[i]).sum::<f64>() / 400.0;
            // P(x > 1/2) = 1/4: three standard deviations are 0.065
            let half = draws.iter().filter(|theta| theta[i] > 0.5).count() as f64 / 400.0;
            assert!((mean - 1.0 / 3.0).abs() < 0.036 && (half - 0.25).abs() < 0.065, "{mean} {half}");
        }
        assert_eq!(drawn("delivery", 7), draws[7]);
        assert_ne!(drawn("delivery", 8), draws[7]);
    }

    #[test]
    fn other_sets_are_walked_through() {
        // theta = (x, 1), |x| at most some bound
        let draws: Vec<Vec<f64>> = (0..200).map(|seed| drawn("hard-instance@dim=2", seed)).collect();
        let most = draws.iter().map(|theta| theta[0].abs()).fold(0.0, f64::max);
        let inner = draws.iter().filter(|theta| theta[0].abs() < 0.5 * most).count() as f64 / 200.0;
        assert!((inner - 0.5).abs() < 0.12, "{inner}");
    }
}
