//! Colours and strokes.

use plotters::style::RGBColor;

/// The font stack of an SVG: a viewer without Inter takes the system's own.
pub(crate) const FAMILY: &str = "Inter, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/// A colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    /// Blue of the Okabe-Ito palette, whose colours the colour-blind can tell apart.
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

    /// As SVG writes it.
    pub fn hex(self) -> String {
        format!("#{:02X}{:02X}{:02X}", self.0, self.1, self.2)
    }
}

/// How a line is broken: a second way, beside the colour, to tell lines apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
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
    /// Lengths drawn and left out in turn, in units of the line's width; empty for an unbroken
    /// line.
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
    /// How it is broken.
    pub dash: Dash,
}

impl Stroke {
    /// A line.
    pub const fn new(colour: Colour, width: f64, dash: Dash) -> Self {
        Stroke { colour, width, dash }
    }

    /// The n-th of a row of lines that can be told apart, also where they coincide: each lies upon
    /// those before it, and is narrower or broken.
    pub fn nth(n: usize) -> Self {
        use Dash::{DashDot, Dashed, Dotted, Solid};
        const COLOURS: [Colour; 7] = [
            Colour::BLUE,
            Colour::VERMILLION,
            Colour::GREEN,
            Colour::PURPLE,
            Colour::ORANGE,
            Colour::SKY,
            Colour::INK,
        ];
        const DASHES: [Dash; 6] = [Solid, Dashed, Solid, DashDot, Solid, Dotted];
        const WIDTHS: [f64; 6] = [6.6, 3.6, 4.6, 3.4, 3.0, 2.8];
        Stroke::new(COLOURS[n % COLOURS.len()], WIDTHS[n % WIDTHS.len()], DASHES[n % DASHES.len()])
    }
}
