//! Vectors of y-space in lanes of four, padded with zeros: loops over them need no remainder and no
//! bounds checks.

/// Four neighbouring components.
pub(super) type Lanes = [f64; 4];

/// Lanes that hold k components.
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

/// out += scale x.
#[inline]
pub(super) fn add(out: &mut [Lanes], scale: f64, x: &[Lanes]) {
    for (o, x) in out.iter_mut().zip(x) {
        for lane in 0..4 {
            o[lane] += scale * x[lane];
        }
    }
}

/// out += columns scales: every lane of the result stays in registers while the columns pass.
#[inline]
pub(super) fn add_columns(out: &mut [Lanes], columns: &[Lanes], scales: &[f64], sign: f64) {
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

/// out = columns' x, for as many columns as out has room.
#[inline]
pub(super) fn project(columns: &[Lanes], x: &[Lanes], out: &mut [f64]) {
    for (out, column) in out.iter_mut().zip(columns.chunks_exact(x.len().max(1))) {
        *out = inner(column, x);
    }
}

/// The scalar product of plain slices, in four running sums.
#[inline]
pub(super) fn dot_four(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    inner(a, b) + a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum::<f64>()
}
