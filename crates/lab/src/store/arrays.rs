//! A table of a study as columns, all jobs in their order.

use super::folder::opened;
use super::load::{manifest_of, table_file};
use super::manifest::Manifest;
use super::table_read::{Values, add_columns, belongs};
use crate::results::{Column, IDENTITY, TABLES};
use crate::{Error, Result};
use std::path::{Path, PathBuf};

/// The columns of a table over all finished jobs of a folder: those of [`IDENTITY`], and then the
/// table's own.
pub fn read_columns(dir: &Path, table: &str) -> Result<Vec<(&'static Column, Values)>> {
    let own = columns_of(table)?;
    let mut all: Vec<Values> = IDENTITY.iter().chain(own).map(Values::of).collect();
    each_file(dir, table, |manifest, path, bytes| {
        let run = manifest.identity();
        add_columns(bytes, table, &run, own, &mut all).map_err(|fault| Error::Damaged { path, fault })
    })?;
    Ok(IDENTITY.iter().chain(own).zip(all).collect())
}

/// The files of a table over all finished jobs of a folder. A file without a manifest, such as one of
/// a killed process, is not among them.
pub fn table_paths(dir: &Path, table: &str) -> Result<Vec<PathBuf>> {
    columns_of(table)?;
    let mut all = Vec::new();
    each_file(dir, table, |manifest, path, bytes| {
        let belongs = belongs(&bytes, table, &manifest.identity());
        all.push(path.clone());
        belongs.map_err(|fault| Error::Damaged { path, fault })
    })?;
    Ok(all)
}

fn columns_of(table: &str) -> Result<&'static [Column]> {
    let names: Vec<&str> = TABLES.iter().map(|(name, _)| *name).collect();
    let known = TABLES.iter().find(|(name, _)| *name == table).map(|(_, columns)| *columns);
    known.ok_or_else(|| Error::Option {
        option: "table",
        fault: format!("there is no table {table:?}; the tables are {}", names.join(", ")),
    })
}

fn each_file(
    dir: &Path,
    table: &str,
    mut act: impl FnMut(&Manifest, PathBuf, Vec<u8>) -> Result<()>,
) -> Result<()> {
    let (study, plan) = opened(dir)?;
    for job in &plan.jobs {
        let manifest = manifest_of(dir, &study, job)?.filter(|manifest| manifest.error.is_none());
        let Some(manifest) = manifest else { continue };
        if let Some((path, bytes)) = table_file(dir, &manifest, table)? {
            act(&manifest, path, bytes)?;
        }
    }
    Ok(())
}
