//! The likelihood set itself: its boundary, its tangents and its support points.
//!
//! F is convex, so that {z : F(x) + F'(x)(z - x) <= 0} contains the set whatever x is. With x a
//! point of the set at which c'z is least over it, this half-space and B have that same minimum:
//! one cut makes the ellipsoid as good as the set for one objective, and nearly so for others.
//! Where x is a little off, the cut is a little too wide, never too narrow.

use super::starts::{Starts, log_sum};
use crate::estimate::{Likelihood, Term, gram};
use crate::numeric::support::{ConvexSet, SupportMin, Warm};
use crate::numeric::{Cholesky, Polytope, Portable, dot};
use nalgebra::{DMatrix, DVector};

/// The numbers that rows may take, 8 MB: beyond, one cut would take longer than a plan.
const ROOM: usize = 1 << 20;
/// Evaluations on the way to the boundary, and how near it has to come, in units of F's depth.
const TRIES: usize = 20;
const NEAR: f64 = 1e-3;
/// Newton steps of the interior-point method, halvings of each, from which decrement on a point is
/// taken for the centre, and the factor of the objective's weight from one centre to the next.
const PATH: usize = 80;
const HALVINGS: i32 = 40;
const CENTRED: f64 = 0.25;
const FURTHER: f64 = 8.0;
/// Newton steps towards a support point.
const STEPS: usize = 4;
/// They end when one moves the objective by this part of its distance from the inside.
const SETTLED: f64 = 1e-5;

/// F(z) = log sum_n exp(f_n(z) - r_n): the likelihood set is {z in B : F(z) <= 0}.
#[derive(Clone, Debug)]
pub struct Region {
    /// N'phi of every triple seen, k numbers each, and the constants.
    rows: Vec<f64>,
    constants: Vec<f64>,
    /// How often each was seen since every start.
    counts: Vec<f64>,
    thresholds: Vec<f64>,
    /// A point with F < 0, and -F there.
    inside: Vec<f64>,
    depth: f64,
}

/// F, its gradient and its Hessian at a point.
struct Jet {
    value: f64,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
}

impl Region {
    /// Whether there is room to write out a set of `triples` triples.
    pub fn fits(triples: u64, k: usize) -> bool {
        triples.saturating_mul(k as u64) <= ROOM as u64
    }

    /// None if F is not negative at the point given, or if there are too many triples.
    pub(super) fn new(
        likelihood: &Likelihood,
        starts: &Starts,
        thresholds: &[f64],
        inside: &[f64],
    ) -> Option<Region> {
        let k = inside.len();
        if k == 0 || !Region::fits(likelihood.triples() as u64, k) {
            return None;
        }
        let origin = vec![0.0; k];
        let (mut rows, mut constants, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        likelihood.each_seen(&origin, |seen| {
            for Term { index, row, p, n } in seen.terms() {
                rows.extend_from_slice(row);
                constants.push(p); // at the origin p is the row's constant
                counts.extend(starts.since(index, n));
            }
        });
        let (thresholds, inside) = (thresholds.to_vec(), inside.to_vec());
        let mut region = Region { rows, constants, counts, thresholds, inside, depth: 0.0 };
        if likelihood.blur() > 0.0 {
            region.widen(2.0 * likelihood.blur());
        }
        region.depth = -region.value(&region.inside);
        (region.depth > 0.0).then_some(region)
    }

    /// A theta far out has probabilities that are only known so well, and so has its loss.
    fn widen(&mut self, blur: f64) {
        let p = self.probabilities(&self.inside);
        let (counts, starts) = (&self.counts, self.thresholds.len());
        for (n, r) in self.thresholds.iter_mut().enumerate() {
            let slopes = p.iter().zip(counts[n..].iter().step_by(starts)).map(|(p, n)| n / p);
            *r += blur * slopes.sum::<f64>();
        }
    }

    fn probabilities(&self, z: &[f64]) -> Vec<f64> {
        let rows = self.rows.chunks_exact(z.len());
        rows.zip(&self.constants).map(|(row, constant)| constant + dot(row, z)).collect()
    }

    /// F and the starts' shares, where the triples seen have these probabilities; none where one
    /// has none.
    fn combine(&self, p: &[f64]) -> Option<(f64, Vec<f64>)> {
        let mut losses = vec![0.0; self.thresholds.len()];
        for (p, counts) in p.iter().zip(self.counts.chunks_exact(losses.len())) {
            if p.is_nan() || *p <= 0.0 {
                return None;
            }
            let log = p.log_e();
            losses.iter_mut().zip(counts).for_each(|(loss, n)| *loss -= n * log);
        }
        Some(log_sum(losses.iter().zip(&self.thresholds).map(|(f, r)| f - r)))
    }

    /// F; infinite where a triple seen has no probability.
    pub fn value(&self, z: &[f64]) -> f64 {
        self.combine(&self.probabilities(z)).map_or(f64::INFINITY, |(value, _)| value)
    }

    fn jet(&self, z: &[f64]) -> Option<Jet> {
        let (k, starts) = (z.len(), self.thresholds.len());
        let p = self.probabilities(z);
        let (value, shares) = self.combine(&p)?;
        let (mut gradient, mut hessian) = (vec![0.0; k], vec![0.0; k * k]);
        let terms = self.rows.chunks_exact(k).zip(&p).zip(self.counts.chunks_exact(starts));
        let blended = terms.clone().map(|((row, p), counts)| {
            let n = dot(counts, &shares);
            (row, -n / p, n / (p * p))
        });
        gram(blended, &mut gradient, &mut hessian);
        if starts > 1 {
            // and how the starts' gradients differ
            let mut gradients = vec![0.0; starts * k];
            for ((row, p), counts) in terms {
                for (gradient, n) in gradients.chunks_exact_mut(k).zip(counts).filter(|(_, n)| **n > 0.0) {
                    gradient.iter_mut().zip(row).for_each(|(g, x)| *g -= n / p * x);
                }
            }
            let off = gradients.chunks_exact_mut(k).zip(&shares).map(|(own, share)| {
                own.iter_mut().zip(&gradient).for_each(|(own, g)| *own -= g);
                (&*own, 0.0, *share)
            });
            gram(off, &mut vec![0.0; k], &mut hessian);
        }
        value.is_finite().then_some(Jet { value, gradient, hessian })
    }

    /// The last point of the set on the way from the inside to z, which lies outside; nearly.
    fn edge(&self, z: &[f64]) -> Vec<f64> {
        let way: Vec<f64> = z.iter().zip(&self.inside).map(|(z, inside)| z - inside).collect();
        let p = self.probabilities(&self.inside);
        let slopes: Vec<f64> = self.rows.chunks_exact(way.len()).map(|row| dot(row, &way)).collect();
        let at = |s: f64| {
            let now: Vec<f64> = p.iter().zip(&slopes).map(|(p, slope)| p + s * slope).collect();
            let (value, shares) = self.combine(&now)?;
            let counts = self.counts.chunks_exact(shares.len());
            let terms = counts.zip(now.iter().zip(&slopes));
            Some((value, terms.map(|(counts, (p, slope))| -dot(counts, &shares) * slope / p).sum::<f64>()))
        };
        let (mut low, mut high, mut s) = (0.0, 1.0, 1.0);
        for _ in 0..TRIES {
            let (value, slope) = at(s).unwrap_or((f64::INFINITY, f64::INFINITY));
            if value.abs() <= NEAR * self.depth {
                break;
            }
            *(if value > 0.0 { &mut high } else { &mut low }) = s;
            // F is convex: Newton's method from above never overshoots
            let newton = s - value / slope;
            s = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        }
        self.inside.iter().zip(&way).map(|(inside, way)| inside + s * way).collect()
    }

    /// Newton's method for the least of c'z where F = 0 and the walls hold with equality, as far as it
    /// goes: a tangent is a cut wherever it touches.
    fn approach(&self, c: &[f64], z: &[f64], walls: &[(&[f64], f64)]) -> Option<(Vec<f64>, Jet)> {
        let mut best = (z.to_vec(), self.jet(z)?);
        let mut mu = None;
        for _ in 0..STEPS {
            let (z, jet) = &best;
            let Some((step, multiplier)) = newton_step(c, z, jet, walls, mu) else { break };
            let moved: Vec<f64> = z.iter().zip(&step).map(|(z, s)| z + s).collect();
            // steps from afar may end anywhere; a tangent from there would say little
            let Some(next) = self.jet(&moved).filter(|next| next.value <= self.depth) else { break };
            let way: f64 = c.iter().zip(moved.iter().zip(&self.inside)).map(|(c, (z, i))| c * (z - i)).sum();
            mu = Some(multiplier);
            best = (moved, next);
            if dot(c, &step).abs() <= SETTLED * way.abs() && best.1.value.abs() <= SETTLED * self.depth {
                break;
            }
        }
        Some(best)
    }

    /// Minimises c'theta over ellipsoid, B and cuts, and compares with the set's own answer. If that
    /// is further in by more than a part of the way to the inside, its tangent joins the cuts.
    /// Whether it did.
    pub fn sharpen(&self, set: &mut ConvexSet, c: &[f64], warm: &mut Warm, part: f64) -> bool {
        let Some((z, reduced)) = self.beyond(set, c, warm) else { return false };
        // the walls at the ellipsoid's answer are mostly those at the set's own
        let touching = self.approach(&reduced, &self.edge(&z), &set.binding(warm));
        let Some((own, jet)) = touching else { return false };
        let (low, high) = (dot(&reduced, &z), dot(&reduced, &self.inside));
        dot(&reduced, &own) - low > part * (high - low) && self.cut(set, &own, &jet)
    }

    /// Where ellipsoid, B and cuts have their least c'theta, if that lies outside the set, and c in
    /// the coordinates of the hull.
    fn beyond(&self, set: &mut ConvexSet, c: &[f64], warm: &mut Warm) -> Option<(Vec<f64>, Vec<f64>)> {
        set.min(c, warm);
        let (mut z, mut reduced) = (vec![0.0; self.inside.len()], vec![0.0; self.inside.len()]);
        set.coordinates(&mut z);
        set.reduced(c, &mut reduced);
        (self.value(&z) > 0.0).then_some((z, reduced))
    }

    /// Cuts by the tangent at a point. Whether that cuts anything off.
    fn cut(&self, set: &mut ConvexSet, z: &[f64], jet: &Jet) -> bool {
        let slope = dot(&jet.gradient, z);
        let size = self.thresholds.iter().fold(slope.abs(), |most, r| most.max(r.abs()));
        let before = set.rows();
        set.cut(&jet.gradient, slope - jet.value + 1e-12 * size);
        set.witness(&self.inside);
        set.rows() > before
    }

    /// The point of the set at which c'theta is least, with a tangent there that makes ellipsoid, B
    /// and cuts as good as the set for this objective. None if the least over those lies in the set.
    pub(super) fn touch(&self, set: &mut ConvexSet, c: &[f64], warm: &mut Warm) -> Option<Vec<f64>> {
        let (_, reduced) = self.beyond(set, c, warm)?;
        let own = self.descend(&reduced, set.polytope());
        let jet = self.jet(&own)?;
        self.cut(set, &own, &jet);
        Some(own)
    }

    /// An interior-point method for the least of c'z over the set: Newton steps on tau c'z - log(-F)
    /// - sum log(b - a'z), with a growing tau.
    fn descend(&self, c: &[f64], polytope: &Polytope) -> Vec<f64> {
        let walls = polytope.rows().chunks_exact(c.len()).zip(polytope.offsets().iter().copied());
        let walls: Vec<(&[f64], f64)> = walls.collect();
        let Some(mut at) = self.inner(self.inside.clone(), &walls) else { return self.inside.clone() };
        let size: f64 = c.iter().map(|c| c.abs()).sum();
        let mut tau = 1.0 / size.max(f64::MIN_POSITIVE);
        for _ in 0..PATH {
            let Some((step, decrement)) = at.direction(c, tau, &walls) else { break };
            let here = at.merit(c, tau);
            let tries = (0..HALVINGS).map(|i| 0.5f64.powi(i));
            let moved = tries.into_iter().find_map(|length| {
                let z = at.z.iter().zip(&step).map(|(z, s)| z - length * s).collect();
                let enough = here - 1e-2 * length * decrement + 1e-12 * here.abs();
                self.inner(z, &walls).filter(|next| next.merit(c, tau) <= enough)
            });
            let Some(moved) = moved else { break };
            at = moved;
            if decrement < CENTRED {
                let way = (dot(c, &at.z) - dot(c, &self.inside)).abs();
                if (1.0 + walls.len() as f64) / tau <= 1e-10 * way {
                    break;
                }
                tau *= FURTHER;
            }
        }
        at.z
    }

    /// A point strictly inside the set and the walls; none if it is not.
    fn inner(&self, z: Vec<f64>, walls: &[(&[f64], f64)]) -> Option<Inner> {
        let room: Vec<f64> = walls.iter().map(|(a, b)| b - dot(a, &z)).collect();
        let jet = self.jet(&z).filter(|jet| jet.value < 0.0)?;
        room.iter().all(|room| *room > 0.0).then_some(Inner { z, jet, room })
    }
}

/// A point strictly inside.
struct Inner {
    z: Vec<f64>,
    jet: Jet,
    /// The slack of every wall.
    room: Vec<f64>,
}

impl Inner {
    /// tau c'z - log(-F) - sum log(b - a'z).
    fn merit(&self, c: &[f64], tau: f64) -> f64 {
        tau * dot(c, &self.z) - (-self.jet.value).log_e() - self.room.iter().map(|s| s.log_e()).sum::<f64>()
    }

    /// Newton's direction, and how much it promises to gain, twice.
    fn direction(&self, c: &[f64], tau: f64, walls: &[(&[f64], f64)]) -> Option<(Vec<f64>, f64)> {
        let (jet, deep) = (&self.jet, -1.0 / self.jet.value);
        let mut gradient: Vec<f64> = c.iter().zip(&jet.gradient).map(|(c, g)| tau * c + deep * g).collect();
        let mut hessian: Vec<f64> = jet.hessian.iter().map(|h| deep * h).collect();
        let own = std::iter::once((&jet.gradient[..], 0.0, deep * deep));
        let of_walls = walls.iter().zip(&self.room).map(|((a, _), s)| (*a, 1.0 / s, 1.0 / (s * s)));
        gram(own.chain(of_walls), &mut gradient, &mut hessian);
        let mut step = gradient.clone();
        Cholesky::factor(&hessian, c.len())?.solve(&mut step);
        let decrement = dot(&gradient, &step);
        Some((step, decrement))
    }
}

/// A step towards c + mu F' + sum lambda a = 0, F = 0 and a'z = b for all walls, with F's Hessian
/// times the multiplier mu in the place of the Lagrangian's; and the multiplier after it. None
/// where that is not positive.
fn newton_step(
    c: &[f64],
    z: &[f64],
    jet: &Jet,
    walls: &[(&[f64], f64)],
    mu: Option<f64>,
) -> Option<(Vec<f64>, f64)> {
    let k = c.len();
    if walls.len() >= k {
        return None;
    }
    let mut hessian = jet.hessian.clone();
    let trace: f64 = (0..k).map(|i| hessian[i * k + i]).sum();
    (0..k).for_each(|i| hessian[i * k + i] += 1e-10 * trace);
    let factor = Cholesky::factor(&hessian, k)?;
    let solved = |x: &[f64]| {
        let mut x = x.to_vec();
        factor.solve(&mut x);
        x
    };
    // G d = e, F's own row first
    let rows: Vec<&[f64]> = [&jet.gradient[..]].into_iter().chain(walls.iter().map(|wall| wall.0)).collect();
    let e = |i: usize| if i == 0 { -jet.value } else { walls[i - 1].1 - dot(walls[i - 1].0, z) };
    let images: Vec<Vec<f64>> = rows.iter().map(|row| solved(row)).collect();
    let image = solved(c);
    let n = rows.len();
    let square = DMatrix::from_fn(n, n, |i, j| dot(rows[i], &images[j])).lu();
    let along = DVector::from_fn(n, |i, _| dot(rows[i], &image));
    let mu = match mu {
        Some(mu) => mu,
        None => -square.solve(&along)?[0],
    };
    // mu H d = -(c + G' nu), so that G H^-1 G' nu = -(G H^-1 c + mu e)
    let nu = square.solve(&DVector::from_fn(n, |i, _| -along[i] - mu * e(i)))?;
    let mut step: Vec<f64> = image.iter().map(|x| -x / mu).collect();
    for (image, nu) in images.iter().zip(nu.iter()) {
        step.iter_mut().zip(image).for_each(|(s, x)| *s -= nu * x / mu);
    }
    (mu > 0.0 && nu[0] > 0.0 && step.iter().all(|s| s.is_finite())).then_some((step, nu[0]))
}
