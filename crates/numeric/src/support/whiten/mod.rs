//! One set, prepared for many objectives: min w'y over |y| <= 1, G y <= h.

mod account;
mod coarse;
mod hot;
mod shape;
mod taken;

use super::Empty;
use super::lanes::{Lanes, dot_four, inner, largest, products, width};
use crate::{Cholesky, Polytope, dot, norm};
use coarse::Coarse;
use hot::Hot;
use std::sync::Arc;
use taken::Taken;

/// Rows that are scanned together: enough sums for the processor never to wait for one.
pub(super) const ROWS: usize = 16;
/// From this number of rows on, similar rows are neighbours, and a bound on each block comes first.
pub(super) const ORDERED: usize = 64 * ROWS;

/// The set {z : |L'(z - z0)| <= rho, A z <= b} in the coordinates y = L'(z - z0) / rho, with z the
/// polytope's free coordinates. The rows G have norm one; rows that the ball satisfies are left
/// out.
#[derive(Clone, Debug)]
pub(super) struct Whitened {
    pub(super) polytope: Arc<Polytope>,
    pub(super) free: usize,
    pub(super) z0: Vec<f64>,
    pub(super) rho: f64,
    /// The factor L of S = N' Sigma N.
    pub(super) factor: Cholesky,
    /// L^-1 by columns: a product has no chain of divisions as substitution has.
    inverse: Vec<Lanes>,
    /// L^-1 N' by columns, and the centre in R^d: all that a set without rows needs.
    direct: Vec<Lanes>,
    pub(super) center: Vec<f64>,
    pub(super) norm_bound: f64,
    plain: bool,
    /// G in blocks of rows by columns: the entry (i, j) is lane i % ROWS of (i / ROWS) k + j.
    pub(super) blocks: Vec<[f64; ROWS]>,
    /// h and what of a violation is rounding, by blocks; the padding is never violated.
    pub(super) ceilings: Vec<[f64; ROWS]>,
    pub(super) limits: Vec<f64>,
    /// 1 / |L^-1 A_i|: multipliers of the rows of G times it are multipliers of the rows of A.
    pub(super) scales: Vec<f64>,
    /// How far h may be off: what a proof of emptiness must exceed.
    pub(super) doubt: Vec<f64>,
    /// The polytope's rows behind those of G, k numbers each, and their right-hand sides.
    pub(super) rows: Vec<f64>,
    pub(super) offsets: Vec<f64>,
    /// How many of the rows are the polytope's; cuts follow.
    pub(super) uncut: usize,
    coarse: Option<Coarse>,
    hot: Option<Hot>,
    /// Rows that could bind were left out: the set is larger.
    pub(super) relaxed: bool,
    pub(super) point: bool,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    /// b.
    offset: f64,
    /// |L^-1 a|.
    size: f64,
    /// h, what of it is rounding, and how far it may be off otherwise.
    limit: f64,
    noise: f64,
    doubt: f64,
}

impl Whitened {
    pub(super) fn assemble(
        polytope: &Arc<Polytope>,
        factor: Cholesky,
        z0: Vec<f64>,
        rho: f64,
    ) -> Result<Self, Empty> {
        let k = z0.len();
        let mut inverse = vec![[0.0; 4]; k * width(k)];
        for (j, column) in inverse.chunks_exact_mut(width(k).max(1)).enumerate() {
            let column = &mut column.as_flattened_mut()[..k];
            column[j] = 1.0;
            factor.solve_lower(column);
        }
        let d = polytope.dim();
        let plain = k == d
            && polytope.origin().iter().all(|&o| o == 0.0)
            && (0..d * d).all(|i| polytope.basis()[i] == f64::from(u8::from(i % (d + 1) == 0)));
        let mut set = Whitened {
            polytope: Arc::clone(polytope),
            free: k,
            z0,
            rho,
            factor,
            inverse,
            direct: Vec::new(),
            center: Vec::new(),
            norm_bound: 0.0,
            plain,
            blocks: Vec::new(),
            ceilings: Vec::new(),
            limits: Vec::new(),
            scales: Vec::new(),
            doubt: Vec::new(),
            rows: Vec::new(),
            offsets: Vec::new(),
            uncut: 0,
            coarse: None,
            hot: None,
            relaxed: false,
            point: false,
        };
        let (width, mut w) = (width(k), vec![[0.0; 4]; width(k)]);
        set.direct = Vec::with_capacity(d * width);
        for n in polytope.basis().chunks_exact(k.max(1)) {
            set.whiten(n, &mut w);
            set.direct.extend_from_slice(&w);
        }
        set.center = vec![0.0; d];
        super::expand(polytope, &set.z0, &mut set.center);
        set.norm_bound = set.inverse_norm();
        set.take_rows()?;
        Ok(set)
    }

    fn take_rows(&mut self) -> Result<(), Empty> {
        let k = self.free;
        let place = norm(&self.z0);
        let polytope = Arc::clone(&self.polytope);
        let pairs = || polytope.rows().chunks_exact(k.max(1)).zip(polytope.offsets());
        let longest =
            self.inverse.chunks_exact(width(k).max(1)).map(|c| inner(c, c).sqrt()).fold(0.0, f64::max);
        let extent = self.rho * longest;
        if extent <= 1e-13 * (1.0 + place) {
            self.point = true;
            let give = extent + polytope.blur();
            let inside = pairs().all(|(a, b)| dot(a, &self.z0) <= b + 1e-9 * (1.0 + place + b.abs()) + give)
                && polytope.features().is_none_or(|features| {
                    features.violated(&polytope, &self.z0, 1e-9 * (1.0 + 2.0 * place) + give).is_empty()
                });
            return if inside { Ok(()) } else { Err(Empty::Point) };
        }
        let mut taken = Taken::new(self);
        for (a, &b) in pairs() {
            taken.consider(a, b)?;
        }
        taken.keep_nearest(polytope.nearest());
        if let Some(features) = polytope.features() {
            taken.consider_features(features)?;
        }
        let order = if taken.rows.len() >= ORDERED { taken.order() } else { (0..taken.rows.len()).collect() };
        let Taken { rows, a, g, relaxed, .. } = taken;
        let mut more = 8.0 * f64::EPSILON;
        for i in order {
            more = f64::max(more, rows[i].noise);
            self.push(rows[i], &a[i * k..(i + 1) * k], &g[i * k..(i + 1) * k]);
        }
        self.relaxed = relaxed;
        self.uncut = self.limits.len();
        self.enlarge(more);
        self.bound_blocks();
        Ok(())
    }

    /// What the row a'z <= b is within the ball; g becomes L^-1 a.
    fn row(&self, a: &[f64], b: f64, g: &mut [f64]) -> Row {
        g.copy_from_slice(a);
        self.factor.solve_lower(g);
        let size = norm(g);
        let limit = (b - dot(a, &self.z0)) / (self.rho * size);
        let noise = 8.0 * f64::EPSILON * (b.abs() + norm(&self.z0)) / (self.rho * size);
        Row { offset: b, size, limit, noise, doubt: noise }
    }

    fn push(&mut self, row: Row, a: &[f64], g: &[f64]) {
        let (block, lane) = (self.limits.len() / ROWS, self.limits.len() % ROWS);
        if lane == 0 {
            self.blocks.resize((block + 1) * g.len(), [0.0; ROWS]);
            self.ceilings.push([f64::INFINITY; ROWS]);
        }
        self.blocks[block * g.len()..].iter_mut().zip(g).for_each(|(b, g)| b[lane] = g / row.size);
        self.ceilings[block][lane] = row.limit + 1e-12 * row.limit.abs() + row.noise;
        self.limits.push(row.limit);
        self.scales.push(1.0 / row.size);
        self.doubt.push(row.doubt);
        self.rows.extend_from_slice(a);
        self.offsets.push(row.offset);
    }

    /// Adds the row a'z <= b, |a| = 1, unless the ball satisfies it.
    pub(super) fn append(&mut self, a: &[f64], b: f64) {
        let mut g = vec![0.0; a.len()];
        let row = self.row(a, b, &mut g);
        if row.limit < 1.0 && row.limit > -1.0 {
            self.push(row, a, &g);
            self.bound_blocks();
        }
    }

    /// Takes all rows from this number on out.
    pub(super) fn truncate(&mut self, rows: usize) {
        let (k, blocks) = (self.free, rows.div_ceil(ROWS));
        [&mut self.limits, &mut self.scales, &mut self.doubt, &mut self.offsets]
            .into_iter()
            .for_each(|list| list.truncate(rows));
        self.rows.truncate(rows * k);
        self.blocks.truncate(blocks * k);
        self.ceilings.truncate(blocks);
        if let Some(last) = self.ceilings.last_mut() {
            last[rows - (blocks - 1) * ROWS..].fill(f64::INFINITY);
        }
        self.bound_blocks();
    }

    fn bound_blocks(&mut self) {
        self.hot = None;
        self.coarse = (self.limits.len() >= ORDERED).then(|| Coarse::of(self));
    }

    /// A bound on |L^-1|: its Frobenius norm, or the mean of its largest row and column sums.
    fn inverse_norm(&self) -> f64 {
        let k = self.free;
        let (mut square, mut across, mut down) = (0.0, vec![0.0; k], 0.0);
        for column in self.inverse.chunks_exact(width(k).max(1)) {
            let column = &column.as_flattened()[..k];
            square += dot(column, column);
            down = f64::max(down, column.iter().map(|x| x.abs()).sum());
            across.iter_mut().zip(column).for_each(|(a, x)| *a += x.abs());
        }
        let across = across.into_iter().fold(0.0, f64::max);
        f64::min(square.sqrt(), (across * down).sqrt())
    }

    /// Makes the ball larger by the rounding of it and the rows: where the set is hardly more than
    /// a point, one rounding of the radius moves a minimum by its square root. The minimum falls by
    /// at most some 1e-8 of the radius.
    fn enlarge(&mut self, share: f64) {
        self.rho *= 1.0 + share;
        let smaller = 1.0 / (1.0 + share);
        let ceilings = self.ceilings.as_flattened_mut().iter_mut();
        ceilings.chain(&mut self.limits).chain(&mut self.doubt).for_each(|x| *x *= smaller);
    }

    #[inline]
    pub(super) fn entry(&self, i: usize, j: usize) -> f64 {
        self.blocks[i / ROWS * self.free + j][i % ROWS]
    }

    #[inline]
    pub(super) fn copy_row(&self, i: usize, out: &mut [Lanes]) {
        let block = &self.blocks[i / ROWS * self.free..];
        let lane = i % ROWS;
        out.as_flattened_mut()[..self.free].iter_mut().zip(block).for_each(|(o, b)| *o = b[lane]);
    }

    /// The row outside W that y violates most, beyond rounding and beyond `deaf`, and by how much.
    #[inline]
    pub(super) fn most_violated(&self, y: &[Lanes], deaf: f64, working: &[usize]) -> Option<(usize, f64)> {
        let floor = deaf.max(1e-12 * inner(y, y).sqrt());
        if let Some(hot) = &self.hot {
            return hot.scan(self, y, floor, working);
        }
        let (row, most) = self.scan(y, floor, &[])?;
        // a row of W is violated by rounding at most, so that it rarely comes first
        let known = working.iter().fold(false, |known, &i| known | (i == row));
        if known { self.scan(y, floor, working) } else { Some((row, most)) }
    }

    fn scan(&self, y: &[Lanes], floor: f64, without: &[usize]) -> Option<(usize, f64)> {
        if let Some(coarse) = &self.coarse {
            return coarse.scan(self, y, floor, without);
        }
        let (mut most, mut place, mut worst) = (floor, 0, [0.0; ROWS]);
        self.each_block(y, |block, mut excess| {
            for &i in without.iter().filter(|&&i| i / ROWS == block) {
                excess[i % ROWS] = f64::NEG_INFINITY;
            }
            let top = largest(&excess);
            if top > most {
                (most, place, worst) = (top, block, excess);
            }
        });
        if most <= floor {
            return None;
        }
        let lane = (0..ROWS).fold(0, |best, lane| if worst[lane] == most { lane } else { best });
        Some((ROWS * place + lane, most))
    }

    /// Hands out by how much y violates the rows, beyond rounding, a block at a time.
    #[inline(always)]
    fn each_block(&self, y: &[Lanes], take: impl FnMut(usize, [f64; ROWS])) {
        // worth a twentieth of a solve's time where it is shortest
        match self.free {
            2 => self.each_block_of(y, 2, take),
            3 => self.each_block_of(y, 3, take),
            4 => self.each_block_of(y, 4, take),
            5 => self.each_block_of(y, 5, take),
            6 => self.each_block_of(y, 6, take),
            7 => self.each_block_of(y, 7, take),
            8 => self.each_block_of(y, 8, take),
            k => self.each_block_of(y, k, take),
        }
    }

    #[inline(always)]
    fn each_block_of(&self, y: &[Lanes], k: usize, mut take: impl FnMut(usize, [f64; ROWS])) {
        let y = &y.as_flattened()[..k];
        let blocks = self.blocks.chunks_exact(k.max(1)).zip(&self.ceilings);
        for (block, (columns, ceilings)) in blocks.enumerate() {
            take(block, products(&ceilings.map(|h| -h), columns, y));
        }
    }

    /// z = z0 + rho L^-T y.
    pub(super) fn unwhiten(&self, y: &[f64], z: &mut [f64]) {
        z.copy_from_slice(&y[..self.free]);
        self.factor.solve_upper(z);
        z.iter_mut().zip(&self.z0).for_each(|(z, z0)| *z = z0 + self.rho * *z);
    }

    pub(super) fn place(&self, y: &[Lanes], theta: &mut [f64]) {
        let columns = self.direct.chunks_exact(y.len().max(1)).zip(&self.center);
        theta.iter_mut().zip(columns).for_each(|(t, (column, c))| *t = c + self.rho * inner(column, y));
    }

    #[inline]
    pub(super) fn whiten(&self, x: &[f64], out: &mut [Lanes]) {
        let width = out.len();
        for (place, out) in out.iter_mut().enumerate() {
            // L^-1 is lower triangular: later columns have nothing here
            let mut sums = [0.0; 4];
            for (column, x) in self.inverse.chunks_exact(width).zip(x).take(4 * place + 4) {
                let column = &column[place];
                for lane in 0..4 {
                    sums[lane] += x * column[lane];
                }
            }
            *out = sums;
        }
    }

    #[inline]
    pub(super) fn whiten_directly(&self, c: &[f64], out: &mut [Lanes]) {
        out.fill([0.0; 4]);
        super::lanes::add_columns(out, &self.direct, c, 1.0);
    }

    /// N'c, and the constant c'origin.
    #[inline]
    pub(super) fn reduce(&self, c: &[f64], out: &mut [f64]) -> f64 {
        if self.plain {
            out.copy_from_slice(c);
            return 0.0;
        }
        out.fill(0.0);
        for (n, &c) in self.polytope.basis().chunks_exact(out.len().max(1)).zip(c) {
            out.iter_mut().zip(n).for_each(|(o, n)| *o += c * n);
        }
        dot_four(c, self.polytope.origin())
    }
}
