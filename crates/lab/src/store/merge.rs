//! Parts of a study that were run in several folders, put together in one.

use super::carried::Carried;
use super::folder::{StudyFolder, finished, opened};
use crate::{Error, Result};
use std::path::Path;

/// Copies every finished job of the parts into `dir`, which becomes the folder of the whole study.
/// Parts of different studies or versions are an error; so are two results of one job that differ.
/// How many jobs were copied.
pub fn merge(parts: &[impl AsRef<Path>], dir: &Path) -> Result<usize> {
    let Some(first) = parts.first() else { return Err(Error::Nothing { what: "parts" }) };
    let (_, plan) = opened(first.as_ref())?;
    for part in parts {
        let (_, other) = opened(part.as_ref())?;
        if other != plan {
            let fault = format!(
                "it is not a part of the same study, by the same version, as {}",
                first.as_ref().display()
            );
            return Err(Error::Output { path: part.as_ref().into(), fault });
        }
    }
    let folder = StudyFolder::gather(dir, first.as_ref())?;
    let mut copied = 0;
    for part in parts {
        let part = part.as_ref();
        for hash in finished(part)? {
            let job = Carried::of(part, &hash)?;
            copied += usize::from(job.map_or(Ok(false), |job| folder.adopt(&job))?);
        }
    }
    Ok(copied)
}
