//! Reports of invented results: whether everything is in them, and nothing gets out of place.

use super::html;
use crate::analysis::Findings;
use crate::figure::Format;
use crate::pictures::Picture;
use crate::results::{Build, Cell, EpisodeRow, Machine, Results, Run, RunRow, Share};
use crate::study::{Analyses, LearnerPoint, Length, Look, Record, Study, Thinning, WorldPoint};
use crate::table::Table;
use crate::{Contender, Place};
use goalward::Settings;
use goalward::numeric::Portable;
use serde_json::{Map, Value, json};

/// The largest report that we promise anything of.
const LIMIT: usize = 5_000_000;

/// A number in [0, 1) that looks random.
fn noise(of: usize) -> f64 {
    let x = (of as f64 * 12.9898 + 78.233).sine() * 43_758.547;
    x - x.floor()
}

fn study(worlds: usize, learners: usize, seeds: u64) -> Study {
    let world = |w: usize| WorldPoint {
        label: format!("world-{w}@n={}", w + 3),
        base: format!("world-{w}"),
        point: vec![("n".into(), (w + 3).to_string())],
        place: Place {
            label: format!("world-{w}"),
            world: "windy-grid".into(),
            params: Settings::new().set("n", w + 3),
        },
        length: Length { episodes: 2000, max_steps: Some(200_000), by_steps: false },
    };
    let learner = |l: usize| {
        let settings = if l.is_multiple_of(3) { Settings::new() } else { Settings::new().set("B", 3) };
        LearnerPoint {
            contender: Contender::new(&format!("learner-{l}"), "lr", settings),
            base: format!("learner-{l}"),
            point: Vec::new(),
            look: Look::default(),
        }
    };
    Study {
        name: "synthetic".into(),
        title: "Which learner pays least on worlds that do not exist?".into(),
        about:
            "Every number here is invented: curves that grow like powers of the episode, with some noise. \
                The page is what matters."
                .into(),
        worlds: (0..worlds).map(world).collect(),
        learners: (0..learners).map(learner).collect(),
        seeds: (0..seeds).collect(),
        record: Record {
            episodes: Thinning::All,
            plans: Thinning::None,
            probes: Thinning::None,
            sets: false,
            outline: None,
        },
        analysis: Analyses::default(),
        figures: Vec::new(),
    }
}

/// A run whose gap regret grows like a power of the episode; every seventh learner is cut off.
fn run(world: usize, learner: usize, seed: u64, points: u64) -> Run {
    let luck = noise(world * 7919 + learner * 104_729 + seed as usize);
    let exponent = 0.3 + 0.6 * noise(learner * 31 + 7);
    let factor = (4.0 + 30.0 * noise(learner + 100 * world)) * (0.85 + 0.3 * luck);
    let cut = (learner % 7 == 5).then(|| 40 + (luck * 900.0) as u64);
    let last = cut.unwrap_or(2000);
    let row = |k: u64| {
        let gap_regret = factor * (k as f64).to_the(exponent);
        let wobble = 40.0 * (noise((k + seed * 5000) as usize) - 0.5);
        let (steps, cost) = (9 + k % 7, 9.0);
        EpisodeRow { episode: k, t: 12 * k, steps, cost, regret: gap_regret + wobble, gap_regret }
    };
    let wanted = (1..=points).map(|i| (2000 * i).div_ceil(points)).filter(|k| *k <= last);
    let mut episodes: Vec<EpisodeRow> = wanted.map(row).collect();
    if episodes.last().is_none_or(|row| row.episode < last) {
        episodes.push(row(last));
    }
    let end = episodes[episodes.len() - 1].clone();
    Run {
        seed,
        row: RunRow {
            outcome: if cut.is_some() { "truncated".into() } else { "finished".into() },
            episodes: last,
            steps: 12 * last,
            total_cost: 12.0 * last as f64,
            optimal_cost: 7.25,
            b_star: 9.5,
            t_star: 11.0,
            c_min: 1.0,
            dim: 4,
            states: 25,
            pairs: 100,
            regret: end.regret,
            gap_regret: end.gap_regret,
            planner_calls: 12 + learner as u64,
            state_bytes: 4321,
            guarantee: learner.is_multiple_of(2).then(|| "yes".into()),
            ..RunRow::default()
        },
        episodes,
        plans: Vec::new(),
        probes: Vec::new(),
        seconds: 0.25 + luck,
        cpu_seconds: 0.24 + luck,
        parameters: parameters(world),
    }
}

fn parameters(world: usize) -> Map<String, Value> {
    let all = json!({ "B": 3.0 + world as f64, "delta": 0.01, "radius": "printed", "lambda": 0.111 });
    all.as_object().cloned().unwrap_or_default()
}

fn results(worlds: usize, learners: usize, seeds: u64, points: u64) -> Results {
    let cell = |i: usize| {
        let (world, learner) = (i / learners, i % learners);
        let runs: Vec<Run> = (0..seeds).map(|seed| run(world, learner, seed, points)).collect();
        Cell { world, learner, planned: runs.len(), runs, failed: Vec::new() }
    };
    Results {
        study: study(worlds, learners, seeds),
        build: Build { version: "9.9.9".into(), commit: "abc1234".into() },
        machines: vec![Share {
            machine: Machine { host: "calculator".into(), system: "linux x86_64".into(), cores: 2 },
            runs: worlds * learners * seeds as usize,
            seconds: 754.2,
        }],
        cells: (0..worlds * learners).map(cell).collect(),
        changes: Vec::new(),
    }
}

fn findings() -> Findings {
    let mut table = Table::new(["learner", "gap regret", "against learner-0"]);
    for (name, gap, verdict) in [
        ("learner-0", "1,234 ± 56", "-"),
        ("learner-1", "98.5 ± 7", "better"),
        ("learner-2", "≥ 20,000", "worse"),
    ] {
        table.row(vec![name.into(), gap.into(), verdict.into()]);
    }
    Findings {
        tables: vec![table.titled("Side by side")],
        words: vec!["learner-1 pays least.".into()],
        warnings: vec!["Some runs were cut off by the cap on steps.".into()],
        methods: vec!["Means with Student’s 95 % interval.".into()],
        sound: true,
        ..Findings::default()
    }
}

fn picture() -> Picture {
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 300 100\" width=\"300\" height=\"100\">\
               <path d=\"M0 90 Q 100 20 300 10\" fill=\"none\" stroke=\"#0072B2\" stroke-width=\"4\"/></svg>";
    Picture {
        name: "curve".into(),
        title: "A curve".into(),
        alt: "A curve that rises and flattens".into(),
        size: (300, 100),
        files: vec![(Format::Svg, svg.into())],
    }
}

/// The data that the page's script reads, taken out of the page as a browser does.
fn island(page: &str) -> Value {
    let begin = "<script type=\"application/json\" id=\"data\">";
    let (_, rest) = page.split_once(begin).unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn numbers_are_those_of_the_results() {
    let mut results = results(2, 3, 4, 50);
    results.cells[1].runs[2].row.gap_regret = 0.1 + 0.2; // digits that rounding would lose
    let page = html(&results, &findings(), &[]).unwrap();
    let data = island(&page);
    let cells = data["runs"].as_array().unwrap();
    assert_eq!(cells.len(), 6);
    for (shown, cell) in cells.iter().zip(&results.cells) {
        let mean = |x: fn(&Run) -> f64| cell.runs.iter().map(x).sum::<f64>() / cell.runs.len() as f64;
        assert_eq!(shown["gap_regret"].as_f64(), Some(mean(|run| run.row.gap_regret)));
        assert_eq!(shown["regret"].as_f64(), Some(mean(|run| run.row.regret)));
        assert_eq!(shown["learner"], results.study.learners[cell.learner].contender.label);
        for (each, run) in shown["each"].as_array().unwrap().iter().zip(&cell.runs) {
            assert_eq!(each["gap_regret"].as_f64(), Some(run.row.gap_regret));
            assert_eq!(each["seed"].as_u64(), Some(run.seed));
        }
        let tag = format!("data-value=\"{}\"", mean(|run| run.row.gap_regret));
        assert!(page.contains(&tag), "{tag}");
    }
    // a point of a curve, to the digits that are drawn
    let curve = &data["worlds"][1]["curves"][2]["gap_regret"]["mean"];
    let drawn = curve.as_array().unwrap().last().unwrap().as_f64().unwrap();
    let exact = cells[5]["gap_regret"].as_f64().unwrap();
    assert!((drawn / exact - 1.0).abs() < 1e-5, "{drawn} {exact}");
}

#[test]
fn text_stays_text() {
    let nasty = "</script><script>alert('x')</script> & \"quotes\" <b onclick='x'>";
    let mut results = results(1, 2, 2, 5);
    results.study.title = nasty.into();
    results.study.about = nasty.into();
    results.study.worlds[0].label = nasty.into();
    results.study.learners[1].contender.label = nasty.into();
    results.study.name = nasty.into();
    results.cells[0].failed.push((1, nasty.into()));
    results.cells[0].runs.pop();
    results.cells[0].runs[0].parameters.insert(nasty.into(), nasty.into());
    results.machines[0].machine.host = nasty.into();
    let mut findings = findings();
    findings.words.push(nasty.into());
    findings.warnings.push(nasty.into());
    findings.methods.push(nasty.into());
    let picture = Picture { title: nasty.into(), alt: nasty.into(), ..picture() };
    let page = html(&results, &findings, &[picture]).unwrap();
    assert!(!page.contains("<b onclick"));
    assert_eq!(page.matches("<script").count(), 2, "the data and the script");
    assert_eq!(page.matches("</script").count(), 2);
    assert_eq!(island(&page)["worlds"][0]["label"], nasty);
    assert_eq!(island(&page)["learners"][1]["label"], nasty);
    // in attributes no quote ends the value
    assert!(!page.contains("alt=\"</script>"));
    assert!(page.contains("alt=\"&lt;"));
}

#[test]
fn nothing_is_loaded_from_anywhere() {
    let page = html(&results(2, 2, 2, 5), &findings(), &[picture()]).unwrap();
    for attribute in ["src=\"", "href=\"", "url(", "@import", "srcset"] {
        for (at, _) in page.match_indices(attribute) {
            let value = &page[at + attribute.len()..][..5];
            assert!(value.starts_with('#') || value.starts_with("data:"), "{attribute}{value}");
        }
    }
    assert!(page.contains("default-src 'none'"));
    assert!(!page.contains("fetch(") && !page.contains("XMLHttpRequest") && !page.contains("import("));
}

#[test]
fn everything_is_said() {
    let mut results = results(2, 2, 3, 20);
    results.cells[3].runs.pop();
    results.cells[2].runs.clear();
    results.cells[2].failed = vec![(0, "out of memory".into()), (2, "out of memory".into())];
    let page = html(&results, &findings(), &[picture()]).unwrap();
    for text in [
        "Which learner pays least",
        "learner-1 pays least.",
        "Some runs were cut off",
        "8 of 12 runs are here. 2 failed. 2 were not made yet",
        "learner-0 in world-1@n=4, seed 0, 2: out of memory",
        "learner-1: 2 of 3 runs.",
        "alt=\"A curve that rises and flattens\"",
        "n = 4",
        "B = 3",
        "0.111",
        "0 to 2. All learners",
        "Means with Student’s",
        "calculator (linux x86_64, 2 cores)",
        "goalward 9.9.9, commit abc1234",
        "<code>goalward study run synthetic.toml</code>",
        "data-value=\"1234.0\"",
    ] {
        assert!(page.contains(text), "{text}");
    }
    results.study.seeds = vec![4];
    let whole = html(&self::results(1, 1, 1, 1), &Findings::default(), &[]).unwrap();
    assert!(!whole.contains("id=\"missing\"") && !whole.contains("id=\"warnings\""));
}

#[test]
fn an_empty_study_has_a_report() {
    let mut results = results(1, 2, 2, 5);
    results.cells.iter_mut().for_each(|cell| cell.runs.clear());
    let page = html(&results, &Findings::default(), &[]).unwrap();
    assert!(page.contains("0 of 4 runs are here. 4 were not made yet"));
    assert_eq!(island(&page)["runs"][0]["gap_regret"], Value::Null);
}

/// The size of a study of all learners. The browser's test (`cargo xtask test`) asks for the file.
#[test]
fn a_large_report_is_below_its_limit() {
    let mut results = results(8, 23, 5, 500);
    results.cells[4].runs.truncate(3);
    let page = html(&results, &findings(), &[picture()]).unwrap();
    assert!(page.len() < LIMIT, "{}", page.len());
    if let Some(folder) = std::env::var_os("GOALWARD_PAGES") {
        std::fs::write(std::path::Path::new(&folder).join("report.html"), page).unwrap();
    }
}

/// What a reader sees first: a page that does not move when its pictures arrive, and curves that
/// can be told apart where they end far from each other.
#[test]
fn pictures_have_a_size_and_curves_far_apart_a_logarithmic_axis() {
    let mut results = results(1, 2, 2, 5);
    let page_of = |results: &Results| html(results, &findings(), &[picture()]).unwrap();
    let ends = |results: &mut Results, high: f64| {
        for (cell, end) in results.cells.iter_mut().zip([0.9, high]) {
            cell.runs.iter_mut().for_each(|run| run.row.gap_regret = end);
        }
    };
    ends(&mut results, 3844.0);
    let far = page_of(&results);
    let figure = far.split_once("<img ").unwrap().1.split_once("</figure>").unwrap().0;
    assert!(figure.contains("width=\"300\" height=\"100\">") && !figure.contains("loading"), "{figure}");
    let pressed = |page: &str| {
        page.split_once("data-toggle=\"logY\" ").unwrap().1.split('>').next().unwrap().to_string()
    };
    assert_eq!((island(&far)["log"].clone(), &*pressed(&far)), (true.into(), "aria-pressed=\"true\""));
    ends(&mut results, 9.0);
    let near = page_of(&results);
    assert_eq!((island(&near)["log"].clone(), &*pressed(&near)), (false.into(), "aria-pressed=\"false\""));
}
