//! What is made from the records of a study: answers, figures, a summary and a report.

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

/// Reads the records of a folder, answers, draws, and writes summary.md, report.html and figures/
/// into it. `look` changes how things are shown: the figures, labels and questions of a study file
/// may have changed since the runs, which need not be run again for that. Records are found by world
/// and learner; what the file asks beyond them is among the warnings.
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
