mod conic;
mod quick;

use super::*;
use crate::{Cholesky, PolytopeBuilder, Portable, Stream};
use conic::Conic;
use proptest::prelude::*;

fn symmetric(random: &mut Stream) -> f64 {
    2.0 * random.uniform() - 1.0
}

/// 10 to a power drawn from an interval.
fn magnitude(random: &mut Stream, low: f64, high: f64) -> f64 {
    10f64.to_the(low + (high - low) * random.uniform())
}

pub(super) fn draw(random: &mut Stream, n: usize) -> Vec<f64> {
    (0..n).map(|_| symmetric(random)).collect()
}

pub(super) struct Instance {
    pub(super) polytope: Arc<Polytope>,
    center: Vec<f64>,
    shape: Vec<f64>,
    radius: f64,
}

impl Instance {
    pub(super) fn ellipsoid(&self) -> Ellipsoid<'_> {
        Ellipsoid { center: &self.center, shape: &self.shape, radius: self.radius }
    }

    /// How far theta is outside the ellipsoid, relative to its radius.
    fn excess(&self, theta: &[f64]) -> f64 {
        let d = theta.len();
        let off: Vec<f64> = theta.iter().zip(&self.center).map(|(t, c)| t - c).collect();
        let square: f64 = (0..d).map(|i| off[i] * dot(&self.shape[i * d..(i + 1) * d], &off)).sum();
        square.max(0.0).sqrt() - self.radius
    }
}

/// A symmetric matrix with eigenvalues between 1/condition and 1 in random directions.
fn shape(random: &mut Stream, d: usize, condition: f64) -> Vec<f64> {
    let mut matrix = vec![0.0; d * d];
    (0..d).for_each(|i| matrix[i * d + i] = condition.to_the(-random.uniform()));
    for _ in 0..2 * d {
        // a reflection I - 2 v v' from both sides
        let mut v = draw(random, d);
        let size = norm(&v);
        v.iter_mut().for_each(|v| *v /= size);
        for transpose in [false, true] {
            let at = |i: usize, j: usize| if transpose { j * d + i } else { i * d + j };
            for j in 0..d {
                let s: f64 = 2.0 * (0..d).map(|i| v[i] * matrix[at(i, j)]).sum::<f64>();
                (0..d).for_each(|i| matrix[at(i, j)] -= s * v[i]);
            }
        }
    }
    for i in 0..d {
        for j in 0..i {
            matrix[i * d + j] = matrix[j * d + i];
        }
    }
    matrix
}

/// A random polytope (bounded or not, full or not, with repeated and degenerate rows) and a random
/// ellipsoid.
pub(super) fn instance(random: &mut Stream) -> Instance {
    let d = 1 + random.below(12);
    let m = random.below(41);
    let anchor = draw(random, d);
    let mut builder = PolytopeBuilder::new(d);
    match random.below(4) {
        0 => {
            for i in 0..d {
                let axis: Vec<f64> = (0..d).map(|j| f64::from(u8::from(i == j))).collect();
                builder.halfspace(&axis, anchor[i] + random.uniform());
                builder.halfspace(&axis.iter().map(|x| -x).collect::<Vec<_>>(), random.uniform() - anchor[i]);
            }
        }
        1 if d > 1 => {
            let a = draw(random, d);
            builder.equality(&a, dot(&a, &anchor)).unwrap();
        }
        _ => (),
    }
    let degenerate = random.below(3) == 0;
    let mut last: Option<(Vec<f64>, f64)> = None;
    for _ in 0..m {
        let (a, slack) = match &last {
            Some((a, slack)) if degenerate && random.below(3) == 0 => {
                let tiny = magnitude(random, -14.0, -6.0);
                (a.iter().map(|a| a * (1.0 + tiny * random.uniform())).collect(), *slack)
            }
            _ => (draw(random, d), if degenerate && random.below(2) == 0 { 1.0 } else { random.uniform() }),
        };
        builder.halfspace(&a, dot(&a, &anchor) + slack);
        last = Some((a, slack));
    }
    let condition = magnitude(random, 0.0, 6.0);
    let shape = shape(random, d, condition);
    let radius = magnitude(random, -6.0, 6.0);
    let away = if random.below(2) == 0 { 0.0 } else { magnitude(random, -6.0, 1.0) };
    let center = anchor.iter().map(|a| a + away * symmetric(random)).collect();
    Instance { polytope: Arc::new(builder.finish().unwrap()), center, shape, radius }
}

/// A ball of some radius among rows in general position, all at the distance one from the origin.
pub(super) fn surrounded(random: &mut Stream, d: usize, rows: usize, radius: f64) -> ConvexSet {
    let mut builder = PolytopeBuilder::new(d).unpruned();
    for _ in 0..rows {
        let a = draw(random, d);
        builder.halfspace(&a, norm(&a));
    }
    let polytope = Arc::new(builder.finish().unwrap());
    let identity: Vec<f64> = (0..d * d).map(|i| f64::from(u8::from(i % (d + 1) == 0))).collect();
    let ball = Ellipsoid { center: &vec![0.01; d], shape: &identity, radius };
    ConvexSet::new(&polytope, ball).unwrap()
}

/// The size of the numbers that enter <c, theta>.
fn scale(c: &[f64], theta: &[f64]) -> f64 {
    norm(c) * (1.0 + norm(theta))
}

/// Checks an answer on its own evidence: the point is in the set, its value is the one told, the
/// bound meets it.
fn prove(instance: &Instance, set: &ConvexSet, c: &[f64], found: Support) {
    let theta = set.theta();
    let scale = scale(c, &theta);
    let widest = 1.0 + norm(&theta) + norm(&instance.center);
    let excess = instance.excess(&theta);
    // a point of Clarabel's is only as good as Clarabel
    let slack = if set.fallbacks() == 0 { 1e-9 } else { 1e-6 };
    assert!(instance.polytope.contains(&theta, slack * (1.0 + norm(&theta))), "outside the polytope");
    assert!(excess <= slack * instance.radius + 1e-12 * widest, "excess {excess} of {}", instance.radius);
    assert!(
        (dot(c, &theta) - found.value).abs() <= 1e-9 * scale,
        "{} is not {}",
        dot(c, &theta),
        found.value
    );
    assert!(found.bound <= found.value + slack * scale, "{found:?}");
    if found.status == Status::Optimal {
        assert!(found.value - found.bound <= 1e-8 * scale, "gap {} of {scale}", found.value - found.bound);
    }
}

/// How many answers of a stretch of seeds were not optimal, or needed Clarabel.
fn stress(seeds: std::ops::Range<u64>, solves: usize) -> (u64, u64, u64) {
    let (mut sets, mut inaccurate, mut fallbacks) = (0, 0, 0);
    for seed in seeds {
        let mut random = Stream::new(seed, &[]);
        let instance = instance(&mut random);
        let Ok(mut set) = ConvexSet::new(&instance.polytope, instance.ellipsoid()) else { continue };
        sets += 1;
        let mut warm = Warm::default();
        let mut c = draw(&mut random, instance.polytope.dim());
        let mut points = vec![set.theta()];
        for _ in 0..solves {
            let found = set.min(&c, &mut warm);
            prove(&instance, &set, &c, found);
            if set.fallbacks() == 0 {
                points.push(set.theta());
            }
            for theta in &points {
                assert!(
                    found.bound <= dot(&c, theta) + 1e-9 * scale(&c, theta),
                    "{found:?} {}",
                    dot(&c, theta)
                );
            }
            inaccurate += u64::from(found.status != Status::Optimal);
            c.iter_mut().for_each(|c| *c += 0.3 * symmetric(&mut random));
        }
        fallbacks += set.fallbacks();
    }
    (sets, inaccurate, fallbacks)
}

#[test]
fn random_sets_are_solved_with_proof() {
    let (sets, inaccurate, fallbacks) = stress(0..1000, 5);
    println!("{sets} sets, {inaccurate} inaccurate, {fallbacks} fallbacks");
    assert!(sets > 500 && inaccurate <= 5 && fallbacks <= 5);
}
proptest! {
    #[test]
    fn agrees_with_clarabel(seed in 0u64..) {
        let mut random = Stream::new(seed, &[1]);
        let instance = instance(&mut random);
        let set = ConvexSet::new(&instance.polytope, instance.ellipsoid());
        let conic = Conic::new(&instance.polytope, instance.ellipsoid());
        match (set, conic) {
            (Ok(mut set), Ok(mut conic)) => {
                for _ in 0..3 {
                    let c = draw(&mut random, instance.polytope.dim());
                    let found = set.min(&c, &mut Warm::default());
                    prove(&instance, &set, &c, found);
                    let reference = conic.min(&c, &mut Warm::default());
                    let scale = scale(&c, &set.theta());
                    // certified, so it holds even where Clarabel gave up
                    prop_assert!(found.value >= reference.bound - 1e-9 * scale);
                    if reference.status == Status::Optimal {
                        let allowed = 1e-7 * scale + 1e-9 * instance.radius + 2.0 * (reference.value - reference.bound).abs();
                        prop_assert!((found.value - reference.value).abs() <= allowed,
                            "{found:?} {reference:?} radius {}", instance.radius);
                        prop_assert!(found.bound <= reference.value + allowed);
                    }
                }
            }
            (Err(_), Err(_)) => (),
            // where they just touch Clarabel may err either way: the witness decides
            (Ok(set), Err(_)) => {
                let theta = set.theta();
                prop_assert!(instance.polytope.contains(&theta, 1e-7 * (1.0 + norm(&theta))));
                prop_assert!(instance.excess(&theta) <= 1e-7 * instance.radius + 1e-12);
            }
            (Err(empty), Ok(mut conic)) => {
                let c = draw(&mut random, instance.polytope.dim());
                let reference = conic.min(&c, &mut Warm::default());
                prop_assert!(reference.status == Status::Inaccurate, "{empty:?} but {reference:?}");
            }
        }
    }

    #[test]
    fn warm_starts_change_nothing(seed in 0u64.., garbage in prop::collection::vec(0u32.., 0..20)) {
        let mut random = Stream::new(seed, &[2]);
        let instance = instance(&mut random);
        if let Ok(mut set) = ConvexSet::new(&instance.polytope, instance.ellipsoid()) {
            let c = draw(&mut random, instance.polytope.dim());
            let mut kept = Warm::default();
            let cold = set.min(&c, &mut kept);
            let small = garbage.iter().map(|g| g % 50).collect();
            for mut warm in [kept, garbage, small] {
                let again = set.min(&c, &mut warm);
                let scale = scale(&c, &set.theta());
                prop_assert!((again.value - cold.value).abs() <= 1e-9 * scale);
            }
        }
    }
}

fn identity(d: usize) -> Vec<f64> {
    (0..d * d).map(|i| f64::from(u8::from(i % (d + 1) == 0))).collect()
}

fn simplex(d: usize) -> Arc<Polytope> {
    let mut builder = PolytopeBuilder::new(d);
    builder.equality(&vec![1.0; d], 1.0).unwrap();
    (0..d).for_each(|i| {
        builder.halfspace(&(0..d).map(|j| -f64::from(u8::from(i == j))).collect::<Vec<_>>(), 0.0)
    });
    Arc::new(builder.finish().unwrap())
}

#[test]
fn a_ball_alone_has_a_closed_form() {
    let mut random = Stream::new(1, &[3]);
    for d in 1..=20 {
        let space = Arc::new(PolytopeBuilder::new(d).finish().unwrap());
        let (center, shape) = (draw(&mut random, d), shape(&mut random, d, 1e3));
        let factor = Cholesky::factor(&shape, d).unwrap();
        let mut set =
            ConvexSet::new(&space, Ellipsoid { center: &center, shape: &shape, radius: 0.7 }).unwrap();
        let c = draw(&mut random, d);
        let found = set.min(&c, &mut Warm::default());
        let truth = dot(&c, &center) - 0.7 * factor.inverse_norm(&c, &mut vec![0.0; d]);
        assert!((found.value - truth).abs() < 1e-12 * (1.0 + truth.abs()));
        assert!((found.bound - truth).abs() < 1e-12 * (1.0 + truth.abs()));
    }
}

#[test]
fn huge_ellipsoids_leave_the_simplex_its_least_coordinate() {
    let mut random = Stream::new(2, &[3]);
    for d in [1, 2, 3, 8, 33, 64] {
        let (simplex, identity) = (simplex(d), identity(d));
        for (radius, far) in [(10.0, 0.0), (1e6, 0.0), (1e6, 1e5), (1e9, 0.0)] {
            let center: Vec<f64> = draw(&mut random, d).iter().map(|x| far * x).collect();
            let ball = Ellipsoid { center: &center, shape: &identity, radius };
            let mut set = ConvexSet::new(&simplex, ball).unwrap();
            for ties in [false, true] {
                let mut c = draw(&mut random, d);
                if ties {
                    c.iter_mut().for_each(|c| *c = (3.0 * *c).round());
                }
                let least = c.iter().copied().fold(f64::INFINITY, f64::min);
                let found = set.min(&c, &mut Warm::default());
                assert!((found.value - least).abs() < 1e-11, "d {d} {radius} {far}: {found:?} {least}");
                assert!((found.bound - least).abs() < 1e-11, "d {d} {radius} {far}: {found:?} {least}");
                assert_eq!(found.status, Status::Optimal);
            }
            assert_eq!(set.fallbacks(), 0);
        }
    }
}

/// theta_d = 1 and |(theta_1 .. theta_{d-1})|_1 <= delta, given by all its facets.
#[test]
fn the_cross_polytope_of_the_lower_bound() {
    let mut random = Stream::new(3, &[3]);
    for d in 2..=8 {
        for delta in [1e-3, 0.3] {
            let mut builder = PolytopeBuilder::new(d);
            let last: Vec<f64> = (0..d).map(|j| f64::from(u8::from(j == d - 1))).collect();
            builder.equality(&last, 1.0).unwrap();
            for signs in 0..1u32 << (d - 1) {
                let facet: Vec<f64> = (0..d)
                    .map(|j| if j == d - 1 { 0.0 } else { f64::from(signs >> j & 1) * 2.0 - 1.0 })
                    .collect();
                builder.halfspace(&facet, delta);
            }
            let cross = Arc::new(builder.finish().unwrap());
            assert_eq!(cross.offsets().len(), 1 << (d - 1));
            let (center, identity) = (vec![0.1; d], identity(d));
            for radius in [5.0, 1e6] {
                let ball = Ellipsoid { center: &center, shape: &identity, radius };
                let mut set = ConvexSet::new(&cross, ball).unwrap();
                let c = draw(&mut random, d);
                let largest = c[..d - 1].iter().fold(0.0, |m: f64, c| m.max(c.abs()));
                let found = set.min(&c, &mut Warm::default());
                let truth = c[d - 1] - delta * largest;
                assert!((found.value - truth).abs() < 1e-12, "d {d}: {found:?} {truth}");
                assert!((found.bound - truth).abs() < 1e-12, "d {d}: {found:?} {truth}");
                // equal weights make a whole facet optimal
                let even = set.min(&vec![1.0; d], &mut Warm::default());
                assert!(
                    (even.value - (1.0 - delta)).abs() < 1e-12 && (even.bound - (1.0 - delta)).abs() < 1e-12
                );
            }
        }
    }
}

#[test]
fn emptiness_is_certified_and_touching_is_not_empty() {
    let identity = identity(3);
    let simplex = simplex(3);
    let set = |center: [f64; 3], radius: f64| {
        ConvexSet::new(&simplex, Ellipsoid { center: &center, shape: &identity, radius })
    };
    assert_eq!(set([1.0, 1.0, 1.0], 1.0).unwrap_err(), Empty::Hull);
    assert_eq!(set([3.0, -1.0, -1.0], 0.1).unwrap_err(), Empty::Apart);
    assert_eq!(set([1.5, -0.5, 0.0], 0.0).unwrap_err(), Empty::Point);
    // beyond a corner: no single row proves it
    let corner = 1.5f64.sqrt();
    assert_eq!(set([2.0, -0.5, -0.5], corner * (1.0 - 1e-6)).unwrap_err(), Empty::Apart);
    for (center, radius) in [
        ([2.0, -0.5, -0.5], corner),
        ([2.0, -0.5, -0.5], corner * (1.0 + 1e-9)),
        ([1.0 + 2.0 / 3.0, -1.0 / 3.0, -1.0 / 3.0], (2.0f64 / 3.0).sqrt()),
    ] {
        let mut touching = set(center, radius).unwrap();
        for c in [[1.0, 0.0, 0.0], [0.3, 1.0, -2.0]] {
            let found = touching.min(&c, &mut Warm::default());
            assert!((found.value - c[0]).abs() < 1e-4, "{found:?}");
            assert!(found.bound <= c[0] + 1e-9 && found.bound > c[0] - 1e-3, "{found:?}");
        }
    }
}

#[test]
fn points_and_constants() {
    let identity = identity(3);
    // a radius of zero
    let theta = [0.2, 0.3, 0.5];
    let point = Ellipsoid { center: &theta, shape: &identity, radius: 0.0 };
    let mut set = ConvexSet::new(&simplex(3), point).unwrap();
    let c = [1.0, -2.0, 4.0];
    let found = set.min(&c, &mut Warm::default());
    assert!((found.value - dot(&c, &theta)).abs() < 1e-15 && found.value == found.bound);
    // a polytope that is a point
    let mut builder = PolytopeBuilder::new(2);
    builder.equality(&[1.0, 0.0], 0.5).unwrap();
    builder.equality(&[1.0, 1.0], 1.0).unwrap();
    let dot_of_ink = Arc::new(builder.finish().unwrap());
    let disc = |radius| Ellipsoid { center: &[0.0, 0.0], shape: &[1.0, 0.0, 0.0, 1.0], radius };
    let found = ConvexSet::new(&dot_of_ink, disc(1.0)).unwrap().min(&[2.0, 4.0], &mut Warm::default());
    assert!((found.value - 3.0).abs() < 1e-15 && found.value == found.bound);
    assert_eq!(ConvexSet::new(&dot_of_ink, disc(0.7)).unwrap_err(), Empty::Hull);
    // objectives that do not depend on theta
    let ball = Ellipsoid { center: &theta, shape: &identity, radius: 1e6 };
    let mut set = ConvexSet::new(&simplex(3), ball).unwrap();
    let none = set.min(&[0.0; 3], &mut Warm::default());
    assert_eq!((none.value, none.bound), (0.0, 0.0));
    let same = set.min(&[7.0; 3], &mut Warm::default());
    assert!((same.value - 7.0).abs() < 1e-14 && (same.bound - 7.0).abs() < 1e-14);
}

/// The box [-1, 1]^d.
fn cube(d: usize) -> Arc<Polytope> {
    let mut builder = PolytopeBuilder::new(d);
    for i in 0..d {
        for sign in [-1.0, 1.0] {
            let row: Vec<f64> = (0..d).map(|j| if i == j { sign } else { 0.0 }).collect();
            builder.halfspace(&row, 1.0);
        }
    }
    Arc::new(builder.finish().unwrap())
}

#[test]
fn a_vertex_is_certified_only_by_multipliers_that_stay_nonnegative() {
    let identity = identity(3);
    let ball = Ellipsoid { center: &[0.1, -0.2, 0.3], shape: &identity, radius: 10.0 };
    let mut set = ConvexSet::new(&cube(3), ball).unwrap();
    let c = [1.0, -2.0, 0.5];
    let found = set.min(&c, &mut Warm::default());
    assert!((found.value + 3.5).abs() < 1e-12 && (found.bound + 3.5).abs() < 1e-12);
    // the box's own bounds would prove it without any multiplier
    set.bounds.fill((f64::NEG_INFINITY, f64::INFINITY));
    let size = norm(&c);
    let lambda = set.method.lambda.clone();
    set.account(0.0, size);
    assert!(set.is_vertex_optimal(size), "the true multipliers");
    for place in 0..3 {
        set.method.lambda.clone_from(&lambda);
        set.method.lambda[place] = 0.0;
        let (value, bound) = set.account(0.0, size);
        assert!(bound < value - 0.1, "a multiplier is missing");
        assert!(
            !set.is_vertex_optimal(size),
            "W would have to take over a defect with multipliers it does not have"
        );
    }
}

#[test]
fn a_solve_without_patience_falls_back_to_clarabel() {
    let mut random = Stream::new(4, &[3]);
    let identity = identity(4);
    for radius in [1.2, 50.0] {
        let ball = Ellipsoid { center: &[0.3, 0.0, -0.3, 0.6], shape: &identity, radius };
        let mut set = ConvexSet::new(&cube(4), ball).unwrap();
        for solves in 1..=5 {
            let c = draw(&mut random, 4);
            set.method.patience = None;
            let truth = set.min(&c, &mut Warm::default());
            set.method.patience = Some(0);
            let found = set.min(&c, &mut Warm::default());
            assert_eq!((set.fallbacks(), set.stalls()), (solves, solves));
            assert!((found.value - truth.value).abs() < 1e-6, "{found:?} {truth:?}");
            assert!((dot(&c, &set.theta()) - found.value).abs() < 1e-12);
            assert!(
                found.bound <= truth.value + 1e-12 && found.bound > truth.value - 1e-6,
                "{found:?} {truth:?}"
            );
        }
    }
}

#[test]
fn singular_shapes_make_the_set_larger() {
    // no constraint on the second coordinate, and one on a combination that rounding makes
    // indefinite
    let cube = cube(2);
    for shape in [[1.0, 0.0, 0.0, 0.0], [1.0, 1e-17, 1e-17, -1e-17], [1.0, 0.0, 0.0, 1e-18]] {
        let slab = Ellipsoid { center: &[0.0, 0.0], shape: &shape, radius: 0.5 };
        let mut set = ConvexSet::new(&cube, slab).unwrap();
        let up = set.min(&[0.0, 1.0], &mut Warm::default());
        assert!(up.bound <= -1.0 + 1e-12 && up.value > -1.0 - 1e-9, "{up:?}");
        let across = set.min(&[1.0, 0.0], &mut Warm::default());
        assert!(across.bound <= -0.5 && across.value > -0.5 - 1e-6, "{across:?}");
        // without the polytope's bounds there is still an answer, and one beyond the bounds
        let plane = Arc::new(PolytopeBuilder::new(2).finish().unwrap());
        let far = ConvexSet::new(&plane, slab).unwrap().min(&[0.0, 1.0], &mut Warm::default());
        assert!(far.bound <= -1e3, "{far:?}");
    }
}

#[test]
fn ellipsoids_that_are_none_leave_the_polytope() {
    let (cube, identity) = (cube(2), identity(2));
    let nan = [f64::NAN, 0.0, 0.0, 1.0];
    let saddle = [1.0, 0.0, 0.0, -1.0];
    for (center, shape, radius) in [
        ([0.0, 0.0], &nan[..], 1.0),
        ([0.0, 0.0], &saddle[..], 1.0),
        ([f64::INFINITY, 0.0], &identity[..], 1.0),
        ([0.0, 0.0], &identity[..], f64::INFINITY),
        ([0.0, 0.0], &identity[..], f64::NAN),
    ] {
        let none = Ellipsoid { center: &center, shape, radius };
        let mut set = ConvexSet::new(&cube, none).unwrap();
        let found = set.min(&[1.0, 1.0], &mut Warm::default());
        assert!((found.value + 2.0).abs() < 1e-9 && found.bound <= -2.0 + 1e-12, "{found:?}");
        Conic::new(&cube, none).unwrap();
    }
    let disc = Ellipsoid { center: &[0.0, 0.0], shape: &identity, radius: 1.0 };
    assert!(ConvexSet::new(&cube, Ellipsoid { radius: -1.0, ..disc }).is_err());
    let mut set = ConvexSet::new(&cube, disc).unwrap();
    for c in [[f64::NAN, 1.0], [f64::INFINITY, 1.0]] {
        let found = set.min(&c, &mut Warm::default());
        assert!(found.status == Status::Inaccurate && found.bound == f64::NEG_INFINITY);
    }
}
