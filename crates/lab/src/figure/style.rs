//! Colours and strokes.

use goalward::did_you_mean;
use plotters::style::RGBColor;
use serde::{Deserialize, Serialize};

/// The font stack of an SVG: a viewer without Inter takes the system's own.
pub(crate) const FAMILY: &str = "Inter, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/// A colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    /// Blue of the Okabe-Ito palette, which suits colour-blind readers.
    pub const BLUE: Colour = Colour(0, 114, 178);
    /// Vermillion of the Okabe-Ito palette.
    pub const VERMILLION: Colour = Colour(213, 94, 0);
    /// Bluish green of the Okabe-Ito palette.
    pub const GREEN: Colour = Colour(0, 158, 115);
    /// Orange of the Okabe-Ito palette.
    pub const ORANGE: Colour = Colour(230, 159, 0);
    /// Reddish purple of the Okabe-Ito palette.
    pub const PURPLE: Colour = Colour(204, 121, 167);
    /// Sky blue of the Okabe-Ito palette.
    pub const SKY: Colour = Colour(86, 180, 233);
    /// Near black, for text and reference lines.
    pub const INK: Colour = Colour(34, 38, 43);
    /// For secondary text.
    pub const SLATE: Colour = Colour(94, 102, 112);
    /// For lines that others lie upon.
    pub const GREY: Colour = Colour(176, 181, 188);
    /// For the grid.
    pub(crate) const GRID: Colour = Colour(232, 234, 237);
    pub(crate) const WHITE: Colour = Colour(255, 255, 255);

    pub(crate) fn rgb(self) -> RGBColor {
        RGBColor(self.0, self.1, self.2)
    }

    /// Of 255.
    pub(super) fn brightness(self) -> f64 {
        0.3 * f64::from(self.0) + 0.59 * f64::from(self.1) + 0.11 * f64::from(self.2)
    }

    /// With a share of another colour.
    pub(crate) fn mixed(self, other: Colour, share: f64) -> Colour {
        let mix = |a: u8, b: u8| (f64::from(a) + share * (f64::from(b) - f64::from(a))).round() as u8;
        Colour(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }

    /// Mixed with white: a share of 1 leaves it as it is.
    pub(crate) fn pale(self, share: f64) -> Colour {
        let mix = |c: u8| (255.0 - share * (255.0 - f64::from(c))).round().clamp(0.0, 255.0) as u8;
        Colour(mix(self.0), mix(self.1), mix(self.2))
    }

    /// As SVG writes it.
    pub fn hex(self) -> String {
        format!("#{:02X}{:02X}{:02X}", self.0, self.1, self.2)
    }
}

/// The colours that have a name.
const NAMED: [(&str, Colour); 8] = [
    ("blue", Colour::BLUE),
    ("vermillion", Colour::VERMILLION),
    ("green", Colour::GREEN),
    ("orange", Colour::ORANGE),
    ("purple", Colour::PURPLE),
    ("sky", Colour::SKY),
    ("ink", Colour::INK),
    ("grey", Colour::GREY),
];

/// By its name, or `#RRGGBB`.
impl TryFrom<String> for Colour {
    type Error = String;

    fn try_from(text: String) -> Result<Colour, String> {
        let byte = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
        if let (true, 7, Some(r), Some(g), Some(b)) =
            (text.starts_with('#'), text.len(), byte(1), byte(3), byte(5))
        {
            return Ok(Colour(r, g, b));
        }
        let names = NAMED.map(|(name, _)| name);
        let named = NAMED.iter().find(|(name, _)| *name == text).map(|(_, colour)| *colour);
        named.ok_or_else(|| {
            let meant = did_you_mean(&text, names);
            format!("{text:?} is no colour; write #RRGGBB, or one of {}{meant}", names.join(", "))
        })
    }
}

impl From<Colour> for String {
    fn from(colour: Colour) -> String {
        let named = NAMED.iter().find(|(_, other)| *other == colour);
        named.map_or_else(|| colour.hex(), |(name, _)| name.to_string())
    }
}

/// The dashes of a line, which distinguish it like its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dash {
    /// Unbroken.
    Solid,
    /// Long dashes.
    Dashed,
    /// Long, short, long, short.
    DashDot,
    /// Dots.
    Dotted,
}

impl Dash {
    /// Lengths drawn and left out in turn, in units of the line's width.
    pub(crate) fn pattern(self) -> &'static [f64] {
        match self {
            Dash::Solid => &[],
            Dash::Dashed => &[3.6, 2.4],
            Dash::DashDot => &[5.0, 2.2, 1.2, 2.2],
            Dash::Dotted => &[1.2, 1.8],
        }
    }
}

/// How a line looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Its colour.
    pub colour: Colour,
    /// Its width, in pixels of the finished picture.
    pub width: f64,
    /// Its dashes.
    pub dash: Dash,
}

impl Stroke {
    /// A line.
    pub const fn new(colour: Colour, width: f64, dash: Dash) -> Self {
        Stroke { colour, width, dash }
    }

    /// The n-th of a series of distinguishable lines, also where they coincide: each lies upon those
    /// before it, and is narrower or broken. The first 56 differ in colour or dashes.
    pub fn nth(n: usize) -> Self {
        use Dash::{DashDot, Dashed, Dotted, Solid};
        const DASHES: [Dash; 6] = [Solid, Dashed, Solid, DashDot, Solid, Dotted];
        const WIDTHS: [f64; 6] = [6.6, 3.6, 4.6, 3.4, 3.0, 2.8];
        const ALL: [Dash; 4] = [Solid, Dashed, DashDot, Dotted];
        let (colour, round) = (n % COLOURS.len(), n / COLOURS.len());
        let own = DASHES[colour % DASHES.len()];
        let at = ALL.iter().position(|dash| *dash == own).unwrap_or(0);
        Stroke::new(COLOURS[colour], WIDTHS[colour % WIDTHS.len()], ALL[(at + round) % ALL.len()])
    }
}

/// The colours of learners in order: Okabe's and Ito's without yellow, which is not seen on white, and
/// dark colours far from those and from each other.
pub(crate) const COLOURS: [Colour; 14] = [
    Colour::BLUE,
    Colour::VERMILLION,
    Colour::GREEN,
    Colour::PURPLE,
    Colour::ORANGE,
    Colour::SKY,
    Colour::INK,
    Colour(136, 34, 85),
    Colour(128, 128, 24),
    Colour(98, 72, 190),
    Colour(140, 81, 10),
    Colour(17, 94, 60),
    Colour(214, 60, 110),
    Colour(120, 130, 142),
];

#[cfg(test)]
mod tests {
    use super::*;
    use goalward::numeric::Portable;

    /// The relative luminance of WCAG 2.
    fn luminance(colour: Colour) -> f64 {
        let linear = |c: u8| match f64::from(c) / 255.0 {
            c if c <= 0.04045 => c / 12.92,
            c => ((c + 0.055) / 1.055).to_the(2.4),
        };
        0.2126 * linear(colour.0) + 0.7152 * linear(colour.1) + 0.0722 * linear(colour.2)
    }

    #[test]
    fn many_lines_can_be_told_apart() {
        let strokes: Vec<Stroke> = (0..56).map(Stroke::nth).collect();
        for (n, one) in strokes.iter().enumerate() {
            for other in &strokes[..n] {
                assert!((one.colour, one.dash) != (other.colour, other.dash), "{n}");
            }
        }
        for (n, &one) in COLOURS.iter().enumerate() {
            assert!(1.05 / (luminance(one) + 0.05) > 2.1, "{n} is seen on white");
            for &other in &COLOURS[..n] {
                let far = |a: u8, b: u8| f64::from(a.abs_diff(b)).powi(2);
                let apart = far(one.0, other.0) + far(one.1, other.1) + far(one.2, other.2);
                assert!(apart.sqrt() > 40.0, "{n}: {one:?} {other:?}");
            }
        }
    }
}
