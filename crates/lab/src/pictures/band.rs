//! Bands around curves.

use crate::figure::CurvePoint;
use crate::stats::Mean;
use crate::study::Band;
use goalward::numeric::Stream;

/// One place of a curve: where it is, and the value of every run that got there.
pub(super) struct Column {
    pub(super) x: f64,
    pub(super) values: Vec<f64>,
}

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
pub(super) fn points(columns: &[Column], whole: &[Vec<f64>], band: Band) -> Vec<CurvePoint> {
    let at_once = match band {
        Band::Simultaneous => simultaneous(whole),
        _ => None,
    };
    let mut points = Vec::with_capacity(columns.len());
    for (i, column) in columns.iter().enumerate() {
        let Some(mean) = Mean::of(&column.values).filter(|mean| mean.mean.is_finite()) else { continue };
        let mut point = CurvePoint { x: column.x, y: mean.mean, ..CurvePoint::default() };
        match band {
            Band::Student => point.band = mean.low.zip(mean.high),
            Band::Simultaneous => point.band = at_once.as_ref().and_then(|band| band.get(i).copied()),
            Band::Quantiles => {
                let sorted = sorted(&column.values);
                let at = |share| quantile(&sorted, share);
                point.y = at(0.5);
                let several = sorted.len() > 1;
                point.band = several.then(|| (at(0.25), at(0.75)));
                point.outer = several.then(|| (at(0.05), at(0.95)));
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

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The quantile of sorted values, linear between them.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let at = share * last as f64;
    let (low, high) = (at.floor() as usize, (at.ceil() as usize).min(last));
    sorted[low] + (at - low as f64) * (sorted[high] - sorted[low])
}

/// A 95 % band of the mean that holds over the whole curve at once: the mean and so many standard
/// errors up and down, the same number everywhere, which is the 95 % quantile of the largest
/// studentised deviation over runs drawn anew. `curves[r]` is run r.
fn simultaneous(curves: &[Vec<f64>]) -> Option<Vec<(f64, f64)>> {
    const RESAMPLES: usize = 1000;
    const STREAM: u64 = 0x6261_6e64; // "band"
    let (runs, length) = (curves.len(), curves.first()?.len());
    if runs < 2 || curves.iter().any(|curve| curve.len() != length) {
        return None;
    }
    let column = |i: usize, chosen: &mut dyn Iterator<Item = usize>| -> Vec<f64> {
        chosen.map(|r| curves[r][i]).collect()
    };
    let error = |mean: &Mean| mean.sd.unwrap_or(0.0) / (mean.n as f64).sqrt();
    let means: Vec<Mean> =
        (0..length).map(|i| Mean::of(&column(i, &mut (0..runs)))).collect::<Option<_>>()?;
    let mut stream = Stream::new(0, &[STREAM]);
    let mut largest = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        let chosen: Vec<usize> = (0..runs).map(|_| stream.below(runs)).collect();
        let mut most = 0.0;
        for (i, own) in means.iter().enumerate() {
            let Some(drawn) = Mean::of(&column(i, &mut chosen.iter().copied())) else { continue };
            if error(own) > 0.0 {
                most = f64::max(most, (drawn.mean - own.mean).abs() / error(own));
            }
        }
        largest.push(most);
    }
    let factor = quantile(&sorted(&largest), 0.95);
    Some(means.iter().map(|m| (m.mean - factor * error(m), m.mean + factor * error(m))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_at_once_is_wider() {
        let curves: Vec<Vec<f64>> =
            (0..12).map(|r| (0..30).map(|i| f64::from((r * 7 + i * i * (r + 1)) % 11)).collect()).collect();
        let columns: Vec<Column> =
            (0..30).map(|i| Column { x: i as f64, values: curves.iter().map(|c| c[i]).collect() }).collect();
        let own = points(&columns, &curves, Band::Student);
        let once = points(&columns, &curves, Band::Simultaneous);
        let width = |p: &CurvePoint| p.band.map_or(0.0, |(l, h)| h - l);
        assert!(own.iter().zip(&once).all(|(a, b)| width(b) >= width(a) && a.y == b.y));
        assert_eq!(once, points(&columns, &curves, Band::Simultaneous), "the same every time");
        assert!(simultaneous(&curves[..1]).is_none() && simultaneous(&[]).is_none());
    }

    #[test]
    fn quantiles_are_linear_between_the_runs() {
        let column = [Column { x: 1.0, values: vec![4.0, 0.0, 2.0] }];
        let point = points(&column, &[], Band::Quantiles)[0];
        assert_eq!((point.y, point.band, point.outer), (2.0, Some((1.0, 3.0)), Some((0.2, 3.8))));
    }
}
