//! Declarations for other readers: a JSON schema, and a table for the documentation.

use super::declared::{Choice, Fallback, Kind, Parameter};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};

/// A JSON schema for an object of settings: every parameter with its type, bounds and words.
pub fn schema(parameters: &[Parameter]) -> Value {
    let properties: Map<String, Value> = parameters.iter().map(|p| (p.name.into(), of(p))).collect();
    let required = parameters.iter().filter(|p| p.is_required()).map(|p| p.name);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": properties,
        "required": required.collect::<Vec<_>>(),
        "additionalProperties": false,
    })
}

fn of(parameter: &Parameter) -> Value {
    let mut schema = match parameter.kind {
        Kind::Number { least, most } => json!({"type": "number", "minimum": least, "maximum": most}),
        Kind::Probability => json!({"type": "number", "minimum": 1e-300, "exclusiveMaximum": 1}),
        Kind::Count { least, most } => json!({"type": "integer", "minimum": least, "maximum": most}),
        Kind::Flag => json!({"type": "boolean"}),
        Kind::Choice(choices) => choice(choices),
        Kind::NumberOrOracle => json!({"anyOf": [{"type": "number"}, {"const": "oracle"}]}),
        Kind::NumberOracleOrDoubling => {
            json!({"anyOf": [{"type": "number"}, {"const": "oracle"}, {"const": "doubling"}]})
        }
        Kind::Numbers => json!({"type": "array", "items": {"type": "number"}}),
        Kind::Text => json!({"type": "string"}),
    };
    schema["description"] = json!(parameter.doc);
    if let Fallback::Value(text) = parameter.fallback {
        schema["default"] = typed(parameter.kind, text);
    }
    schema
}

fn choice(choices: &[Choice]) -> Value {
    let words: Vec<String> =
        choices.iter().filter(|c| matches!(c, Choice::Word(_))).map(Choice::form).collect();
    let mut forms: Vec<Value> = choices
        .iter()
        .filter_map(|c| match c {
            Choice::Word(_) => None,
            Choice::WithNumber(word, ..) => Some(format!("^{word}:.+$")),
            Choice::WithCount(word, _) => Some(format!("^{word}:[0-9]+$")),
        })
        .map(|pattern| json!({"type": "string", "pattern": pattern}))
        .collect();
    if forms.is_empty() {
        return json!({"enum": words});
    }
    forms.insert(0, json!({"enum": words}));
    json!({"anyOf": forms})
}

fn typed(kind: Kind, text: &str) -> Value {
    let numbers = || text.split(',').map(|part| super::parse_number(part.trim())).collect::<Option<Vec<_>>>();
    let value = match kind {
        Kind::Number { .. } | Kind::Probability | Kind::NumberOrOracle | Kind::NumberOracleOrDoubling => {
            super::parse_number(text).map(Value::from)
        }
        Kind::Count { .. } => super::parse_count(text).ok().map(Value::from),
        Kind::Flag => text.parse::<bool>().ok().map(Value::from),
        Kind::Numbers => numbers().map(Value::from),
        Kind::Choice(_) | Kind::Text => None,
    };
    value.unwrap_or_else(|| json!(text))
}

/// Name, default and words as ever, then what the kind says.
impl Serialize for Parameter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", self.name)?;
        map.serialize_entry("default", &self.default())?;
        map.serialize_entry("doc", self.doc)?;
        map.serialize_entry("required", &self.is_required())?;
        map.serialize_entry("schema", &of(self))?;
        map.end()
    }
}

/// The parameters as a table in Markdown.
pub fn table(parameters: &[Parameter]) -> String {
    // in a table a bar ends a cell, and brackets would be a link
    let cell = |text: &str| text.replace('|', "\\|").replace('[', "\\[").replace(']', "\\]");
    let mut table = String::from("| name | default | meaning |\n|---|---|---|\n");
    for p in parameters {
        let default = match p.fallback {
            Fallback::Value(text) => format!("`{text}`"),
            Fallback::Computed(words) => cell(words),
            Fallback::Required => "must be given".into(),
        };
        table.push_str(&format!("| `{}` | {default} | {} |\n", p.name, cell(p.doc)));
    }
    table
}
