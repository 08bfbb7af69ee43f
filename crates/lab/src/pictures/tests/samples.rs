//! Results that nobody ran, for tests of figures.

use crate::Contender;
use crate::Place;
use crate::figure::Format;
use crate::results::{Build, Cell, EpisodeRow, ProbeRow, Results, Run, RunRow};
use crate::study::*;
use goalward::Settings;
use goalward::numeric::{Portable, Stream};

/// A cell of so many runs with these episodes; both regrets are the value.
pub(crate) fn cell(runs: usize, episodes: &[u64], value: impl Fn(usize, u64) -> f64) -> Cell {
    let run = |r: usize| {
        let row = |&k: &u64| EpisodeRow {
            episode: k,
            t: 3 * k,
            steps: 3,
            cost: 3.0,
            regret: value(r, k),
            gap_regret: value(r, k),
        };
        let rows: Vec<EpisodeRow> = episodes.iter().map(row).collect();
        let last = rows.last().map_or(0.0, |row| row.gap_regret);
        Run {
            seed: r as u64,
            row: RunRow {
                outcome: "finished".into(),
                episodes: episodes.last().copied().unwrap_or(0),
                steps: 3 * episodes.last().copied().unwrap_or(0),
                b_star: 2.5,
                t_star: 2.5,
                dim: 3,
                states: 2,
                regret: last,
                gap_regret: last,
                guarantee: Some("yes".into()),
                level: Some(0.05),
                delta: Some(0.05),
                ..RunRow::default()
            },
            episodes: rows,
            plans: Vec::new(),
            probes: Vec::new(),
            seconds: 0.01 * (1.0 + r as f64),
            cpu_seconds: 0.01,
            parameters: serde_json::Map::new(),
        }
    };
    Cell { runs: (0..runs).map(run).collect(), planned: runs, ..Cell::default() }
}

/// The episodes that are recorded of K: four to a doubling.
pub(crate) fn episodes(most: u64) -> Vec<u64> {
    let mut kept: Vec<u64> = (0..200).map(|i| 2f64.to_the(f64::from(i) / 4.0).round() as u64).collect();
    kept.retain(|k| *k <= most);
    kept.push(most);
    kept.dedup();
    kept
}

/// Learners on worlds: learner l pays about (1 + l) sqrt(k) or k, with noise.
pub(crate) fn results(learners: &[&str], worlds: &[&str], seeds: usize, most: u64) -> Results {
    let mut cells = Vec::new();
    for world in 0..worlds.len() {
        for learner in 0..learners.len() {
            let mut stream = Stream::new(7, &[world as u64, learner as u64]);
            let noise: Vec<f64> = (0..seeds).map(|_| 0.7 + 0.6 * stream.uniform()).collect();
            let size = (1.0 + learner as f64) * (1.0 + world as f64);
            let power = [0.5, 0.95, 0.25][learner % 3];
            let grow = |r: usize, k: u64| size * noise[r] * (k as f64).to_the(power);
            cells.push(Cell { world, learner, ..cell(seeds, &episodes(most), grow) });
        }
    }
    let contender = |label: &&str| LearnerPoint {
        contender: Contender::new(label, "random", Settings::new()),
        base: label.to_string(),
        point: Vec::new(),
        look: Look::default(),
    };
    let world = |label: &&str| WorldPoint {
        label: label.to_string(),
        base: label.to_string(),
        point: Vec::new(),
        place: Place { label: label.to_string(), world: "windy-grid".into(), params: Settings::new() },
        length: Length { episodes: most, max_steps: None, by_steps: false },
    };
    let study = Study {
        name: "sample".into(),
        title: "A sample".into(),
        about: String::new(),
        worlds: worlds.iter().map(world).collect(),
        learners: learners.iter().map(contender).collect(),
        seeds: (0..seeds as u64).collect(),
        record: Record {
            episodes: Thinning::PerDoubling(4),
            plans: Thinning::None,
            probes: Thinning::None,
            sets: false,
            outline: None,
        },
        analysis: Analyses::default(),
        figures: Vec::new(),
    };
    Results {
        study,
        build: Build { version: "0".into(), commit: "unknown".into() },
        machines: Vec::new(),
        cells,
        changes: Vec::new(),
    }
}

/// A figure of everything.
pub(crate) fn spec(kind: FigureKind) -> FigureSpec {
    let name = format!("{kind:?}").to_lowercase();
    FigureSpec { name, formats: vec![Format::Svg], ..FigureSpec::of(kind) }
}

/// The support of an ellipse around a point, the narrower the later.
fn support(turn: f64, time: f64) -> f64 {
    let (cos, sin) = ((turn * std::f64::consts::TAU).cosine(), (turn * std::f64::consts::TAU).sine());
    0.3 * cos + 0.45 * sin + Portable::hypotenuse(cos, 0.4 * sin) / time
}

/// Gives the runs confidence sets that were watched: some lose theta*, all become narrower.
pub(crate) fn watched(results: &mut Results) {
    for cell in results.cells.iter_mut().filter(|cell| cell.learner != 4) {
        for (r, run) in cell.runs.iter_mut().enumerate() {
            run.row.beta = Some(1.0);
            run.row.lost = (r * cell.learner % 7 == 3).then_some(17);
            let probe = |i: u32| ProbeRow {
                t: 2u64.pow(i) + r as u64,
                quantity: "width".into(),
                value: Some((1.0 + cell.learner as f64) / (1.0 + cell.learner as f64 + f64::from(i))),
                ..ProbeRow::default()
            };
            run.probes = (0..12).map(probe).collect();
            let outline = |i: u32, k: u32| ProbeRow {
                t: 2u64.pow(i),
                quantity: format!("support[0,1] {k}/16"),
                value: Some(support(f64::from(k) / 16.0, f64::from(1 + i))),
                ..ProbeRow::default()
            };
            run.probes.extend((0..12).flat_map(|i| (0..16).map(move |k| outline(i, k))));
        }
    }
}

/// Two families of worlds: in `a` K grows, in `b` T*.
pub(crate) fn growing() -> Results {
    let worlds = ["a K=100", "a K=1000", "a K=10000", "b 1", "b 2"];
    let mut results = results(&["x", "y", "z"], &worlds, 9, 100);
    for (w, world) in results.study.worlds.iter_mut().enumerate() {
        world.base = world.label.split(' ').next().unwrap().into();
        world.length.episodes = 10u64.pow(2 + w as u32 % 3);
    }
    for cell in &mut results.cells {
        let k = results.study.worlds[cell.world].length.episodes as f64;
        for run in &mut cell.runs {
            run.row.gap_regret = [k.sqrt(), k, 0.0][cell.learner] * (1.0 + 0.1 * run.seed as f64);
            run.row.t_star = 3.0 + cell.world as f64;
        }
    }
    let family = |world: &str, over, expect| GrowthFamily { world: world.into(), over, expect };
    results.study.analysis.growth =
        vec![family("a", Grows::Episodes, Some((0.4, 0.6))), family("b", Grows::TStar, None)];
    results
}
