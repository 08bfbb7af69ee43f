//! Bands around curves.

use crate::figure::CurvePoint;
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
}
