//! Draws from common distributions, from our own streams: the same on every machine.

use super::rng::Stream;
use crate::Portable;

impl Stream {
    /// Standard normal, by Marsaglia's polar method; the second number of each pair is dropped.
    pub fn gaussian(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let r = x * x + y * y;
            if r > 0.0 && r < 1.0 {
                return x * (-2.0 * r.log_e() / r).sqrt();
            }
        }
    }

    /// The logarithm of a gamma variable of scale 1, by Marsaglia and Tsang (2000). Small shapes
    /// have values below all numbers.
    pub fn log_gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            // gamma(a) = gamma(a + 1) U^(1/a)
            let boost = self.positive().log_e() / shape;
            return self.log_gamma(shape + 1.0) + boost;
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.gaussian();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && self.positive().log_e() < 0.5 * x * x + d - d * v + d * v.log_e() {
                return (d * v).log_e();
            }
        }
    }

    /// A Dirichlet variable with these parameters, all of them positive.
    pub fn dirichlet(&mut self, shapes: &[f64], out: &mut [f64]) {
        for (x, &shape) in out.iter_mut().zip(shapes) {
            *x = self.log_gamma(shape);
        }
        let largest = out.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        for x in out.iter_mut() {
            *x = (*x - largest).exp_e();
            sum += *x;
        }
        out.iter_mut().for_each(|x| *x /= sum);
    }

    /// Uniform on (0, 1], a multiple of 2^-53.
    fn positive(&mut self) -> f64 {
        1.0 - self.uniform()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: usize = 40_000;

    /// Mean and variance of a sample.
    fn moments(draw: impl FnMut() -> f64) -> (f64, f64) {
        let sample: Vec<f64> = std::iter::repeat_with(draw).take(DRAWS).collect();
        let mean = sample.iter().sum::<f64>() / DRAWS as f64;
        (mean, sample.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / DRAWS as f64)
    }

    /// Five standard errors around what the law says.
    fn agrees(sample: f64, law: f64, deviation: f64) {
        let room = 5.0 * deviation / (DRAWS as f64).sqrt();
        assert!((sample - law).abs() < room, "{sample}, but the law says {law}");
    }

    #[test]
    fn draws_follow_their_laws() {
        let mut stream = Stream::new(3, &[]);
        let (mean, variance) = moments(|| stream.gaussian());
        agrees(mean, 0.0, 1.0);
        agrees(variance, 1.0, 2f64.sqrt());
        for shape in [0.1, 0.7, 1.0, 4.5, 300.0] {
            let (mean, variance) = moments(|| stream.log_gamma(shape).exp_e());
            agrees(mean, shape, shape.sqrt());
            // the fourth central moment of a gamma is 3 a^2 + 6 a
            agrees(variance, shape, (2.0 * shape * shape + 6.0 * shape).sqrt());
        }
        // the first part of a Dirichlet is a beta
        let (shapes, mut out) = ([0.1, 2.0, 0.9], [0.0; 3]);
        let (mean, variance) = moments(|| {
            stream.dirichlet(&shapes, &mut out);
            assert!((out.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            out[1]
        });
        agrees(mean, 2.0 / 3.0, 0.25);
        agrees(variance, 2.0 / 9.0 / 4.0, 0.1);
    }

    #[test]
    fn shapes_too_small_for_numbers_still_give_a_distribution() {
        let mut stream = Stream::new(8, &[]);
        let mut out = [0.0; 4];
        for _ in 0..200 {
            stream.dirichlet(&[1e-6; 4], &mut out);
            assert!((out.iter().sum::<f64>() - 1.0).abs() < 1e-12 && out.iter().all(|x| *x >= 0.0));
        }
    }

    /// Golden numbers: no dependency may change them. Their last digits are the logarithm's.
    #[test]
    fn draws_are_pinned_down() {
        let mut stream = Stream::new(42, &[1]);
        let mut out = [0.0; 3];
        let mut drawn = vec![stream.gaussian(), stream.log_gamma(0.1), stream.log_gamma(2.5)];
        stream.dirichlet(&[0.1, 1.0, 3.0], &mut out);
        drawn.extend(out);
        let near = |(drawn, golden): (&f64, &f64)| (drawn - golden).abs() <= 1e-14 * golden.abs();
        assert!(drawn.iter().zip(&GOLDEN).all(near), "{drawn:?}");
    }

    const GOLDEN: [f64; 6] = [
        1.0971382873213469,
        -9.302885502651296,
        -0.7135392299971685,
        3.068181542452809e-5,
        0.05015052108256177,
        0.9498187971020137,
    ];
}
