//! Records that nobody ran: numbers that can be checked by hand.

use crate::results::{Build, Cell, EpisodeRow, Results, Run, RunRow};
use crate::study::{Analyses, LearnerPoint, Length, Look, Record, Study, Thinning, WorldPoint};
use crate::{Contender, Place};

/// A study of these worlds and learners, each `id@key=value`, with seeds from 0 on. All settings
/// count as points of a grid.
pub(crate) fn study(worlds: &[&str], learners: &[&str], seeds: u64, episodes: u64) -> Study {
    let base = |text: &str| text.split('@').next().unwrap_or_default().to_string();
    let point = |text: &str| {
        let set = text.split('@').skip(1).filter_map(|part| part.split_once('='));
        set.map(|(key, value)| (key.to_string(), value.to_string())).collect()
    };
    let length = Length { episodes, max_steps: None, by_steps: false };
    let world = |text: &&str| WorldPoint {
        label: text.to_string(),
        base: base(text),
        point: point(text),
        place: Place::parse(text).unwrap(),
        length,
    };
    let learner = |text: &&str| LearnerPoint {
        contender: Contender::parse(text).unwrap(),
        base: base(text),
        point: point(text),
        look: Look::default(),
    };
    Study {
        name: "made".into(),
        title: "Made up".into(),
        about: String::new(),
        worlds: worlds.iter().map(world).collect(),
        learners: learners.iter().map(learner).collect(),
        seeds: (0..seeds).collect(),
        record: Record {
            episodes: Thinning::All,
            plans: Thinning::All,
            probes: Thinning::PerDoubling(1),
            sets: false,
            outline: None,
        },
        analysis: Analyses::default(),
        figures: Vec::new(),
    }
}

/// The results of a study whose runs are made by a function of world, learner and seed; where it
/// makes none the run is missing.
pub(crate) fn results(study: Study, make: impl Fn(usize, usize, u64) -> Option<Run>) -> Results {
    let make = &make;
    let cell = |world: usize, learner: usize| Cell {
        world,
        learner,
        runs: study.seeds.iter().filter_map(|&seed| make(world, learner, seed)).collect(),
        failed: Vec::new(),
        planned: study.seeds.len(),
    };
    let learners = study.learners.len();
    let cells = (0..study.worlds.len()).flat_map(|w| (0..learners).map(move |l| (w, l)));
    let cells = cells.map(|(w, l)| cell(w, l)).collect();
    let build = Build { version: "0.0.0".into(), commit: "abc".into() };
    Results { study, build, machines: Vec::new(), cells, changes: Vec::new() }
}

/// A finished run with this gap regret after every episode; the regret is the same, a step costs 1,
/// and an episode has two of them.
pub(crate) fn run(seed: u64, episodes: u64, gap_regret: impl Fn(u64) -> f64) -> Run {
    let row = |k: u64| EpisodeRow {
        episode: k,
        t: 2 * k,
        steps: 2,
        cost: 2.0,
        regret: gap_regret(k),
        gap_regret: gap_regret(k),
    };
    Run {
        seed,
        row: RunRow {
            outcome: "finished".into(),
            episodes,
            steps: 2 * episodes,
            total_cost: 2.0 * episodes as f64,
            optimal_cost: 3.0,
            regret: gap_regret(episodes),
            gap_regret: gap_regret(episodes),
            planner_calls: 7,
            state_bytes: 3400,
            ..RunRow::default()
        },
        episodes: (1..=episodes).map(row).collect(),
        plans: Vec::new(),
        probes: Vec::new(),
        seconds: 0.5,
        cpu_seconds: 0.5,
        parameters: serde_json::Map::new(),
    }
}

/// A run with another row.
pub(crate) fn with(mut run: Run, change: impl FnOnce(&mut RunRow)) -> Run {
    change(&mut run.row);
    run
}
