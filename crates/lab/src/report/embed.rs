//! Data and pictures inside a page.

use crate::pictures::Picture;
use serde_json::Value;

/// JSON for a `script` element: no text in it can end the element or begin a comment.
pub(super) fn json(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// A picture as an address that is its own content: the SVG, or the PNG if that is smaller.
///
/// An SVG is embedded as an image and not as a part of the page: so it can run nothing, and names
/// inside it meet no others.
pub(super) fn picture(picture: &Picture) -> String {
    let (svg, png) = (picture.svg.as_bytes(), &picture.png);
    match svg.is_empty() || (!png.is_empty() && png.len() < svg.len()) {
        true => format!("data:image/png;base64,{}", base64(png)),
        false => format!("data:image/svg+xml;base64,{}", base64(svg)),
    }
}

/// Width and height of a picture in pixels: a page that knows them does not move when it arrives.
pub(super) fn size(picture: &Picture) -> Option<(u32, u32)> {
    let of_svg = |key: &str| {
        let head = picture.svg.split('>').next()?;
        head.split_once(&format!(" {key}=\""))?.1.split('"').next()?.parse().ok()
    };
    let of_png = |at: usize| Some(u32::from_be_bytes(picture.png.get(at..at + 4)?.try_into().ok()?));
    // a PNG begins with eight bytes, and its first chunk with eight more
    of_svg("width").zip(of_svg("height")).or_else(|| of_png(16).zip(of_png(20)))
}

/// A number for drawing: so many digits; null where it is none.
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
            picture(&Picture { name, title, alt, svg: svg.into(), png: png.into() })
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
