//! What is wrong with a request.

use goalward::Error;
use serde::Serialize;
use std::borrow::Cow;

/// The codes of faults, for clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Code {
    Json,
    #[serde(rename = "utf-8")]
    Utf8,
    TooLong,
    UnknownOp,
    UnknownField,
    MissingField,
    DuplicateField,
    /// A field holds another kind of value than it should.
    Type,
    State,
    Action,
    /// The problem has another cost.
    Cost,
    /// The request makes no sense now: the episode is over.
    Misuse,
    /// The models are rejected, and --on-misfit is stop.
    Misfit,
    NoCheckpoint,
    /// The checkpoint could not be written.
    Output,
    /// The session was told to stop, and the request was not done.
    Stopping,
}

/// What is wrong, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Fault {
    code: Code,
    message: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<Cow<'static, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    /// The number of the request's line.
    line: u64,
}

impl Fault {
    pub(super) fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Fault {
        Fault { code, message: message.into(), hint: None, field: None, column: None, line: 0 }
    }

    pub(super) fn hint(self, hint: impl Into<Cow<'static, str>>) -> Fault {
        Fault { hint: Some(hint.into()), ..self }
    }

    pub(super) fn field(self, field: &str) -> Fault {
        Fault { field: Some(shown(field)), ..self }
    }

    pub(super) fn column(self, column: usize) -> Fault {
        Fault { column: Some(column), ..self }
    }

    pub(super) fn line(self, line: u64) -> Fault {
        Fault { line, ..self }
    }

    pub(super) fn of(code: Code, error: &Error) -> Fault {
        let message = match error {
            Error::Misuse { fault, .. } => fault.clone(),
            other => other.to_string(),
        };
        Fault { hint: error.hint().map(Cow::Owned), ..Fault::new(code, message) }
    }
}

/// The beginning of a client's text.
pub(super) fn shown(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.into(),
    }
}
