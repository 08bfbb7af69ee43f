//! Texts broken or shortened to a width.

use super::typeface::text_width;

/// The lines of a text, each at most this wide. A wider word is broken where the line ends.
pub(crate) fn wrapped(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        for piece in pieces(word, size, width) {
            let Some(line) = lines.last_mut() else { continue };
            let longer = if line.is_empty() { piece.clone() } else { format!("{line} {piece}") };
            if line.is_empty() || text_width(&longer, size) <= width {
                *line = longer;
            } else {
                lines.push(piece);
            }
        }
    }
    lines
}

/// A word in pieces that are at most this wide, of at least one letter.
fn pieces(word: &str, size: f64, width: f64) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for letter in word.chars() {
        if let Some(piece) = pieces.last_mut() {
            piece.push(letter);
            if piece.chars().count() > 1 && text_width(piece, size) > width {
                piece.pop();
                pieces.push(letter.into());
            }
        }
    }
    pieces
}

/// At most this many lines, the last with an ellipsis.
pub(crate) fn at_most(mut lines: Vec<String>, most: usize, size: f64, width: f64) -> Vec<String> {
    if lines.len() > most {
        lines.truncate(most.max(1));
        if let Some(last) = lines.last_mut() {
            *last = shortened(&format!("{last}…"), size, width);
        }
    }
    lines
}

/// A text, or its beginning and an ellipsis, that is at most this wide.
pub(crate) fn shortened(text: &str, size: f64, width: f64) -> String {
    if text_width(text, size) <= width {
        return text.into();
    }
    let mut kept: Vec<char> = text.trim_end_matches('…').chars().collect();
    while kept.len() > 1 && text_width(&format!("{}…", kept.iter().collect::<String>()), size) > width {
        kept.pop();
    }
    format!("{}…", kept.into_iter().collect::<String>().trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit() {
        let text = "levis++lr with the likelihood's set and a-word-that-is-far-too-long-for-any-line";
        for width in [40.0, 150.0, 300.0, 1e4] {
            let lines = wrapped(text, 27.0, width);
            assert!(lines.iter().all(|line| text_width(line, 27.0) <= width), "{lines:?}");
            let letters = |text: &str| text.chars().filter(|c| *c != ' ').collect::<String>();
            assert_eq!(letters(&lines.concat()), letters(text));
            let two = at_most(lines.clone(), 2, 27.0, width);
            assert!(two.len() <= 2 && two.iter().all(|line| text_width(line, 27.0) <= width));
            assert_eq!(two.len() < lines.len(), two.concat().ends_with('…'));
            let short = shortened(text, 27.0, width);
            assert!(text_width(&short, 27.0) <= width && (short == text || short.ends_with('…')));
        }
        assert_eq!(wrapped("", 27.0, 10.0), [""]);
        assert_eq!(wrapped("ab", 27.0, 1.0), ["a", "b"]);
    }
}
