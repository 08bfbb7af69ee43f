//! A study packed for another machine: all that its jobs need, without a file system in common.

use crate::grid::{Grid, build};
use crate::results::Build;
use crate::study::{self, Study, StudyFile};
use crate::{Error, Place, Result};
use goalward::output::replace;
use goalward::worlds;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A study and the files that its worlds are read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parcel {
    /// The study and its build, as JSON.
    pub head: String,
    /// The content of every file that a world is read from, by its path.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// What [`Parcel::head`] says, as JSON.
#[derive(Serialize, Deserialize)]
struct ParcelHead {
    build: Build,
    name: String,
    study: String,
    /// The worlds, because only this machine can see whether a text with an @ in it names a file.
    places: Vec<Place>,
}

impl Parcel {
    /// Packs the study of an open grid.
    pub fn pack(grid: &Grid) -> Result<Parcel> {
        let study = &grid.study;
        let places: Vec<Place> = study.worlds.iter().map(|world| world.place.clone()).collect();
        let mut files = BTreeMap::new();
        for place in &places {
            let Ok(worlds::Place::File(path)) = worlds::locate(&place.world) else { continue };
            if files.contains_key(&place.world) {
                continue;
            }
            if !fs::metadata(path).map_err(Error::io(path))?.is_file() {
                let fault = "it is no file: what comes through a pipe comes once, and cannot be sent on";
                return Err(Error::Output { path: path.into(), fault: fault.into() });
            }
            files.insert(place.world.clone(), fs::read(path).map_err(Error::io(path))?);
        }
        let head =
            ParcelHead { build: build(), name: study.name.clone(), study: study::write(study), places };
        Ok(Parcel { head: serde_json::to_string(&head).unwrap_or_default(), files })
    }

    /// Opens the same grid somewhere else: every job has the same hash. The files of the worlds are
    /// put into `dir`. A parcel of another version of goalward is an error.
    pub fn open(&self, dir: &Path) -> Result<Grid> {
        let refuse = |fault: String| Error::Option { option: "parcel", fault };
        let head: ParcelHead = serde_json::from_str(&self.head)
            .map_err(|e| refuse(format!("this is no study, or one of another version of goalward: {e}")))?;
        if head.build != build() {
            return Err(refuse(format!("the study was sent by {}; this is {}", head.build, build())));
        }
        let mut study: Study = study::reread(&head.study, Path::new("study.toml"))?;
        study.name = head.name;
        if study.worlds.len() != head.places.len() {
            return Err(refuse("its worlds are not those of its question".into()));
        }
        for (world, place) in study.worlds.iter_mut().zip(head.places) {
            world.place = place;
        }
        let put = self.unpack(dir)?;
        Grid::open_with(&StudyFile::without_file(study), &|place| match put.get(place.world.as_str()) {
            Some(path) => worlds::open_file(path, &place.params),
            None => worlds::open(&place.world, &place.params),
        })
    }

    /// Where each file lies now. Each keeps its name, which is part of a job's hash.
    fn unpack(&self, dir: &Path) -> Result<BTreeMap<&str, PathBuf>> {
        let mut put = BTreeMap::new();
        for (n, (world, content)) in self.files.iter().enumerate() {
            let folder = dir.join(n.to_string());
            fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
            let path = folder.join(Path::new(world).file_name().unwrap_or_default());
            replace(&path, content)?;
            put.insert(world.as_str(), path);
        }
        Ok(put)
    }
}
