//! Weighted sums of rows and of their squares: where fits and sets spend their time.

/// Adds sum first x to `linear`, and sum second x x' to `square`, over the rows (x, first, second), which have as many numbers
/// as `linear`.
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
    let (mut of_rows, mut of_squares) = ([0.0; K], [[0.0; K]; K]);
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
    linear.iter_mut().zip(of_rows).for_each(|(l, x)| *l += x);
    square.iter_mut().zip(of_squares.as_flattened()).for_each(|(s, x)| *s += x);
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
            gram(weighted(), &mut linear, &mut square);
            for i in 0..k {
                let expected: f64 = weighted().map(|(x, first, _)| first * x[i]).sum();
                assert_eq!(linear[i], 1.0 + expected);
                for j in 0..k {
                    let expected: f64 = weighted().map(|(x, _, second)| second * x[i] * x[j]).sum();
                    assert_eq!(square[i * k + j], 2.0 + expected);
                }
            }
        }
    }
}
