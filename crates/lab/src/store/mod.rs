//! Where the records of a study are kept: one small Parquet file for each job and table, one
//! manifest for each job, and the question beside them.

mod carried;
mod export;
mod folder;
mod load;
mod manifest;
mod mark;
mod merge;
mod owned;
mod pages;
mod status;
mod table_read;
mod table_write;

pub use carried::Carried;
pub use export::export_csv;
pub use folder::StudyFolder;
pub use load::{load, read_columns, table_paths};
pub use mark::{link_newest, write_beside};
pub use merge::merge;
pub use status::{Status, status};
pub use table_read::Values;

pub(crate) use manifest::{Manifest, Saved, Times};
