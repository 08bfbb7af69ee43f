//! Free memory, checked before use: a process that asks for too much is killed without a word.

use crate::{Error, Result};
use std::path::{Path, PathBuf};

/// The free memory in bytes, where the system tells (Linux): the least of the machine's, the
/// control groups' and the process's own limits (`ulimit -v`, `ulimit -d`). Of the last two half
/// counts: they limit reservations, and an array that grows reserves up to twice what it holds.
pub(crate) fn available() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let status = read("/proc/self/status").unwrap_or_default();
    let limits = read("/proc/self/limits").unwrap_or_default();
    let own = [("Max address space", "VmSize:"), ("Max data size", "VmData:")].map(|(limit, taken)| {
        Some(soft_limit(&limits, limit)?.saturating_sub(kilobytes(&status, taken).unwrap_or(0)) / 2)
    });
    let groups = groups(&read("/proc/self/cgroup").unwrap_or_default());
    let of_groups = groups.iter().filter_map(|group| group.free());
    let machine = read("/proc/meminfo").and_then(|text| kilobytes(&text, "MemAvailable:"));
    machine.into_iter().chain(own.into_iter().flatten()).chain(of_groups).min()
}

/// An error that states both sizes if fewer bytes than these are free.
pub fn require(what: &str, bytes: u64) -> Result<()> {
    match available() {
        Some(free) if bytes > free => Err(Error::Memory { what: what.into(), bytes, free }),
        _ => Ok(()),
    }
}

/// The value of a line `KEY   123 kB`, in bytes.
fn kilobytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The soft limit of a line of /proc/self/limits, in bytes; none if there is no limit.
fn soft_limit(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

/// The files of a control group that limits memory.
#[derive(Debug, PartialEq)]
struct Group {
    limit: PathBuf,
    taken: PathBuf,
    stat: PathBuf,
    /// The line of `stat` with cached pages that are given back before anything is refused.
    cached: &'static str,
}

impl Group {
    fn free(&self) -> Option<u64> {
        let read = |path: &Path| std::fs::read_to_string(path).ok();
        let stat = read(&self.stat).unwrap_or_default();
        left(&read(&self.limit)?, &read(&self.taken)?, &stat, self.cached)
    }
}

/// What a group has left; none if it has no limit (`max`, or a number beyond all memory).
fn left(limit: &str, taken: &str, stat: &str, cached: &str) -> Option<u64> {
    let limit: u64 = limit.trim().parse().ok().filter(|limit| *limit < 1 << 60)?;
    let taken: u64 = taken.trim().parse().ok()?;
    let cached = stat.lines().find_map(|line| line.strip_prefix(cached)?.strip_prefix(' '));
    let cached = cached.and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    Some(limit.saturating_sub(taken.saturating_sub(cached)))
}

/// The control groups of a process up to the root, which a container sees as its own group.
fn groups(text: &str) -> Vec<Group> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let (root, names, cached) = match controllers {
            "" => ("/sys/fs/cgroup", ["memory.max", "memory.current"], "inactive_file"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                let names = ["memory.limit_in_bytes", "memory.usage_in_bytes"];
                ("/sys/fs/cgroup/memory", names, "total_inactive_file")
            }
            _ => continue,
        };
        for path in Path::new(path).ancestors() {
            let folder = Path::new(root).join(path.strip_prefix("/").unwrap_or(path));
            let [limit, taken] = names.map(|name| folder.join(name));
            found.push(Group { limit, taken, stat: folder.join("memory.stat"), cached });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_much_is_refused_with_both_sizes() {
        require("a little", 1).unwrap();
        if available().is_some() {
            let error = require("the features", u64::MAX).unwrap_err();
            let text = error.to_string();
            assert!(text.contains("the features") && text.contains("GB") && error.hint().is_some(), "{text}");
        }
    }

    #[test]
    fn lines_with_sizes_are_read() {
        let meminfo = "MemTotal:       24576000 kB\nMemFree:  5 kB\nMemAvailable:   1000 kB\n";
        assert_eq!(kilobytes(meminfo, "MemAvailable:"), Some(1_024_000));
        assert_eq!(kilobytes(meminfo, "SwapFree:"), None);
        assert_eq!(kilobytes("VmSize: 12 MB", "VmSize:"), None);
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max cpu time              unlimited            unlimited            seconds   \n\
                      Max data size             unlimited            unlimited            bytes     \n\
                      Max address space         2097152000           unlimited            bytes     \n";
        assert_eq!(soft_limit(limits, "Max address space"), Some(2_097_152_000));
        assert_eq!(soft_limit(limits, "Max data size"), None);
        assert_eq!(soft_limit("", "Max data size"), None);
    }

    #[test]
    fn a_control_group_leaves_its_limit_less_what_is_taken() {
        let stat = "anon 5\ninactive_file 300\nactive_file 7\n";
        assert_eq!(left("1000\n", "600\n", stat, "inactive_file"), Some(700));
        assert_eq!(left("1000\n", "600\n", "", "inactive_file"), Some(400));
        assert_eq!(left("500\n", "600\n", "", "inactive_file"), Some(0));
        assert_eq!(left("max\n", "600\n", stat, "inactive_file"), None);
        assert_eq!(left("9223372036854771712\n", "600\n", stat, "inactive_file"), None);
        assert_eq!(left("1000\n", "", stat, "inactive_file"), None);
        // the line of version 1 must not be taken for that of another name
        assert_eq!(
            left("1000\n", "600\n", "inactive_file 9\ntotal_inactive_file 50\n", "total_inactive_file"),
            Some(450)
        );
    }

    #[test]
    fn all_groups_up_to_the_root_count() {
        let limits = |text: &str| -> Vec<String> {
            groups(text).into_iter().map(|group| group.limit.display().to_string()).collect()
        };
        assert_eq!(
            limits("0::/user.slice/run.scope\n"),
            [
                "/sys/fs/cgroup/user.slice/run.scope/memory.max",
                "/sys/fs/cgroup/user.slice/memory.max",
                "/sys/fs/cgroup/memory.max"
            ]
        );
        assert_eq!(
            limits("11:cpu,cpuacct:/a\n9:memory:/docker/b\n"),
            [
                "/sys/fs/cgroup/memory/docker/b/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/docker/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes"
            ]
        );
        assert_eq!(limits("0::/"), ["/sys/fs/cgroup/memory.max"]);
        assert!(limits("nonsense\n\n1:name=systemd:/x").is_empty());
    }
}
