//! A policy's equations in a block that is too large or too well connected for elimination: BiCGSTAB (van der Vorst, 1992)
//! with a Gauss-Seidel sweep as its preconditioner.
//!
//! With A = D - L - U and the preconditioner D - L, A (D - L)^-1 p = p - U y for y = (D - L)^-1 p: one product with the
//! preconditioned matrix costs one pass over the arcs. What comes out is judged by its residual.

/// Iterations before it gives up.
const ITERATIONS: usize = 3000;

/// The rows of a policy in one block.
#[derive(Default)]
pub(super) struct Krylov {
    /// Per node, its first arc; one more at the end.
    first: Vec<usize>,
    /// Per node, where the arcs to nodes of lower number end.
    split: Vec<usize>,
    next: Vec<u32>,
    weight: Vec<f64>,
    leaving: Vec<f64>,
}

impl Krylov {
    /// Takes rows: for each node what leaves it, and the arcs to nodes of the same system.
    pub(super) fn load<I: Iterator<Item = (usize, f64)> + Clone>(
        &mut self,
        nodes: usize,
        row: impl Fn(usize) -> (f64, I),
    ) {
        self.first.clear();
        self.split.clear();
        self.next.clear();
        self.weight.clear();
        self.leaving.clear();
        self.first.push(0);
        for node in 0..nodes {
            let (leaving, arcs) = row(node);
            self.leaving.push(leaving);
            for (j, w) in arcs.clone().filter(|e| e.0 < node) {
                self.next.push(j as u32);
                self.weight.push(w);
            }
            self.split.push(self.next.len());
            for (j, w) in arcs.filter(|e| e.0 > node) {
                self.next.push(j as u32);
                self.weight.push(w);
            }
            self.first.push(self.next.len());
        }
    }

    fn gather(&self, range: std::ops::Range<usize>, x: &[f64]) -> f64 {
        let arcs = self.next[range.clone()].iter().zip(&self.weight[range]);
        arcs.map(|(&j, w)| w * x[j as usize]).sum()
    }

    /// y = (D - L)^-1 p and v = A y = p - U y.
    fn apply(&self, p: &[f64], y: &mut [f64], v: &mut [f64]) {
        for i in 0..p.len() {
            y[i] = (p[i] + self.gather(self.first[i]..self.split[i], y)) / self.leaving[i];
        }
        for i in 0..p.len() {
            v[i] = p[i] - self.gather(self.split[i]..self.first[i + 1], y);
        }
    }

    fn residual(&self, b: &[f64], x: &[f64], r: &mut [f64]) {
        for i in 0..b.len() {
            let flow = self.gather(self.first[i]..self.first[i + 1], x);
            r[i] = b[i] - (self.leaving[i] * x[i] - flow);
        }
    }

    /// One Gauss-Seidel sweep.
    fn sweep(&self, b: &[f64], x: &mut [f64]) {
        for i in 0..b.len() {
            x[i] = (b[i] + self.gather(self.first[i]..self.first[i + 1], x)) / self.leaving[i];
        }
    }

    /// Improves x until the residual is this small relative to b, both in the Euclidean norm. `false`: it did not get
    /// there.
    pub(super) fn solve(&self, b: &[f64], x: &mut [f64], tolerance: f64) -> bool {
        let n = b.len();
        let goal = tolerance * dot(b, b).sqrt();
        let mut r = vec![0.0; n];
        let (mut p, mut v, mut y) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        let (mut z, mut t) = (vec![0.0; n], vec![0.0; n]);
        let mut iterations = 0;
        let mut best = f64::INFINITY;
        loop {
            // a fresh start: the residual that recurs drifts away from the true one
            self.residual(b, x, &mut r);
            let size = dot(&r, &r).sqrt();
            if size <= goal {
                break;
            }
            if size.is_nan() || size > 0.5 * best || iterations >= ITERATIONS {
                self.sweep(b, x);
                self.sweep(b, x);
                return size <= 1e3 * goal && x.iter().all(|x| x.is_finite());
            }
            best = size;
            let shadow = r.clone();
            let (mut rho, mut alpha, mut omega) = (1.0f64, 1.0f64, 1.0f64);
            p.fill(0.0);
            v.fill(0.0);
            while iterations < ITERATIONS {
                iterations += 1;
                let rho_next = dot(&shadow, &r);
                let beta = rho_next / rho * (alpha / omega);
                rho = rho_next;
                for i in 0..n {
                    p[i] = r[i] + beta * (p[i] - omega * v[i]);
                }
                self.apply(&p, &mut y, &mut v);
                alpha = rho / dot(&shadow, &v);
                for i in 0..n {
                    x[i] += alpha * y[i];
                    r[i] -= alpha * v[i];
                }
                self.apply(&r, &mut z, &mut t);
                omega = dot(&t, &r) / dot(&t, &t);
                for i in 0..n {
                    x[i] += omega * z[i];
                    r[i] -= omega * t[i];
                }
                let size = dot(&r, &r).sqrt();
                if size.is_nan() {
                    // a breakdown; an exact solution is one of its causes
                    x.iter_mut().filter(|x| !x.is_finite()).for_each(|x| *x = 0.0);
                    break;
                }
                if size <= 0.5 * goal {
                    break;
                }
            }
        }
        self.sweep(b, x);
        self.sweep(b, x);
        true
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
