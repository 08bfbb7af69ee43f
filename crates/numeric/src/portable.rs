//! Elementary functions that give the same bits on every machine: those of `libm`. The standard
//! library's depend on the platform and the processor, and `clippy.toml` forbids them.

/// The functions, as methods of a number.
#[expect(missing_docs, reason = "each is named after its function")]
pub trait Portable: Into<f64> {
    fn log_e(self) -> f64 {
        libm::log(self.into())
    }
    fn log_1p(self) -> f64 {
        libm::log1p(self.into())
    }
    fn log_2(self) -> f64 {
        libm::log2(self.into())
    }
    fn log_10(self) -> f64 {
        libm::log10(self.into())
    }
    fn exp_e(self) -> f64 {
        libm::exp(self.into())
    }
    fn exp_m1_e(self) -> f64 {
        libm::expm1(self.into())
    }
    fn exp_2(self) -> f64 {
        libm::exp2(self.into())
    }
    fn to_the(self, y: f64) -> f64 {
        libm::pow(self.into(), y)
    }
    fn sine(self) -> f64 {
        libm::sin(self.into())
    }
    fn cosine(self) -> f64 {
        libm::cos(self.into())
    }
    fn tangent(self) -> f64 {
        libm::tan(self.into())
    }
    fn arc_tangent(self) -> f64 {
        libm::atan(self.into())
    }
    fn arc_tangent_2(self, x: f64) -> f64 {
        libm::atan2(self.into(), x)
    }
    fn hypotenuse(self, y: f64) -> f64 {
        libm::hypot(self.into(), y)
    }
}

impl Portable for f64 {}
