//! Answers, figures, a summary and a report from the records of a study.

use crate::analysis::{Findings, analyse};
use crate::results::Results;
use crate::store::{StudyFolder, load};
use crate::study::Study;
use crate::{Error, Result, pictures, report};
use std::path::PathBuf;

/// A study's answer, and the files that show it.
#[derive(Debug)]
pub struct Presented {
    /// The records.
    pub results: Results,
    /// What they say.
    pub findings: Findings,
    /// The files that were written.
    pub files: Vec<PathBuf>,
}

/// Reads the records of a folder, and writes summary.md, report.html and figures/ into it. `look` is the
/// study's file with other figures, labels and questions than at the time of the runs. Records are found
/// by world and learner; changes that they do not reflect are among the warnings.
pub fn present(folder: &StudyFolder, look: Option<&Study>) -> Result<Presented> {
    let Presented { results, findings, mut files } = answer(folder, look)?;
    let mut drawn = Vec::new();
    for spec in &results.study.figures {
        for picture in pictures::draw(&results, spec)? {
            for (format, bytes) in picture.files.iter().filter(|(format, _)| spec.formats.contains(format)) {
                files.push(folder.write(&format!("figures/{}.{}", picture.name, format.ending()), bytes)?);
            }
            drawn.push(picture);
        }
    }
    files.push(folder.write("summary.md", findings.summary(&results).as_bytes())?);
    files.push(folder.write("report.html", report::html(&results, &findings, &drawn)?.as_bytes())?);
    Ok(Presented { results, findings, files })
}

/// The same without a file. Nearly all the time of [`present`] goes into figures, too much of it to
/// wait for after Ctrl-C.
pub fn answer(folder: &StudyFolder, look: Option<&Study>) -> Result<Presented> {
    let mut results = load(folder.path())?;
    if let Some(look) = look {
        let none = || Error::Output {
            path: folder.path().into(),
            fault: format!(
                "it has no run of the worlds, lengths and learners that the study {:?} asks for",
                look.name
            ),
        };
        results = results.under(look).ok_or_else(none)?;
    }
    let findings = analyse(&results);
    Ok(Presented { results, findings, files: Vec::new() })
}
