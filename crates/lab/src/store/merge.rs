//! Parts of a study that were run in several folders, put together in one.

use super::carried::Carried;
use super::folder::{StudyFolder, finished, opened};
use crate::grid::Job;
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// Copies every finished job of the parts into `dir`, which becomes the folder of the whole study.
/// Parts of different studies or versions are an error, and so are records that are damaged or
/// another run's, and two results of one job that differ. Then nothing is changed. How many jobs
/// were copied.
pub fn merge(parts: &[impl AsRef<Path>], dir: &Path) -> Result<usize> {
    let Some(first) = parts.first() else {
        return Err(Error::Option { option: "merge", fault: "there are no parts".into() });
    };
    let (study, plan) = opened(first.as_ref())?;
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
    let jobs: BTreeMap<&str, &Job> = plan.jobs.iter().map(|job| (job.hash.as_str(), job)).collect();
    let mut results = BTreeMap::new();
    for part in parts {
        for hash in finished(part.as_ref())? {
            let Some(job) = Carried::of(part.as_ref(), &hash)? else { continue };
            let manifest = job.check_for(&study, jobs.get(hash.as_str()).copied(), &plan.build)?;
            if manifest.error.is_some() {
                continue;
            }
            let (from, files) = results.entry(hash).or_insert((part.as_ref(), manifest.files.clone()));
            if *files != manifest.files {
                return Err(job.refused(format!("it has another result than in {}", from.display())));
            }
        }
    }
    for (hash, (from, files)) in &results {
        // a damaged one is replaced
        let there = Carried::of(dir, hash).ok().flatten().and_then(|there| there.checked().ok());
        if there.is_some_and(|there| there.error.is_none() && there.files != *files) {
            let fault = format!("it has another result than in {}", dir.display());
            return Err(Error::Records { from: (*from).into(), job: hash.clone(), fault });
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
