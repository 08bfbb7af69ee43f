//! Products of many rows with one vector, in half the digits: rows lie in blocks, each by columns.

/// Rows that are looked at together: as many sums as the processor has registers for.
pub(super) const WIDE: usize = 32;

/// A number of each row of a block.
pub(super) type Wide = [f32; WIDE];

/// Columns times x, and more. A function of its own keeps the sums in vectors.
#[inline(never)]
pub(super) fn products(more: &Wide, columns: &[Wide], x: &[f32]) -> Wide {
    let mut sums = *more;
    for (column, x) in columns.iter().zip(x) {
        for lane in 0..WIDE {
            sums[lane] += column[lane] * x;
        }
    }
    sums
}

/// The largest number of a block.
#[inline(always)]
pub(super) fn largest<T: Copy + PartialOrd, const N: usize>(x: &[T; N]) -> T {
    const { assert!(N.is_power_of_two()) };
    let mut top = *x;
    let mut half = N / 2;
    while half > 0 {
        for lane in 0..half {
            top[lane] = if top[lane] > top[lane + half] { top[lane] } else { top[lane + half] };
        }
        half /= 2;
    }
    top[0]
}

/// Where it is first.
#[inline(always)]
pub(super) fn place_of(x: &Wide, top: f32) -> usize {
    (0..WIDE).rev().fold(0, |place, lane| if x[lane] == top { lane } else { place })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_multiplied_and_its_largest_found() {
        let column = |scale: f32| std::array::from_fn(|lane| scale * ((7 * lane + 3) % WIDE) as f32);
        let columns = [column(1.0), column(-0.5)];
        let sums = products(&[1.0; WIDE], &columns, &[2.0, 3.0]);
        for (lane, sum) in sums.iter().enumerate() {
            assert_eq!(*sum, 1.0 + 0.5 * ((7 * lane + 3) % WIDE) as f32);
        }
        let top = largest(&sums);
        assert_eq!(top, 1.0 + 0.5 * (WIDE - 1) as f32);
        assert_eq!(sums[place_of(&sums, top)], top);
        assert_eq!(place_of(&[2.0; WIDE], 2.0), 0);
    }
}
