//! What a declaration says.

use std::fmt;
use std::marker::PhantomData;

/// One parameter of a learner or world: what lists, help and schemas show.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Parameter {
    /// Its name on the command line, in Python and in results.
    pub name: &'static str,
    /// What values it takes.
    pub kind: Kind,
    /// Its default.
    pub fallback: Fallback,
    /// What it is for.
    pub doc: &'static str,
}

/// What values a parameter takes. Bounds are included.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "fields are bounds")]
pub enum Kind {
    /// A finite number, or a fraction such as 5/27.
    Number { least: f64, most: f64 },
    /// A number between 0 and 1, neither of them, and at least 1e-300: it can be divided further.
    Probability,
    /// A whole number; exponents are welcome, such as 1e3.
    Count { least: u64, most: u64 },
    /// true or false.
    Flag,
    /// One of several words.
    Choice(&'static [Choice]),
    /// A number, or `oracle`: the truth, where a simulation knows it.
    NumberOrOracle,
    /// The same, or `doubling`: nothing is known, and the learner doubles what it took.
    NumberOracleOrDoubling,
    /// Numbers separated by commas.
    Numbers,
    /// Any text.
    Text,
}

/// One of several choices.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Choice {
    /// A word.
    Word(&'static str),
    /// A word, a colon and a number between bounds, such as `scaled:0.003`.
    WithNumber(&'static str, f64, f64),
    /// A word, a colon and a whole number from a bound on, such as `nearest:256`.
    WithCount(&'static str, u64),
}

/// The default of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fallback {
    /// This value, as it would be typed.
    Value(&'static str),
    /// Computed from the problem or from other parameters; in words.
    Computed(&'static str),
    /// It must be given.
    Required,
}

/// The declaration of a parameter whose values are of type T.
pub struct Key<T> {
    about: Parameter,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for Key<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Key<T> {}

impl<T> fmt::Debug for Key<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.about.fmt(f)
    }
}

impl<T> Key<T> {
    pub(super) const fn new(name: &'static str, kind: Kind, doc: &'static str) -> Self {
        Key { about: Parameter { name, kind, fallback: Fallback::Required, doc }, of: PhantomData }
    }

    /// With a default, as it would be typed. Without one the parameter must be given.
    pub const fn or(mut self, default: &'static str) -> Self {
        self.about.fallback = Fallback::Value(default);
        self
    }

    /// With a default that is computed, in words.
    pub const fn computed(mut self, words: &'static str) -> Self {
        self.about.fallback = Fallback::Computed(words);
        self
    }

    /// The same parameter in other words, where a learner gives it another meaning.
    pub const fn doc(mut self, doc: &'static str) -> Self {
        self.about.doc = doc;
        self
    }

    /// One of several choices; T reads the words and writes them.
    pub const fn choice(name: &'static str, choices: &'static [Choice], doc: &'static str) -> Self {
        Key::new(name, Kind::Choice(choices), doc)
    }

    /// What it declares.
    pub const fn about(&self) -> Parameter {
        self.about
    }

    /// Its name.
    pub const fn name(&self) -> &'static str {
        self.about.name
    }
}

impl Key<f64> {
    /// A number between bounds, both included.
    pub const fn number(name: &'static str, least: f64, most: f64, doc: &'static str) -> Self {
        Key::new(name, Kind::Number { least, most }, doc)
    }

    /// A probability other than 0 and 1.
    pub const fn probability(name: &'static str, doc: &'static str) -> Self {
        Key::new(name, Kind::Probability, doc)
    }
}

impl Key<u64> {
    /// A whole number between bounds, both included.
    pub const fn count(name: &'static str, least: u64, most: u64, doc: &'static str) -> Self {
        Key::new(name, Kind::Count { least, most }, doc)
    }
}

impl Key<bool> {
    /// true or false.
    pub const fn flag(name: &'static str, doc: &'static str) -> Self {
        Key::new(name, Kind::Flag, doc)
    }
}

impl Key<Vec<f64>> {
    /// Numbers separated by commas.
    pub const fn numbers(name: &'static str, doc: &'static str) -> Self {
        Key::new(name, Kind::Numbers, doc)
    }
}

impl Key<String> {
    /// Any text.
    pub const fn text(name: &'static str, doc: &'static str) -> Self {
        Key::new(name, Kind::Text, doc)
    }
}

impl Parameter {
    /// The default as lists show it: in parentheses if computed, empty if the value is required.
    pub fn default(&self) -> String {
        match self.fallback {
            Fallback::Value(text) => text.into(),
            Fallback::Computed(words) => format!("({words})"),
            Fallback::Required => String::new(),
        }
    }

    /// Whether it must be given.
    pub fn is_required(&self) -> bool {
        self.fallback == Fallback::Required
    }
}
