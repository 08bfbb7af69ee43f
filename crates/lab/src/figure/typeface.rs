//! The typeface of pixel pictures. Its outlines are embedded as text, so that no figure depends on the
//! fonts of a system. There is no kerning; a missing sign is drawn as the typeface's own sign for that.

use std::collections::BTreeMap;
use std::sync::OnceLock;

static OUTLINES: &str = include_str!("../../assets/Inter-Regular.outlines");

/// What a size of 1 measures, from the descender to the ascender, in units of the outlines.
const HEIGHT: f64 = 3408.0;
/// Lines of a curve.
const PIECES: u32 = 8;
/// Scan lines of a pixel.
const LINES: usize = 4;

type Point = (f64, f64);

/// A letter: how far it moves the pen, and its path.
type Glyph = (f64, &'static str);

/// All letters by their code points; 0 stands for what is missing.
fn glyphs() -> &'static BTreeMap<u32, Glyph> {
    static GLYPHS: OnceLock<BTreeMap<u32, Glyph>> = OnceLock::new();
    GLYPHS.get_or_init(|| {
        let lines = OUTLINES.lines().filter(|line| !line.starts_with('#'));
        lines
            .filter_map(|line| {
                let mut parts = line.splitn(3, ' ');
                let code = u32::from_str_radix(parts.next()?, 16).ok()?;
                let advance = parts.next()?.parse().ok()?;
                Some((code, (advance, parts.next().unwrap_or(""))))
            })
            .collect()
    })
}

fn glyph(letter: char) -> Option<&'static Glyph> {
    glyphs().get(&u32::from(letter)).or_else(|| glyphs().get(&0))
}

/// The width of a text in the finished picture.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().filter_map(glyph).map(|(advance, _)| advance).sum::<f64>() * size / HEIGHT
}

/// Fills a text whose baseline begins at the origin: calls `pixel` with each place and the share of it
/// that is covered. `turn` takes a point along and above the baseline to its place in pixels.
pub(crate) fn fill<E>(
    text: &str,
    size: f64,
    turn: impl Fn(Point) -> Point,
    mut pixel: impl FnMut((i32, i32), f64) -> Result<(), E>,
) -> Result<(), E> {
    let scale = size / HEIGHT;
    let mut pen = 0.0;
    for (advance, path) in text.chars().filter_map(glyph) {
        let mut edges = edges(path);
        for edge in &mut edges {
            *edge = edge.map(|(x, y)| turn((scale * (pen + x), scale * y)));
        }
        fill_edges(&edges, &mut pixel)?;
        pen += advance;
    }
    Ok(())
}

/// The lines of a path: M, L, Q, C with whole numbers, and Z.
fn edges(path: &str) -> Vec<[Point; 2]> {
    let mut edges = Vec::new();
    let (mut from, mut first) = ((0.0, 0.0), (0.0, 0.0));
    let mut line = |from: &mut Point, to: Point| {
        edges.push([*from, to]);
        *from = to;
    };
    let bytes = path.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let end =
            bytes[at + 1..].iter().position(u8::is_ascii_alphabetic).map_or(bytes.len(), |n| at + 1 + n);
        let n = numbers(&path[at + 1..end]);
        match (bytes[at], n.as_slice()) {
            (b'M', &[x, y]) => (from, first) = ((x, y), (x, y)),
            (b'L', &[x, y]) => line(&mut from, (x, y)),
            (b'Q', &[ax, ay, x, y]) => {
                // the cubic curve that it is
                let start = from;
                let third = |p: f64, q: f64| p + 2.0 / 3.0 * (q - p);
                let (a, b) = ((third(start.0, ax), third(start.1, ay)), (third(x, ax), third(y, ay)));
                curve(start, a, b, (x, y)).for_each(|to| line(&mut from, to));
            }
            (b'C', &[ax, ay, bx, by, x, y]) => {
                curve(from, (ax, ay), (bx, by), (x, y)).for_each(|to| line(&mut from, to));
            }
            _ => line(&mut from, first),
        }
        at = end;
    }
    edges
}

/// Numbers that are separated by spaces or by a sign.
fn numbers(text: &str) -> Vec<f64> {
    text.replace('-', " -").split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

fn curve(p: Point, a: Point, b: Point, q: Point) -> impl Iterator<Item = Point> {
    (1..=PIECES).map(move |i| {
        let t = f64::from(i) / f64::from(PIECES);
        let s = 1.0 - t;
        let at = |p: f64, a: f64, b: f64, q: f64| {
            s * s * s * p + 3.0 * s * s * t * a + 3.0 * s * t * t * b + t * t * t * q
        };
        (at(p.0, a.0, b.0, q.0), at(p.1, a.1, b.1, q.1))
    })
}

/// Fills what the edges wind around: exact along x, [`LINES`] scan lines for a pixel along y.
fn fill_edges<E>(
    edges: &[[Point; 2]],
    pixel: &mut impl FnMut((i32, i32), f64) -> Result<(), E>,
) -> Result<(), E> {
    let ends = || edges.iter().flatten();
    let least = |f: fn(&Point) -> f64| ends().map(f).fold(f64::INFINITY, f64::min).floor();
    let most = |f: fn(&Point) -> f64| ends().map(f).fold(f64::NEG_INFINITY, f64::max).ceil();
    let (left, right) = (least(|p| p.0), most(|p| p.0));
    let (top, bottom) = (least(|p| p.1), most(|p| p.1));
    if edges.is_empty() {
        return Ok(());
    }
    let mut row = vec![0.0; (right - left) as usize + 1];
    for y in top as i32..bottom as i32 {
        row.fill(0.0);
        for line in 0..LINES {
            scan(edges, f64::from(y) + (line as f64 + 0.5) / LINES as f64, left, &mut row);
        }
        for (x, &covered) in row.iter().enumerate() {
            let share = covered / LINES as f64;
            if share > 1e-3 {
                pixel((left as i32 + x as i32, y), share.min(1.0))?;
            }
        }
    }
    Ok(())
}

/// Adds to every pixel of a row which share of it lies inside, along one scan line.
fn scan(edges: &[[Point; 2]], y: f64, left: f64, row: &mut [f64]) {
    let mut crossings: Vec<(f64, i32)> = edges
        .iter()
        .filter(|[a, b]| (a.1 <= y) != (b.1 <= y))
        .map(|[a, b]| (a.0 + (y - a.1) / (b.1 - a.1) * (b.0 - a.0) - left, if a.1 <= y { 1 } else { -1 }))
        .collect();
    crossings.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut winding, mut from) = (0, 0.0);
    for (x, turn) in crossings {
        if winding != 0 {
            for (i, share) in
                row.iter_mut().enumerate().skip(from as usize).take_while(|(i, _)| (*i as f64) < x)
            {
                let cell = i as f64;
                *share += (x.min(cell + 1.0) - f64::max(from, cell)).max(0.0);
            }
        }
        winding += turn;
        from = x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The area that a text covers.
    fn area(text: &str, size: f64) -> f64 {
        let mut sum = 0.0;
        fill::<()>(
            text,
            size,
            |p| p,
            |_, share| {
                sum += share;
                Ok(())
            },
        )
        .unwrap();
        sum
    }

    #[test]
    fn every_line_of_the_outlines_is_a_letter() {
        let lines = OUTLINES.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(glyphs().len(), lines);
        for (code, (advance, path)) in glyphs() {
            assert!(*advance >= 0.0 && path.chars().all(|c| "MLQCZ -0123456789".contains(c)), "{code:x}");
            let edges = edges(path);
            assert_eq!(edges.is_empty(), path.is_empty(), "{code:x}");
            // closed: what is entered is left
            let around: f64 = edges.iter().map(|[a, b]| b.0 - a.0 + b.1 - a.1).sum();
            assert!(around.abs() < 1e-6, "{code:x}");
        }
    }

    #[test]
    fn the_typeface_has_every_sign_that_figures_use() {
        for sign in "√θ±·−×–δΔÕσ≥≤éßЖŁ".chars() {
            assert!(glyphs().contains_key(&u32::from(sign)), "{sign}");
        }
        assert_eq!(
            text_width("\u{10FFFF}", 30.0),
            text_width("\u{FFFFF}", 30.0),
            "what is missing has one sign"
        );
        assert!(area("\u{10FFFF}", 60.0) > 0.0);
    }

    #[test]
    fn letters_have_their_areas() {
        // the bar is 228 to 444 wide and from -640 to 2688 high, whatever the size; an o has a hole
        let bar: f64 = {
            let edges = edges(glyph('|').unwrap().1);
            let xs = edges.iter().flatten().map(|p| p.0);
            let ys = edges.iter().flatten().map(|p| p.1);
            let span = |v: Vec<f64>| {
                v.iter().copied().fold(f64::MIN, f64::max) - v.iter().copied().fold(f64::MAX, f64::min)
            };
            span(xs.collect()) * span(ys.collect())
        };
        for size in [20.0, 81.0] {
            let expected = bar * (size / HEIGHT) * (size / HEIGHT);
            assert!((area("|", size) / expected - 1.0).abs() < 0.02, "{} {expected}", area("|", size));
        }
        assert!(area("o", 80.0) < 0.8 * area("●", 80.0) && area("o", 80.0) > 0.0);
        assert_eq!(area(" ", 80.0), 0.0);
        assert!((area("ab", 90.0) - area("a", 90.0) - area("b", 90.0)).abs() < 1e-6 * area("ab", 90.0) + 3.0);
    }

    #[test]
    fn turned_text_covers_as_much() {
        let mut turned = 0.0;
        fill::<()>(
            "Regret / K",
            70.0,
            |(x, y)| (-y, -x),
            |_, share| {
                turned += share;
                Ok(())
            },
        )
        .unwrap();
        assert!((turned / area("Regret / K", 70.0) - 1.0).abs() < 0.02);
    }
}
