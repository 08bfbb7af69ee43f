//! The families of instances.

use goalward::numeric::{Polytope, Portable, Stream};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// A kind of hardness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Nothing special, d to 64.
    Random,
    /// Repeated, nearly parallel and dependent rows, and rows that are equalities in disguise.
    Dependent,
    /// The same, and nearly parallel rows may face each other. What they enclose depends on digits
    /// that a row in floating point does not have, so an answer may be more optimistic than the
    /// oracle's, though not less.
    Facing,
    /// The set is a point, or hardly more.
    Touching,
    /// The objective is a combination of rows, exactly or nearly.
    Span,
    /// The paper's cross-polytope with all its facets, d to 12.
    Cross,
    /// cond(Sigma) from 1e6 to 1e12.
    Conditioned,
    /// Radii of 1e-9 and 1e6, objectives of zero, one dimension.
    Extreme,
    /// The probability simplex.
    Simplex,
    /// No point in common, by a margin of 1e-6 of the radius or more.
    Empty,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 10] = [
        Family::Random,
        Family::Dependent,
        Family::Facing,
        Family::Touching,
        Family::Span,
        Family::Cross,
        Family::Conditioned,
        Family::Extreme,
        Family::Simplex,
        Family::Empty,
    ];

    /// The polytope of a draft. Cross-polytopes are built once: there are few, and they have
    /// thousands of rows.
    pub fn shared(
        self,
        draft: &Draft,
        build: impl Fn(&Draft) -> Option<Arc<Polytope>>,
    ) -> Option<Arc<Polytope>> {
        type Known = HashMap<(usize, u64), Arc<Polytope>>;
        static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
        if self != Family::Cross {
            return build(draft);
        }
        let key = (draft.dim, draft.rows[0].1.to_bits());
        let known = KNOWN.lock().unwrap().get_or_insert_default().get(&key).cloned();
        known.or_else(|| {
            let polytope = build(draft)?;
            KNOWN.lock().unwrap().get_or_insert_default().insert(key, Arc::clone(&polytope));
            Some(polytope)
        })
    }
}

/// An instance as it was made up.
pub struct Draft {
    pub dim: usize,
    pub equalities: Vec<(Vec<f64>, f64)>,
    pub rows: Vec<(Vec<f64>, f64)>,
    /// A point of the polytope, and of the set unless that is empty.
    pub known: Vec<f64>,
    /// The polytope itself is empty.
    pub contradictory: bool,
    pub center: Vec<f64>,
    /// F, and Sigma = F F'.
    pub factor: Vec<f64>,
    pub shape: Vec<f64>,
    pub radius: f64,
    /// No point is in both.
    pub empty: bool,
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn symmetric(random: &mut Stream) -> f64 {
    2.0 * random.uniform() - 1.0
}

fn vector(random: &mut Stream, n: usize) -> Vec<f64> {
    (0..n).map(|_| symmetric(random)).collect()
}

/// 10 to a power drawn from an interval.
fn magnitude(random: &mut Stream, low: f64, high: f64) -> f64 {
    10f64.to_the(low + (high - low) * random.uniform())
}

fn axis(d: usize, i: usize, sign: f64) -> Vec<f64> {
    (0..d).map(|j| if i == j { sign } else { 0.0 }).collect()
}

/// The polytope of an instance, around a known point.
pub fn draft(family: Family, random: &mut Stream) -> Draft {
    let dim = match family {
        Family::Cross => 2 + random.below(11),
        Family::Extreme if random.below(3) == 0 => 1,
        _ => match random.below(10) {
            0 => 1 + random.below(64),
            1..=3 => 1 + random.below(24),
            _ => 1 + random.below(8),
        },
    };
    let mut draft = Draft {
        dim,
        equalities: Vec::new(),
        rows: Vec::new(),
        known: vector(random, dim),
        contradictory: false,
        center: vec![0.0; dim],
        factor: Vec::new(),
        shape: Vec::new(),
        radius: 1.0,
        empty: false,
    };
    match family {
        Family::Cross => draft.cross(random),
        Family::Simplex => draft.simplex(random),
        _ => {
            if dim > 1 && random.below(5) == 0 {
                let a = vector(random, dim);
                draft.equalities.push((a.clone(), dot(&a, &draft.known)));
            }
            if random.below(3) == 0 {
                for i in 0..dim {
                    draft.rows.push((axis(dim, i, 1.0), draft.known[i] + random.uniform()));
                    draft.rows.push((axis(dim, i, -1.0), random.uniform() - draft.known[i]));
                }
            }
            let m = 1 + random.below(2 * dim + 12);
            for _ in 0..m {
                let a = vector(random, dim);
                let slack = if random.below(6) == 0 { 0.0 } else { random.uniform() };
                draft.rows.push((a.clone(), dot(&a, &draft.known) + slack));
            }
        }
    }
    match family {
        Family::Dependent => {
            let thin = random.below(2) == 0;
            draft.depend(random, thin, !thin);
        }
        Family::Facing => draft.depend(random, true, true),
        Family::Empty if random.below(4) == 0 => {
            // rows whose combination says 0 <= -margin
            let (a, b) = draft.combination(random);
            let margin = magnitude(random, -5.0, 0.0) * norm(&a).max(1.0);
            draft.rows.push((a.iter().map(|a| -a).collect(), -b - margin));
            draft.contradictory = true;
        }
        _ => (),
    }
    draft
}

/// An objective of a family.
pub fn objective(family: Family, draft: &Draft, random: &mut Stream) -> Vec<f64> {
    let d = draft.dim;
    if random.below(if family == Family::Extreme { 5 } else { 50 }) == 0 {
        return vec![0.0; d];
    }
    let size = magnitude(random, -2.0, 3.0);
    let mut c = vector(random, d);
    if family == Family::Span || random.below(20) == 0 {
        let (a, _) = draft.combination(random);
        let noise = if random.below(2) == 0 { 0.0 } else { magnitude(random, -16.0, -3.0) };
        c = c.iter().zip(&a).map(|(c, a)| noise * c - a).collect();
    } else if random.below(10) == 0 {
        c.iter_mut().for_each(|c| *c = (2.0 * *c).round());
    }
    c.iter().map(|c| size * c).collect()
}

impl Draft {
    fn cross(&mut self, random: &mut Stream) {
        let d = self.dim;
        // few sizes, so that few polytopes are built
        let delta = [1e-3, 5.0 / 27.0, 2.0][random.below(3)];
        self.equalities.push((axis(d, d - 1, 1.0), 1.0));
        for signs in 0..1u32 << (d - 1) {
            let facet = (0..d)
                .map(|j| if j == d - 1 { 0.0 } else { f64::from(signs >> j & 1) * 2.0 - 1.0 })
                .collect();
            self.rows.push((facet, delta));
        }
        self.inside_cross(random);
    }

    fn inside_cross(&mut self, random: &mut Stream) {
        let d = self.dim;
        let mut point = vector(random, d - 1);
        let sum: f64 = point.iter().map(|x| x.abs()).sum();
        let share = if random.below(4) == 0 { 1.0 } else { random.uniform() };
        point.iter_mut().for_each(|x| *x *= share * self.rows[0].1 / sum.max(1e-300));
        point.push(1.0);
        self.known = point;
    }

    fn simplex(&mut self, random: &mut Stream) {
        let d = self.dim;
        self.equalities.push((vec![1.0; d], 1.0));
        (0..d).for_each(|i| self.rows.push((axis(d, i, -1.0), 0.0)));
        let weights: Vec<f64> =
            (0..d).map(|_| if random.below(3) == 0 { 0.0 } else { random.exponential() }).collect();
        let sum: f64 = weights.iter().sum();
        self.known = if sum > 0.0 { weights.iter().map(|w| w / sum).collect() } else { axis(d, 0, 1.0) };
    }

    /// A nonnegative combination of up to d rows.
    fn combination(&self, random: &mut Stream) -> (Vec<f64>, f64) {
        let (mut a, mut b) = (vec![0.0; self.dim], 0.0);
        for _ in 0..1 + random.below(self.dim.min(6)) {
            let (row, limit) = &self.rows[random.below(self.rows.len())];
            let weight = random.uniform();
            a.iter_mut().zip(row).for_each(|(a, r)| *a += weight * r);
            b += weight * limit;
        }
        (a, b)
    }

    /// Adds rows that depend on those before: some nearly parallel, some that make others
    /// equalities.
    fn depend(&mut self, random: &mut Stream, thin: bool, facing: bool) {
        for _ in 0..1 + self.rows.len() / 2 {
            let (a, b) = self.rows[random.below(self.rows.len())].clone();
            let row = match random.below(4) {
                0 => (a.iter().map(|a| 3.0 * a).collect(), 3.0 * b),
                1 if thin => {
                    let tiny = magnitude(random, -15.0, -5.0);
                    let near: Vec<f64> = a.iter().map(|a| a * (1.0 + tiny * symmetric(random))).collect();
                    let limit = (b - dot(&a, &self.known)) + dot(&near, &self.known);
                    (near, limit)
                }
                // together with a row through the known point an equality
                2 if facing => (a.iter().map(|a| -a).collect(), -dot(&a, &self.known)),
                _ => {
                    let (a, b) = self.combination(random);
                    (a, b + if random.below(2) == 0 { 0.0 } else { 1e-3 * random.uniform() })
                }
            };
            self.rows.push(row);
        }
    }

    /// Draws the ellipsoid.
    pub fn place(&mut self, family: Family, random: &mut Stream) {
        let d = self.dim;
        let condition = match family {
            Family::Conditioned => magnitude(random, 6.0, 12.0),
            Family::Touching => magnitude(random, 0.0, 4.0),
            _ => magnitude(random, 0.0, 6.0),
        };
        if family == Family::Cross {
            self.inside_cross(random);
        }
        self.draw_shape(random, condition);
        self.radius = match family {
            Family::Extreme => [1e-9, 1e-7, 1e4, 1e6][random.below(4)],
            Family::Touching => magnitude(random, -3.0, 3.0),
            _ if random.below(3) == 0 => magnitude(random, -9.0, 6.0),
            _ => magnitude(random, -2.0, 1.0),
        };
        // radius is met in the direction that the shape gives: |F'x| = radius for x = radius F'^-1
        // v, |v| = 1
        let direction = vector(random, d);
        let reach = norm(&self.stretch(&direction)).max(1e-300);
        self.empty = false;
        match family {
            Family::Touching => self.touch(random),
            Family::Empty => self.miss(random),
            _ => {
                // the known point inside, on some occasions only just
                let share = if random.below(5) == 0 { 1.0 - 1e-9 } else { random.uniform() };
                let step = share * self.radius / reach;
                // no centre further away than numbers reach
                let step = step.min(1e7 / norm(&direction).max(1e-300));
                self.center = self.known.iter().zip(&direction).map(|(k, v)| k + step * v).collect();
            }
        }
    }

    /// F'x.
    fn stretch(&self, x: &[f64]) -> Vec<f64> {
        let d = self.dim;
        (0..d).map(|j| (0..d).map(|i| self.factor[i * d + j] * x[i]).sum()).collect()
    }

    /// F = a product of reflections times a diagonal with squared entries between 1/condition and
    /// 1.
    fn draw_shape(&mut self, random: &mut Stream, condition: f64) {
        let d = self.dim;
        let mut f = vec![0.0; d * d];
        (0..d).for_each(|i| f[i * d + i] = condition.to_the(-0.5 * random.uniform()));
        for _ in 0..3 {
            let mut v = vector(random, d);
            let size = norm(&v).max(1e-300);
            v.iter_mut().for_each(|v| *v /= size);
            for j in 0..d {
                let s: f64 = 2.0 * (0..d).map(|i| v[i] * f[i * d + j]).sum::<f64>();
                (0..d).for_each(|i| f[i * d + j] -= s * v[i]);
            }
        }
        let mut sigma = vec![0.0; d * d];
        for i in 0..d {
            for j in 0..=i {
                sigma[i * d + j] = dot(&f[i * d..(i + 1) * d], &f[j * d..(j + 1) * d]);
                sigma[j * d + i] = sigma[i * d + j];
            }
        }
        (self.factor, self.shape) = (f, sigma);
    }

    /// Sigma^-1 a by conjugate gradients: this file shares no code with the solver.
    fn inverse(&self, a: &[f64]) -> Vec<f64> {
        let d = self.dim;
        let (mut x, mut r, mut p) = (vec![0.0; d], a.to_vec(), a.to_vec());
        let mut square = dot(&r, &r);
        for _ in 0..20 * d + 20 {
            if square <= 1e-28 * dot(a, a) {
                break;
            }
            let image: Vec<f64> = self.shape.chunks_exact(d).map(|row| dot(row, &p)).collect();
            let step = square / dot(&p, &image);
            (0..d).for_each(|i| x[i] += step * p[i]);
            (0..d).for_each(|i| r[i] -= step * image[i]);
            let next = dot(&r, &r);
            (0..d).for_each(|i| p[i] = r[i] + next / square * p[i]);
            square = next;
        }
        x
    }

    /// Puts the centre so that the ellipsoid meets a face of the polytope in the known point alone,
    /// or in little more.
    fn touch(&mut self, random: &mut Stream) {
        // rows through the known point, so that it lies on their combination's face
        let mut a = vec![0.0; self.dim];
        for _ in 0..1 + random.below(self.dim.min(3)) {
            let (row, limit) = self.rows[random.below(self.rows.len())].clone();
            let through = dot(&row, &self.known);
            if limit - through <= 1e-12 {
                a.iter_mut().zip(&row).for_each(|(a, r)| *a += r);
            }
        }
        if norm(&a) < 1e-6 {
            a = axis(self.dim, 0, 1.0);
        }
        let direction = self.inverse(&a);
        let reach = norm(&self.stretch(&direction)).max(1e-300);
        // without room, a rounding of the radius moves the answer by 1e-8 of it
        let room = if random.below(3) == 0 { 0.0 } else { magnitude(random, -15.0, -3.0) };
        let step = self.radius / reach;
        self.center = self.known.iter().zip(&direction).map(|(k, v)| k + step * v).collect();
        self.radius *= 1.0 + room;
    }

    /// Puts the centre beyond a combination of rows by more than the ellipsoid reaches.
    fn miss(&mut self, random: &mut Stream) {
        let (a, b) = self.combination(random);
        let direction = self.inverse(&a);
        let reach = norm(&self.stretch(&direction)).max(1e-300);
        let margin = magnitude(random, -6.0, 0.5);
        let beyond = b - dot(&a, &self.known);
        // a'center = b + (1 + margin) radius |a| in the norm of Sigma^-1, which is a'direction /
        // reach
        let step = beyond / dot(&a, &direction) + (1.0 + margin) * self.radius / reach;
        self.center = self.known.iter().zip(&direction).map(|(k, v)| k + step * v).collect();
        // a margin below what rounding does to the centre proves nothing
        let size = norm(&self.center) + norm(&self.known) + b.abs() / norm(&a).max(1e-300);
        let width = margin * self.radius * dot(&a, &direction) / reach / norm(&a).max(1e-300);
        if norm(&a) > 1e-6 && width > 1e-8 * (1.0 + size) {
            self.empty = true;
        } else {
            self.center = self.known.clone();
        }
    }

    /// How far theta is outside: of a row or equality by distance, of the ellipsoid by what its
    /// radius lacks.
    pub fn excess(&self, theta: &[f64]) -> f64 {
        let row = |(a, b): &(Vec<f64>, f64)| (dot(a, theta) - b) / norm(a).max(1e-300);
        let rows = self.rows.iter().map(row).fold(0.0, f64::max);
        let equalities = self.equalities.iter().map(|e| row(e).abs()).fold(0.0, f64::max);
        let off: Vec<f64> = theta.iter().zip(&self.center).map(|(t, c)| t - c).collect();
        let round = norm(&self.stretch(&off)) - self.radius;
        rows.max(equalities).max(round)
    }
}
