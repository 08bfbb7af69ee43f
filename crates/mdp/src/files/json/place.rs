//! Where in the text of a file a field stands, for errors that are found after it was parsed.

/// The line, from 1, of a place such as `theta` or `cost[3][0]` in a text that parses.
pub(super) fn line_of(text: &[u8], place: &str) -> Option<usize> {
    let key = &place[..place.find('[').unwrap_or(place.len())];
    let indices = place[key.len()..].split('[').skip(1).map(|index| index.strip_suffix(']')?.parse().ok());
    let indices: Vec<usize> = indices.collect::<Option<_>>()?;
    let mut at = value_of(text, key)?;
    for index in indices {
        at = element(text, at, index)?;
    }
    Some(1 + text[..at].iter().filter(|&&b| b == b'\n').count())
}

fn value_of(text: &[u8], key: &str) -> Option<usize> {
    let mut at = skip_space(text, 0);
    if text.get(at) != Some(&b'{') {
        return None;
    }
    at = skip_space(text, at + 1);
    while text.get(at) == Some(&b'"') {
        let end = skip_string(text, at);
        let found = text.get(at + 1..end - 1) == Some(key.as_bytes());
        // past the colon
        at = skip_space(text, skip_space(text, end) + 1);
        if found {
            return Some(at);
        }
        at = skip_space(text, skip_space(text, skip_value(text, at)) + 1);
    }
    None
}

fn element(text: &[u8], list: usize, index: usize) -> Option<usize> {
    if text.get(list) != Some(&b'[') {
        return None;
    }
    let mut at = skip_space(text, list + 1);
    for _ in 0..index {
        at = skip_space(text, skip_value(text, at));
        if text.get(at) != Some(&b',') {
            return None;
        }
        at = skip_space(text, at + 1);
    }
    (at < text.len() && text[at] != b']').then_some(at)
}

fn skip_space(text: &[u8], from: usize) -> usize {
    let from = from.min(text.len());
    from + text[from..].iter().take_while(|b| b.is_ascii_whitespace()).count()
}

/// The end of a string that begins here, its quote included.
fn skip_string(text: &[u8], from: usize) -> usize {
    let mut at = from + 1;
    while at < text.len() && text[at] != b'"' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(text.len())
}

fn skip_value(text: &[u8], from: usize) -> usize {
    let (mut at, mut depth) = (from, 0usize);
    while at < text.len() {
        match text[at] {
            b'"' => {
                at = skip_string(text, at);
                if depth == 0 {
                    return at;
                }
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth == 0 => return at,
            b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            b',' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::line_of;
    use proptest::prelude::*;

    const TEXT: &str = "{\n \"a\\\"b\": \"],[\",\n \"cost\": [\n  [1,\n 2], [],\n  [3]\n \
                        ], \"n\": -1e5,\n \"theta\"\n: [\"x,y\", {\"p\": [1,\n2]}, 4] }\n";

    #[test]
    fn lines_of_places() {
        for (place, line) in [
            ("cost", Some(3)),
            ("cost[0]", Some(4)),
            ("cost[0][1]", Some(5)),
            ("cost[1]", Some(5)),
            ("cost[2][0]", Some(6)),
            ("n", Some(7)),
            ("theta", Some(9)),
            ("theta[1]", Some(9)),
            ("theta[2]", Some(10)),
            ("theta[3]", None),
            ("cost[1][0]", None),
            ("cost[0][0][0]", None),
            ("goal", None),
            ("n[0]", None),
            ("", None),
            ("cost[", None),
        ] {
            assert_eq!(line_of(TEXT.as_bytes(), place), line, "{place}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "[\\[\\]{},:\"\\\\ a1\n]{0,40}", place in "[a1]?(\\[[0-9]\\])*") {
            let _ = line_of(text.as_bytes(), &place);
        }
    }
}
