//! Where the records of a study are kept: one small Parquet file for each job and table, one
//! manifest for each job, and the question beside them.

pub mod columns;
mod table_file;

pub(crate) use table_file::{Identity, decode, encode};
