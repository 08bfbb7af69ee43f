//! Copies of the workspace, to change and build.

use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes a copy equal to the tree. Equal files keep their time, so that they are not built again.
pub(crate) fn copy(root: &Path, to: &Path) -> Result<()> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .context("cannot run git")?;
    if !listed.status.success() {
        bail!("git cannot list the files of {}", root.display());
    }
    let names = String::from_utf8(listed.stdout).context("a file's name is not UTF-8")?;
    let mut kept = BTreeSet::new();
    for name in names.split('\0').filter(|name| !name.is_empty() && root.join(name).is_file()) {
        let there = to.join(name);
        let content = fs::read(root.join(name)).with_context(|| format!("cannot read {name}"))?;
        if fs::read(&there).ok().as_ref() != Some(&content) {
            fs::create_dir_all(there.parent().unwrap_or(to))?;
            fs::write(&there, content).with_context(|| format!("cannot write {}", there.display()))?;
        }
        kept.insert(there);
    }
    remove_others(to, &kept)
}

fn remove_others(folder: &Path, kept: &BTreeSet<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            remove_others(&path, kept)?;
        } else if !kept.contains(&path) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_follows_the_tree() {
        let home = std::env::temp_dir().join(format!("xtask-tree-{}", std::process::id()));
        let (from, to) = (home.join("from"), home.join("to"));
        fs::create_dir_all(from.join("src")).unwrap();
        fs::write(from.join("src/a.rs"), "a").unwrap();
        let git = Command::new("git").arg("init").arg("--quiet").current_dir(&from).status();
        assert!(git.unwrap().success());
        copy(&from, &to).unwrap();
        let made = fs::metadata(to.join("src/a.rs")).unwrap().modified().unwrap();
        fs::write(from.join("b.rs"), "b").unwrap();
        fs::write(to.join("src/c.rs"), "left over").unwrap();
        copy(&from, &to).unwrap();
        assert_eq!(fs::metadata(to.join("src/a.rs")).unwrap().modified().unwrap(), made);
        assert_eq!(fs::read_to_string(to.join("b.rs")).unwrap(), "b");
        assert!(!to.join("src/c.rs").exists());
        fs::write(to.join("b.rs"), "changed").unwrap();
        copy(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("b.rs")).unwrap(), "b");
        fs::remove_dir_all(home).unwrap();
    }
}
