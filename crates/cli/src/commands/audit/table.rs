//! What an audit found, for people.

use crate::numbers::{count, real, vector};
use crate::output::Sheet;
use goalward::episode::{AuditReport, Check, Decomposition, LikelihoodReport, Verdict, WholeB};
use std::fmt::Write as _;

/// One run in full, or a line for each of several and what their checks came to.
pub(super) fn text(runs: &[AuditReport], world: &str) -> String {
    match runs {
        [] => "no run was finished\n".into(),
        [one] => single(one, world),
        several => many(several, world),
    }
}

fn single(r: &AuditReport, world: &str) -> String {
    let mut sheet = heading(r, world, format!("seed {}", r.seed));
    outcome(r, &mut sheet);
    if let Some(parts) = &r.decomposition {
        decomposition(parts, &mut sheet);
    }
    if let Some(whole) = &r.whole_b {
        whole_b(whole, &mut sheet);
    }
    if let Some(seen) = &r.likelihood {
        likelihood(seen, &mut sheet);
    }
    let mut text = sheet.render();
    if !r.levels.is_empty() {
        text += &levels(r);
    }
    text.push('\n');
    text += &checks(r.checks.iter().map(|check| (check, String::new())));
    text
}

/// What all runs of an audit have in common.
fn heading(first: &AuditReport, world: &str, runs: String) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.row("world", world);
    sheet.row("learner", format!("{}, {runs}", first.learner));
    sheet.row("radius", first.radius.as_deref().unwrap_or("none: this learner has no confidence set"));
    sheet.row("guarantee", first.guarantee.as_ref().map_or("none".into(), |guarantee| guarantee.summary()));
    sheet
}

fn outcome(r: &AuditReport, sheet: &mut Sheet) {
    let cut = if r.truncated { ", and one that the limit on steps cut off" } else { "" };
    sheet.row("episodes", format!("{} in {} steps{cut}", count(r.episodes), count(r.steps)));
    sheet.row("cost", format!("{} ({} per episode is optimal)", real(r.cost), real(r.optimal_cost)));
    sheet.row("regret", real(r.regret));
    let none = "no regret is certified: the guarantee does not hold here, or costs are zero or raised";
    let certified = r.regret_certified.map(|regret| format!("regret certified at most {}", real(regret)));
    sheet.row("", certified.unwrap_or_else(|| none.into()));
    let printed = |bound| format!("the paper's bound, with its constants: {}", real(bound));
    sheet.rows("", r.regret_bound.map(printed));
    let by: Vec<String> = r.plans.iter().map(|(reason, n)| format!("{reason} {}", count(*n))).collect();
    let most = r.most_plans.map_or(String::new(), |most| format!("; at most {} by Lemma J", real(most)));
    sheet.row("planning calls", format!("{}: {}{most}", count(r.planner_calls), by.join(", ")));
}

fn decomposition(parts: &Decomposition, sheet: &mut Sheet) {
    let Decomposition { i1, i2, i3, r_hat, off, optimism, regret_off, .. } = parts;
    sheet.row("I1", format!("{}, the Bellman errors of the plans", real(*i1)));
    sheet.row("I2", format!("{}, the luck of the steps", real(*i2)));
    sheet.row("I3", format!("{}, changes of plan", real(*i3)));
    sheet.row("R_hat", format!("{} = I1 + I2 + I3 - 1, to {off:.1e}", real(*r_hat)));
    sheet.row(
        "optimism",
        format!("{} = R_hat - R: sum of (V* - V_j)(s_init), to {regret_off:.1e}", real(*optimism)),
    );
}

fn whole_b(whole: &WholeB, sheet: &mut Sheet) {
    let WholeB { until, farthest, radius, printed_needs, .. } = whole;
    let far = format!("farthest corner {}, radius {}", real(*farthest), real(*radius));
    sheet.row(
        "the set",
        match until {
            Some(t) => format!("is all of B until step {}; at the last plan: {far}", count(*t)),
            None => format!("is all of B to the end: {far}"),
        },
    );
    let needs = |steps| format!("the printed radius would need about {} steps for less", real(steps));
    sheet.rows("", printed_needs.map(needs));
}

fn likelihood(seen: &LikelihoodReport, sheet: &mut Sheet) {
    let threshold = real(seen.wealth_threshold);
    let bet = |x| format!("{} at most, of a bet against theta*; ln(1/delta) = {threshold}", real(x));
    sheet.rows("log-wealth", seen.log_wealth.map(bet));
    sheet.row("threshold", format!("{} nats above the loss of the fit, at the end", real(seen.threshold)));
    if let (Some(ratio), Some(at), Some(bound)) =
        (seen.largest_ratio, seen.largest_ratio_at, seen.ratio_bound)
    {
        let seldom = format!("{} at most in {} looks (step {})", real(ratio), count(seen.looks), count(at));
        let always = format!("{} at most over all steps", real(bound));
        let end = format!("Gamma_T = {}, m = {}", real(seen.gamma), seen.directions);
        sheet.row("G_t/Gamma_t", format!("{seldom}, {always}; {end}"));
    }
    if let (Some(sum), Some(eluder)) = (seen.sum_delta, seen.eluder) {
        sheet.row("sum of Delta_t", format!("{}; at most {} by Lemma 3", real(sum), real(eluder)));
    }
    let bound = |bound| format!("the bound of Theorem 1 on the regret: {}", real(bound));
    sheet.rows("", seen.regret_bound.map(bound));
    let widths = seen.widths.as_ref().map(|widths| vector(widths) + " of the set, by coordinate of theta");
    sheet.rows("widths", widths);
}

fn levels(r: &AuditReport) -> String {
    let row = |level: &str, cells: [String; 5]| {
        let cells: String = cells.iter().map(|cell| format!("{cell:>14}")).collect();
        format!("  {level:<6}{cells}\n")
    };
    let shown = |x: Option<f64>| x.map_or("-".into(), real);
    let head = row("level", ["set margin", "E margin", "R_l", "S_l", "A_l"].map(String::from));
    let levels = r.levels.iter().map(|level| {
        let (set, variance, sums) = (shown(level.margin), shown(level.variance_margin), &level.sums);
        row(&level.level.to_string(), [set, variance, real(sums.r), real(sums.s), real(sums.a)])
    });
    format!("\n{head}") + &levels.collect::<String>()
}

fn checks<'a>(checks: impl Iterator<Item = (&'a Check, String)>) -> String {
    let mut checks = checks.peekable();
    if checks.peek().is_none() {
        return "  nothing is claimed of this learner that could be checked\n".into();
    }
    let mut text = format!("  {:<70}{:>10}{:>16}\n", "check", "looked at", "least margin");
    for (check, where_) in checks {
        let (verdict, looks) = (word(check.verdict), count(check.looks));
        let margin = check.margin.map_or("-".into(), real);
        let _ = writeln!(text, "  {verdict:<10}{:<60}{looks:>10}{margin:>16}", check.statement);
        if let Some(first) = check.first {
            let (step, value, bound) = (count(first.t), real(first.value), real(first.bound));
            let all = if check.fails == 1 { "once".into() } else { format!("{} times", count(check.fails)) };
            let begin = format!("  {:<10}first at step {step}", "");
            let _ = writeln!(text, "{begin}: {value} > {bound}, and {all} in all{where_}");
        }
    }
    text
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Violated => "VIOLATED",
        Verdict::Excused => "excused",
        _ => "-",
    }
}

fn many(runs: &[AuditReport], world: &str) -> String {
    let mut sheet = heading(&runs[0], world, format!("{} runs", runs.len()));
    let ratio = runs.iter().filter_map(|r| r.likelihood.as_ref()?.ratio_bound).reduce(f64::max);
    let most = |ratio| format!("{} at most over all steps of all runs", real(ratio));
    sheet.rows("G_t/Gamma_t", ratio.map(most));
    let mut text = sheet.render();
    let _ = writeln!(
        text,
        "\n  {:<8}{:>10}{:>12}{:>14}{:>14}{:>8}{:>10}",
        "seed", "episodes", "steps", "regret", "certified", "plans", "violated"
    );
    for r in runs {
        let _ = writeln!(
            text,
            "  {:<8}{:>10}{:>12}{:>14}{:>14}{:>8}{:>10}",
            r.seed,
            count(r.episodes),
            count(r.steps),
            real(r.regret),
            r.regret_certified.map_or("-".into(), real),
            count(r.planner_calls),
            r.violated().count()
        );
    }
    text.push('\n');
    text + &checks(worst(runs).into_iter())
}

/// For every check the run with the least margin.
fn worst(runs: &[AuditReport]) -> Vec<(&Check, String)> {
    let mut all: Vec<(&Check, String)> = Vec::new();
    for r in runs {
        for check in &r.checks {
            let here = (check, format!(" (seed {})", r.seed));
            match all.iter_mut().find(|(other, _)| other.statement == check.statement) {
                None => all.push(here),
                Some(other) => {
                    let margin = |check: &Check| check.margin.unwrap_or(f64::INFINITY);
                    if (margin(check), other.0.fails) < (margin(other.0), check.fails) {
                        *other = here;
                    }
                }
            }
        }
    }
    all
}
