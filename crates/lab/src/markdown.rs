//! Results as Markdown: named parts that documents quote, so that nobody types a number.
//!
//! A part is a table, a sentence or a number as it stands in a text. Its name comes before it as a
//! comment, which Markdown does not show; `cargo xtask docs` puts parts where documents name them.

use crate::compare::{Comparison, guarantee_word};
use crate::coverage::{Coverage, CoverageRow};
use crate::figure::number_label;
use crate::growth::Growth;
use crate::paired::Verdict;
use crate::reproduce::Reproduction;
use crate::scale::Scale;
use crate::survey::{Survey, SurveyRow};
use crate::table::Table;
use goalward::confidence::Holds;
use goalward::{Settings, learners};

/// Parts in order.
#[derive(Default)]
struct Parts(String);

impl Parts {
    fn put(&mut self, name: impl AsRef<str>, text: impl AsRef<str>) {
        self.0.push_str(&format!("<!-- {} -->\n{}\n\n", name.as_ref(), text.as_ref().trim_end()));
    }

    fn put_known(&mut self, name: impl AsRef<str>, text: Option<impl AsRef<str>>) {
        if let Some(text) = text {
            self.put(name, text);
        }
    }
}

/// The least and the most of some numbers: `0.50 to 0.63`; one number if they read alike.
fn range(values: impl IntoIterator<Item = f64>, shown: impl Fn(f64) -> String) -> Option<String> {
    let (low, high) =
        values.into_iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    let (least, most) = (shown(low), shown(high));
    (low <= high).then(|| if least == most { least } else { format!("{least} to {most}") })
}

/// `a`, `a and b`, `a, b and c`.
fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// A percentage without its sign.
fn percent(share: f64) -> String {
    number_label(100.0 * share, 1)
}

/// `hard-instance@dim=2` for readers: `hard-instance, dim = 2`.
fn readable(place: &str) -> String {
    place.replace(['@', ';'], ", ").replace('=', " = ")
}

impl Comparison {
    /// As parts: the table, and of every learner `regret`, `mean regret`, `regret/K` and `gap
    /// regret`; `optimal` is what the best policy pays on average for all episodes.
    pub fn markdown(&self) -> String {
        let mut parts = Parts::default();
        parts.put("table", self.cells().markdown());
        parts.put("optimum", number_label(self.optimal_cost * self.episodes as f64, 0));
        for row in &self.rows {
            let label = &row.contender.label;
            if row.unfinished {
                continue;
            }
            parts.put_known(format!("regret {label}"), row.regret.map(|m| m.to_string()));
            let plain = |mean: f64| number_label(mean, if mean.abs() < 100.0 { 1 } else { 0 });
            parts.put_known(format!("mean regret {label}"), row.regret.map(|m| plain(m.mean)));
            let per_episode = row.regret.map(|m| m.scaled(1.0 / self.episodes as f64).to_string());
            parts.put_known(format!("regret/K {label}"), per_episode);
            parts.put_known(format!("gap regret {label}"), row.gap_regret.map(|m| m.to_string()));
        }
        parts.0
    }
}

impl Reproduction {
    /// As parts: the table of Regret/K, one column for each dimension.
    pub fn markdown(&self) -> String {
        let dims = &self.options.dims;
        let headings = ["learner", "radius", "guarantee holds"].map(String::from).into_iter();
        let mut table = Table::new(headings.chain(dims.iter().map(|d| format!("Regret/K, d = {d}"))));
        for row in self.rows.iter().filter(|row| Some(&row.dim) == dims.first()) {
            let of = |dim: &usize| {
                let same = |r: &&crate::ReproduceRow| r.dim == *dim && r.contender == row.contender;
                let mean = self.rows.iter().find(same).filter(|r| !r.unfinished)?.regret_per_episode?;
                Some(mean.to_string())
            };
            let mut cells = vec![
                row.contender.label.clone(),
                row.radius.clone().unwrap_or("–".into()),
                guarantee_word(row.guarantee).replace('-', "–"),
            ];
            cells.extend(dims.iter().map(|dim| of(dim).unwrap_or("–".into())));
            table.row(cells);
        }
        let mut parts = Parts::default();
        parts.put("table", table.markdown());
        parts.0
    }
}

impl Survey {
    /// As parts: the table with one column for each world, and what it says.
    pub fn markdown(&self) -> String {
        let mut parts = Parts::default();
        parts.put("table", self.matrix().markdown());
        let (reference, beside) = (&self.options.against, &self.options.beside);
        let rivals: Vec<&SurveyRow> = self
            .rows
            .iter()
            .filter(|r| r.guarantee == Some(Holds::Yes) && r.difference.is_some())
            .filter(|r| !beside.contains(&r.contender.label))
            .collect();
        let count = |verdict| rivals.iter().filter(|r| r.verdict() == Some(verdict)).count();
        let (less, more, open) = (count(Verdict::Less), count(Verdict::More), count(Verdict::Open));
        let said = if less == rivals.len() {
            format!(
                "By paired 95 % intervals `{reference}` pays less than every rival with a \
                 guarantee on every world."
            )
        } else {
            format!(
                "By paired 95 % intervals `{reference}` pays less than a rival with a guarantee \
                 in {less} of {} pairs of a rival \
                 and a world, more in {more}, and cannot be told apart in {open}.",
                rivals.len()
            )
        };
        parts.put("verdict", said);
        for label in beside {
            parts.put(format!("beside {label}"), self.beside(label));
        }
        parts.0
    }

    /// How a learner that is not judged stands to the reference, world by world.
    fn beside(&self, label: &str) -> String {
        let rows = || self.rows.iter().filter(|r| r.contender.label == label);
        let on = |verdict: Verdict| {
            let told = rows().filter(|r| r.verdict() == Some(verdict));
            let world = |r: &SurveyRow| {
                let by = r.difference.as_ref().and_then(|d| d.difference);
                // said without a sign: the words tell the direction
                let by = by.map(|m| if verdict == Verdict::More { m.negated() } else { m });
                let by = by.map_or(String::new(), |m| m.to_string());
                format!("`{}` (by {by})", r.world)
            };
            listed(&told.map(world).collect::<Vec<_>>())
        };
        let (more, less) = (on(Verdict::Less), on(Verdict::More));
        let mut said = Vec::new();
        if !more.is_empty() {
            said.push(format!("pays more on {more}"));
        }
        if !less.is_empty() {
            said.push(format!("pays less on {less}"));
        }
        if rows().any(|r| r.verdict() == Some(Verdict::Open)) {
            let rest = if said.is_empty() { "on any world" } else { "elsewhere" };
            said.push(format!("is not told apart {rest}"));
        }
        format!("`{label}` {}.", listed(&said))
    }
}

impl Coverage {
    /// As parts: the table; `matrix D` with one column for each world at the failure probability D;
    /// and of every learner, with D, `lost`, `limit` (in per cent) and `width` over all worlds, and
    /// with a world each of these there.
    pub fn markdown(&self) -> String {
        let mut parts = Parts::default();
        let table = self.cells().markdown().replace("theta*", "θ\\*").replacen("| delta |", "| δ |", 1);
        parts.put("table", table);
        for delta in &self.options.deltas {
            parts.put(format!("matrix {delta}"), self.matrix(*delta).markdown());
            let here = || self.rows.iter().filter(|r| r.delta == *delta);
            for learner in &self.options.learners {
                let rows = || here().filter(|r| r.contender.label == *learner);
                let lost = || rows().filter_map(|r| r.lost);
                let of = |what: &str| format!("{what} {learner} {delta}");
                parts.put_known(of("lost"), range(lost().map(|p| p.share), percent));
                let most = lost().map(|p| p.limit).fold(f64::NEG_INFINITY, f64::max);
                parts.put_known(of("limit"), (most >= 0.0).then(|| percent(most)));
                for row in rows() {
                    let of = |what: &str| format!("{what} {learner} {delta} {}", row.world);
                    parts.put_known(of("lost"), row.lost.map(|p| percent(p.share)));
                    parts.put_known(of("width"), row.width.map(|m| format!("{:.3}", m.mean)));
                }
            }
        }
        parts.put_known("determinant/likelihood", self.determinant());
        parts.0
    }

    /// How many times as wide as the likelihood set those of the `determinant` radii are.
    fn determinant(&self) -> Option<String> {
        let alone = learners::recommended(&Settings::new()).id;
        let likelihood = |row: &CoverageRow| {
            let twin = |r: &&CoverageRow| {
                r.contender.learner == alone && r.world == row.world && r.delta == row.delta
            };
            Some(self.rows.iter().find(twin)?.width?.mean)
        };
        let determinant = self.rows.iter().filter(|r| r.radius.as_deref() == Some("determinant"));
        let ratios = determinant.filter_map(|r| Some(r.width?.mean / likelihood(r)?));
        range(ratios, |x| number_label(x, if x < 10.0 { 1 } else { 0 }))
    }

    /// Losses and widths with one column for each world.
    fn matrix(&self, delta: f64) -> Table {
        let worlds = &self.options.worlds;
        let headings = std::iter::once("set".into()).chain(worlds.iter().map(|w| readable(w)));
        let mut table = Table::new(headings);
        for learner in &self.options.learners {
            let of = |world: &String| {
                let mut rows = self.rows.iter().filter(|r| r.delta == delta && r.world == *world);
                rows.find(|r| r.contender.label == *learner)
            };
            let cell = |world: &String| {
                let row = of(world)?;
                Some(format!("{} lost, width {:.2}", row.lost?.hits, row.width?.mean))
            };
            let fails = |world| of(world).is_some_and(CoverageRow::has_no_guarantee);
            let none = if worlds.iter().all(fails) { " (no guarantee)" } else { "" };
            let name = format!("`{learner}`{none}");
            let cells = worlds.iter().map(|world| cell(world).unwrap_or("-".into()));
            table.row(std::iter::once(name).chain(cells).collect());
        }
        table
    }
}

impl Scale {
    /// As parts: the table; of every learner `smaller`, how many times smaller its radius could be
    /// on these worlds; of every world `width`, that of the narrowest set that was kept.
    pub fn markdown(&self) -> String {
        let mut parts = Parts::default();
        parts.put("table", self.cells().markdown());
        for learner in &self.options.learners {
            let kept = self.rows.iter().filter(|r| r.learner == *learner).filter_map(|r| r.kept.as_ref());
            // two digits: the factors are no finer
            let times = range(kept.map(|t| 1.0 / t.factor), |x| {
                let unit = 10f64.powf((x.log10().floor() - 1.0).max(0.0));
                number_label((x / unit).round() * unit, 0)
            });
            parts.put_known(format!("smaller {learner}"), times);
        }
        for world in &self.options.worlds {
            let rows = self.rows.iter().filter(|r| r.world == *world);
            let widths = rows.filter_map(|r| r.kept.as_ref()?.width);
            let least = widths.fold(f64::INFINITY, f64::min);
            parts.put_known(format!("width {world}"), least.is_finite().then(|| format!("{least:.3}")));
        }
        parts.0
    }
}

impl Growth {
    /// As parts: a table for each family, and of every learner in it `exponent` and `share` of what
    /// random pays.
    pub fn markdown(&self) -> String {
        let mut parts = Parts::default();
        for (family, (_, table)) in self.families.iter().zip(self.tables()) {
            let name = family.family.name();
            parts.put(format!("table {name}"), table.markdown().replace("T*", "T\\*"));
            for row in &family.exponents {
                let label = &row.contender.label;
                parts.put_known(format!("exponent {name} {label}"), row.exponent.map(|e| e.to_string()));
                let shares: Option<Vec<f64>> = row.share_of_random.iter().copied().collect();
                let digits = |x: f64| if x > 0.0 && x < 0.01 { format!("{x:.4}") } else { format!("{x:.2}") };
                parts.put_known(format!("share {name} {label}"), shares.and_then(|s| range(s, digits)));
            }
        }
        parts.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_their_names_before_them() {
        let mut parts = Parts::default();
        parts.put("table", "| a |\n|---|\n\n");
        parts.put_known("nothing", None::<String>);
        parts.put("number", "3.4");
        assert_eq!(parts.0, "<!-- table -->\n| a |\n|---|\n\n<!-- number -->\n3.4\n\n");
    }

    #[test]
    fn numbers_and_lists_read_well() {
        let two = |x: f64| format!("{x:.2}");
        assert_eq!(range([0.5, 0.63, 0.55], two).as_deref(), Some("0.50 to 0.63"));
        assert_eq!(range([0.501, 0.502], two).as_deref(), Some("0.50"));
        assert_eq!(range([], two), None);
        let items = ["a", "b", "c"].map(String::from);
        assert_eq!([&items[..1], &items[..2], &items[..]].map(listed), ["a", "a and b", "a, b and c"]);
        assert_eq!(readable("hard-instance@dim=2"), "hard-instance, dim = 2");
    }
}
