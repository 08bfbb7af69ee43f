//! The figures that a study file asks for, and how its curves look.

use super::source::{Entries, Node, meant, quoted};
use super::{AxisSpec, Band, FigureKind, FigureSpec, Look, MarkSpec, Study};
use crate::Result;
use crate::figure::{Colour, Dash, Marker};

const KEYS: &[&str] =
    &["kind", "name", "title", "worlds", "learners", "x", "y", "band", "size", "formats", "marks"];
const AXIS_KEYS: &[&str] = &["title", "log", "range"];
const MARK_KEYS: &[&str] = &["label", "colour", "marker", "points"];

/// Every kind of figure by its name.
pub const FIGURE_KINDS: &[(&str, FigureKind)] = &[
    ("regret", FigureKind::Regret),
    ("gap-regret", FigureKind::GapRegret),
    ("per-root", FigureKind::PerRoot),
    ("log-log", FigureKind::LogLog),
    ("bars", FigureKind::Bars),
    ("coverage", FigureKind::Coverage),
    ("width", FigureKind::Width),
    ("values", FigureKind::Values),
    ("set", FigureKind::Set),
    ("time", FigureKind::Time),
    ("growth", FigureKind::Growth),
];

pub(super) const BANDS: &[(&str, Band)] = &[
    ("student", Band::Student),
    ("simultaneous", Band::Simultaneous),
    ("quantiles", Band::Quantiles),
    ("none", Band::None),
];

pub(super) const COLOURS: &[(&str, Colour)] = &[
    ("blue", Colour::BLUE),
    ("vermillion", Colour::VERMILLION),
    ("green", Colour::GREEN),
    ("orange", Colour::ORANGE),
    ("purple", Colour::PURPLE),
    ("sky", Colour::SKY),
    ("ink", Colour::INK),
    ("grey", Colour::GREY),
];

pub(super) const DASHES: &[(&str, Dash)] = &[
    ("solid", Dash::Solid),
    ("dashed", Dash::Dashed),
    ("dash-dot", Dash::DashDot),
    ("dotted", Dash::Dotted),
];

pub(super) const MARKERS: &[(&str, Marker)] = &[("circle", Marker::Circle), ("square", Marker::Square)];

/// The largest picture that is drawn, in pixels each way.
const LARGEST: u64 = 8000;

/// How the curves of a learner look.
pub(super) fn looks(keys: &Entries) -> Result<Look> {
    Ok(Look {
        colour: keys.read("colour", colour)?,
        dash: keys.read("dash", |node| node.one_of(DASHES))?,
        width: keys.read("width", |node| match node.real()? {
            width if width > 0.0 && width <= 40.0 => Ok(width),
            _ => Err(node.fault("expected a width in pixels, above 0 and at most 40")),
        })?,
    })
}

/// A colour by its name, or `#RRGGBB`.
fn colour(node: &Node) -> Result<Colour> {
    let text = node.text()?;
    if let Some(hex) = text.strip_prefix('#') {
        let byte = |at: usize| hex.get(at..at + 2).and_then(|two| u8::from_str_radix(two, 16).ok());
        if let (6, Some(r), Some(g), Some(b)) = (hex.len(), byte(0), byte(2), byte(4)) {
            return Ok(Colour(r, g, b));
        }
    }
    let names: Vec<&str> = COLOURS.iter().map(|(name, _)| *name).collect();
    match COLOURS.iter().find(|(name, _)| *name == text) {
        Some((_, colour)) => Ok(*colour),
        None => Err(node.fault(format!(
            "{text:?} is no colour; write #RRGGBB, or one of {}{}",
            quoted(&names),
            meant(&text, &names)
        ))),
    }
}

/// The figures that are asked for; without any, those that suit the questions.
pub(super) fn figures(keys: &Entries, study: &Study) -> Result<Vec<FigureSpec>> {
    let mut figures: Vec<FigureSpec> = match keys.get("figures") {
        Some(node) => node.list()?.iter().map(|node| figure(node, study)).collect::<Result<_>>()?,
        None => default_figures(study),
    };
    for i in 0..figures.len() {
        if figures[..i].iter().any(|other| other.name == figures[i].name) {
            let stem = figures[i].name.clone();
            match keys.get("figures").map(Node::list) {
                Some(Ok(nodes)) if nodes[i].table(KEYS)?.get("name").is_some() => {
                    return Err(nodes[i].fault(format!("two figures are called {stem:?}")));
                }
                _ => figures[i].name = format!("{stem}-{}", i + 1),
            }
        }
    }
    Ok(figures)
}

pub(crate) fn default_figures(study: &Study) -> Vec<FigureSpec> {
    let asked = &study.analysis;
    let mut kinds = Vec::new();
    if asked.comparison.is_some() {
        kinds.extend([FigureKind::Regret, FigureKind::LogLog, FigureKind::Bars]);
    }
    if asked.coverage.is_some() {
        kinds.push(FigureKind::Coverage);
    }
    if asked.growth.is_some() {
        kinds.push(FigureKind::Growth);
    }
    kinds.into_iter().map(FigureSpec::of).collect()
}

impl FigureSpec {
    /// A figure of a kind with everything else chosen by it.
    pub fn of(kind: FigureKind) -> FigureSpec {
        let name = FIGURE_KINDS.iter().find(|(_, other)| *other == kind).map_or("figure", |(name, _)| name);
        FigureSpec {
            kind,
            name: name.into(),
            title: String::new(),
            worlds: Vec::new(),
            learners: Vec::new(),
            x: AxisSpec::default(),
            y: AxisSpec::default(),
            band: Band::default(),
            size: None,
            marks: Vec::new(),
            png: true,
            svg: true,
        }
    }
}

fn figure(node: &Node, study: &Study) -> Result<FigureSpec> {
    let keys = node.table(KEYS)?;
    let kind = keys.get("kind").ok_or_else(|| {
        let names: Vec<&str> = FIGURE_KINDS.iter().map(|(name, _)| *name).collect();
        node.fault(format!("a figure needs a `kind`: one of {}", quoted(&names)))
    })?;
    let mut figure = FigureSpec::of(kind.one_of(FIGURE_KINDS)?);
    if let Some(node) = keys.get("name") {
        figure.name = node.text()?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if figure.name.is_empty() || figure.name.starts_with('.') || !figure.name.chars().all(plain) {
            return Err(node.fault("expected the stem of a file: letters, digits, - and _"));
        }
    }
    figure.title = keys.read("title", Node::text)?.unwrap_or_default();
    let worlds: Vec<&str> = study.worlds.iter().flat_map(|w| [w.label.as_str(), w.base.as_str()]).collect();
    let learners: Vec<&str> =
        study.learners.iter().flat_map(|l| [l.contender.label.as_str(), l.base.as_str()]).collect();
    figure.worlds = keys.read("worlds", |node| chosen(node, &worlds))?.unwrap_or_default();
    figure.learners = keys.read("learners", |node| chosen(node, &learners))?.unwrap_or_default();
    figure.x = keys.read("x", axis)?.unwrap_or_default();
    figure.y = keys.read("y", axis)?.unwrap_or_default();
    figure.band = keys.read("band", |node| node.one_of(BANDS))?.unwrap_or_default();
    figure.size = keys.read("size", |node| {
        node.pair(|side| match side.count(200)? {
            pixels if pixels <= LARGEST => Ok(pixels as u32),
            _ => Err(side.fault(format!("expected at most {LARGEST} pixels"))),
        })
    })?;
    figure.marks = keys.read("marks", |node| node.list()?.iter().map(marks).collect())?.unwrap_or_default();
    if let Some(node) = keys.get("formats") {
        let formats = node
            .list()?
            .iter()
            .map(|n| n.one_of(&[("png", true), ("svg", false)]))
            .collect::<Result<Vec<_>>>()?;
        (figure.png, figure.svg) = (formats.contains(&true), formats.contains(&false));
        if formats.is_empty() {
            return Err(node.fault("expected \"png\", \"svg\" or both"));
        }
    }
    Ok(figure)
}

/// Labels of worlds or learners.
fn chosen(node: &Node, known: &[&str]) -> Result<Vec<String>> {
    let labels = node.texts()?;
    for (label, item) in labels.iter().zip(node.list()?) {
        if !known.contains(&label.as_str()) {
            let mut once: Vec<&str> = known.to_vec();
            once.dedup();
            let fault =
                format!("there is no {label:?} here; known are {}{}", quoted(&once), meant(label, &once));
            return Err(item.fault(fault));
        }
    }
    Ok(labels)
}

fn axis(node: &Node) -> Result<AxisSpec> {
    let keys = node.table(AXIS_KEYS)?;
    let range = keys.read("range", |node| {
        let (low, high) = node.pair(Node::real)?;
        if low < high { Ok((low, high)) } else { Err(node.fault("expected [low, high] with low < high")) }
    })?;
    let log = keys.read("log", Node::flag)?;
    if let (Some(node), Some(true), Some((low, _))) = (keys.get("range"), log, range)
        && low <= 0.0
    {
        return Err(node.fault("a logarithmic axis begins above 0"));
    }
    Ok(AxisSpec { title: keys.read("title", Node::text)?, log, range })
}

fn marks(node: &Node) -> Result<MarkSpec> {
    let keys = node.table(MARK_KEYS)?;
    let needed = |key: &str| keys.get(key).ok_or_else(|| node.fault(format!("marks need `{key}`")));
    Ok(MarkSpec {
        label: needed("label")?.text()?,
        colour: keys.read("colour", colour)?.unwrap_or(Colour::INK),
        marker: keys.read("marker", |node| node.one_of(MARKERS))?.unwrap_or(Marker::Circle),
        points: needed("points")?.list()?.iter().map(|p| p.pair(Node::real)).collect::<Result<_>>()?,
    })
}
