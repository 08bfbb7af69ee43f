//! What an audit saw on the way: regret and what was certified of it, how near theta* came to the
//! boundary of every set, and how far what plans believed was from the data.

mod guard;

use super::Picture;
use crate::Result;
use crate::figure::{Axis, Chart, Colour, Curve, CurvePoint, Dash, Format, Head, Plot, Stroke};
use goalward::episode::AuditReport;

/// One picture for the regret, one for the sets, one for G_t/Gamma_t, one for the books of a guard:
/// those that there is something of.
pub fn draw(report: &AuditReport) -> Result<Vec<Picture>> {
    let plots = [
        ("regret", regret(report)),
        ("sets", sets(report)),
        ("distances", ratios(report)),
        ("guard", guard::plot(report)),
    ];
    let shown = plots.into_iter().filter_map(|(name, shown)| Some((name, shown?)));
    let picture = |(name, (title, note, plot)): (&str, Titled)| {
        let alt = format!("{title}: {note}");
        let run = format!("{} on {}, seed {}", report.learner, report.world, report.seed);
        let head = Head { title, notes: vec![format!("{run} · {note}")] };
        let chart = Chart { head, plots: vec![plot], columns: 1, ends: true, ..Chart::default() };
        Picture::of(name.into(), alt, chart.draw(), &Format::all())
    };
    shown.map(picture).collect()
}

/// A plot with its title and its note before it.
pub(super) type Titled = (String, &'static str, Plot);

pub(super) fn curve(label: String, n: usize, points: impl Iterator<Item = (u64, f64)>) -> Curve {
    let finite = points.filter(|(_, y)| y.is_finite());
    let points = finite.map(|(x, y)| CurvePoint::at(x as f64, y)).collect();
    Curve { label, stroke: Stroke::nth(n), points, dots: false }
}

/// A line at a height that matters, where what is drawn comes near it; elsewhere it would only be in
/// the legend.
fn limit(label: &str, height: f64, last: u64, curves: &[Curve]) -> Vec<Curve> {
    let highest = curves.iter().flat_map(|c| c.points.iter().map(|p| p.y)).fold(f64::NEG_INFINITY, f64::max);
    let ends = [1, last.max(2)].map(|x| CurvePoint::at(x as f64, height));
    let stroke = Stroke::new(Colour::GREY, 2.6, Dash::Dashed);
    let line = Curve { label: label.into(), stroke, points: ends.to_vec(), dots: false };
    if highest >= 0.8 * height { vec![line] } else { Vec::new() }
}

pub(super) fn axis(title: &str, log: bool) -> Axis {
    Axis { title: title.into(), log, ..Axis::default() }
}

fn regret(report: &AuditReport) -> Option<Titled> {
    let episodes = &report.curve.episodes;
    let last = episodes.last()?;
    let title = match report.regret_certified {
        Some(certified) => format!("Regret {:.1}, certified at most {certified:.1}", report.regret),
        None => format!("Regret {:.1}, and R_hat, which certifies nothing here", last.1),
    };
    let curves = vec![
        curve("R_hat: paid less promised".into(), 0, episodes.iter().map(|(k, _, r)| (*k, *r))),
        curve("regret".into(), 1, episodes.iter().map(|(k, r, _)| (*k, *r))),
    ];
    let plot = Plot {
        x: axis("Episodes K", false),
        y: axis("Cost beyond the optimum", false),
        curves,
        ..Plot::default()
    };
    Some((title, "R_hat is what was paid, less the values of the plans in force when episodes began", plot))
}

fn sets(report: &AuditReport) -> Option<Titled> {
    let sets = &report.curve.sets;
    let (last, used) = sets.last()?;
    let names = names(report, used.len());
    let curves: Vec<Curve> = names
        .into_iter()
        .enumerate()
        .map(|(i, name)| curve(name, i, sets.iter().filter_map(|(t, all)| Some((*t, *all.get(i)?)))))
        .collect();
    let wealth = report.likelihood.is_some();
    let (y, note) = match (report.levels.is_empty(), wealth) {
        (true, true) => {
            ("Log-wealth / ln(1/delta)", "what bets against theta* have won; it leaves the set at 1")
        }
        (_, true) => (
            "Share of the radius",
            "the distance of theta* by the radius, and the log-wealth against it by ln(1/delta); 1 is the boundary",
        ),
        _ => {
            ("Distance / radius", "the distance of theta* from the estimate by the radius; 1 is the boundary")
        }
    };
    let plot = Plot {
        x: axis("Steps t", true),
        y: axis(y, false),
        guides: limit("boundary", 1.0, *last, &curves),
        curves,
        ..Plot::default()
    };
    let outside = report.checks.iter().any(|c| c.statement.starts_with("theta* is in the") && c.fails > 0);
    let title =
        if outside { "theta* has left a confidence set" } else { "theta* is in every confidence set" };
    (!used.is_empty()).then(|| (title.into(), note, plot))
}

fn names(report: &AuditReport, count: usize) -> Vec<String> {
    let levels = report.levels.iter().map(|level| format!("level {}", level.level));
    let mut names: Vec<String> = match report.levels.is_empty() && report.likelihood.is_none() {
        true => {
            (0..count).map(|i| if count == 1 { "set".into() } else { format!("set {}", i + 1) }).collect()
        }
        false => levels.collect(),
    };
    names.extend(report.likelihood.as_ref().map(|_| "likelihood set".into()));
    names.truncate(count);
    names
}

fn ratios(report: &AuditReport) -> Option<Titled> {
    let ratios = &report.curve.ratios;
    let (last, ..) = ratios.last()?;
    let most = report.likelihood.as_ref()?.ratio_bound?;
    let curves = vec![
        curve("over all steps, a bound".into(), 0, ratios.iter().map(|(t, _, bound)| (*t, *bound))),
        curve("in looks, exact".into(), 1, ratios.iter().map(|(t, exact, _)| (*t, *exact))),
    ];
    let plot = Plot {
        x: axis("Steps t", true),
        y: axis("Largest G_t / Gamma_t so far", false),
        guides: limit("17 Gamma_t", 17.0, *last, &curves),
        curves,
        ..Plot::default()
    };
    let title = format!("What plans believe is within {most:.2} Gamma_t of theta*");
    let note = "G_t bounds the squared Hellinger distance of theta~_t from theta* over the steps before t; \
                the theorem asks for 17 Gamma_t";
    Some((title, note, plot))
}
