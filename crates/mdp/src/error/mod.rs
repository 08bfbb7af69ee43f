//! The one error type of the libraries, for wrong input and I/O. A numerical outcome is a value.

mod place;

use crate::closest;
use goalward_numeric::stored::Flaw;
use std::fmt;
use std::path::PathBuf;

/// What the library returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Wrong input and its place. `{}` shows it in one line, `{:?}` with its [hint](Error::hint).
///
/// Fields: `state`, `action`, `next`, `goal`, `model` and `states` are names (numbers where there are
/// none), `line` and `column` count from 1, `fault` and `reason` say what is wrong, `known` what there is.
#[derive(thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "fields are named after what they hold")]
pub enum Error {
    /// Work was cut off by a [`Halt`](crate::plan::Halt).
    #[error("stopped before it was done")]
    Stopped,
    /// A field of a problem (its size, start, goal, names ...) is out of range.
    #[error("{field}: {fault}")]
    Field { field: String, fault: String },
    /// A cost is negative, not finite or too large.
    #[error("state {state}, action {action}: cost is {cost:?}, but costs must lie between 0 and 1e100")]
    Cost { state: String, action: String, cost: f64 },
    /// A feature row is wrong.
    #[error("state {state}, action {action}, next {next}: {fault}")]
    Feature { state: String, action: String, next: String, fault: String },
    /// More memory is needed than there is.
    #[error("{what} would take {:.2} GB, and {:.2} GB of memory are \
             free", gigabytes(*.bytes), gigabytes(*.free))]
    Memory { what: String, bytes: u64, free: u64 },
    /// A state other than the goal has no action.
    #[error("state {state} has no action")]
    NoAction { state: String },
    /// An action leads nowhere.
    #[error(
        "state {state}, action {action}: no successor has a feature, so no theta makes a distribution of it"
    )]
    NoSuccessor { state: String, action: String },
    /// The goal can be left.
    #[error("the goal {goal} is not absorbing: action {action} has a feature for next state {next}")]
    GoalNotAbsorbing { goal: String, action: String, next: String },
    /// The goal costs something.
    #[error("the goal {goal}, action {action}: cost is {}, but staying at the goal must be \
             free", shown(*.cost))]
    GoalCost { goal: String, action: String, cost: f64 },
    /// No sequence of actions leads from these states to the goal.
    #[error("the goal {goal} is unreachable from {}", listed(states))]
    GoalUnreachable { goal: String, states: Vec<String> },
    /// The row of this action cannot sum to one together with the rows before it.
    #[error(
        "state {state}, action {action}: no theta makes this row and the rows before it sum to \
         one; its features sum to {sum}"
    )]
    RowsContradict { state: String, action: String, sum: String },
    /// A row of one of the candidate models that the features are is no distribution.
    #[error(
        "model {model}, state {state}, action {action}: the row sums to {sum}, and must sum to \
         one (tolerance {tolerance:e})"
    )]
    ModelRow { model: String, state: String, action: String, sum: f64, tolerance: f64 },
    /// No theta makes every row a probability distribution.
    #[error("no theta makes every row a probability distribution: the set B is empty ({detail})")]
    EmptyB { detail: String },
    /// The true parameter does not make this row a distribution.
    #[error(
        "theta is outside B: state {state}, action {action}: the row sums to {}, its smallest \
         entry is {} (next state {next})",
        shown(*.sum),
        shown(*.smallest)
    )]
    ThetaOutside { state: String, action: String, sum: f64, smallest: f64, next: String },
    /// The true parameter violates a known linear fact.
    #[error(
        "theta violates extra row {row}: a'theta = {}, but it must be at most \
         {}", shown(*.value), shown(*.bound)
    )]
    ThetaExtra { row: usize, value: f64, bound: f64 },
    /// A candidate model is wrong.
    #[error("model {model}, state {state}, action {action}: {fault}")]
    Model { model: String, state: usize, action: usize, fault: String },
    /// A probability of a known model is none.
    #[error(
        "state {state}, action {action}, next {next}: the probability is {}, not a number from 0 to 1",
        shown(*.probability)
    )]
    Probability { state: String, action: String, next: String, probability: f64 },
    /// A row of a known model is no distribution.
    #[error(
        "state {state}, action {action}: the row sums to {}, not to 1 (tolerance {tolerance:e})", shown(*.sum)
    )]
    RowSum { state: String, action: String, sum: f64, tolerance: f64 },
    /// A model does not say its goal, cost or start, or lacks what was asked for.
    #[error("{}: {what}: {fault}{}", path.display(), offered(known))]
    Choose { path: PathBuf, what: &'static str, fault: String, known: Vec<String> },
    /// Two things that must belong together do not, such as a problem and a truth.
    #[error("{second} does not fit {first}: {fault}")]
    Mismatch { first: String, second: String, fault: String },
    /// A file has the wrong form.
    #[error("{}:{line}:{column}: {fault}", path.display())]
    File { path: PathBuf, line: usize, column: usize, fault: String },
    /// What stands in this line of a file is wrong.
    #[error("{}:{line}: {source}", path.display())]
    AtLine { path: PathBuf, line: usize, source: Box<Error> },
    /// What a file says is wrong; the place inside it is in the source.
    #[error("{}: {source}", path.display())]
    InFile { path: PathBuf, source: Box<Error> },
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    /// A file cannot be written, or is none that could be.
    #[error("{}: {fault}", path.display())]
    Output { path: PathBuf, fault: String },
    /// A parameter has a value that it cannot have.
    #[error("{owner}: {key}={value}: {reason}")]
    Setting { owner: String, key: String, value: String, reason: String },
    /// There is no such parameter.
    #[error("{owner} has no parameter {key:?}; it has {}", known.join(", "))]
    UnknownSetting { owner: String, key: String, known: Vec<String> },
    /// A parameter that has no default is missing.
    #[error("{owner} needs {key}: {what}")]
    MissingSetting { owner: String, key: String, what: String },
    /// There is no learner or world of that name.
    #[error("there is no {kind} {id:?}; there are {}", known.join(", "))]
    UnknownId { kind: &'static str, id: String, known: Vec<String> },
    /// The problem says nothing of the true theta, so there is nothing to simulate or to plan on.
    #[error(
        "problem {problem} has no theta: it can be learnt from your own loop, but neither \
         simulated nor solved"
    )]
    NoTruth { problem: String },
    /// No policy reaches the goal with probability one from these states.
    #[error("no policy reaches the goal with probability one from {}", listed(states))]
    NoProperPolicy { states: Vec<String> },
    /// No finite bound on the optimal cost was found.
    #[error("no finite bound on the optimal cost could be proven from {}", listed(states))]
    NoBound { states: Vec<String> },
    /// A checkpoint does not fit.
    #[error("checkpoint: {reason}")]
    Checkpoint { reason: String },
    /// A learner got a report of something that cannot have happened.
    #[error("step {t}: {fault}")]
    Misuse { t: u64, fault: String },
}

impl From<Flaw> for Error {
    fn from(flaw: Flaw) -> Error {
        Error::Checkpoint { reason: flaw.to_string() }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{self}")?;
        self.hint().map_or(Ok(()), |hint| write!(f, "\nhint: {hint}"))
    }
}

impl Error {
    /// What was probably meant, where a name, a key or a choice is close to one that there is.
    pub fn meant(&self) -> Option<String> {
        match self {
            Error::UnknownId { id, known, .. } => {
                closest(id, known.iter().map(String::as_str)).map(String::from)
            }
            Error::UnknownSetting { key, known, .. } => {
                closest(key, known.iter().map(String::as_str)).map(String::from)
            }
            Error::Setting { key, value, reason, .. } => {
                choice(value, reason).map(|meant| format!("{key}={meant}"))
            }
            Error::InFile { source, .. } | Error::AtLine { source, .. } => source.meant(),
            _ => None,
        }
    }

    /// What to do about it, where there is something to say.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Error::Cost { .. } => "give rewards as costs: cost = -reward".into(),
            Error::GoalNotAbsorbing { .. } => {
                "leave the goal without actions, or give it features to itself alone".into()
            }
            Error::GoalCost { .. } => "charge the cost on the action that leads to the goal".into(),
            Error::GoalUnreachable { .. } | Error::NoProperPolicy { .. } => {
                "set restart=true: a step that would be lost for ever then leads back to the start, unless \
                 the start itself is lost; or remove these states, or give them an action that leads on"
                    .into()
            }
            Error::NoBound { .. } => {
                "the way to the goal takes more steps than arithmetic can follow (some 1e28): are \
                 probabilities of zero \
                 written as tiny numbers?"
                    .into()
            }
            Error::NoSuccessor { .. } => "absent features are zero: list at least one successor".into(),
            Error::NoAction { .. } => "every state but the goal needs at least one action".into(),
            Error::ThetaOutside { .. } => {
                "for every state and action the probabilities <phi(next), theta> must be >= 0 and sum to 1"
                    .into()
            }
            Error::Memory { .. } => "make the problem smaller, or run it where more memory is free".into(),
            Error::Field { field, .. } => return field_hint(field).map(Into::into),
            Error::NoTruth { .. } => "add \"theta\": [...] to the problem file, or \"kernel\"".into(),
            Error::InFile { source, .. } | Error::AtLine { source, .. } => return source.hint(),
            Error::Probability { probability, .. } if *probability < 0.0 => {
                "probabilities must not be negative; a reward belongs in the brackets of its state or action"
                    .into()
            }
            Error::ModelRow { sum, .. } if (*sum - 1.0).abs() < 1e-2 => {
                "the numbers have too few digits: write them as float32 or float64, not as float16".into()
            }
            Error::RowsContradict { .. } => {
                "rows that should sum to the same must do so to 1e-9: write features with more \
                 digits (float64)"
                    .into()
            }
            Error::RowSum { sum, .. } | Error::ModelRow { sum, .. } if *sum < 1.0 => {
                "a successor is missing, or the numbers were written with too few digits".into()
            }
            Error::RowSum { .. } | Error::ModelRow { .. } => {
                "a successor is listed twice, or a probability is too large".into()
            }
            Error::Misuse { .. } => {
                "states and actions are numbers from 0, and the costs of a problem are known: \
                 report for every step what the \
                 problem says that it costs"
                    .into()
            }
            Error::UnknownId { .. } | Error::UnknownSetting { .. } | Error::Setting { .. } => {
                return self.meant().map(|meant| format!("did you mean {meant}?"));
            }
            _ => return None,
        })
    }
}

fn field_hint(field: &str) -> Option<&'static str> {
    if field.starts_with("model_names") {
        return Some("give every model a name of its own, in the order of theta, or leave model_names out");
    }
    let kernel = "a kernel lists [state, action, next, probability]; absent ones are zero, and the rows of a \
                  state and action sum to 1";
    field.starts_with("kernel").then_some(kernel)
}

/// The choice that was probably meant, if the reason lists choices: "expected outer or exact". The
/// part behind a colon, as in `scaled:0.003`, is kept.
fn choice(value: &str, reason: &str) -> Option<String> {
    let list = reason.split(';').next()?.strip_prefix("expected ")?;
    let ends = [", or ", " or ", ", "];
    let mut choices = vec![list];
    for end in ends {
        choices = choices.into_iter().flat_map(|part| part.split(end)).collect();
    }
    // a choice is one word, perhaps with something behind a colon and a remark: "scaled:X with X >
    // 0"
    let word = |part: &'_ str| -> Option<String> {
        let word = part.split(" with ").next()?.trim();
        let name = word.split(':').next()?;
        let plain = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        (plain && !name.is_empty()).then(|| word.into())
    };
    let choices: Vec<String> = choices.into_iter().filter_map(word).collect();
    let (typed, rest) = value.split_once(':').map_or((value, None), |(typed, rest)| (typed, Some(rest)));
    let name = |choice: &String| choice.split(':').next().map(String::from).unwrap_or_default();
    let names: Vec<String> = choices.iter().map(name).collect();
    let meant = closest(typed, names.iter().map(String::as_str))?;
    let whole = choices.iter().find(|choice| name(choice) == meant)?;
    Some(match (whole.contains(':'), rest) {
        (true, Some(rest)) if meant != typed => format!("{meant}:{rest}"),
        (true, _) => whole.clone(),
        (false, _) if meant == typed => return None,
        (false, _) => meant.into(),
    })
}

/// A number as a reader takes it in: with an exponent where there would be rows of zeros.
pub fn shown(x: f64) -> String {
    match x.abs() {
        0.0 => "0".into(), // not -0
        size if size.is_finite() && !(1e-5..1e15).contains(&size) => format!("{x:e}"),
        _ => x.to_string(),
    }
}

fn offered(known: &[String]) -> String {
    const SHOWN: usize = 20;
    let shown = known.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match known.len() {
        0 => String::new(),
        n if n <= SHOWN => format!("; there are {shown}"),
        n => format!("; there are {shown} and {} more", n - SHOWN),
    }
}

/// The first few names of a long list.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let shown = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => "no state".into(),
        1 => format!("state {shown}"),
        n if n <= SHOWN => format!("states {shown}"),
        n => format!("states {shown} and {} more", n - SHOWN),
    }
}

fn gigabytes(bytes: u64) -> f64 {
    bytes as f64 * 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_rows_of_zeros() {
        for (x, text) in
            [(0.1, "0.1"), (-0.0, "0"), (1e-300, "1e-300"), (-2.5e20, "-2.5e20"), (1e14, "100000000000000")]
        {
            assert_eq!(shown(x), text);
        }
        assert_eq!(shown(f64::INFINITY), "inf");
    }

    #[test]
    fn choices_are_read_from_the_reason() {
        let radius = "expected printed, data, determinant, or scaled:X with X > 0";
        for (value, meant) in [
            ("pritned", Some("printed")),
            ("detrminant", Some("determinant")),
            ("scale:0.003", Some("scaled:0.003")),
            ("scaled", Some("scaled:X")),
            ("scaled:", Some("scaled:X")),
            ("nonsense", None),
            ("3", None),
        ] {
            assert_eq!(choice(value, radius).as_deref(), meant, "{value}");
        }
        assert_eq!(choice("data", "expected printed, or scaled:X with X > 0; data is for levis++"), None);
        assert_eq!(choice("otter", "expected outer or exact").as_deref(), Some("outer"));
        assert_eq!(choice("ture", "expected true or false").as_deref(), Some("true"));
        assert_eq!(choice("f23", "expected f64 or f32").as_deref(), Some("f32"));
        assert_eq!(choice("orcale", "expected a number or oracle").as_deref(), Some("oracle"));
        for reason in ["expected a whole number", "expected numbers separated by commas", "", "no"] {
            assert_eq!(choice("number", reason), None, "{reason}");
        }
    }
}
