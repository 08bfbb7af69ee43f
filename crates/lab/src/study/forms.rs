//! The forms that values of a study file may have.

use super::Thinning;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::marker::PhantomData;

/// A whole number of at least 1: 1000, 1_000 and 1e3 are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Number")]
pub(super) struct Count(pub(super) u64);

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a whole number of at least 1")]
pub(super) enum Number {
    Whole(u64),
    Real(f64),
}

impl Number {
    pub(super) fn whole(self) -> Option<u64> {
        match self {
            Number::Whole(n) => Some(n),
            Number::Real(x) => (x.fract() == 0.0 && (0.0..1.8e19).contains(&x)).then_some(x as u64),
        }
    }
}

impl TryFrom<Number> for Count {
    type Error = &'static str;

    fn try_from(number: Number) -> Result<Count, &'static str> {
        let n = number.whole().filter(|n| *n > 0);
        n.map(Count).ok_or("expected a whole number of at least 1")
    }
}

/// `20`, `"0..20"`, `"3,5,7"` or `[3, 5, 7]`.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a whole number of at least 1, \"3..7\", or a list such as [3, 5, 7]")]
pub(super) enum Seeds {
    Many(Count),
    Spelled(String),
    List(Vec<Number>),
}

impl Default for Seeds {
    fn default() -> Self {
        Seeds::Spelled(String::new())
    }
}

/// Which events are kept, as a file says it.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "expected \"none\", \"all\", or how many of each doubling")]
pub(super) enum Kept {
    Word(All),
    PerDoubling(Count),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum All {
    None,
    All,
}

impl From<Kept> for Thinning {
    fn from(kept: Kept) -> Thinning {
        match kept {
            Kept::Word(All::None) => Thinning::None,
            Kept::Word(All::All) => Thinning::All,
            Kept::PerDoubling(Count(n)) => Thinning::PerDoubling(n.min(1 << 20) as u32),
        }
    }
}

impl From<Thinning> for Kept {
    fn from(thinning: Thinning) -> Kept {
        match thinning {
            Thinning::None => Kept::Word(All::None),
            Thinning::All => Kept::Word(All::All),
            Thinning::PerDoubling(n) => Kept::PerDoubling(Count(n.into())),
        }
    }
}

/// A list, or the one value that stands for a list of one. A value is a table, or a text.
#[derive(Default, Serialize)]
#[serde(transparent)]
pub(super) struct OneOrMore<T>(pub(super) Vec<T>);

/// One value.
struct One<T>(T);

impl<'de, T: Deserialize<'de> + From<String>> Deserialize<'de> for OneOrMore<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Forms { list: true, of: PhantomData }).map(OneOrMore)
    }
}

impl<'de, T: Deserialize<'de> + From<String>> Deserialize<'de> for One<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let one = deserializer.deserialize_any(Forms { list: false, of: PhantomData })?;
        one.into_iter().next().map(One).ok_or_else(|| D::Error::custom("expected one value"))
    }
}

struct Forms<T> {
    list: bool,
    of: PhantomData<T>,
}

impl<'de, T: Deserialize<'de> + From<String>> Visitor<'de> for Forms<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(if self.list { "a name, a table or a list of them" } else { "a name or a table" })
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Vec<T>, E> {
        Ok(vec![T::from(name.into())])
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Vec<T>, A::Error> {
        Ok(vec![T::deserialize(MapAccessDeserializer::new(table))?])
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<T>, A::Error> {
        if !self.list {
            return Err(A::Error::invalid_type(Unexpected::Seq, &self));
        }
        let mut all = Vec::new();
        while let Some(One(item)) = items.next_element()? {
            all.push(item);
        }
        match all.is_empty() {
            true => Err(A::Error::custom("the list is empty: give at least one")),
            false => Ok(all),
        }
    }
}
