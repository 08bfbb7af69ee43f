//! Elementary functions that give the same bits on every machine: those of `libm`. The standard
//! library's depend on the platform and the processor, and `clippy.toml` forbids them.

/// The functions, as methods of a number.
pub trait Portable: Into<f64> {
    /// The natural logarithm.
    fn log_e(self) -> f64 {
        libm::log(self.into())
    }
    /// log(1 + x).
    fn log_1p(self) -> f64 {
        libm::log1p(self.into())
    }
    /// The logarithm to base 2.
    fn log_2(self) -> f64 {
        libm::log2(self.into())
    }
    /// The logarithm to base 10.
    fn log_10(self) -> f64 {
        libm::log10(self.into())
    }
    /// e to the power x.
    fn exp_e(self) -> f64 {
        libm::exp(self.into())
    }
    /// e to the power x, less 1.
    fn exp_m1_e(self) -> f64 {
        libm::expm1(self.into())
    }
    /// 2 to the power x.
    fn exp_2(self) -> f64 {
        libm::exp2(self.into())
    }
    /// x to the power y.
    fn to_the(self, y: f64) -> f64 {
        libm::pow(self.into(), y)
    }
    /// The sine.
    fn sine(self) -> f64 {
        libm::sin(self.into())
    }
    /// The cosine.
    fn cosine(self) -> f64 {
        libm::cos(self.into())
    }
    /// The tangent.
    fn tangent(self) -> f64 {
        libm::tan(self.into())
    }
    /// The angle with this tangent.
    fn arc_tangent(self) -> f64 {
        libm::atan(self.into())
    }
    /// The angle of the point (x, self).
    fn arc_tangent_2(self, x: f64) -> f64 {
        libm::atan2(self.into(), x)
    }
    /// The square root of the sum of two squares.
    fn hypotenuse(self, y: f64) -> f64 {
        libm::hypot(self.into(), y)
    }
}

impl Portable for f64 {}
