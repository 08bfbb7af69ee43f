//! Marks in documents, and the text between them.

use super::sources::Parts;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;

const BEGIN: &str = "<!-- docs: ";
const CLOSE: &str = " -->";
const END: &str = "<!-- end -->";

/// A piece of a document, with its first line: written by hand, or by a command, whose source and
/// part come first.
type Piece<'a> = (usize, Option<(&'a str, &'a str)>, &'a str);

fn pieces(text: &str) -> Result<Vec<Piece<'_>>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let line = |rest: &str| text[..text.len() - rest.len()].matches('\n').count() + 1;
    while let Some((plain, after)) = rest.split_once(BEGIN) {
        if let Some(stray) = plain.find(END) {
            bail!("line {}: {END} without a beginning", line(&rest[stray..]));
        }
        pieces.push((line(rest), None, plain));
        let at = line(after);
        // a mark may follow another one within a line
        let follows = pieces.len() > 1 && !plain.contains('\n');
        let first = plain.rsplit('\n').next().is_some_and(|last| last.trim().is_empty()) && !follows;
        let (name, after) =
            after.split_once(CLOSE).with_context(|| format!("line {at}: a mark is not closed"))?;
        let (source, part) =
            name.split_once('/').with_context(|| format!("line {at}: {name:?} is not NAME/PART"))?;
        let (old, after) =
            after.split_once(END).with_context(|| format!("line {at}: {name} has no {END}"))?;
        if old.contains(BEGIN) || name.contains('\n') {
            bail!("line {at}: {name} has no {END}");
        }
        // Markdown takes a line that begins with a comment for HTML
        if first != old.starts_with('\n') {
            bail!("line {at}: {name} must have lines of its own, or stand within a line and not begin it");
        }
        pieces.push((at, Some((source, part)), old));
        rest = after;
    }
    if let Some(stray) = rest.find(END) {
        bail!("line {}: {END} without a beginning", line(&rest[stray..]));
    }
    pieces.push((line(rest), None, rest));
    Ok(pieces)
}

/// The document with the parts of the given sources in their places, and for each difference its
/// line, its mark, and the first line that differs, old and new.
pub(crate) fn replace(text: &str, given: &BTreeMap<&str, Parts>) -> Result<(String, Vec<String>)> {
    let (mut out, mut differences) = (String::with_capacity(text.len()), Vec::new());
    for (line, mark, old) in pieces(text)? {
        let Some((source, part)) = mark else {
            out.push_str(old);
            continue;
        };
        let name = format!("{source}/{part}");
        let new = match given.get(source) {
            None => old.to_string(),
            Some(parts) => {
                let new = parts.get(part).with_context(|| {
                    let known: Vec<&str> = parts.keys().map(String::as_str).collect();
                    format!("line {line}: {source} has no part {part:?}, but {}", known.join(", "))
                })?;
                match old.starts_with('\n') {
                    true => format!("\n{new}\n"),
                    false if new.contains('\n') => bail!("line {line}: {name} needs a line of its own"),
                    false => new.clone(),
                }
            }
        };
        if new != old {
            let (mut olds, mut news) = (old.trim().lines(), new.trim().lines());
            let differing =
                std::iter::repeat_with(|| (olds.next(), news.next())).find(|(a, b)| a != b || a.is_none());
            let (old, new) = differing.unwrap_or_default();
            let shown = |line: Option<&str>| line.unwrap_or("(nothing)").to_string();
            differences.push(format!("{line}: {name}\n  - {}\n  + {}", shown(old), shown(new)));
        }
        out.push_str(&format!("{BEGIN}{name}{CLOSE}{new}{END}"));
    }
    Ok((out, differences))
}

/// Every mark: its line, source and part.
#[cfg(test)]
pub(crate) fn names(text: &str) -> Result<Vec<(usize, String, String)>> {
    let marked = pieces(text)?.into_iter().filter_map(|(line, mark, _)| Some((line, mark?)));
    Ok(marked.map(|(line, (source, part))| (line, source.to_string(), part.to_string())).collect())
}

/// The lines written by hand, with their numbers; a line with a mark within it is left out.
#[cfg(test)]
pub(crate) fn unmarked(text: &str) -> Result<Vec<(usize, &str)>> {
    let mut lines = Vec::new();
    for (first, mark, plain) in pieces(text)? {
        if mark.is_none() {
            lines.extend(plain.lines().enumerate().skip(1).map(|(i, line)| (first + i, line)));
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given() -> BTreeMap<&'static str, Parts> {
        let parts = [("table", "| a |\n|---|\n| 2 |"), ("mean", "3.4 ± 0.2")];
        BTreeMap::from([("demo", parts.map(|(k, v)| (k.to_string(), v.to_string())).into())])
    }

    const TEXT: &str = "One\n<!-- docs: demo/table -->\n| a |\n|---|\n| 1 |\n<!-- end -->\nis \
                        <!-- docs: demo/mean -->3.5 ± 0.2<!-- end --> and <!-- docs: other/x \
                        -->7<!-- end -->.\n";

    #[test]
    fn parts_take_their_places_and_differences_are_told() {
        let (new, differences) = replace(TEXT, &given()).unwrap();
        assert_eq!(new, TEXT.replace("| 1 |", "| 2 |").replace("3.5", "3.4"));
        let expected = ["2: demo/table\n  - | 1 |\n  + | 2 |", "7: demo/mean\n  - 3.5 ± 0.2\n  + 3.4 ± 0.2"];
        assert_eq!(differences, expected);
        let (again, none) = replace(&new, &given()).unwrap();
        assert_eq!((again, none.len()), (new, 0), "once is enough");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let fault = |text: &str| format!("{:#}", replace(text, &given()).unwrap_err());
        assert!(
            fault("a\nb <!-- docs: demo/none -->1<!-- end -->")
                .contains("line 2: demo has no part \"none\", but mean, table")
        );
        assert!(fault("a <!-- docs: demo/mean -->1").contains("has no <!-- end -->"));
        assert!(
            fault("a <!-- docs: demo/mean -->1 <!-- docs: demo/mean -->1<!-- end -->").contains("has no")
        );
        assert!(fault("a <!-- docs: demo -->1<!-- end -->").contains("NAME/PART"));
        assert!(fault("a <!-- docs: demo/table -->1<!-- end -->").contains("line of its own"));
        assert!(fault("a\n<!-- end -->").contains("line 2"));
        assert!(fault("a <!-- docs: demo/mean -->1<!-- end --><!-- end -->").contains("without a beginning"));
        assert!(
            fault("a\n  <!-- docs: demo/mean -->1<!-- end -->").contains("line 2: demo/mean must have lines")
        );
        assert!(fault("a <!-- docs: demo/table -->\n1\n<!-- end -->").contains("must have lines"));
    }

    #[test]
    fn unmarked_lines_are_found() {
        let lines: Vec<&str> = unmarked(TEXT).unwrap().into_iter().map(|(_, line)| line).collect();
        assert!(!lines.contains(&"| 1 |"), "{lines:?}");
        assert_eq!(unmarked("a\n| b |\n").unwrap(), [(2, "| b |")]);
    }
}
