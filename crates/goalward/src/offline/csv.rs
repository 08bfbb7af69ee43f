//! One line of comma-separated values, quoted where needed.

use std::borrow::Cow;

/// The fields of a line; the fault in words, if quotes are wrong.
///
/// A quoted field has its quotes doubled inside, and ends on its line: what is logged here are
/// numbers and names. Spaces around a field do not count.
pub(super) fn fields(line: &str) -> Result<Vec<Cow<'_, str>>, String> {
    let mut fields = Vec::with_capacity(4);
    let mut rest = line;
    loop {
        let begun = rest.trim_start_matches([' ', '\t']);
        let (field, after) = match begun.strip_prefix('"') {
            Some(quoted) => self::quoted(quoted)?,
            None => {
                let end = begun.find(',').unwrap_or(begun.len());
                (Cow::Borrowed(begun[..end].trim_end()), &begun[end..])
            }
        };
        fields.push(field);
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None => return Ok(fields),
        }
    }
}

/// A field behind its opening quote, and what follows it: a comma, or nothing.
fn quoted(text: &str) -> Result<(Cow<'_, str>, &str), String> {
    let (mut from, mut doubled) = (0, false);
    let end = loop {
        match text[from..].find('"').map(|at| from + at) {
            None => return Err("a quote is opened and not closed on its line".into()),
            Some(at) if text[at + 1..].starts_with('"') => (from, doubled) = (at + 2, true),
            Some(at) => break at,
        }
    };
    let field = &text[..end];
    let after = text[end + 1..].trim_start();
    if !after.is_empty() && !after.starts_with(',') {
        return Err("text follows a closing quote; a quote inside of a field is doubled: \"\"".into());
    }
    Ok((if doubled { Cow::Owned(field.replace("\"\"", "\"")) } else { Cow::Borrowed(field) }, after))
}

#[cfg(test)]
mod tests {
    use super::fields;
    use proptest::prelude::*;

    #[test]
    fn quotes_and_spaces() {
        for (line, expected) in [
            ("1,2,3", vec!["1", "2", "3"]),
            (" 1 ,\t2 , 3 ", vec!["1", "2", "3"]),
            ("\"(0,1)\",\"say \"\"go\"\"\" ,\"\"", vec!["(0,1)", "say \"go\"", ""]),
            ("a b,,", vec!["a b", "", ""]),
            ("", vec![""]),
        ] {
            assert_eq!(fields(line).unwrap(), expected, "{line}");
        }
        for wrong in ["\"a", "\"a\"b,1", "\"a\"\"", "1,\""] {
            assert!(fields(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn what_is_quoted_comes_back(names in prop::collection::vec("[a\", é]{0,6}", 1..5)) {
            let line: Vec<String> =
                names.iter().map(|name| format!("\"{}\"", name.replace('"', "\"\""))).collect();
            let line = line.join(",");
            prop_assert_eq!(fields(&line).unwrap(), names);
        }

        #[test]
        fn any_line_is_survived(line in "[\", aé\t]{0,20}") {
            let _ = fields(&line);
        }
    }
}
