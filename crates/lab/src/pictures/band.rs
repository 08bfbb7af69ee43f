//! The mean curve of a cell's runs, and the band around a curve.

use crate::figure::CurvePoint;
use crate::results::{Cell, EpisodeRow};
use crate::stats::{Mean, quantile, simultaneous_band};
use crate::study::Band;

/// A place of a curve, and the value of every run that got there.
pub(super) type RunsAt = (f64, Vec<f64>);

/// What the band is, in words.
pub(super) fn words(band: Band) -> &'static str {
    match band {
        Band::Student => "mean, band: 95 % interval of the mean (Student's t, point by point)",
        Band::Simultaneous => "mean, band: 95 % for the whole curve at once (bootstrap over runs)",
        Band::Quantiles => "median, bands: the middle half and the middle 90 % of the runs",
        Band::None => "mean",
    }
}

/// Means (or medians) of columns with a band. `whole` has the runs that have every column, run by
/// run: a band over the whole curve is that of these.
pub(super) fn points(columns: &[RunsAt], whole: &[Vec<f64>], band: Band) -> Vec<CurvePoint> {
    let at_once = match band {
        Band::Simultaneous => simultaneous_band(whole),
        _ => None,
    };
    let mut points = Vec::with_capacity(columns.len());
    for (i, (x, values)) in columns.iter().enumerate() {
        let Some(mean) = Mean::of(values).filter(|mean| mean.mean.is_finite()) else { continue };
        let mut point = CurvePoint { x: *x, y: mean.mean, ..CurvePoint::default() };
        match band {
            Band::Student => point.band = mean.low.zip(mean.high),
            Band::Simultaneous => point.band = at_once.as_ref().and_then(|band| band.get(i).copied()),
            Band::Quantiles => {
                let at = |share| quantile(values, share);
                let ends = |low, high| at(low).zip(at(high)).filter(|_| values.len() > 1);
                point.y = at(0.5).unwrap_or(mean.mean);
                point.band = ends(0.25, 0.75);
                point.outer = ends(0.05, 0.95);
            }
            Band::None => {}
        }
        let finite = |band: &(f64, f64)| band.0.is_finite() && band.1.is_finite();
        point.band = point.band.filter(finite);
        point.outer = point.outer.filter(finite);
        points.push(point);
    }
    points
}

/// The mean over the runs at every episode that all of them have which got that far. The curve ends
/// where fewer than half of the runs are left.
///
/// Episodes are thinned by one rule for all runs; only the last row of a run that was cut off may
/// be one that no other has.
pub(super) fn of_episodes(cell: &Cell, band: Band, value: impl Fn(&EpisodeRow) -> f64) -> Vec<CurvePoint> {
    let mut numbers: Vec<u64> =
        cell.runs.iter().flat_map(|run| run.episodes.iter().map(|e| e.episode)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut cursors = vec![0; cell.runs.len()];
    let mut columns: Vec<RunsAt> = Vec::new();
    let mut there: Vec<Vec<usize>> = Vec::new();
    for k in numbers {
        let (mut values, mut runs, mut left) = (Vec::new(), Vec::new(), 0);
        for (r, (run, cursor)) in cell.runs.iter().zip(&mut cursors).enumerate() {
            left += usize::from(run.episodes.last().is_some_and(|last| last.episode >= k));
            if let Some(row) = run.episodes.get(*cursor).filter(|row| row.episode == k) {
                *cursor += 1;
                values.push(value(row));
                runs.push(r);
            }
        }
        if values.len() == left && 2 * left >= cell.runs.len() && values.iter().all(|v| v.is_finite()) {
            columns.push((k as f64, values));
            there.push(runs);
        }
    }
    // the curves of the runs that got to the end
    let stayed = there.last().filter(|_| band == Band::Simultaneous);
    let of = |r: &usize| {
        let own = columns.iter().zip(&there);
        own.filter_map(|((_, values), runs)| Some(values[runs.iter().position(|run| run == r)?])).collect()
    };
    let whole: Vec<Vec<f64>> = stayed.into_iter().flatten().map(of).collect();
    points(&columns, &whole, band)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_at_once_is_wider() {
        let curves: Vec<Vec<f64>> =
            (0..12).map(|r| (0..30).map(|i| f64::from((r * 7 + i * i * (r + 1)) % 11)).collect()).collect();
        let columns: Vec<RunsAt> =
            (0..30).map(|i| (i as f64, curves.iter().map(|c| c[i]).collect())).collect();
        let own = points(&columns, &curves, Band::Student);
        let once = points(&columns, &curves, Band::Simultaneous);
        let width = |p: &CurvePoint| p.band.map_or(0.0, |(l, h)| h - l);
        assert!(own.iter().zip(&once).all(|(a, b)| width(b) >= width(a) && a.y == b.y));
        assert_eq!(once, points(&columns, &curves, Band::Simultaneous), "the same every time");
        assert!(simultaneous_band(&curves[..1]).is_none() && simultaneous_band(&[]).is_none());
    }

    #[test]
    fn quantiles_are_linear_between_the_runs() {
        let column = [(1.0, vec![4.0, 0.0, 2.0])];
        let point = points(&column, &[], Band::Quantiles)[0];
        assert_eq!((point.y, point.band, point.outer), (2.0, Some((1.0, 3.0)), Some((0.2, 3.8))));
    }

    use crate::pictures::tests::samples;

    #[test]
    fn a_curve_ends_with_half_of_its_runs() {
        // three runs to 8, one that was cut off after 5
        let mut cell = samples::cell(4, &[1, 2, 4, 8], |run, k| (run as f64) + k as f64);
        let cut = &mut cell.runs[3];
        cut.episodes.pop();
        cut.episodes.push(EpisodeRow { episode: 5, gap_regret: 1e6, ..EpisodeRow::default() });
        let points = of_episodes(&cell, Band::Student, |e| e.gap_regret);
        let xs: Vec<f64> = points.iter().map(|p| p.x).collect();
        assert_eq!(xs, [1.0, 2.0, 4.0, 8.0], "nobody else has row 5");
        assert_eq!(points[2].y, 4.0 + 1.5);
        assert_eq!(points[3].y, 8.0 + 1.0, "of the three that got there");
        // with one left of four it ends before
        for run in &mut cell.runs[1..3] {
            run.episodes.pop();
        }
        let points = of_episodes(&cell, Band::Simultaneous, |e| e.gap_regret);
        assert_eq!(points.last().unwrap().x, 4.0);
        assert!(points.iter().all(|p| p.band.is_some()));
        cell.runs.clear();
        assert!(of_episodes(&cell, Band::Student, |e| e.gap_regret).is_empty());
    }

    #[test]
    fn one_run_has_no_band_and_nothing_is_not_a_number() {
        let cell = samples::cell(1, &[1, 2], |_, k| if k == 2 { f64::NAN } else { 3.0 });
        for band in [Band::Student, Band::Simultaneous, Band::Quantiles, Band::None] {
            let points = of_episodes(&cell, band, |e| e.regret);
            assert_eq!(points.len(), 1, "{band:?}");
            assert_eq!((points[0].y, points[0].band), (3.0, None));
        }
    }
}
