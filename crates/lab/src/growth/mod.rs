//! Growth: how the gap regret grows with the number of episodes and with the horizon.
//!
//! Three families of worlds, one exponent each:
//!
//! * **tuned**: `hard-instance` with the gap of the lower bound, Delta = f (d-1) sqrt(delta/(K B*))
//!   with a factor f, 1 unless given, anew for every K. Nobody can do better than sqrt(K) there:
//!   the exponent is 1/2 for who learns and for who does not, and what tells them apart is the
//!   share of what the random policy pays. With f = 1 all data of a run tell each sign at
//!   1/sqrt(1-delta) standard deviations, so that nobody's share is small;
//! * **fixed**: `hard-instance` with one gap for all K. Who learns pays a logarithm, and the
//!   exponent goes to 0; who does not has 1;
//! * **horizon**: `corridor` with B* fixed and T* growing. A bound that depends on T* through
//!   logarithms alone allows an exponent of 0.

mod report;

use crate::curves::Interrupted;
use crate::files::figure_names;
use crate::jobs::run_grid;
use crate::records::{Group, runs_csv};
use crate::stats::{Exponent, Mean};
use crate::{Contender, Curves, Error, Folder, Progress, Result};
use goalward::Settings;
use goalward::episode::Arena;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::PathBuf;

/// A family of worlds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// The gap of the lower bound for every K.
    Tuned,
    /// One gap for all K.
    Fixed,
    /// T* grows, B* does not.
    Horizon,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 3] = [Family::Tuned, Family::Fixed, Family::Horizon];

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Family::Tuned => "tuned",
            Family::Fixed => "fixed",
            Family::Horizon => "horizon",
        }
    }
}

/// What to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GrowthOptions {
    /// Where the results are written.
    pub out: PathBuf,
    /// Whether results of another question may be overwritten.
    #[serde(skip)]
    pub force: bool,
    /// The families.
    pub families: Vec<Family>,
    /// The contenders, `id@key=value`; B is the true one unless given.
    pub learners: Vec<String>,
    /// The dimension d of the worlds.
    pub dim: usize,
    /// B* of all worlds.
    pub b_star: f64,
    /// The factor on the gap of `tuned`.
    pub gap_factor: f64,
    /// The numbers of episodes K of `tuned` and `fixed`.
    pub episodes: Vec<u64>,
    /// The lengths of `horizon`: T* = b_star length.
    pub lengths: Vec<u64>,
    /// The number of episodes of `horizon`.
    pub horizon_episodes: u64,
    /// The seeds.
    pub seeds: Range<u64>,
}

impl Default for GrowthOptions {
    fn default() -> Self {
        GrowthOptions {
            out: "out/growth".into(),
            force: false,
            families: Family::ALL.to_vec(),
            learners: ["levis++lr", "lr", "random"].map(String::from).to_vec(),
            dim: 3,
            b_star: 2.5,
            gap_factor: 1.0,
            episodes: vec![1_000, 3_162, 10_000, 31_623, 100_000],
            lengths: vec![4, 12, 40, 126, 400],
            horizon_episodes: 300,
            seeds: 0..20,
        }
    }
}

/// What it came to.
#[derive(Clone, Debug, Serialize)]
pub struct Growth {
    /// The version of goalward.
    pub version: &'static str,
    /// What was asked for.
    #[serde(flatten)]
    pub options: GrowthOptions,
    /// One for each family.
    pub families: Vec<FamilyGrowth>,
    /// What the numbers say, in words.
    pub words: Vec<String>,
    /// Whether the user broke off.
    pub interrupted: bool,
    /// The files that were written.
    pub files: Vec<PathBuf>,
}

/// One family of worlds.
#[derive(Clone, Debug, Serialize)]
pub struct FamilyGrowth {
    /// Which.
    pub family: Family,
    /// Its worlds, from the smallest to the largest.
    pub points: Vec<GrowthPoint>,
    /// One for each contender.
    pub exponents: Vec<GrowthRow>,
}

/// One world of a family.
#[derive(Clone, Debug, Serialize)]
pub struct GrowthPoint {
    /// What grows: K or T*.
    pub x: f64,
    /// The number of episodes.
    pub episodes: u64,
    /// The world's id and parameters.
    pub world: String,
    /// Its parameters.
    pub params: Settings,
    /// The gap Delta: the best action gets on with probability 1/B*, a random one with 1/B* -
    /// Delta.
    pub gap: f64,
    #[serde(skip)]
    curves: Vec<Curves>,
}

/// One contender in one family.
#[derive(Clone, Debug, Serialize)]
pub struct GrowthRow {
    /// Who it is.
    #[serde(flatten)]
    pub contender: Contender,
    /// Its mean gap regret in every world.
    pub gap_regret: Vec<Option<Mean>>,
    /// The same as a share of the random policy's, where that is among the contenders.
    pub share_of_random: Vec<Option<f64>>,
    /// The exponent of its growth.
    pub exponent: Option<Exponent>,
}

/// The gap of the lower bound, Delta = f (d-1) sqrt(delta/(K B*)) with delta = 1/B* - Delta: the
/// root of Delta^2 = c (1/B* - Delta), c = f^2 (d-1)^2/(K B*).
fn tuned_gap(factor: f64, dim: usize, b_star: f64, episodes: u64) -> f64 {
    let c = (factor * (dim - 1) as f64).powi(2) / (episodes as f64 * b_star);
    // 2q/(p + sqrt(p^2 + 4q)), which does not cancel
    2.0 * c / b_star / (c + (c * c + 4.0 * c / b_star).sqrt())
}

impl GrowthOptions {
    fn check(&self) -> Result<()> {
        let refuse = |option, fault: String| Err(Error::Option { option, fault });
        let lists = [
            (self.families.is_empty(), "families"),
            (self.learners.is_empty(), "learners"),
            (self.seeds.is_empty(), "seeds"),
        ];
        if let Some((_, what)) = lists.into_iter().find(|(missing, _)| *missing) {
            return Err(Error::Nothing { what });
        }
        if self.dim < 2 {
            return refuse("dim", format!("{} is below 2", self.dim));
        }
        if !(self.b_star > 1.0 && self.b_star.is_finite()) {
            return refuse("b-star", format!("{} is not above 1", self.b_star));
        }
        if !(self.gap_factor > 0.0 && self.gap_factor.is_finite()) {
            return refuse("gap-factor", format!("{} is not above 0", self.gap_factor));
        }
        let grows = |xs: &[u64]| xs.len() >= 2 && xs[0] > 0 && xs.windows(2).all(|w| w[0] < w[1]);
        let k = self.families.iter().any(|f| *f != Family::Horizon);
        if k && !grows(&self.episodes) {
            return refuse("episodes", "expected two or more numbers that grow".into());
        }
        if self.families.contains(&Family::Horizon) && !grows(&self.lengths) {
            return refuse("lengths", "expected two or more numbers that grow".into());
        }
        if self.families.contains(&Family::Tuned) {
            let gap = self.tuned(self.episodes[0]);
            if gap >= 1.0 / self.b_star - gap {
                let fault = format!(
                    "with K = {} the tuned gap {gap:.4} is not below delta = {:.4}: more \
                     episodes, or a smaller dim",
                    self.episodes[0],
                    1.0 / self.b_star - gap
                );
                return refuse("episodes", fault);
            }
        }
        Ok(())
    }

    fn tuned(&self, episodes: u64) -> f64 {
        tuned_gap(self.gap_factor, self.dim, self.b_star, episodes)
    }

    /// The worlds of a family.
    fn worlds(&self, family: Family) -> Vec<GrowthPoint> {
        // the paper's instance has Delta = 0.8 delta, in delta + Delta = 1/B*
        let fixed = 1.0 / self.b_star * 4.0 / 9.0;
        let point = |x: f64, episodes, world: &str, gap: f64| GrowthPoint {
            x,
            episodes,
            world: world.into(),
            params: Settings::new()
                .set("dim", self.dim)
                .set("b_star", self.b_star)
                .set("delta", 1.0 / self.b_star - gap),
            gap,
            curves: Vec::new(),
        };
        match family {
            Family::Tuned => {
                self.episodes.iter().map(|&k| point(k as f64, k, "hard-instance", self.tuned(k))).collect()
            }
            Family::Fixed => {
                self.episodes.iter().map(|&k| point(k as f64, k, "hard-instance", fixed)).collect()
            }
            Family::Horizon => self
                .lengths
                .iter()
                .map(|&length| {
                    let t_star = self.b_star * length as f64;
                    let mut point = point(t_star, self.horizon_episodes, "corridor", fixed);
                    point.params = point.params.set("length", length);
                    point
                })
                .collect(),
        }
    }
}

/// Runs the families and writes a figure for each, runs.csv and summary.md into `options.out`.
///
/// When `progress` says so the runs stop; what was done is written, and says that it was
/// interrupted.
pub fn growth(options: &GrowthOptions, progress: &dyn Progress) -> Result<Growth> {
    options.check()?;
    let mut contenders = Contender::parse_all(&options.learners)?;
    for contender in &mut contenders {
        contender.fill("B", "oracle")?;
        contender.fill("t_star", "oracle")?;
    }
    let seeds: Vec<u64> = options.seeds.clone().collect();
    let arenas: [&Arena; 0] = []; // all worlds are built in
    let names = options
        .families
        .iter()
        .flat_map(|family| figure_names(&format!("growth-{}", family.name())))
        .chain(["runs.csv", "summary.md"].map(String::from))
        .collect();
    let folder = Folder::claim(&options.out, "growth", options, &arenas, names, options.force)?;
    let mut families: Vec<(Family, Vec<(GrowthPoint, Arena)>)> = Vec::new();
    for &family in &options.families {
        let opened = options
            .worlds(family)
            .into_iter()
            .map(|point| Arena::open(&point.world, &point.params).map(|arena| (point, arena)));
        families.push((family, opened.collect::<goalward::Result<_>>()?));
    }
    let mut done = Vec::new();
    for (family, worlds) in families {
        let mut points = Vec::new();
        for (mut point, arena) in worlds {
            point.curves = run_grid(&arena, &contenders, &seeds, point.episodes, None, progress)?;
            points.push(point);
        }
        done.push(FamilyGrowth {
            family,
            exponents: contenders.iter().map(|c| GrowthRow::of(c, &points)).collect(),
            points,
        });
    }
    let broken = |p: &GrowthPoint| Interrupted::of(&p.curves, p.episodes).is_some();
    let mut growth = Growth {
        version: env!("CARGO_PKG_VERSION"),
        options: options.clone(),
        words: Vec::new(),
        interrupted: done.iter().flat_map(|f| &f.points).any(broken),
        families: done,
        files: Vec::new(),
    };
    growth.words = report::words(&growth);
    growth.write(&folder)?;
    Ok(growth)
}

impl GrowthRow {
    fn of(contender: &Contender, points: &[GrowthPoint]) -> GrowthRow {
        let of = |p: &GrowthPoint, label: &str| -> Option<Vec<f64>> {
            let curves = p.curves.iter().find(|c| c.contender.label == label)?;
            let whole = !curves.interrupted() && curves.truncated() == 0;
            whole.then(|| curves.runs.iter().map(|r| r.result.gap_regret).collect())
        };
        let mine: Vec<Option<Vec<f64>>> = points.iter().map(|p| of(p, &contender.label)).collect();
        let mean = |values: &Option<Vec<f64>>| values.as_ref().and_then(|values| Mean::of(values));
        let random = points.first().and_then(|p| p.curves.iter().find(|c| c.contender.learner == "random"));
        let random = random.map(|c| c.contender.label.clone());
        let share = |(p, values): (&GrowthPoint, &Option<Vec<f64>>)| {
            let whole = mean(&of(p, random.as_ref()?))?.mean;
            Some(mean(values)?.mean / whole).filter(|share| share.is_finite())
        };
        let xs: Vec<f64> = points.iter().map(|p| p.x).collect();
        let whole: Option<Vec<Vec<f64>>> = mine.iter().cloned().collect();
        GrowthRow {
            contender: contender.clone(),
            gap_regret: mine.iter().map(mean).collect(),
            share_of_random: points.iter().zip(&mine).map(share).collect(),
            exponent: whole.and_then(|ys| Exponent::fit(&xs, &ys)),
        }
    }
}

impl Growth {
    /// The result as aligned text.
    pub fn table(&self) -> String {
        report::tables(self).iter().map(|(title, table)| format!("{title}\n{}\n", table.text())).collect()
    }

    pub(crate) fn tables(&self) -> Vec<(String, crate::table::Table)> {
        report::tables(self)
    }

    /// The figure of a family.
    pub fn figure(&self, family: Family) -> Option<crate::figure::CurveFigure> {
        self.families.iter().find(|f| f.family == family).map(|f| report::figure(self, f))
    }

    fn write(&mut self, folder: &Folder) -> Result<()> {
        let mut written = Vec::new();
        for family in &self.families {
            let figure = report::figure(self, family);
            written.extend(figure.write(folder, &format!("growth-{}", family.family.name()))?);
        }
        let groups: Vec<Group> = self
            .families
            .iter()
            .flat_map(|f| f.points.iter().map(move |p| (f.family, p)))
            .map(|(family, p)| Group { lead: format!("{} {}", family.name(), p.x), curves: &p.curves })
            .collect();
        written.push(folder.write("runs.csv", runs_csv("family", &groups))?);
        written.push(folder.write("summary.md", report::summary(self))?);
        self.files = written;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tuned_gap_solves_its_equation() {
        for (dim, b_star, k) in [(2, 3.0, 1000), (3, 2.5, 100_000), (5, 10.0, 10_000)] {
            let gap = tuned_gap(1.0, dim, b_star, k);
            let delta = 1.0 / b_star - gap;
            let law = (dim - 1) as f64 * (delta / (k as f64 * b_star)).sqrt();
            assert!((gap - law).abs() < 1e-12 * gap.max(1e-3), "{gap}, {law}");
            assert!(0.0 < gap && gap < delta);
        }
    }

    #[test]
    fn worlds_of_all_families_have_their_laws() {
        let options = GrowthOptions { lengths: vec![4, 40], ..GrowthOptions::default() };
        for family in Family::ALL {
            for point in options.worlds(family) {
                let arena = Arena::open(&point.world, &point.params).unwrap();
                assert!((arena.optimal_cost() - 2.5).abs() < 1e-9);
                if family == Family::Horizon {
                    assert!((arena.exact().t_star - point.x).abs() < 1e-6 * point.x);
                }
            }
        }
    }

    #[test]
    fn wrong_options_are_named() {
        let refused = |change: fn(&mut GrowthOptions)| {
            let mut options = GrowthOptions::default();
            change(&mut options);
            options.check().unwrap_err().to_string()
        };
        assert!(refused(|o| o.episodes = vec![1000, 100]).contains("grow"));
        assert!(refused(|o| o.episodes = vec![1, 100]).contains("gap"));
        assert!(refused(|o| o.lengths = vec![4]).contains("lengths"));
        assert!(refused(|o| o.dim = 1).contains("dim"));
        assert!(refused(|o| o.b_star = 1.0).contains("b-star"));
        assert!(refused(|o| o.families.clear()).contains("families"));
    }
}
