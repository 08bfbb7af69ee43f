//! Random numbers: PCG64 streams whose every draw is determined by a key and a position.

use super::stored::{Flaw, ensure};
use crate::Portable;
use rand_core::Rng;
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

/// A stream of random numbers, keyed by a seed and labels, that remembers its position.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "Position", into = "Position")]
pub struct Stream {
    key: [u64; 2],
    drawn: u64,
    generator: Pcg64,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Position {
    key: [u64; 2],
    drawn: u64,
}

impl From<Position> for Stream {
    fn from(p: Position) -> Self {
        let mut stream = Stream::at(p.key);
        stream.skip(p.drawn);
        stream
    }
}

impl From<Stream> for Position {
    fn from(s: Stream) -> Self {
        Position { key: s.key, drawn: s.drawn }
    }
}

impl Stream {
    /// The stream of a seed and labels.
    pub fn new(seed: u64, labels: &[u64]) -> Self {
        let mut key = [mix(seed), mix(seed ^ 0x6a09_e667_f3bc_c909)];
        for &label in labels {
            key = [mix(key[0] ^ mix(label)), mix(key[1] ^ mix(label ^ 0xbb67_ae85_84ca_a73b))];
        }
        Stream::at(key)
    }

    fn at(key: [u64; 2]) -> Self {
        let state = (u128::from(key[0]) << 64) | u128::from(key[1]);
        Stream { key, drawn: 0, generator: Pcg64::new(state, 0xa02b_dbf7_bb3c_0a7a_c28f_a16a_64ab_f96b) }
    }

    /// Whether a stored one is this stream, wherever it stands.
    pub fn check(&self, own: &Stream) -> Result<(), Flaw> {
        ensure(self.key == own.key, "key", || "it is the stream of another seed".into())
    }

    /// Passes over n draws.
    pub fn skip(&mut self, n: u64) {
        self.generator.advance(u128::from(n));
        self.drawn += n;
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.drawn += 1;
        self.generator.next_u64()
    }

    /// Uniform on [0, 1), a multiple of 2^-53.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform on 0..n; n > 0.
    pub fn below(&mut self, n: usize) -> usize {
        // the high half of a 64 x 64 product: its bias is below n / 2^64
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// Standard exponential.
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.uniform()).log_e()
    }
}

/// SplitMix64's finaliser.
fn mix(z: u64) -> u64 {
    let z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The index that a uniform number picks, by inversion; never one of probability zero.
pub fn categorical(probabilities: &[f64], uniform: f64) -> usize {
    let mut cumulated = 0.0;
    let mut last = 0;
    for (i, &p) in probabilities.iter().enumerate() {
        if p > 0.0 {
            cumulated += p;
            last = i;
            if uniform < cumulated {
                return i;
            }
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NumPy: `g = PCG64(); g.state = {'bit_generator': 'PCG64', 'state': {'state': S, 'inc': I},
    /// ...}` after the same initialisation; the vector is of `pcg64` in the PCG reference
    /// implementation (seed 42, stream 54).
    #[test]
    fn generator_is_the_reference_pcg64() {
        let mut g = Pcg64::new(42, 54);
        let expected = [0x86b1_da1d_7206_2b68u64, 0x1304_aa46_c985_3d39, 0xa367_0e9e_0dd5_0358];
        assert_eq!([g.next_u64(), g.next_u64(), g.next_u64()], expected);
    }

    #[test]
    fn a_stream_comes_back_from_its_position() {
        let mut stream = Stream::new(7, &[1, 2]);
        (0..5).for_each(|_| {
            stream.bits();
        });
        let text = serde_json::to_string(&stream).unwrap();
        let mut back: Stream = serde_json::from_str(&text).unwrap();
        assert_eq!(stream.bits(), back.bits());
        assert_ne!(Stream::new(7, &[1, 2]).bits(), Stream::new(7, &[2, 1]).bits());
    }

    #[test]
    fn categorical_follows_its_law_and_skips_zeros() {
        assert_eq!(categorical(&[0.0, 0.5, 0.0, 0.5, 0.0], 0.0), 1);
        assert_eq!(categorical(&[0.0, 0.5, 0.0, 0.5, 0.0], 0.5), 3);
        assert_eq!(categorical(&[0.25, 0.75 - 1e-12, 0.0], 1.0 - f64::EPSILON), 1);
        let mut stream = Stream::new(1, &[]);
        let mut counts = [0; 3];
        (0..30_000).for_each(|_| counts[categorical(&[0.2, 0.3, 0.5], stream.uniform())] += 1);
        for (n, p) in counts.iter().zip([0.2, 0.3, 0.5]) {
            assert!((f64::from(*n) / 30_000.0 - p).abs() < 0.015);
        }
    }
}
