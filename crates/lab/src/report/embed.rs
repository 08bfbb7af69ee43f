//! Data and pictures inside a page.

use crate::figure::Format;
use crate::pictures::Picture;
use serde_json::Value;

/// JSON for a `script` element: no text in it can end the element or begin a comment.
pub(super) fn json(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// A picture as a data URL: the smallest of its files.
///
/// An SVG is embedded as an image, not inline: it can run no script, and its ids cannot clash.
pub(super) fn picture(picture: &Picture) -> String {
    let files = picture.files.iter().filter(|(_, bytes)| !bytes.is_empty());
    let smallest = files.min_by_key(|(format, bytes)| (bytes.len(), *format == Format::Png));
    smallest
        .map_or(String::new(), |(format, bytes)| format!("data:{};base64,{}", format.mime(), base64(bytes)))
}

/// A number for drawing, rounded to significant digits; null unless it is finite.
pub(super) fn rounded(x: f64, digits: usize) -> Value {
    match format!("{x:.*e}", digits - 1).parse::<f64>() {
        Ok(x) if x.fract() == 0.0 && x.abs() < 1e15 => Value::from(x as i64),
        Ok(x) if x.is_finite() => Value::from(x),
        _ => Value::Null,
    }
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            match i <= three.len() {
                true => text.push(char::from(DIGITS[(bits >> (18 - 6 * i) & 63) as usize])),
                false => text.push('='),
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json as literal;

    #[test]
    fn base64_is_that_of_the_rfc() {
        let known = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (text, expected) in known {
            assert_eq!(base64(text.as_bytes()), expected);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xfe]), "+//+");
    }

    #[test]
    fn the_smaller_picture_is_taken() {
        let picture_of = |svg: &str, png: &[u8]| {
            let (name, title, alt) = (String::new(), String::new(), String::new());
            let files = vec![(Format::Png, png.to_vec()), (Format::Svg, svg.into())];
            picture(&Picture { name, title, alt, size: (0, 0), files })
        };
        assert!(picture_of("<svg/>", &[1, 2, 3]).starts_with("data:image/png"));
        assert!(picture_of("<svg/>", &[1; 30]).starts_with("data:image/svg+xml"));
        assert!(picture_of("<svg/>", &[]).starts_with("data:image/svg+xml"));
        assert!(picture_of("", &[1; 30]).starts_with("data:image/png"));
    }

    #[test]
    fn no_text_ends_the_element() {
        let text = json(&Value::from("</script><!-- &amp;"));
        assert!(!text.contains(['<', '>', '&']), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), Value::from("</script><!-- &amp;"));
    }

    #[test]
    fn digits() {
        assert_eq!(rounded(1234.56789, 6), literal!(1234.57));
        assert_eq!(rounded(-3.0, 6), literal!(-3));
        assert_eq!(rounded(f64::NAN, 6), Value::Null);
        assert_eq!(rounded(f64::INFINITY, 6), Value::Null);
    }
}
