//! The crate's one error type.

use goalward::did_you_mean_first;
use std::path::{Path, PathBuf};

/// What the lab returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Wrong input or a failed write; [`Error::hint`] says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The library refused: an unknown learner, a wrong setting, a world that cannot be solved.
    #[error(transparent)]
    Goalward(#[from] goalward::Error),
    /// A file or directory could not be written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A file or directory must not be written.
    #[error("{}: {fault}", path.display())]
    Output {
        /// The file or directory.
        path: PathBuf,
        /// Why not.
        fault: String,
    },
    /// The records of a job that was run elsewhere cannot be taken.
    #[error("{}: job {job}: {fault}", from.display())]
    Records {
        /// Where they come from: a folder, or the address of a machine.
        from: PathBuf,
        /// The job.
        job: String,
        /// Why not.
        fault: String,
    },
    /// A file of a study's folder is not as it was written.
    #[error("{}: {fault}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: String,
    },
    /// A directory holds other results.
    #[error("{} holds {what}", dir.display())]
    Taken {
        /// The directory.
        dir: PathBuf,
        /// What it holds.
        what: String,
    },
    /// A directory is somebody else's.
    #[error("{} holds {what}", dir.display())]
    Foreign {
        /// The directory.
        dir: PathBuf,
        /// What it holds.
        what: String,
    },
    /// Another process is at work on a folder.
    #[error("{}: another goalward is at work on this study", dir.display())]
    Busy {
        /// The folder.
        dir: PathBuf,
    },
    /// A contender's text has the wrong form.
    #[error("contender {text:?}: {fault}")]
    Contender {
        /// What was given.
        text: String,
        /// What is wrong with it.
        fault: String,
    },
    /// A world's text has the wrong form.
    #[error("world {text:?}: {fault}")]
    Place {
        /// What was given.
        text: String,
        /// What is wrong with it.
        fault: String,
    },
    /// An option of a study has a value that cannot be.
    #[error("{option}: {fault}")]
    Option {
        /// The option.
        option: &'static str,
        /// What is wrong with it.
        fault: String,
    },
    /// A study file says something that cannot be.
    #[error("{}:{line}:{column}: {}{fault}\n{excerpt}", path.display(), if key.is_empty() { String::new() } else { format!("{key}: ") })]
    Study {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The key that it is about.
        key: String,
        /// What is wrong, and what is allowed.
        fault: String,
        /// The line with a mark below the place.
        excerpt: String,
    },
    /// There is no study of that name.
    #[error("there is no study {name:?}")]
    NoStudy {
        /// The name.
        name: String,
        /// Those that come with the program.
        known: Vec<&'static str>,
    },
    /// Two contenders have the same label, so that tables and legends could not tell them apart.
    #[error("two contenders are called {label:?}")]
    SameLabel {
        /// The label.
        label: String,
    },
    /// There is nothing to run.
    #[error("nothing to run: no {what}")]
    Nothing {
        /// What is missing: "contenders", "seeds" ...
        what: &'static str,
    },
    /// A figure could not be drawn.
    #[error("the figure could not be drawn: {reason}")]
    Figure {
        /// Why not.
        reason: String,
    },
    /// A report could not be made.
    #[error("the report could not be made: {reason}")]
    Report {
        /// Why not.
        reason: String,
    },
}

impl Error {
    /// What to do about it, where there is something to say.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Error::Goalward(error) => return error.hint(),
            Error::Contender { .. } => "write a learner's id and its settings, each behind an @: \
                 levis++@radius=scaled:0.003@lambda=1"
                .into(),
            Error::Place { .. } => {
                "write a world's id and its parameters, each behind an @: windy-grid@n=3".into()
            }
            Error::Option { option, .. } => match *option {
                "delta" => "give a probability, such as 0.1".into(),
                "against" => "name it as it stands among the learners".into(),
                "learners" => "lr, levis++lr, levis++, rho-levis++ and levis have confidence sets; optimal \
                     and random have none"
                    .into(),
                "factors" => "for instance from 1 down to 0.00001".into(),
                "per-decade" => "4 tries 1, 0.562, 0.316, 0.178, 0.1, ...".into(),
                "episodes" => "for instance 1000,10000,100000".into(),
                "lengths" => "for instance 4,40,400".into(),
                "jobs" => {
                    "ask for fewer seeds or fewer points of the grids, or make several studies of it".into()
                }
                "dim" => "the hard instance has 2^(d-1) actions: 2 is the least".into(),
                "b-star" => "every step costs 1, so that V* is at least 1: for instance 2.5".into(),
                _ => return None,
            },
            Error::Busy { .. } => "wait for it or stop it, or name another folder with --out".into(),
            Error::Taken { .. } => "--out names another folder; --force overwrites what is there".into(),
            Error::Foreign { .. } => "name a new or an empty folder, or move the file away: --force \
                 removes goalward's own results alone; `goalward study merge DIR --out NEW` takes the records \
                 of a study over"
                .into(),
            Error::Output { .. } => "--out names another folder".into(),
            Error::Damaged { .. } | Error::Records { .. } => "take a fresh copy of the folder that it comes \
                 from, or run the study there again: what is missing or damaged is made anew"
                .into(),
            Error::NoStudy { name, known } => {
                let meant = did_you_mean_first(name, known.iter().copied());
                format!("{meant}give a file, or one of {}", known.join(", "))
            }
            Error::SameLabel { .. } => "give each contender once; seeds repeat a run".into(),
            Error::Nothing { what } => format!("give at least one of the {what}"),
            _ => return None,
        })
    }

    /// An I/O error with its path, for `map_err`.
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.to_path_buf();
        move |source| Error::Io { path, source }
    }
}
