//! `study`: files, folders, and the studies that come with goalward.

use super::*;

const MINE: &str = "title = \"Mine\"\nepisodes = 20\nseeds = 3\nworlds = [\"hard-instance@dim=2\"]\n\
                    learners = [\"lr\", \"levis\", \"random\"]\nset = { B = 3 }\n\
                    [comparison]\nagainst = \"lr\"\n";

#[test]
fn a_study_from_its_file_to_its_report() {
    let place = Place::new();
    place.write("mine.toml", MINE);
    let ran = place.run("study run mine.toml").done();
    for word in ["lr", "levis", "random", "gap regret"] {
        assert!(ran.out.contains(word), "{word}: {}", ran.out);
    }
    for file in
        ["study.toml", "plan.json", "summary.md", "report.html", "figures/regret.png", "figures/regret.svg"]
    {
        assert!(place.path("out/mine").join(file).exists(), "{file}");
    }
    let status = place.run("study status mine.toml --json").done().json();
    assert_eq!((&status["jobs"], &status["finished"]), (&9.into(), &9.into()));
    assert!(place.run("study status out/mine").done().out.contains("9 of 9 runs"));
    // nothing is run twice, and the answer is the same
    let again = place.run("study run mine.toml").done();
    assert_eq!(again.out, ran.out);
    assert!(again.err.contains("9 of 9 runs were there already"), "{}", again.err);
    // more seeds: only the new ones are run
    let more = place.run("study run mine.toml --seeds 5").done();
    assert!(more.err.contains("9 of 15"), "{}", more.err);
    // labels and figures change without a run
    place.write("mine.toml", &MINE.replace("\"levis\"", "{ name = \"levis\", label = \"Old LEVIS\" }"));
    let shown = place.run("study report mine.toml --out out/mine").done();
    assert!(shown.out.contains("Old LEVIS"), "{}", shown.out);
    let json = place.run("study report out/mine --json").done().json();
    assert_eq!(json["rows"][0]["runs"], 5);
    place.run("study export out/mine --csv csv").done();
    assert_eq!(String::from_utf8(place.read("csv/runs.csv")).unwrap().lines().count(), 16);
}

/// A study file that was changed after the runs: numbers belong to the learner and world that made
/// them, although other files stand in their places now.
#[test]
fn a_report_finds_runs_by_what_they_are() {
    let place = Place::new();
    let file = |worlds: &str, learners: &str| {
        format!("seeds = 2\nepisodes = 4\nworlds = [{worlds}]\nlearners = [{learners}]\n[comparison]\n")
    };
    let [lr, random, levis] = ["\"lr\"", "\"random\"", "\"levis@B=3\""];
    let both = "\"windy-grid@n=3\", \"hard-instance\"";
    place.write("mine.toml", &file(both, &[lr, random].join(", ")));
    place.run("study run mine.toml").done();
    let cells = |of: &serde_json::Value| -> Vec<(String, String, String)> {
        let text = |row: &serde_json::Value, key: &str| row[key].to_string();
        let rows = of["rows"].as_array().unwrap().iter();
        let mut all: Vec<_> =
            rows.map(|row| (text(row, "world"), text(row, "learner"), text(row, "gap_regret"))).collect();
        all.sort();
        all
    };
    let report = || place.run("study report mine.toml --json").done().json();
    let before = report();
    assert_eq!(before["warnings"], serde_json::json!([]));
    // swapped learners, and worlds in another order
    place.write("mine.toml", &file("\"hard-instance\", \"windy-grid@n=3\"", &[random, lr].join(", ")));
    let swapped = report();
    assert_eq!(cells(&swapped), cells(&before));
    assert_eq!(swapped["warnings"], serde_json::json!([]));
    // a learner that was never run has no numbers, and a removed one is gone
    place.write("mine.toml", &file(both, &[levis, random].join(", ")));
    let other = place.run("study report mine.toml --json").done().json();
    let mine = |label: &str| {
        let of = |all: &serde_json::Value| -> Vec<_> {
            cells(all).into_iter().filter(|(_, learner, _)| learner.contains(label)).collect()
        };
        (of(&other), of(&before))
    };
    let (now, then) = mine("random");
    assert_eq!(now, then);
    assert!(mine("levis").0.iter().all(|(.., gap)| gap == "null"), "{other}");
    let warnings = other["warnings"].to_string();
    assert!(warnings.contains("no run has its learner levis@B=3"), "{warnings}");
    let html = String::from_utf8(place.read("out/mine/report.html")).unwrap();
    assert!(html.contains("no run has its learner levis@B=3"));
    place.write("mine.toml", &file("\"ladder\"", lr));
    place.run("study report mine.toml").refused(&[
        "out/mine",
        "no run of the worlds, lengths and learners",
        "hint: ",
    ]);
}

/// `study status` and `study report` say what a file asks that its runs do not answer, and `merge`
/// puts no parts of different questions together.
#[test]
fn a_file_that_was_changed_since_is_said_so() {
    let place = Place::new();
    let write = |worlds: &str, learners: &str, more: &str| {
        let head = format!("worlds = [{worlds}]\nlearners = [{learners}]\n{more}\n");
        place.write("mine.toml", &format!("{head}[comparison]\n"));
    };
    let small = "\"windy-grid@n=3\"";
    let (two, plain) = ("\"lr\", \"random\"", "seeds = 2\nepisodes = 3");
    write(small, two, plain);
    place.run("study run mine.toml").done();
    let changes = || {
        let status = place.run("study status mine.toml --json").done().json()["changes"].clone();
        let told = place.run("study status mine.toml").done().out;
        assert_eq!(told.matches("warning: ").count(), status.as_array().unwrap().len(), "{told}");
        let report = place.run("study report mine.toml --json");
        let said = match report.code {
            Some(0) => report.json()["warnings"].to_string(),
            _ => report.err,
        };
        (status.to_string(), said)
    };
    assert_eq!(changes(), ("[]".into(), "[]".into()));
    write(small, "\"random\", \"lr\"", plain);
    assert_eq!(changes(), ("[]".into(), "[]".into()));
    for (worlds, learners, more, said) in [
        (small, "\"lr\"", plain, "it no longer has the learner random"),
        (small, "\"lr@delta=0.1\", \"random\"", plain, "no run has its learner lr@delta=0.1"),
        (small, two, "seeds = 1\nepisodes = 3", "other seeds than the 2 that were run"),
        ("\"windy-grid@n=3\", \"ladder\"", two, plain, "no run has its world ladder"),
    ] {
        write(worlds, learners, more);
        let (status, report) = changes();
        assert!(status.contains(said) && report.contains(said), "{said}: {status} {report}");
    }
    write(small, two, "seeds = 2\nepisodes = 4");
    let (status, report) = changes();
    assert!(status.contains("no run has its world windy-grid@n=3 with 4 episodes"), "{status}");
    assert!(report.contains("no run of the worlds, lengths and learners"), "{report}");
    // the parts of two questions are no whole
    write(small, two, plain);
    place.run("study run mine.toml --shard 1/2 --out one").done();
    write(small, "\"random\", \"lr@delta=0.1\"", plain);
    place.run("study run mine.toml --shard 2/2 --out two").done();
    place.run("study merge one two --out whole").refused(&["not a part of the same study"]);
}

/// Two problem files of one name are two worlds.
#[test]
fn a_problem_is_not_known_by_its_files_name_alone() {
    let place = Place::new();
    for (folder, n) in [("a", 3), ("b", 4)] {
        std::fs::create_dir(place.path(folder)).unwrap();
        place.run(&format!("export windy-grid@n={n} -o {folder}/grid.json")).done();
    }
    let write = |folder: &str| {
        let text = "seeds = 1\nepisodes = 3\nlearners = [\"random\"]\n[comparison]\n";
        place.write("mine.toml", &format!("worlds = [\"{folder}/grid.json\"]\n{text}"));
    };
    write("a");
    place.run("study run mine.toml").done();
    place.run("study report mine.toml").done();
    write("b");
    place.run("study report mine.toml").refused(&["no run of the worlds"]);
    // one that was moved is the same
    std::fs::rename(place.path("a"), place.path("c")).unwrap();
    write("c");
    place.run("study report mine.toml").done();
}

#[test]
fn threads_and_shards_give_the_same_bytes() {
    let place = Place::new();
    place.write("mine.toml", MINE);
    place.run("study run mine.toml --threads 1 --out one").done();
    place.run("study run mine.toml --threads 2 --out two").done();
    for i in 1..=3 {
        place.run(&format!("study run mine.toml --shard {i}/3 --out part{i}")).done();
    }
    place.run("study merge part1 part2 part3 --out merged").done();
    let tables = |name: &str| parquet(&place.path(name));
    assert_eq!(tables("one").len(), 9 + 9 + 6, "runs, episodes, plans");
    assert!(tables("one") == tables("two") && tables("one") == tables("merged"));
    place.run("study merge part1 nowhere --out merged").refused(&["nowhere", "no folder of a study"]);
    place.run("study run mine.toml --shard 4/3").refused(&["4/3", "I/N"]);
}

/// A part that was damaged is named, nothing is changed, and labels begin no HTML.
#[test]
fn a_damaged_part_is_refused_and_labels_are_text() {
    let place = Place::new();
    let label = "label = \"<script>alert(1)</script>\"";
    place.write(
        "mine.toml",
        &format!(
            "seeds = 2\nepisodes = 5\nworlds = [{{ name = \"windy-grid@n=3\", {label} }}]\n\
             learners = [\"random\", {{ name = \"random\", label = \"=1+1\" }}]\n[comparison]\n"
        ),
    );
    for i in 1..=2 {
        place.run(&format!("study run mine.toml --shard {i}/2 --out part{i}")).done();
    }
    let manifest = std::fs::read_dir(place.path("part2/manifests")).unwrap().next().unwrap().unwrap().path();
    let mut bytes = std::fs::read(&manifest).unwrap();
    bytes[100] ^= 1;
    std::fs::write(&manifest, bytes).unwrap();
    let name = manifest.file_name().unwrap().to_string_lossy().into_owned();
    place.run("study merge part1 part2 --out all").refused(&[&name, "checksum", "hint: "]);
    assert!(!place.path("all/runs").exists());
    place.run("study run mine.toml --shard 2/2 --out part2").done();
    place.run("study merge part1 part2 --out all").done();
    let summary = std::fs::read_to_string(place.path("all/summary.md")).unwrap();
    assert!(summary.contains("&lt;script>") && !summary.contains("<script>"), "{summary}");
    place.run("study export all --csv csv").done();
    let csv = std::fs::read_to_string(place.path("csv/runs.csv")).unwrap();
    assert!(csv.contains(",'=1+1,") && !csv.contains(",=1+1"), "{csv}");
}

/// All Parquet files of a folder.
pub(super) fn parquet(dir: &Path) -> std::collections::BTreeMap<String, Vec<u8>> {
    let mut all = std::collections::BTreeMap::new();
    for table in ["runs", "episodes", "plans", "probes"] {
        for entry in std::fs::read_dir(dir.join(table)).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name.ends_with(".parquet") && !name.starts_with('.') {
                all.insert(format!("{table}/{name}"), std::fs::read(&path).unwrap());
            }
        }
    }
    all
}

/// What comes with goalward runs, and says what it should. The names come from the list, so a new
/// one is run too.
#[test]
fn every_study_that_comes_with_goalward_runs_quickly() {
    let place = Place::new();
    let list = place.run("study list --json").done().json();
    let names: Vec<&str> = list.as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
    for name in ["reproduce", "demo", "survey", "coverage", "scale", "growth", "comparison"] {
        assert!(names.contains(&name), "{name} is not in {names:?}");
    }
    for name in names {
        let ran = place.run(&format!("study run {name} --quick"));
        // 1 is an answer too: two seeds may say no, and some learners cannot be built everywhere
        assert!(matches!(ran.code, Some(0 | 1)), "{name}: {}", ran.err);
        let html = place.read(&format!("out/{name}-quick/report.html"));
        assert!(html.len() > 20_000, "{name}: a report of {} bytes", html.len());
        let file = place.run(&format!("study list {name}")).done().out;
        let drawn = place.path(&format!("out/{name}-quick/figures")).read_dir().map_or(0, Iterator::count);
        assert_eq!(drawn == 0, file.contains("figures = []"), "{name}: {drawn} figures");
    }
}

#[test]
fn a_file_to_begin_with() {
    let place = Place::new();
    place.run("study new first.toml").done();
    place.run("study new first.toml").refused(&["first.toml", "already"]);
    let ran = place.run("study run first.toml --quick").done();
    assert!(ran.out.contains("levis++lr"), "{}", ran.out);
    assert!(place.run("study new").done().out.contains("seeds = 20"));
}

#[test]
fn mistakes_are_shown_where_they_stand() {
    let place = Place::new();
    place.write("bad.toml", &MINE.replace("episodes = 20", "episods = 20"));
    place.run("study run bad.toml").refused(&[
        "bad.toml:2:1",
        "episods = 20",
        "^^^^^^^",
        "did you mean episodes?",
    ]);
    place.run("study run nothing.toml").refused(&["nothing.toml", "No such file"]);
    place.run("study run demmo").refused(&["demmo", "did you mean demo?"]);
    place.run("study status demo").refused(&["out/demo", "no folder of a study"]);
    place.run("study run demo --seeds 0").refused(&["--seeds", "0 seeds"]);
    place.run("study run demo --save-every 0").refused(&["--save-every"]);
    assert!(!place.path("out").exists(), "something was written");
}

/// What `coverage` answers is its exit code too.
#[test]
fn coverage_says_whether_sets_keep_what_they_promise() {
    let place = Place::new();
    let study = |learners: &str| {
        format!(
            "steps = 50\nseeds = 4\nworlds = [\"hard-instance@dim=2\"]\nlearners = [{learners}]\n\
             set = {{ B = \"oracle\", delta = 0.1 }}\n[record]\nsets = true\n[coverage]\n"
        )
    };
    place.write("cover.toml", &study("\"lr\", \"levis++\""));
    let ran = place.run("study run cover.toml").done();
    for word in ["lost", "at most", "width"] {
        assert!(ran.out.contains(word), "{word}: {}", ran.out);
    }
    let json = place.run("study report out/cover --json").done().json();
    assert_eq!(json["rows"][1]["lost"]["n"], 4);
    assert_eq!(json["rows"][1]["width"]["mean"], 1.0);
    assert_eq!(json["sound"], true);
}

#[test]
fn survey_exits_with_no_where_the_answer_is_no() {
    let place = Place::new();
    let study = |against: &str| {
        format!(
            "episodes = 100\nseeds = 6\nworlds = [\"hard-instance@dim=2\"]\n\
             learners = [\"lr\", \"levis\", \"random\"]\nset = {{ B = \"oracle\" }}\n\
             [comparison]\nagainst = \"{against}\"\njudge = true\n"
        )
    };
    place.write("judge.toml", &study("lr"));
    place.run("study run judge.toml").done();
    place.write("judge.toml", &study("levis"));
    let ran = place.run("study run judge.toml");
    assert_eq!(ran.code, Some(1), "{}\n{}", ran.err, ran.out);
    assert!(ran.out.contains("pays more than lr"), "{}", ran.out);
}

#[test]
fn growth_fits_and_draws() {
    let place = Place::new();
    place.write(
        "grow.toml",
        "seeds = 3\nlearners = [\"lr\", \"random\"]\n[[worlds]]\nname = \"hard-instance@dim=2\"\nlabel = \"fixed\"\n\
         grid = { episodes = [50, 200, 800] }\n[[growth]]\nworld = \"fixed\"\nover = \"episodes\"\n",
    );
    let ran = place.run("study run grow.toml").done();
    assert!(ran.out.contains("exponent"), "{}", ran.out);
    let json = place.run("study report out/grow --json").done().json();
    let random = json["families"][0]["exponents"][1]["exponent"]["exponent"].as_f64().unwrap();
    assert!((random - 1.0).abs() < 0.2, "{random}");
}
