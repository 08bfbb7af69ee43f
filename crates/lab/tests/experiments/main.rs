//! Whole experiments, small: the same bytes on any number of threads, files that can be read back,
//! interruptions that keep what they have.

mod guarantees;
mod interrupted;
mod own;
mod studies;

use goalward::Settings;
use goalward::confidence::Holds;
use goalward::episode::Arena;
use goalward_lab::{
    Comparison, Contender, Curves, Error, Outcome, Progress, ReproduceOptions, Reproduction, Silent, compare,
    reproduce, run_grid,
};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

fn arena() -> Arena {
    Arena::open("hard-instance", &Settings::new().set("dim", 2)).unwrap()
}

fn contenders(texts: &[&str]) -> Vec<Contender> {
    texts.iter().map(|text| Contender::parse(text).unwrap()).collect()
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// Stops after so many episodes.
struct Impatient {
    after: u64,
    done: AtomicU64,
}

impl Progress for Impatient {
    fn advance(&self, units: u64) {
        self.done.fetch_add(units, SeqCst);
    }
    fn cancelled(&self) -> bool {
        self.done.load(SeqCst) >= self.after
    }
}

/// Rows of a CSV file, quotes removed.
fn parse_csv(text: &str) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let (mut quoted, mut letters) = (false, text.chars().peekable());
    while let Some(letter) = letters.next() {
        let row = rows.last_mut().unwrap();
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                row.last_mut().unwrap().push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(String::new()),
            '\n' if !quoted => rows.push(vec![String::new()]),
            other => row.last_mut().unwrap().push(other),
        }
    }
    assert_eq!(rows.pop(), Some(vec![String::new()]), "the last line ends");
    let columns = rows[0].len();
    assert!(rows.iter().all(|row| row.len() == columns));
    rows
}

fn column(rows: &[Vec<String>], name: &str) -> Vec<String> {
    let at = rows[0].iter().position(|heading| heading == name).unwrap_or_else(|| panic!("no column {name}"));
    rows[1..].iter().map(|row| row[at].clone()).collect()
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let run = |threads| {
        on_threads(threads, || {
            let all = contenders(&["random", "optimal", "levis@B=3"]);
            run_grid(&arena(), &all, &[3, 1, 2], 300, None, &Silent).unwrap()
        })
    };
    let bytes = |curves: &[Curves]| serde_json::to_string(curves).unwrap();
    let one = run(1);
    assert_eq!(bytes(&one), bytes(&run(2)));
    assert_eq!(bytes(&one), bytes(&run(5)));
    let seeds: Vec<u64> = one[0].runs.iter().map(|r| r.seed).collect();
    assert_eq!(seeds, [3, 1, 2], "the order of the seeds is kept");
    for run in one.iter().flat_map(|c| &c.runs) {
        assert_eq!(run.outcome, Outcome::Finished);
        assert_eq!(run.regret.last(), Some(&run.result.regret));
        assert_eq!(run.gap_regret.last(), Some(&run.result.gap_regret));
    }
}

#[test]
fn progress_counts_every_episode_once() {
    #[derive(Default)]
    struct Counting {
        units: AtomicU64,
        done: AtomicU64,
        ended: AtomicBool,
    }
    impl Progress for Counting {
        fn begin(&self, _: &str, units: u64) {
            self.units.store(units, SeqCst);
        }
        fn advance(&self, units: u64) {
            self.done.fetch_add(units, SeqCst);
        }
        fn end(&self) {
            self.ended.store(true, SeqCst);
        }
    }
    let counting = Counting::default();
    run_grid(&arena(), &contenders(&["random", "optimal"]), &[0, 1], 2500, None, &counting).unwrap();
    assert_eq!(counting.units.load(SeqCst), 4 * 2500);
    assert_eq!(counting.done.load(SeqCst), 4 * 2500);
    assert!(counting.ended.load(SeqCst));
}

#[test]
fn a_wrong_contender_is_found_before_anything_runs() {
    struct Never;
    impl Progress for Never {
        fn begin(&self, _: &str, _: u64) {
            panic!("something ran");
        }
    }
    for wrong in ["no-such-learner", "random@B=3", "levis@radius=wide"] {
        let all = contenders(&["random", wrong]);
        let error = run_grid(&arena(), &all, &[0], 10, None, &Never).unwrap_err();
        assert!(matches!(error, Error::Goalward(_)), "{wrong}: {error}");
    }
}

#[test]
fn a_comparison_ranks_writes_and_can_be_read_back() {
    let all = contenders(&["random", "optimal", "levis@B=3@radius=scaled:0.1"]);
    let comparison = compare(&arena(), &all, &[0, 1, 2], 400, None, &Silent).unwrap();
    assert_eq!(
        comparison.best.as_deref(),
        Some("levis@B=3@radius=scaled:0.1"),
        "an oracle is nobody's rival"
    );
    let random = &comparison.rows[0];
    assert!(random.behind_best.unwrap().low.unwrap() > 0.0);
    assert!((random.growth.unwrap() - 1.0).abs() < 0.1, "{:?}", random.growth);
    assert_eq!(comparison.rows[2].guarantee, Some(Holds::No));
    assert!(comparison.table().contains("0 (best)"));

    let dir = tempfile::tempdir().unwrap();
    let folder =
        Comparison::folder(dir.path(), &arena(), &all, &[0, 1, 2], (400, None), None, false).unwrap();
    let written = comparison.write(&folder).unwrap();
    assert!(written.iter().all(|path| path.exists()));
    let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|f| f.unwrap().file_name()).collect();
    assert_eq!(left.len(), written.len() + 1, "study.json, and no temporary file is left: {left:?}");

    let curves = parse_csv(&std::fs::read_to_string(dir.path().join("curves.csv")).unwrap());
    let ends: Vec<usize> =
        (0..curves.len() - 1).filter(|&i| column(&curves, "episode")[i] == "400").collect();
    assert_eq!(ends.len(), 3);
    let mean: f64 = column(&curves, "mean_regret_per_episode")[ends[0]].parse().unwrap();
    assert!((mean - random.regret.unwrap().mean / 400.0).abs() < 1e-9);
    let runs = parse_csv(&std::fs::read_to_string(dir.path().join("runs.csv")).unwrap());
    assert_eq!(runs.len(), 10);
    assert!(column(&runs, "outcome").iter().all(|outcome| outcome == "finished"));

    let svg = std::fs::read_to_string(dir.path().join("regret.svg")).unwrap();
    assert!(svg.contains("levis@B=3@radius=scaled:0.1 (no guarantee)"));
    assert!(svg.matches("<polygon").count() == 3 && svg.matches("<polyline").count() >= 3);
    assert!(std::fs::read(dir.path().join("regret.png")).unwrap().starts_with(b"\x89PNG"));
    let json: serde_json::Value = serde_json::to_value(&comparison).unwrap();
    assert_eq!(json["rows"][0]["learner"], "random");
    assert!(json.get("curves").is_none());
}

#[test]
fn truncated_runs_are_shown_as_such() {
    let comparison =
        compare(&arena(), &contenders(&["random", "optimal"]), &[0, 1], 1000, Some(500), &Silent);
    let comparison: Comparison = comparison.unwrap();
    let random = &comparison.curves[0];
    assert_eq!((random.truncated(), comparison.rows[0].truncated), (2, 2));
    let drawn = random.means();
    assert!(drawn.len() < random.episodes.len(), "the curve ends where the last run ended");
    assert_eq!((comparison.rows[0].growth, comparison.rows[0].behind_best), (None, None));
    for run in &random.runs {
        assert_eq!(run.regret.len(), random.episodes.len(), "the last value is kept to the end");
        assert_eq!(run.regret.last(), Some(&run.result.regret));
    }
    assert!(comparison.table().contains("truncated; their regret is that of fewer episodes"));
    assert!(comparison.summary().contains("2 of 2 runs met the cap"));
    assert!(comparison.figure().svg().unwrap().contains("2 of 2 truncated"));
}

#[test]
fn a_contender_without_a_whole_run_is_marked() {
    let impatient = Impatient { after: 1000, done: AtomicU64::new(0) };
    let all = contenders(&["random", "levis@B=3"]);
    let comparison = on_threads(1, || compare(&arena(), &all, &[0, 1], 5000, None, &impatient)).unwrap();
    let random = &comparison.rows[0];
    assert!(random.unfinished && random.episodes_done.unwrap().mean < 5000.0);
    assert_eq!((random.growth, random.behind_best), (None, None));
    assert_eq!(comparison.best, None, "a run that was broken off is nobody's best");
    assert!(!comparison.rows[1].unfinished && comparison.rows[1].regret.is_none(), "it was never begun");
    let table = comparison.table();
    assert!(table.contains("(unfinished)") && table.contains("0 of 2"), "{table}");
    assert!(
        table.contains("random: every run was interrupted; what is shown are 1000 of 5000 episodes"),
        "{table}"
    );
    assert!(comparison.figure().svg().unwrap().contains("random (unfinished: 1000 of 5000"));
    let against = comparison.against("random").unwrap();
    assert!(against.against.unwrap().differences[0].difference.is_none());
}

#[test]
fn differences_are_paired_and_a_cap_makes_them_lower_bounds() {
    let all = contenders(&["lr", "random", "optimal"]);
    let run = |cap| compare(&arena(), &all, &[0, 1, 2], 200, cap, &Silent).unwrap();
    let whole = run(None).against("lr").unwrap();
    let paid = |c: &Curves| c.runs.iter().map(|r| r.result.gap_regret).collect::<Vec<_>>();
    let (lr, random) = (paid(&whole.curves[0]), paid(&whole.curves[1]));
    let by_hand = random.iter().zip(&lr).map(|(a, b)| a - b).sum::<f64>() / 3.0;
    let differences = whole.against.as_ref().unwrap().differences.clone();
    assert!((differences[0].difference.unwrap().mean - by_hand).abs() < 1e-9);
    assert_eq!(differences[0].verdict, Some(goalward_lab::Verdict::Less));
    let mirrored = run(None).against("random").unwrap().against.unwrap().differences[0].clone();
    assert_eq!(mirrored.verdict, Some(goalward_lab::Verdict::More));
    assert!(whole.table().contains("lr pays less") && whole.summary().contains("lr pays less"));
    // 900 steps are enough for 200 episodes of lr, and not for random
    let capped = run(Some(900)).against("lr").unwrap();
    assert_eq!((capped.rows[0].truncated, capped.rows[1].truncated), (0, 3));
    let difference = &capped.against.as_ref().unwrap().differences[0];
    assert!(difference.at_least && difference.text().starts_with("≥ "));
    assert!(run(None).against("nobody").is_err());
}

fn small(dir: &std::path::Path) -> ReproduceOptions {
    ReproduceOptions {
        out: dir.join("deep/er"),
        episodes: 1500,
        seeds: 0..2,
        dims: vec![2, 3],
        ..ReproduceOptions::default()
    }
}

#[test]
fn the_reproduction_writes_figures_tables_and_words() {
    let dir = tempfile::tempdir().unwrap();
    let done: Reproduction = reproduce(&small(dir.path()), &Silent).unwrap();
    assert_eq!(done.rows.len(), 14);
    assert!(done.interrupted.is_none());
    let names: Vec<String> =
        done.files.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    for name in [
        "regret.svg",
        "regret.png",
        "regret-dim2.svg",
        "regret-dim2.png",
        "regret-dim3.svg",
        "curves.csv",
        "runs.csv",
        "summary.md",
        "README.md",
    ] {
        assert!(names.iter().any(|n| n == name), "{name}");
    }
    let read = |name: &str| std::fs::read_to_string(done.options.out.join(name)).unwrap();
    let svg = read("regret-dim2.svg");
    for word in
        ["LEVIS++ (printed radius)", "no guarantee", "published (digitised)", "√K", "Regret / K", "random"]
    {
        assert!(svg.contains(word), "{word}");
    }
    let curves = parse_csv(&read("curves.csv"));
    assert!(column(&curves, "dim").iter().any(|dim| dim == "3"));
    assert_eq!(parse_csv(&read("runs.csv")).len(), 1 + 2 * 7 * 2);
    assert!(read("summary.md").contains("| no |"));
    let readme = read("README.md");
    for word in &done.words() {
        assert!(readme.contains(word.as_str()));
    }
    assert!(done.table().lines().count() >= 15);
    assert_eq!(serde_json::to_value(&done).unwrap()["rows"][0]["dim"], 2);
}

#[test]
fn an_interruption_keeps_what_it_has() {
    let dir = tempfile::tempdir().unwrap();
    let impatient = Impatient { after: 4000, done: AtomicU64::new(0) };
    let done = on_threads(1, || reproduce(&small(dir.path()), &impatient)).unwrap();
    let interrupted = done.interrupted.unwrap();
    assert!(interrupted.done >= 4000 && interrupted.done < interrupted.planned, "{interrupted}");
    assert_eq!(interrupted.planned, 2 * 7 * 2 * 1500);
    let random = &done.curves[0].1[0];
    assert_eq!(random.runs[0].outcome, Outcome::Finished);
    assert!(done.curves[1].1.iter().all(|c| c.runs.is_empty()), "the second dimension was never begun");
    for file in ["README.md", "summary.md"] {
        let text = std::fs::read_to_string(done.options.out.join(file)).unwrap();
        assert!(text.contains("Interrupted after"), "{file}");
    }
    assert!(done.table().contains("interrupted after"));
    assert!(
        std::fs::read_to_string(done.options.out.join("regret.svg")).unwrap().contains("interrupted after")
    );
}

#[test]
fn a_directory_that_cannot_be_written_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "in the way").unwrap();
    let error = reproduce(&small(&file), &Silent).unwrap_err();
    assert!(error.to_string().contains("file"), "{error}");
    assert!(matches!(error, Error::Io { .. }));
}
