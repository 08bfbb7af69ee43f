//! Every command that writes, pointed at what it reads, at others' files and folders, through links
//! and at what is no file: nothing of the user's changes.

use super::*;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

const STUDY: &str = "# mine\nepisodes = 3\nseeds = 1\nworlds = [\"corridor\"]\nlearners = [\"random\"]\n";
/// Files that a thesis may have, under names that goalward uses too.
const THESIS: [&str; 13] = [
    "plan.json",
    "study.toml",
    "summary.md",
    "report.html",
    "world.json",
    "notes.txt",
    "runs.csv",
    "regret.svg",
    "regret.png",
    "manifests/0123456789abcdef01234567.json",
    "runs/0123456789abcdef01234567.parquet",
    "figures/regret.svg",
    "work/mine.checkpoint",
];

/// Each is refused: a command, and what its error says.
const REFUSED: &[(&str, &str)] = &[
    ("learn p.json --trace p.json", "--trace p.json"),
    ("learn p.json --trace hard", "overwritten"),
    ("learn p.json --trace soft", "overwritten"),
    ("learn p.json --trace pipe", "pipe"),
    ("learn p.json --trace /dev/full", "/dev/full"),
    ("learn p.json --checkpoint p.json", "overwritten"),
    ("learn p.json --checkpoint study.toml", "no checkpoint"),
    ("learn p.json --checkpoint linked/notes.txt", "no checkpoint"),
    ("learn p.json --checkpoint thesis", "folder"),
    ("learn p.json --replay thesis/notes.txt", "no HTML page"),
    ("learn p.json --replay soft", "overwritten"),
    ("learn p.json --trace t --checkpoint thesis/notes.txt", "no checkpoint"),
    ("serve p.json --checkpoint study.toml", "no checkpoint"),
    ("serve p.json --checkpoint hard", "overwritten"),
    ("solve p.json --policy p.json", "overwritten"),
    ("solve p.json --policy hard", "overwritten"),
    ("solve p.json --values soft", "overwritten"),
    ("solve p.json --values pipe", "pipe"),
    ("solve p.json --policy thesis", "folder"),
    ("export p.json -o p.json", "overwritten"),
    ("export p.json -o linked", "folder"),
    ("export p.json -o /dev/full", "/dev/full"),
    ("mix p.json q.json -o q.json", "overwritten"),
    ("mix q.json p.json -o soft", "overwritten"),
    ("audit corridor --learner lr --episodes 2 --figures thesis", "did not write"),
    ("audit corridor --learner lr --episodes 2 --figures linked", "did not write"),
    ("audit corridor --learner lr --episodes 2 --figures p.json", "folder"),
    ("compare corridor --learners random --seeds 1 --episodes 2 --out .", "no study's folder"),
    ("compare corridor --learners random --seeds 1 --episodes 2 --out thesis", "no study's folder"),
    ("compare corridor --learners random --seeds 1 --episodes 2 --force --out thesis", "no study's folder"),
    ("compare corridor --learners random --seeds 1 --episodes 2 --force --out linked", "no study's folder"),
    ("compare corridor --learners random --seeds 1 --episodes 2 --force --out p.json", "not a folder"),
    ("compare corridor --learners random --seeds 1 --episodes 2 --force --out pipe", "not a folder"),
    ("compare p.json --learners random --seeds 1 --episodes 2 --out done/runs", "no study's folder"),
    ("demo --episodes 2 --seeds 1 --force --out thesis", "no study's folder"),
    ("demo --episodes 2 --seeds 1 --out planned", "no study's folder"),
    ("reproduce --episodes 2 --seeds 1 --force --out linked", "no study's folder"),
    ("study run study.toml --out .", "overwritten"),
    ("study run study.toml --force --out .", "overwritten"),
    ("study run study.toml --force --out thesis", "no study's folder"),
    ("study run study.toml --force --out planned", "no study's folder"),
    ("study run study.toml --shard 1/2 --out planned", "no study's folder"),
    ("study run done/study.toml --out done", "overwritten"),
    ("study run study.toml --out drawn", "link"),
    ("study run study.toml --out run", "link"),
    ("study run study.toml --out told", "link"),
    ("study run study.toml --out piped", "pipe"),
    ("study merge done --out thesis", "no study's folder"),
    ("study merge done --out planned", "no study's folder"),
    ("study merge done --out .", "no study's folder"),
    ("study merge done --out run", "link"),
    ("study merge piped --out new", "regular file"),
    ("study report planned", "mark"),
    ("study report drawn", "link"),
    ("study report told", "link"),
    ("study report piped", "regular file"),
    ("study status piped", "regular file"),
    ("study export done --csv thesis", "did not write"),
    ("study export done --csv linked", "did not write"),
    ("study export piped --csv new", "regular file"),
    ("study new study.toml", "already"),
    ("study new soft", "already"),
    ("study new dangling", "already"),
    ("study new thesis", "already"),
];

/// The same through links to folders, `..`, second names, and devices.
const REFUSED_TOO: &[(&str, &str)] = &[
    ("learn p.json --learner random --trace around/p.json", "overwritten"),
    ("learn around/p.json --learner random --trace p.json", "overwritten"),
    ("learn thesis/../p.json --learner random --checkpoint p.json", "overwritten"),
    ("learn p.json --learner random --trace chain", "overwritten"),
    ("learn p.json --learner random --trace a --replay around/a", "the same file"),
    ("learn p.json --learner random --trace a --checkpoint thesis/../a", "the same file"),
    ("learn p.json --learner random --checkpoint /dev/null", "device"),
    ("learn p.json --learner random --trace /dev/null --checkpoint a", "must be a file"),
    ("learn p.json --learner random --trace /dev/stdout --json", "standard output"),
    ("learn p.json --learner random --replay /dev/stdout", "standard output"),
    ("learn p.json --learner random --checkpoint pipe", "pipe"),
    ("solve p.json --values a --policy around/a", "the same file"),
    ("solve p.json --values - --policy /dev/stdout", "standard output"),
    ("solve p.json --policy folder/../hard", "overwritten"),
    ("solve p.json --policy folder/up", "folder"),
    ("mix p.json around/q.json -o q.json", "overwritten"),
    ("mix p.json q.json -o around/hard", "overwritten"),
    ("export p.json -o around/around/p.json", "overwritten"),
    ("export around/p.json -o soft", "overwritten"),
    ("audit corridor --learner lr --episodes 2 --figures pipe", "not a folder"),
    ("audit corridor --learner lr --episodes 2 --figures folder/up", "did not write"),
    ("compare corridor --learners random --seeds 1 --episodes 2 --out around", "no study's folder"),
    (
        "compare corridor --learners random --seeds 1 --episodes 2 --force --out folder/up",
        "no study's folder",
    ),
    ("compare corridor --learners random --seeds 1 --episodes 2 --out done/manifests", "no study's folder"),
    ("compare corridor --learners random --seeds 1 --episodes 2 --out /dev/null", "not a folder"),
    (
        "compare corridor --learners random --seeds 1 --episodes 2 --out /dev/stdout",
        "standard input or output",
    ),
    ("study run study.toml --out around", "overwritten"),
    ("study run around/study.toml --force --out folder/..", "overwritten"),
    ("study run done/../study.toml --out done/..", "overwritten"),
    ("study run study.toml --out done/runs", "no study's folder"),
    ("study merge done --out folder/up", "no study's folder"),
    ("study merge done --out around", "no study's folder"),
    ("study export done --csv pipe", "pipe"),
    ("study export done --csv folder/up", "did not write"),
    ("study new folder/up", "already"),
    ("study new pipe", "already"),
    ("serve p.json --checkpoint around/p.json", "overwritten"),
    ("serve p.json --checkpoint pipe", "pipe"),
    ("serve p.json --checkpoint /dev/stdout", "standard output"),
];

/// A user's files, and folders of studies into which the user has put links and a pipe.
fn place() -> Place {
    let place = Place::new();
    place.run("export hard-instance@dim=2 -o p.json").done();
    place.run("export hard-instance@dim=2 -o q.json").done();
    place.write("study.toml", STUDY);
    place.run("study run study.toml -q --out done").done();
    for name in ["drawn", "run", "told", "piped", "planned"] {
        place.run(&format!("study run study.toml -q --out {name}")).done();
    }
    fs::remove_file(place.path("planned/.goalward-study")).unwrap();
    for name in THESIS {
        let path = place.path("thesis").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "mine\n").unwrap();
    }
    fs::hard_link(place.path("p.json"), place.path("hard")).unwrap();
    symlink("p.json", place.path("soft")).unwrap();
    symlink("thesis", place.path("linked")).unwrap();
    symlink("nowhere", place.path("dangling")).unwrap();
    symlink(".", place.path("around")).unwrap();
    symlink("around/soft", place.path("chain")).unwrap();
    fs::create_dir(place.path("folder")).unwrap();
    symlink("../thesis", place.path("folder/up")).unwrap();
    for (link, to) in [("drawn/figures", "figures"), ("run/runs", "runs")] {
        fs::remove_dir_all(place.path(link)).unwrap();
        symlink(place.path("thesis").join(to), place.path(link)).unwrap();
    }
    fs::remove_file(place.path("told/summary.md")).unwrap();
    symlink("../thesis/notes.txt", place.path("told/summary.md")).unwrap();
    fs::remove_file(place.path("piped/plan.json")).unwrap();
    for pipe in ["pipe", "piped/plan.json"] {
        assert!(std::process::Command::new("mkfifo").arg(place.path(pipe)).status().unwrap().success());
    }
    place
}

/// What a path is, and when it was changed last.
#[derive(Debug, PartialEq)]
enum Entry {
    File(Vec<u8>, SystemTime),
    Link(PathBuf),
    Folder,
    Other,
}

fn snapshot(dir: &Path, all: &mut BTreeMap<PathBuf, Entry>) {
    for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            snapshot(&path, all);
        }
        let what = match () {
            () if kind.is_symlink() => Entry::Link(fs::read_link(&path).unwrap()),
            () if kind.is_dir() => Entry::Folder,
            () if kind.is_file() => {
                Entry::File(fs::read(&path).unwrap(), entry.metadata().unwrap().modified().unwrap())
            }
            () => Entry::Other,
        };
        all.insert(path, what);
    }
}

/// Whether goalward may write it: the folders of studies have their locks, and what is new.
fn is_ours(place: &Place, path: &Path) -> bool {
    let inside = path.strip_prefix(place.0.path()).unwrap();
    let of_study = ["drawn", "run", "told"].iter().any(|name| inside.starts_with(name));
    inside.starts_with("new") || of_study && !path.is_symlink()
}

#[test]
fn nothing_of_the_users_changes() {
    let place = place();
    let mut before = BTreeMap::new();
    snapshot(place.0.path(), &mut before);
    before.retain(|path, _| !is_ours(&place, path));
    for (line, word) in REFUSED.iter().chain(REFUSED_TOO) {
        let mut command = assert_cmd::Command::new(goalward());
        command.args(line.split(' ')).current_dir(place.0.path()).timeout(Duration::from_secs(120));
        let ran = Ran::of(command.output().unwrap());
        assert_eq!(ran.code, Some(2), "{line}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains("error: ") && ran.err.contains(word), "{line}: {word}: {}", ran.err);
        let mut after = BTreeMap::new();
        snapshot(place.0.path(), &mut after);
        after.retain(|path, _| !is_ours(&place, path));
        for path in before.keys().chain(after.keys()) {
            assert!(before.get(path) == after.get(path), "{line}: {} changed", path.display());
        }
    }
}

/// A world through a pipe does not replace a foreign world file.
#[test]
fn a_piped_world_replaces_nobodys() {
    let place = Place::new();
    let world = place.run("export corridor").done().out;
    fs::create_dir(place.path("mine")).unwrap();
    place.write("mine/world.json", "mine");
    let mut command = assert_cmd::Command::new(goalward());
    let line = "compare - --learners random --seeds 1 --episodes 2 --force --out mine";
    command.args(line.split(' ')).current_dir(place.0.path()).write_stdin(world);
    Ran::of(command.output().unwrap()).refused(&["world.json", "no study's folder"]);
    assert_eq!(fs::read_dir(place.path("mine")).unwrap().count(), 1);
    assert_eq!(place.read("mine/world.json"), b"mine");
}
