//! Which events are kept: equally many per doubling, so that rows grow with the logarithm.

use crate::study::Thinning;

impl Thinning {
    /// Whether the n-th event, from 1, is kept.
    ///
    /// With p per doubling: from 2^e up to 2^(e+1) every (2^e/p)-th one, all if that is below 1. Powers
    /// of two and of ten are always kept. The rule does not depend on the total number, so a longer run
    /// has the rows of a shorter one.
    pub fn keeps(self, n: u64) -> bool {
        match self {
            Thinning::None => false,
            Thinning::All => true,
            Thinning::PerDoubling(_) if n == 0 => false,
            Thinning::PerDoubling(p) => {
                let octave = 1u64 << n.ilog2();
                let stride = (octave / u64::from(p.max(1))).max(1);
                (n - octave).is_multiple_of(stride) || 10u64.checked_pow(n.ilog10()) == Some(n)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_kept_and_rows_grow_with_the_logarithm() {
        let kept =
            |p: u32, n: u64| (1..=n).filter(|k| Thinning::PerDoubling(p).keeps(*k)).collect::<Vec<_>>();
        assert_eq!(kept(4, 20), [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20]);
        for p in [1, 4, 32] {
            let rows = kept(p, 1 << 20);
            assert!((0..=20).all(|e| rows.contains(&(1 << e))) && rows.contains(&100_000));
            // p for each of 20 doublings, six powers of ten, and the last power of two
            assert!(rows.len() <= p as usize * 20 + 7, "{p}: {}", rows.len());
        }
        assert_eq!(kept(32, 64).len(), 64, "all of the first 64");
        assert!(Thinning::PerDoubling(8).keeps(1 << 63) && !Thinning::PerDoubling(8).keeps(u64::MAX));
        assert!(Thinning::All.keeps(7) && !Thinning::None.keeps(8));
    }
}
