//! `cargo xtask soak NAME [ARGS]`: long sweeps that look for what must never happen. `cargo xtask
//! test` runs a small sample of each; a soak runs all of it, optimised, and fails with exit code 1
//! if it found something.

use crate::process::finish;
use crate::{cargo, laws, scripts};
use anyhow::Result;
use std::process::{Command, ExitCode};

/// A sweep: its name, the package whose target `soak_NAME` it is, and what it tries.
struct Soak {
    name: &'static str,
    package: &'static str,
    what: &'static str,
}

/// Those that are written in Python.
const SCRIPTS: &[(&str, &str)] = &[(DASK, "xtask/dask/kill.py"), (PYTHON, "xtask/python/crash.py")];
const DASK: &str = "dask";
/// The one that repeats tests.
const LAWS: &str = "laws";
const PYTHON: &str = "python";

const SOAKS: &[Soak] = &[
    Soak {
        name: "bootstrap",
        package: "goalward-lab",
        what: "how often 95 % intervals cover: Student's t, percentiles, BCa; bootstrap [SAMPLES], 2,000",
    },
    Soak {
        name: "checkpoints",
        package: "goalward-cli",
        what: "corrupted checkpoints of every learner, as they are and with the checksum made \
               anew; N, and M through processes",
    },
    Soak {
        name: "coverage",
        package: "goalward-lab",
        what: "how often every confidence set loses theta*, on easy and nasty problems; --seeds N, --steps N",
    },
    Soak {
        name: DASK,
        package: "goalward-python",
        what: "a study on two Dask workers, which are killed 20 times: the same records; dask [KILLS]",
    },
    Soak {
        name: "fits",
        package: "goalward",
        what: "how often the intervals of `goalward fit` have all weights, and a policy's range its cost; \
               fits [RUNS [STEPS]], 1,000 and 10,000",
    },
    Soak {
        name: "distances",
        package: "goalward",
        what: "200 audited runs of lr: G_t <= 17 Gamma_t at every step, and no lemma fails; distances [RUNS \
               [STEPS]], 200 and 20,000",
    },
    Soak {
        name: PYTHON,
        package: "goalward-python",
        what: "40 interpreters that end while threads work, 20 forks, 5,000 reads of every attribute while \
               another thread observes; python [ENDS [FORKS [READS]]]",
    },
    Soak {
        name: "serve",
        package: "goalward-cli",
        what: "a session of a million steps, its memory; 100 kills; 100,000 lines that are nearly \
               requests; serve [STEPS [KILLS [LINES]]]",
    },
    Soak {
        name: "studies",
        package: "goalward-cli",
        what: "a study of forty jobs, killed at 100 random moments, and 60 pairs of shards in one folder by \
               processes of the same number: the same records; studies [KILLS [PAIRS]]",
    },
    Soak {
        name: "mdps",
        package: "goalward-mdp",
        what: "5,000 random models against the exact enumeration of their policies",
    },
    Soak {
        name: "steps",
        package: "goalward",
        what: "three learners on random problems of all worlds, up to 10,000 pairs: no step takes more than a \
               second; steps [PROBLEMS [EPISODES [SECONDS [FIRST [STREAM]]]]], 200, 300 and 60",
    },
    Soak {
        name: LAWS,
        package: "goalward",
        what: "what proptest checks, with other cases each time, after a seed that is printed; \
               laws [ROUNDS [SEED]], 20",
    },
    Soak {
        name: "models",
        package: "goalward",
        what: "models of others, whose exact answers are known; models [FOLDER], ../shared/bench",
    },
    Soak {
        name: "misfit",
        package: "goalward",
        what: "how often a true mixture is rejected, and how often a wind that no model has is \
               found; misfit [RUNS [MISSPECIFIED]], 1,000 and 100",
    },
];

pub(crate) fn run(args: &[&str]) -> Result<ExitCode> {
    let script = |name: &str| SCRIPTS.iter().find(|(soak, _)| *soak == name).map(|(_, path)| *path);
    let known = |name: &str| SOAKS.iter().find(|soak| soak.name == name);
    match args {
        [LAWS, rest @ ..] => laws::run(rest),
        [name, rest @ ..] if script(name).is_some() => scripts::run(script(name).unwrap_or_default(), rest),
        [name, rest @ ..] if known(name).is_some() => {
            let package = known(name).map_or("", |soak| soak.package);
            let target = format!("soak_{name}");
            let mut command = Command::new(cargo());
            command.args(["bench", "--quiet", "--package", package, "--bench", &target, "--"]).args(rest);
            finish(command)
        }
        _ => {
            if let [name, ..] = args {
                eprintln!("error: there is no soak {name:?}");
            }
            eprintln!("usage: cargo xtask soak NAME [ARGS]");
            for Soak { name, what, .. } in SOAKS {
                eprintln!("  {name:<16}{what}");
            }
            Ok(ExitCode::from(2))
        }
    }
}
