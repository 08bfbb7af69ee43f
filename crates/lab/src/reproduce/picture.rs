//! The paper's figure: Regret/K over sqrt(K), with the published points.

use super::{
    DELTA, LEVIS, LEVIS_PLUS_PLUS, LEVIS_PLUS_PLUS_SCALED, LIKELIHOOD, LIKELIHOOD_ALONE, OPTIMAL, RANDOM,
    Reproduction, published,
};
use crate::curves::Curves;
use crate::figure::{Axis, BandPoint, Colour, CurveFigure, Dash, Marker, Marks, Panel, Series, Stroke};

/// Fewer episodes are all noise: the published curves begin here too.
const FIRST_EPISODE: u64 = 25;

/// The figure of these dimensions, side by side.
pub(super) fn of(reproduction: &Reproduction, dims: &[usize]) -> CurveFigure {
    let options = &reproduction.options;
    let several = dims.len() > 1;
    let broken = reproduction.interrupted.is_some();
    let panel = |(dim, curves): &(usize, Vec<Curves>)| Panel {
        title: if several { format!("d = {dim}") } else { String::new() },
        x: Axis {
            title: "√K  (K episodes)".into(),
            range: Some((0.0, (options.episodes as f64).sqrt())),
            log: false,
        },
        y: Axis { title: "Regret / K".into(), ..Axis::default() },
        series: curves.iter().filter(|c| !c.runs.is_empty()).map(|c| series(c, broken)).collect(),
        marks: vec![
            marks("LEVIS published (digitised)", Colour::BLUE, Marker::Square, published::LEVIS),
            marks(
                "LEVIS++ published (digitised)",
                Colour::VERMILLION,
                Marker::Circle,
                published::LEVIS_PLUS_PLUS,
            ),
        ],
    };
    let chosen = reproduction.curves.iter().filter(|(dim, _)| dims.contains(dim));
    let seeds = options.seeds.end.saturating_sub(options.seeds.start);
    let dim = if several { String::new() } else { format!("d = {}, ", dims[0]) };
    let runs = match reproduction.interrupted {
        None => format!("mean of {seeds} runs, band: 95 % interval"),
        Some(broken) => format!("{broken}: mean of the legend's runs, 95 % bands"),
    };
    CurveFigure {
        title: "Regret per episode in the experiment of the LEVIS++ paper".into(),
        note: format!("{dim}B = 3, δ = {} · {runs} · published points: d not stated", DELTA.1),
        size: if several { (2000, 1000) } else { (1600, 1000) },
        panels: chosen.map(panel).collect(),
    }
}

fn series(curves: &Curves, broken: bool) -> Series {
    let per_episode =
        curves.means().into_iter().filter(|(k, ..)| *k >= FIRST_EPISODE).map(|(k, regret, _)| {
            let mean = regret.scaled(1.0 / k as f64);
            BandPoint { x: (k as f64).sqrt(), mean: mean.mean, band: mean.low.zip(mean.high) }
        });
    // where the user broke off nobody should take some runs for all
    let runs = match (broken, curves.unfinished()) {
        (false, _) => String::new(),
        (true, true) => " (unfinished)".into(),
        (true, false) => format!(" ({} of {} seeds)", curves.complete(), curves.planned),
    };
    Series {
        label: format!("{}{runs}", curves.contender.label),
        stroke: stroke(&curves.contender.label),
        points: per_episode.collect(),
    }
}

/// Random and LEVIS are broad and unbroken, so that what coincides with them is seen upon them.
fn stroke(label: &str) -> Stroke {
    match label {
        RANDOM => Stroke::new(Colour::GREY, 9.0, Dash::Solid),
        LEVIS => Stroke::new(Colour::BLUE, 5.5, Dash::Solid),
        LEVIS_PLUS_PLUS => Stroke::new(Colour::VERMILLION, 4.0, Dash::Dashed),
        LEVIS_PLUS_PLUS_SCALED => Stroke::new(Colour::GREEN, 4.0, Dash::DashDot),
        LIKELIHOOD => Stroke::new(Colour::PURPLE, 5.5, Dash::Solid),
        LIKELIHOOD_ALONE => Stroke::new(Colour::ORANGE, 3.5, Dash::Dashed),
        OPTIMAL => Stroke::new(Colour::INK, 2.8, Dash::Dotted),
        _ => Stroke::nth(3),
    }
}

fn marks(label: &str, colour: Colour, marker: Marker, points: &[(f64, f64)]) -> Marks {
    Marks { label: label.into(), colour, marker, points: points.to_vec() }
}
