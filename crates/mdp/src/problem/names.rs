//! Names of the models that theta mixes.

use super::{Instance, Problem};
use crate::{Error, Result};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

impl Problem {
    /// The name of a model, which is an entry of theta: its own, or its number.
    pub fn model_name(&self, i: usize) -> Cow<'_, str> {
        match &self.model_names {
            Some(names) => Cow::Borrowed(&names[i]),
            None => Cow::Owned(i.to_string()),
        }
    }

    /// The models' own names, if they have any, in the order of theta.
    pub fn model_names(&self) -> Option<&[String]> {
        self.model_names.as_deref()
    }

    /// The same problem with other names for its models: none empty, no two alike.
    pub fn with_model_names(mut self, names: Vec<String>) -> Result<Problem> {
        check(names.iter().map(String::as_str), self.dim)?;
        self.model_names = Some(names);
        Ok(self)
    }
}

impl Instance {
    /// The same with [other names for its models](Problem::with_model_names).
    pub fn with_model_names(self, names: Vec<String>) -> Result<Instance> {
        let problem = Arc::unwrap_or_clone(self.problem).with_model_names(names)?;
        Ok(Instance { problem: Arc::new(problem), ..self })
    }
}

pub(super) fn check<'a>(names: impl ExactSizeIterator<Item = &'a str>, models: usize) -> Result<()> {
    model_name_faults(names, models).into_iter().next().map_or(Ok(()), Err)
}

pub(crate) fn model_name_faults<'a>(
    names: impl ExactSizeIterator<Item = &'a str>,
    models: usize,
) -> Vec<Error> {
    if names.len() != models {
        let fault = format!("{} names for {models} models (dim is {models})", names.len());
        return vec![Error::Field { field: "model_names".into(), fault }];
    }
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut faults = Vec::new();
    for (i, name) in names.enumerate() {
        let first = *known.entry(name).or_insert(i);
        let fault = match () {
            _ if name.trim().is_empty() => "the name is empty".into(),
            _ if first < i => format!("model {first} is called {} too", quoted(name)),
            _ => continue,
        };
        faults.push(Error::Field { field: format!("model_names[{i}]"), fault });
    }
    faults
}

fn quoted(name: &str) -> String {
    const SHOWN: usize = 40;
    match name.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{:?} ...", &name[..end]),
        None => format!("{name:?}"),
    }
}

/// Names that can stand side by side: what stands there a second time gets a number, `calm-2`, and
/// what is empty is a `model`.
///
/// ```
/// use goalward_mdp::problem::distinct_names;
/// assert_eq!(distinct_names(&["calm", "calm", "up", " "]), ["calm", "calm-2", "up", "model"]);
/// ```
pub fn distinct_names(names: &[&str]) -> Vec<String> {
    let names: Vec<&str> =
        names.iter().map(|name| if name.trim().is_empty() { "model" } else { name }).collect();
    // a number must not make the name of another
    let given: HashSet<&str> = names.iter().copied().collect();
    let mut last: HashMap<&str, usize> = HashMap::new();
    let mut distinct = Vec::with_capacity(names.len());
    for &name in &names {
        let number = last.entry(name).or_insert(0);
        *number += 1;
        let mut shown = if *number == 1 { name.to_string() } else { format!("{name}-{number}") };
        while *number > 1 && given.contains(shown.as_str()) {
            *number += 1;
            shown = format!("{name}-{number}");
        }
        distinct.push(shown);
    }
    distinct
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_name_the_place() {
        let said = |names: &[&str], models: usize| -> Vec<String> {
            model_name_faults(names.iter().copied(), models).iter().map(Error::to_string).collect()
        };
        assert_eq!(said(&["calm", "up"], 2), [""; 0]);
        assert_eq!(said(&["calm"], 2), ["model_names: 1 names for 2 models (dim is 2)"]);
        assert_eq!(
            said(&["calm", "", "calm", "up", "calm"], 5),
            [
                "model_names[1]: the name is empty",
                "model_names[2]: model 0 is called \"calm\" too",
                "model_names[4]: model 0 is called \"calm\" too",
            ]
        );
        let long = "x".repeat(1_000_000);
        assert!(said(&[&long, &long], 2)[0].len() < 100);
        assert!(model_name_faults(["a"].into_iter(), 2)[0].hint().is_some());
    }

    #[test]
    fn names_become_distinct() {
        for (names, expected) in [
            (&["a", "b"][..], &["a", "b"][..]),
            (&["a", "a", "a"], &["a", "a-2", "a-3"]),
            (&["a", "a", "a-2"], &["a", "a-3", "a-2"]),
            (&["a-2", "a", "a", "a"], &["a-2", "a", "a-3", "a-4"]),
            (&["", "model", " "], &["model", "model-2", "model-3"]),
            (&[], &[]),
        ] {
            let names = distinct_names(names);
            assert_eq!(names, expected);
            assert!(model_name_faults(names.iter().map(String::as_str), names.len()).is_empty());
        }
    }
}
