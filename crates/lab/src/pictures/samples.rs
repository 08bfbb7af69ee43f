//! Results that nobody ran, for tests of figures.

use crate::Contender;
use crate::Place;
use crate::results::{Build, Cell, EpisodeRow, Results, Run, RunRow};
use crate::study::*;
use goalward::Settings;
use goalward::numeric::Stream;

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
    let mut kept: Vec<u64> = (0..200).map(|i| 2f64.powf(f64::from(i) / 4.0).round() as u64).collect();
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
            let grow = |r: usize, k: u64| size * noise[r] * (k as f64).powf(power);
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
    }
}

/// A figure of everything.
pub(crate) fn spec(kind: FigureKind) -> FigureSpec {
    FigureSpec {
        kind,
        name: format!("{kind:?}").to_lowercase(),
        title: String::new(),
        worlds: Vec::new(),
        learners: Vec::new(),
        x: AxisSpec::default(),
        y: AxisSpec::default(),
        band: Band::Student,
        size: None,
        marks: Vec::new(),
        png: false,
        svg: true,
    }
}
