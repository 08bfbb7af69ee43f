//! What fits into memory: said before it is filled, since a process that asks for too much is killed without a word.

use super::{Instance, Problem};
use crate::{Error, Result};
use std::fmt;
use std::path::{Path, PathBuf};

/// The memory that is free for use, in bytes, where the system says so (Linux): the least that is left of the machine's memory, of
/// the limits of the control groups that the process is in (containers are ended by those), and of its own limits on
/// address space and data (`ulimit -v`, `ulimit -d`). Of the last two half counts: they limit what is reserved, and an array
/// that grows reserves up to twice what it holds.
pub fn available() -> Option<u64> {
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

/// An error that states both sizes if so many bytes are more than is free.
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

/// The groups of a process, from its own up to the root, from the text of /proc/self/cgroup. A container sees its own
/// group as the root, and may be told another path: so the root is always among them.
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

/// What work on a problem takes, part by part, as an estimate from above: to be said, and asked for, before it begins.
///
/// Shown as `1.47 GB (the problem 1.03 GB, 2 runs of 0.22 GB each)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// The problem and its truth, in bytes; they are there already.
    pub problem: u64,
    /// What planning on the truth takes while it lasts.
    pub solving: u64,
    /// What stays of it.
    pub solution: u64,
    /// The tables of the largest learner.
    pub learner: u64,
    /// How many runs there are at a time.
    pub runs: u64,
}

impl Need {
    /// Planning on the truth, and nothing else.
    pub fn solving(instance: &Instance) -> Need {
        let problem: &Problem = &instance.problem;
        let (pairs, states, rows) = (problem.pairs() as u64, problem.states() as u64, all_rows(problem));
        Need {
            problem: instance.bytes() as u64,
            // the transitions with their probabilities, backwards, and once more in the order of components
            solving: 28 * rows + 40 * pairs + 80 * states,
            solution: 8 * pairs + 48 * states,
            learner: 0,
            runs: 0,
        }
    }

    /// The same, and runs of a learner whose tables take so many bytes ([`learners::bytes`](crate::learners::bytes)).
    pub fn runs(instance: &Instance, learner: u64, runs: u64) -> Need {
        Need { learner, runs, ..Need::solving(instance) }
    }

    /// All of it.
    pub fn total(&self) -> u64 {
        self.problem + self.more()
    }

    /// What comes on top of the problem.
    fn more(&self) -> u64 {
        self.solving.max(self.solution + self.learner * self.runs)
    }

    /// An error that states the sizes if what is free does not suffice for what comes on top of the problem.
    pub fn require(&self) -> Result<()> {
        match available() {
            Some(free) if self.more() > free => Err(Error::Memory {
                what: format!("this work needs {self}; what comes on top of the problem"),
                bytes: self.more(),
                free,
            }),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let gigabytes = |bytes: u64| format!("{:.2} GB", bytes as f64 / 1e9);
        write!(f, "{} (the problem {}", gigabytes(self.total()), gigabytes(self.problem))?;
        if self.solving >= self.solution + self.learner * self.runs {
            write!(f, ", planning on the truth {}", gigabytes(self.solving))?;
        } else if self.runs == 1 {
            write!(f, ", the learner {}", gigabytes(self.learner))?;
        } else {
            write!(f, ", {} runs at a time of {} each", self.runs, gigabytes(self.learner))?;
        }
        f.write_str(")")
    }
}

/// The feature rows of all pairs.
pub(crate) fn all_rows(problem: &Problem) -> u64 {
    problem.pairs().checked_sub(1).map_or(0, |last| problem.rows(last).end) as u64
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

    #[test]
    fn needs_add_up_and_say_what_of() {
        let need = Need { problem: 1_000_000_000, solving: 300_000_000, solution: 0, learner: 0, runs: 0 };
        assert_eq!(need.total(), 1_300_000_000);
        assert_eq!(need.to_string(), "1.30 GB (the problem 1.00 GB, planning on the truth 0.30 GB)");
        let need = Need { solution: 20_000_000, learner: 200_000_000, runs: 2, ..need };
        assert_eq!(need.to_string(), "1.42 GB (the problem 1.00 GB, 2 runs at a time of 0.20 GB each)");
        need.require().unwrap();
        if available().is_some() {
            let error = Need { learner: 1 << 60, runs: 1, ..need }.require().unwrap_err().to_string();
            assert!(error.contains("the problem 1.00 GB") && error.contains("of memory are free"), "{error}");
        }
    }
}
