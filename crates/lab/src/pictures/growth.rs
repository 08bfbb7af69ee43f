//! Gap regret over what grows, both logarithmic, with exponents: one figure for each family.

use super::Picture;
use super::chosen::Chosen;
use super::regret::{alt, axis};
use crate::Result;
use crate::figure::{Chart, Colour, Curve, CurvePoint, Dash, Head, Plot, Stroke};
use crate::results::Results;
use crate::stats::{Exponent, Mean};
use crate::study::{FigureSpec, Grows, GrowthFamily};
use goalward::numeric::Portable;

pub(super) fn draw(results: &Results, spec: &FigureSpec) -> Result<Vec<Picture>> {
    let chosen = Chosen::new(results, spec)?;
    let asked = &results.study.analysis.growth;
    let base = |w: &usize| results.study.worlds[*w].base.as_str();
    let shown: Vec<&GrowthFamily> =
        asked.iter().filter(|f| chosen.worlds.iter().any(|w| base(w) == f.world)).collect();
    let draw = |family: &&GrowthFamily| {
        let worlds: Vec<usize> = chosen.worlds.iter().copied().filter(|w| base(w) == family.world).collect();
        let (title, plot, notes) = plot(&chosen, family, &worlds);
        let alt = alt(&title, std::slice::from_ref(&plot));
        let chart = Chart {
            head: Head { title, notes },
            plots: vec![plot],
            columns: 1,
            size: spec.size,
            ends: true,
            ..Chart::default()
        };
        let name = match shown.len() {
            1 => spec.name.clone(),
            _ => format!("{}-{}", spec.name, slug(&family.world)),
        };
        Picture::of(name, alt, chart.draw(), &spec.formats)
    };
    shown.iter().map(draw).collect()
}

/// A name of a file.
fn slug(text: &str) -> String {
    let signs = text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    signs.collect::<String>().split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// What grows, at a world; none before it has a run.
fn grown(chosen: &Chosen, over: Grows, world: usize) -> Option<f64> {
    let run = chosen.learners.iter().find_map(|&l| chosen.cell(world, l).runs.first())?;
    let x = over.of(&chosen.results.study.worlds[world], Some(&run.row))?;
    (x.is_finite() && x > 0.0).then_some(x)
}

fn plot(chosen: &Chosen, family: &GrowthFamily, worlds: &[usize]) -> (String, Plot, Vec<String>) {
    let grown = |&w: &usize| Some((grown(chosen, family.over, w)?, w));
    let mut xs: Vec<(f64, usize)> = worlds.iter().filter_map(grown).collect();
    xs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let curves: Vec<Curve> = chosen.learners.iter().filter_map(|&l| curve(chosen, worlds, &xs, l)).collect();
    let name = if family.over == Grows::States { "the number of states" } else { family.over.names()[0] };
    let plot = Plot {
        x: axis(&chosen.spec.x, family.over.names()[1], true),
        y: axis(&chosen.spec.y, "Cumulative gap regret", true),
        guides: guides(family, &curves),
        curves,
        empty: "no finished run".into(),
        ..Plot::default()
    };
    let title = chosen.spec.headline(|| format!("Gap regret over {name}: {}", family.world));
    let mut notes = vec![format!(
        "{} · mean at the end of the runs, band: 95 % interval of the mean (Student's t) · exponent: slope \
         of the line through the points, with a 95 % bootstrap interval over seeds",
        chosen.runs(worlds)
    )];
    if let Some((least, most)) = family.expect {
        notes.push(format!("theory: an exponent of {}", between(least, most)));
    }
    (title, plot, notes)
}

fn between(least: f64, most: f64) -> String {
    match (least.is_finite() && least > 0.0, most.is_finite()) {
        (true, true) => format!("{least} to {most}"),
        (true, false) => format!("at least {least}"),
        _ => format!("at most {most}"),
    }
}

/// The means of a learner, with the exponent over the seeds that all worlds have.
fn curve(chosen: &Chosen, worlds: &[usize], xs: &[(f64, usize)], learner: usize) -> Option<Curve> {
    let paid = |w: usize| chosen.cell(w, learner).runs.iter().map(|run| (run.seed, run.row.gap_regret));
    let point = |&(x, w): &(f64, usize)| {
        let mean = Mean::of(&paid(w).map(|(_, y)| y).collect::<Vec<_>>())?;
        let known = mean.mean.is_finite();
        known.then(|| CurvePoint { x, y: mean.mean, band: mean.low.zip(mean.high), outer: None })
    };
    let points: Vec<CurvePoint> = xs.iter().filter_map(point).collect();
    let seeds: Vec<u64> = chosen.results.study.seeds.clone();
    let everywhere = |seed: &&u64| xs.iter().all(|(_, w)| paid(*w).any(|(s, _)| s == **seed));
    let common: Vec<u64> = seeds.iter().filter(everywhere).copied().collect();
    let column = |w: usize| paid(w).filter(|(s, _)| common.contains(s)).map(|(_, y)| y).collect();
    let columns: Vec<Vec<f64>> = xs.iter().map(|(_, w)| column(*w)).collect();
    let places: Vec<f64> = xs.iter().map(|(x, _)| *x).collect();
    let exponent = Exponent::fit(&places, &columns).map_or(String::new(), |e| format!(": exponent {e}"));
    let label = chosen.name(worlds, learner) + &exponent + &chosen.missing(worlds, learner);
    let all_below = points.iter().all(|p| p.y <= 0.0);
    let label = if all_below { format!("{label} (0 or less: not on this axis)") } else { label };
    (!points.is_empty()).then(|| Curve { label, stroke: chosen.stroke(learner), points, dots: true })
}

/// Lines with the slopes that the theory says, from below where the middle curve begins.
fn guides(family: &GrowthFamily, curves: &[Curve]) -> Vec<Curve> {
    let Some((least, most)) = family.expect else { return Vec::new() };
    let mut begins: Vec<CurvePoint> =
        curves.iter().filter_map(|c| c.points.first().copied()).filter(|p| p.y > 0.0).collect();
    begins.sort_by(|a, b| a.y.total_cmp(&b.y));
    let Some(from) = begins.get(begins.len() / 2) else { return Vec::new() };
    let last = curves.iter().flat_map(|c| &c.points).map(|p| p.x).fold(from.x, f64::max);
    let slopes = [(least, Dash::Dotted), (most, Dash::Dashed)].into_iter();
    let wanted = slopes.filter(|(slope, _)| slope.is_finite() && *slope > 0.0 && last > from.x);
    let line = |(slope, dash): (f64, Dash)| Curve {
        label: format!("slope {slope}"),
        stroke: Stroke::new(Colour::GREY, 2.6, dash),
        points: [from.x, last].map(|x| CurvePoint::at(x, 0.8 * from.y * (x / from.x).to_the(slope))).to_vec(),
        dots: false,
    };
    wanted.map(line).collect()
}
