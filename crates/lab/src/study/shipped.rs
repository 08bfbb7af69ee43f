//! The studies that come with the program, and a commented file to begin with.

/// A study that comes with the program.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// Its name.
    pub name: &'static str,
    /// Its file.
    pub text: &'static str,
}

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        &[$(Shipped { name: $name, text: include_str!(concat!("../../studies/", $name, ".toml")) }),*]
    };
}

/// All of them.
pub const SHIPPED: &[Shipped] = shipped![
    "reproduce",
    "demo",
    "survey",
    "field",
    "comparison",
    "tuning",
    "coverage",
    "scale",
    "growth",
    "growth-tuned",
    "hard",
    "long",
    "sets",
    "mixtures",
    "free",
    "shortcut",
    "truths",
];

/// A study file to begin with.
pub const STARTER: &str = include_str!("starter.toml");
