//! The crate's one error type.

use goalward::did_you_mean_first;
use std::path::{Path, PathBuf};

/// What the lab returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Wrong input or a failed write; [`Error::hint`] says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of the library: an unknown learner, a wrong setting, a file that cannot be read.
    #[error(transparent)]
    Goalward(#[from] goalward::Error),
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
    /// A directory holds files that goalward did not write.
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
    /// The text of a learner or a world with its settings has the wrong form.
    #[error("{kind} {text:?}: {fault}")]
    Form {
        /// `contender` or `world`.
        kind: &'static str,
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
    /// A figure or a report could not be made.
    #[error("the {what} could not be made: {reason}")]
    Unmade {
        /// Which of them.
        what: &'static str,
        /// Why not.
        reason: String,
    },
}

impl Error {
    /// What to do about it, where there is something to say.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Error::Goalward(error) => return error.hint(),
            Error::Form { kind: "world", .. } => {
                "write a world's id and its parameters, each behind an @: windy-grid@n=3".into()
            }
            Error::Form { .. } => "write a learner's id and its settings, each behind an @: \
                 levis++@radius=scaled:0.003@lambda=1"
                .into(),
            Error::Option { option, .. } => match *option {
                "contenders" => "give each contender once; seeds repeat a run".into(),
                "jobs" => {
                    "ask for fewer seeds or fewer points of the grids, or make several studies of it".into()
                }
                "merge" => "give at least one folder".into(),
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
            _ => return None,
        })
    }

    /// An I/O error with its path, for `map_err`.
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.to_path_buf();
        move |source| goalward::Error::Io { path, source }.into()
    }
}
