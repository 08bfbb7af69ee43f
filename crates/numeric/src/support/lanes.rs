//! Vectors of y-space in lanes of four, padded with zeros: no remainders, no bounds checks.

use std::ops::{AddAssign, Mul};

pub(super) type Lanes = [f64; 4];

pub(super) fn width(k: usize) -> usize {
    k.div_ceil(4)
}

/// The scalar product in four running sums: one sum would wait for itself.
#[inline]
pub(super) fn inner(a: &[Lanes], b: &[Lanes]) -> f64 {
    let mut sums = [0.0; 4];
    for (x, y) in a.iter().zip(b) {
        for lane in 0..4 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

#[inline]
pub(super) fn add(out: &mut [Lanes], scale: f64, x: &[Lanes]) {
    for (o, x) in out.iter_mut().zip(x) {
        for lane in 0..4 {
            o[lane] += scale * x[lane];
        }
    }
}

/// Wider vectors do not stay in registers: several places, or columns, are taken at a time, without
/// changing the order of sums.
const NARROW: usize = 8;
const AT_ONCE: usize = 4;

/// out += columns scales: every lane of the result stays in registers while the columns pass.
#[inline]
pub(super) fn add_columns(out: &mut [Lanes], columns: &[Lanes], scales: &[f64], sign: f64) {
    if out.len() > NARROW {
        return add_wide_columns(out, columns, scales, sign);
    }
    let width = out.len();
    for (place, out) in out.iter_mut().enumerate() {
        let mut sums = [0.0; 4];
        for (column, scale) in columns.chunks_exact(width).zip(scales) {
            let x = &column[place];
            for lane in 0..4 {
                sums[lane] += scale * x[lane];
            }
        }
        for lane in 0..4 {
            out[lane] += sign * sums[lane];
        }
    }
}

#[inline(never)]
fn add_wide_columns(out: &mut [Lanes], columns: &[Lanes], scales: &[f64], sign: f64) {
    let width = out.len();
    for (first, out) in (0..).step_by(AT_ONCE).zip(out.chunks_mut(AT_ONCE)) {
        let mut sums = [[0.0; 4]; AT_ONCE];
        for (column, scale) in columns.chunks_exact(width).zip(scales) {
            add(&mut sums, *scale, &column[first..(first + AT_ONCE).min(width)]);
        }
        add(out, sign, &sums);
    }
}

/// out = columns' x, for as many columns as out has room.
#[inline]
pub(super) fn project(columns: &[Lanes], x: &[Lanes], out: &mut [f64]) {
    let width = x.len().max(1);
    let wide = if width > NARROW { out.len() - out.len() % AT_ONCE } else { 0 };
    let (several, single) = out.split_at_mut(wide);
    for (out, columns) in several.chunks_exact_mut(AT_ONCE).zip(columns.chunks_exact(AT_ONCE * width)) {
        project_several(columns, x, out);
    }
    for (out, column) in single.iter_mut().zip(columns.chunks_exact(width).skip(wide)) {
        *out = inner(column, x);
    }
}

#[inline(never)]
fn project_several(columns: &[Lanes], x: &[Lanes], out: &mut [f64]) {
    let (halves, width) = (columns.split_at(columns.len() / 2), x.len());
    let ((a, b), (c, d)) = (halves.0.split_at(width), halves.1.split_at(width));
    let mut sums = [[0.0; 4]; AT_ONCE];
    for ((((a, b), c), d), x) in a.iter().zip(b).zip(c).zip(d).zip(x) {
        for lane in 0..4 {
            sums[0][lane] += a[lane] * x[lane];
            sums[1][lane] += b[lane] * x[lane];
            sums[2][lane] += c[lane] * x[lane];
            sums[3][lane] += d[lane] * x[lane];
        }
    }
    out.iter_mut().zip(sums).for_each(|(out, sum)| *out = (sum[0] + sum[1]) + (sum[2] + sum[3]));
}

/// The scalar product of plain slices, in four running sums.
#[inline]
pub(super) fn dot_four(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    inner(a, b) + a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum::<f64>()
}

/// Rows of a block in half the digits: as many sums as the processor has registers for.
pub(super) const WIDE: usize = 32;

/// A number of each row of a block.
pub(super) type Wide = [f32; WIDE];

#[inline(always)]
pub(super) fn products<T, const N: usize>(more: &[T; N], columns: &[[T; N]], x: &[T]) -> [T; N]
where
    T: Copy + Mul<Output = T> + AddAssign,
{
    let mut sums = *more;
    for (column, x) in columns.iter().zip(x) {
        for lane in 0..N {
            sums[lane] += column[lane] * *x;
        }
    }
    sums
}

/// The same in a function of its own, which keeps the sums in vectors.
#[inline(never)]
pub(super) fn wide_products(more: &Wide, columns: &[Wide], x: &[f32]) -> Wide {
    products(more, columns, x)
}

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

#[inline(always)]
pub(super) fn place_of(x: &Wide, top: f32) -> usize {
    (0..WIDE).rev().fold(0, |place, lane| if x[lane] == top { lane } else { place })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;

    /// Several at a time are the same sums, to the last bit.
    #[test]
    fn wide_columns_are_added_and_projected_as_narrow_ones() {
        let mut random = Stream::new(6, &[1]);
        let mut draw =
            |n: usize| -> Vec<Lanes> { (0..n).map(|_| [(); 4].map(|_| random.uniform())).collect() };
        for (width, count) in [(9, 7), (10, 8), (13, 1), (75, 298)] {
            let (columns, x) = (draw(width * count), draw(width));
            let mut shares = vec![0.0; count];
            project(&columns, &x, &mut shares);
            let single: Vec<f64> = columns.chunks_exact(width).map(|column| inner(column, &x)).collect();
            assert_eq!(shares, single);
            let (mut out, mut expected) = (x.clone(), x);
            add_columns(&mut out, &columns, &shares, -1.0);
            for (place, expected) in expected.iter_mut().enumerate() {
                for lane in 0..4 {
                    let terms = columns.chunks_exact(width).zip(&shares);
                    let sum = terms.fold(0.0, |sum, (column, share)| sum + share * column[place][lane]);
                    expected[lane] -= sum;
                }
            }
            assert_eq!(out, expected);
        }
    }

    #[test]
    fn a_block_is_multiplied_and_its_largest_found() {
        let column = |scale: f32| std::array::from_fn(|lane| scale * ((7 * lane + 3) % WIDE) as f32);
        let columns = [column(1.0), column(-0.5)];
        let sums = wide_products(&[1.0; WIDE], &columns, &[2.0, 3.0]);
        for (lane, sum) in sums.iter().enumerate() {
            assert_eq!(*sum, 1.0 + 0.5 * ((7 * lane + 3) % WIDE) as f32);
        }
        let top = largest(&sums);
        assert_eq!(top, 1.0 + 0.5 * (WIDE - 1) as f32);
        assert_eq!(sums[place_of(&sums, top)], top);
        assert_eq!(place_of(&[2.0; WIDE], 2.0), 0);
    }
}
