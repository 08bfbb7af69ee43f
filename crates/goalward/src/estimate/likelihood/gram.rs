//! Weighted sums of rows and of their squares: where fits and sets spend their time.

/// Adds sum first x to `linear`, and sum second x x' to `square`, over the rows (x, first, second),
/// which have as many numbers as `linear`.
///
/// Small dimensions have a loop of their own, whose length the compiler knows: three times as fast.
pub(crate) fn gram<'a>(
    rows: impl Iterator<Item = (&'a [f64], f64, f64)>,
    linear: &mut [f64],
    square: &mut [f64],
) {
    match linear.len() {
        1 => fixed::<1>(rows, linear, square),
        2 => fixed::<2>(rows, linear, square),
        3 => fixed::<3>(rows, linear, square),
        4 => fixed::<4>(rows, linear, square),
        5 => fixed::<5>(rows, linear, square),
        6 => fixed::<6>(rows, linear, square),
        7 => fixed::<7>(rows, linear, square),
        8 => fixed::<8>(rows, linear, square),
        k => {
            for (x, first, second) in rows {
                for i in 0..k {
                    linear[i] += first * x[i];
                    let scaled = second * x[i];
                    square[i * k..(i + 1) * k].iter_mut().zip(x).for_each(|(s, x)| *s += scaled * x);
                }
            }
        }
    }
}

fn fixed<'a, const K: usize>(
    rows: impl Iterator<Item = (&'a [f64], f64, f64)>,
    linear: &mut [f64],
    square: &mut [f64],
) {
    // sums go on from where they stand, so that rows may come in parts
    let (mut of_rows, mut of_squares) = ([0.0; K], [[0.0; K]; K]);
    of_rows.copy_from_slice(linear);
    of_squares.as_flattened_mut().copy_from_slice(square);
    for (x, first, second) in rows {
        let Some(x) = x.first_chunk::<K>() else { continue };
        for i in 0..K {
            of_rows[i] += first * x[i];
            let scaled = second * x[i];
            for j in 0..K {
                of_squares[i][j] += scaled * x[j];
            }
        }
    }
    linear.copy_from_slice(&of_rows);
    square.copy_from_slice(of_squares.as_flattened());
}

/// sum x_i row_i, into as many numbers as a row has.
pub(super) fn combine(x: &[f64], rows: &[f64], sum: &mut [f64]) {
    match sum.len() {
        1 => combine_fixed::<1>(x, rows, sum),
        2 => combine_fixed::<2>(x, rows, sum),
        3 => combine_fixed::<3>(x, rows, sum),
        4 => combine_fixed::<4>(x, rows, sum),
        5 => combine_fixed::<5>(x, rows, sum),
        6 => combine_fixed::<6>(x, rows, sum),
        7 => combine_fixed::<7>(x, rows, sum),
        8 => combine_fixed::<8>(x, rows, sum),
        k => {
            sum.fill(0.0);
            for (x, row) in x.iter().zip(rows.chunks_exact(k.max(1))) {
                sum.iter_mut().zip(row).for_each(|(s, r)| *s += x * r);
            }
        }
    }
}

fn combine_fixed<const K: usize>(x: &[f64], rows: &[f64], sum: &mut [f64]) {
    let mut total = [0.0; K];
    for (x, row) in x.iter().zip(rows.as_chunks::<K>().0) {
        for j in 0..K {
            total[j] += x * row[j];
        }
    }
    sum.copy_from_slice(&total);
}

/// Adds weight x x' to a symmetric matrix, both triangles.
pub(super) fn add_square(x: &[f64], weight: f64, matrix: &mut [f64]) {
    let d = x.len();
    for i in 0..d {
        let scaled = weight * x[i];
        if scaled != 0.0 {
            matrix[i * d..(i + 1) * d].iter_mut().zip(x).for_each(|(m, x)| *m += scaled * x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dimension_sums_alike() {
        for k in 0..=12 {
            let rows: Vec<Vec<f64>> =
                (0..9).map(|r| (0..k).map(|i| ((r * 7 + i * 3) % 11) as f64 - 5.0).collect()).collect();
            let weighted = || rows.iter().enumerate().map(|(r, x)| (&x[..], r as f64 - 4.0, 1.0 + r as f64));
            let (mut linear, mut square) = (vec![1.0; k], vec![2.0; k * k]);
            gram(weighted().take(4), &mut linear, &mut square);
            gram(weighted().skip(4), &mut linear, &mut square);
            for i in 0..k {
                let expected: f64 = weighted().map(|(x, first, _)| first * x[i]).sum();
                assert_eq!(linear[i], 1.0 + expected);
                for j in 0..k {
                    let expected: f64 = weighted().map(|(x, _, second)| second * x[i] * x[j]).sum();
                    assert_eq!(square[i * k + j], 2.0 + expected);
                }
            }
            let (x, mut sum) = ([2.0, -1.0, 3.0], vec![7.0; k]);
            combine(&x, &rows[..3].concat(), &mut sum);
            (0..k).for_each(|i| assert_eq!(sum[i], (0..3).map(|r| x[r] * rows[r][i]).sum::<f64>()));
        }
    }
}
