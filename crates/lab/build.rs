//! The commit that the program is built from: a part of what determines a result.

use std::path::Path;
use std::process::Command;

fn main() {
    let git = |args: &[&str]| {
        let output = Command::new("git").args(args).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_else(|| "unknown".into());
    // what is compiled: documents do not change a result
    let changed = git(&[
        "status",
        "--porcelain",
        "--",
        "../numeric/src",
        "../mdp/src",
        "../goalward/src",
        "../lab/src",
    ]);
    let mark = if changed.is_some_and(|files| !files.is_empty()) { "+" } else { "" };
    println!("cargo:rustc-env=GOALWARD_COMMIT={commit}{mark}");
    println!("cargo:rerun-if-changed=src");
    for library in ["numeric", "mdp", "goalward"] {
        println!("cargo:rerun-if-changed=../{library}/src");
    }
    if let Some(folder) = git(&["rev-parse", "--absolute-git-dir"]) {
        // a commit or a checkout writes the log of HEAD
        let log = Path::new(&folder).join("logs/HEAD");
        let file = if log.exists() { log } else { Path::new(&folder).join("HEAD") };
        println!("cargo:rerun-if-changed={}", file.display());
    }
}
