//! A [`Study`] as a study file: what a short command ran, and what lies beside the results. Reading
//! it gives the same study.

use super::figures::{BANDS, COLOURS, DASHES, FIGURE_KINDS, MARKERS};
use super::seeds::spell_seeds;
use super::{AxisSpec, FigureSpec, Length, MarkSpec, Study, Thinning};
use crate::figure::Colour;
use crate::study::Grows;
use std::fmt::Write;

/// The text of a study file.
pub fn write(study: &Study) -> String {
    let mut out = String::new();
    put(&mut out, "title", &text(&study.title));
    if !study.about.is_empty() {
        put(&mut out, "about", &text(&study.about));
    }
    put(&mut out, "seeds", &text(&spell_seeds(&study.seeds)));
    let _ = write!(
        out,
        "\n[record]\nepisodes = {}\nplans = {}\nprobes = {}\nsets = {}\n",
        thinning(study.record.episodes),
        thinning(study.record.plans),
        thinning(study.record.probes),
        study.record.sets
    );
    if let Some([i, j]) = study.record.outline {
        put(&mut out, "outline", &format!("[{i}, {j}]"));
    }
    analyses(study, &mut out);
    for world in &study.worlds {
        out.push_str("\n[[worlds]]\n");
        put(&mut out, "name", &text(&world.place.world));
        put(&mut out, "label", &text(&world.label));
        put_pairs(&mut out, "set", world.place.params.iter());
        put_grid(&mut out, (&world.label, &world.base), &world.point);
        let Length { episodes, max_steps, by_steps } = world.length;
        put(&mut out, if by_steps { "steps" } else { "episodes" }, &episodes.to_string());
        if let (Some(cap), false) = (max_steps, by_steps) {
            put(&mut out, "max_steps", &cap.to_string());
        }
    }
    for learner in &study.learners {
        out.push_str("\n[[learners]]\n");
        put(&mut out, "name", &text(&learner.contender.learner));
        put(&mut out, "label", &text(&learner.contender.label));
        put_pairs(&mut out, "set", learner.contender.settings.iter());
        put_grid(&mut out, (&learner.contender.label, &learner.base), &learner.point);
        if let Some(colour) = learner.look.colour {
            put(&mut out, "colour", &text(&colour_name(colour)));
        }
        if let Some(dash) = learner.look.dash {
            put(&mut out, "dash", &text(name_in(DASHES, dash)));
        }
        if let Some(width) = learner.look.width {
            put(&mut out, "width", &real(width));
        }
    }
    for figure in &study.figures {
        write_figure(figure, &mut out);
    }
    if study.figures.is_empty() {
        out = format!("figures = []\n{out}");
    }
    out
}

fn put(out: &mut String, key: &str, value: &str) {
    let _ = writeln!(out, "{key} = {value}");
}

fn put_pairs<'a>(out: &mut String, key: &str, pairs: impl Iterator<Item = (&'a str, &'a str)>) {
    let pairs: Vec<String> = pairs.map(|(key, value)| format!("{} = {}", text(key), text(value))).collect();
    if !pairs.is_empty() {
        put(out, key, &format!("{{ {} }}", pairs.join(", ")));
    }
}

fn put_grid(out: &mut String, (label, base): (&str, &str), point: &[(String, String)]) {
    if base != label {
        put(out, "base", &text(base));
    }
    put_pairs(out, "point", point.iter().map(|(key, value)| (key.as_str(), value.as_str())));
}

/// A string in quotes.
fn text(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", c as u32);
            }
            c => out.push(c),
        }
    }
    out + "\""
}

fn texts(items: &[String]) -> String {
    format!("[{}]", items.iter().map(|item| text(item)).collect::<Vec<_>>().join(", "))
}

/// A number that reads back to the same bits.
fn real(x: f64) -> String {
    format!("{x:?}")
}

fn name_in<T: PartialEq>(names: &[(&'static str, T)], value: T) -> &'static str {
    names.iter().find(|(_, other)| *other == value).map_or("", |(name, _)| name)
}

fn colour_name(colour: Colour) -> String {
    let name = COLOURS.iter().find(|(_, other)| *other == colour).map(|(name, _)| name.to_string());
    name.unwrap_or_else(|| colour.hex())
}

fn thinning(thinning: Thinning) -> String {
    match thinning {
        Thinning::None => "\"none\"".into(),
        Thinning::All => "\"all\"".into(),
        Thinning::PerDoubling(n) => n.to_string(),
    }
}

fn analyses(study: &Study, out: &mut String) {
    let asked = &study.analysis;
    if let Some(comparison) = &asked.comparison {
        out.push_str("\n[comparison]\n");
        if let Some(against) = &comparison.against {
            put(out, "against", &text(against));
        }
        if !comparison.beside.is_empty() {
            put(out, "beside", &texts(&comparison.beside));
        }
        put(out, "judge", &comparison.judge.to_string());
        put(out, "times", &comparison.times.to_string());
    }
    if asked.coverage.is_some() {
        out.push_str("\n[coverage]\n");
    }
    if let Some(scale) = &asked.scale {
        let _ = write!(out, "\n[scale]\ndelta = {}\n", real(scale.delta));
    }
    if let Some(tuning) = &asked.tuning {
        let _ = write!(out, "\n[tuning]\nover = {}\n", text(&tuning.over));
    }
    for family in asked.growth.iter().flat_map(|growth| &growth.families) {
        out.push_str("\n[[growth]]\n");
        put(out, "world", &text(&family.world));
        put(out, "over", &text(grows(family.over)));
        if let Some((low, high)) = family.expect {
            put(out, "expect", &format!("[{}, {}]", real(low), real(high)));
        }
    }
}

fn grows(over: Grows) -> &'static str {
    match over {
        Grows::Episodes => "episodes",
        Grows::TStar => "t_star",
        Grows::BStar => "b_star",
        Grows::Dim => "dim",
        Grows::States => "states",
    }
}

fn write_figure(figure: &FigureSpec, out: &mut String) {
    out.push_str("\n[[figures]]\n");
    put(out, "kind", &text(name_in(FIGURE_KINDS, figure.kind)));
    put(out, "name", &text(&figure.name));
    if !figure.title.is_empty() {
        put(out, "title", &text(&figure.title));
    }
    for (key, labels) in [("worlds", &figure.worlds), ("learners", &figure.learners)] {
        if !labels.is_empty() {
            put(out, key, &texts(labels));
        }
    }
    for (key, axis) in [("x", &figure.x), ("y", &figure.y)] {
        if *axis != AxisSpec::default() {
            put(out, key, &axis_text(axis));
        }
    }
    put(out, "band", &text(name_in(BANDS, figure.band)));
    if let Some((width, height)) = figure.size {
        put(out, "size", &format!("[{width}, {height}]"));
    }
    let formats = [(figure.png, "\"png\""), (figure.svg, "\"svg\"")];
    let formats: Vec<&str> =
        formats.into_iter().filter(|(wanted, _)| *wanted).map(|(_, name)| name).collect();
    put(out, "formats", &format!("[{}]", formats.join(", ")));
    if !figure.marks.is_empty() {
        let marks: Vec<String> = figure.marks.iter().map(marks_text).collect();
        put(out, "marks", &format!("[\n{}]", marks.join("")));
    }
}

fn axis_text(axis: &AxisSpec) -> String {
    let mut parts = Vec::new();
    parts.extend(axis.title.as_ref().map(|title| format!("title = {}", text(title))));
    parts.extend(axis.log.map(|log| format!("log = {log}")));
    parts.extend(axis.range.map(|(low, high)| format!("range = [{}, {}]", real(low), real(high))));
    format!("{{ {} }}", parts.join(", "))
}

fn marks_text(marks: &MarkSpec) -> String {
    let points: Vec<String> =
        marks.points.iter().map(|(x, y)| format!("[{}, {}]", real(*x), real(*y))).collect();
    format!(
        "  {{ label = {}, colour = {}, marker = {}, points = [{}] }},\n",
        text(&marks.label),
        text(&colour_name(marks.colour)),
        text(name_in(MARKERS, marks.marker)),
        points.join(", ")
    )
}
