//! Rows from Parquet. No file is trusted: what a header says is checked, nothing is reserved on its
//! word, and a panic of the library is an error.

use super::pages;
use super::table_write::{Identity, physical};
use crate::results::{Column, IDENTITY, Kind, SCHEMA, TABLES, TableRow};
use bytes::Bytes;
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result as Parquet};
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::ColumnDescPtr;
use serde_json::{Map, Value};
use std::cell::Cell;
use std::panic;
use std::sync::Once;

/// Rows that are read at a time: no more are reserved.
const STEP: usize = 4096;
/// More than any text of a record has.
const LONGEST_TEXT: usize = 1 << 16;
/// What takes less is not asked for.
const ASKED: usize = 100_000_000;

/// The rows of a run's file; nothing if it has no row.
pub(crate) fn decode<R: TableRow>(bytes: Vec<u8>, run: &Identity) -> Result<Vec<R>, String> {
    let mut rows = Vec::new();
    scan(bytes, R::TABLE, run, size_of::<R>(), R::COLUMNS, |cells| {
        let mut cells: Vec<_> = cells.into_iter().map(Vec::into_iter).collect();
        while let Some(row) = cells.iter_mut().map(Iterator::next).collect::<Option<Vec<Value>>>() {
            let names = R::COLUMNS.iter().map(|column| column.name.to_string());
            let row: Map<String, Value> = names.zip(row).collect();
            rows.push(serde_json::from_value(Value::Object(row)).map_err(said)?);
        }
        Ok(())
    })?;
    Ok(rows)
}

/// Whether all rows of a file belong to this run; else what is wrong.
pub(super) fn belongs(bytes: &[u8], table: &str, run: &Identity) -> Result<(), String> {
    scan(bytes.to_vec(), table, run, 1, &[], |_| Ok(()))
}

/// A column of a table as numbers or texts, all of a kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Whole numbers.
    Count(Vec<u64>),
    /// Numbers; whole ones too, where some are missing. NaN stands for those.
    Real(Vec<f64>),
    /// Texts.
    Text(Vec<Option<String>>),
    /// Yes or no.
    Flag(Vec<Option<bool>>),
}

impl Values {
    /// None so far, of a column's kind.
    pub(super) fn of(column: &Column) -> Values {
        match column.kind {
            Kind::Count if !column.optional => Values::Count(Vec::new()),
            Kind::Count | Kind::Real => Values::Real(Vec::new()),
            Kind::Text => Values::Text(Vec::new()),
            Kind::Flag => Values::Flag(Vec::new()),
        }
    }

    fn add(&mut self, cells: impl Iterator<Item = Value>) {
        match self {
            Values::Count(all) => all.extend(cells.map(|cell| cell.as_u64().unwrap_or(0))),
            Values::Real(all) => all.extend(cells.map(|cell| cell.as_f64().unwrap_or(f64::NAN))),
            Values::Text(all) => all.extend(cells.map(|cell| cell.as_str().map(String::from))),
            Values::Flag(all) => all.extend(cells.map(|cell| cell.as_bool())),
        }
    }
}

/// Adds the rows of a run's file to columns: the four of [`IDENTITY`], and then the table's own.
pub(super) fn add_columns(
    bytes: Vec<u8>,
    table: &str,
    run: &Identity,
    columns: &[Column],
    all: &mut [Values],
) -> Result<(), String> {
    let own = |column| run.value(column);
    scan(bytes, table, run, 8 * (IDENTITY.len() + columns.len()), columns, |cells| {
        let rows = cells.first().map_or(0, Vec::len);
        let (lead, rest) = all.split_at_mut(IDENTITY.len());
        let lead = lead.iter_mut().zip(IDENTITY);
        lead.for_each(|(values, column)| values.add(std::iter::repeat_n(own(column), rows)));
        rest.iter_mut().zip(cells).for_each(|(values, cells)| values.add(cells.into_iter()));
        Ok(())
    })
}

/// Reads these columns of a table, some rows at a time, if all of them belong to a run.
fn scan(
    bytes: Vec<u8>,
    table: &str,
    run: &Identity,
    each: usize,
    columns: &[Column],
    mut see: impl FnMut(Vec<Vec<Value>>) -> Result<(), String>,
) -> Result<(), String> {
    contained(|| {
        let file = opened(bytes, table, each)?;
        for group in 0..file.num_row_groups() {
            let group = file.get_row_group(group).map_err(said)?;
            let n = usize::try_from(group.metadata().num_rows()).map_err(said)?;
            let wanted = IDENTITY.iter().chain(columns).enumerate();
            let cells = wanted.map(|(at, column)| Ok((column, cells(&*group, at, column)?)));
            let mut cells: Vec<(&Column, Cells)> = cells.collect::<Parquet<_>>().map_err(said)?;
            for first in (0..n).step_by(STEP) {
                let step = STEP.min(n - first);
                let mut read = Vec::with_capacity(columns.len());
                for (at, (column, next)) in cells.iter_mut().enumerate() {
                    let cells = next(step).map_err(said)?;
                    if cells.len() != step {
                        let found = first + cells.len();
                        return Err(format!("column {} has {found} of {n} values", column.name));
                    }
                    if at >= IDENTITY.len() {
                        read.push(cells);
                        continue;
                    }
                    let own = run.value(column);
                    if cells.iter().any(|cell| *cell != own) {
                        let name = column.name;
                        return Err(format!("its rows are those of another run: their {name} is not {own}"));
                    }
                }
                see(read)?;
            }
        }
        Ok(())
    })
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// A file whose columns are those of a table, if memory has room for its rows of `each` bytes. Its
/// header is checked as far as it can be.
fn opened(bytes: Vec<u8>, table: &str, each: usize) -> Result<SerializedFileReader<Bytes>, String> {
    let bytes = Bytes::from(bytes);
    let file = SerializedFileReader::new(bytes.clone()).map_err(said)?;
    let schema = file.metadata().file_metadata().schema_descr();
    let own = TABLES.iter().find(|(name, _)| *name == table).map_or(&[][..], |(_, columns)| columns);
    let columns = || IDENTITY.iter().chain(own);
    let kept = |(ours, theirs): (&Column, &ColumnDescPtr)| {
        let levels = (theirs.max_def_level(), theirs.max_rep_level());
        let physical = physical(ours.kind) == theirs.physical_type();
        ours.name == theirs.name() && physical && levels == (i16::from(ours.optional), 0)
    };
    if columns().count() != schema.num_columns() || !columns().zip(schema.columns()).all(kept) {
        return Err(format!("its columns are not those of the table {table} of schema {SCHEMA}"));
    }
    let mut rows = 0usize;
    for group in file.metadata().row_groups() {
        let n = group.num_rows();
        if group.columns().len() != schema.num_columns()
            || group.columns().iter().any(|c| c.num_values() != n)
        {
            return Err("its header contradicts itself: columns of different lengths".into());
        }
        for column in group.columns() {
            let (start, length) = column.byte_range();
            pages::check(&bytes, start..start.saturating_add(length))?;
        }
        rows = usize::try_from(n).ok().and_then(|n| rows.checked_add(n)).unwrap_or(usize::MAX);
    }
    if i64::try_from(rows) != Ok(file.metadata().file_metadata().num_rows()) {
        return Err("its header contradicts itself: its parts have another number of rows".into());
    }
    let need = rows.saturating_mul(each);
    if need > ASKED {
        goalward::memory::require("what its header promises", need as u64).map_err(said)?;
    }
    Ok(file)
}

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Turns a panic of the library over forged bytes into an error, silently.
fn contained<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    static HOOKED: Once = Once::new();
    HOOKED.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !CONTAINED.get() {
                before(info)
            }
        }));
    });
    let outer = CONTAINED.replace(true);
    let read = panic::catch_unwind(panic::AssertUnwindSafe(read));
    CONTAINED.set(outer);
    read.unwrap_or_else(|_| Err("its bytes are no table: they were changed".into()))
}

/// Gives at most the next n cells of a column.
type Cells = Box<dyn FnMut(usize) -> Parquet<Vec<Value>>>;

fn cells(group: &dyn RowGroupReader, at: usize, column: &Column) -> Parquet<Cells> {
    Ok(match column.kind {
        Kind::Count => Box::new(steps::<Int64Type>(group, at, column, |x| Ok((*x as u64).into()))?),
        Kind::Real => Box::new(steps::<DoubleType>(group, at, column, |x| Ok((*x).into()))?),
        Kind::Flag => Box::new(steps::<BoolType>(group, at, column, |x| Ok((*x).into()))?),
        Kind::Text => Box::new(steps::<ByteArrayType>(group, at, column, text)?),
    })
}

/// A text, which a file can name a million times in a few bytes.
fn text(cell: &ByteArray) -> Parquet<Value> {
    match cell.len() > LONGEST_TEXT {
        true => Err(ParquetError::General(format!("a text of {} bytes", cell.len()))),
        false => cell.as_utf8().map(Value::from),
    }
}

/// Reads a column step by step.
fn steps<T: DataType>(
    group: &dyn RowGroupReader,
    at: usize,
    column: &Column,
    cell: fn(&T::T) -> Parquet<Value>,
) -> Parquet<impl FnMut(usize) -> Parquet<Vec<Value>> + use<T>> {
    let mut reader = get_typed_column_reader::<T>(group.get_column_reader(at)?);
    let optional = column.optional;
    Ok(move |n| {
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        reader.read_records(n, optional.then_some(&mut levels), None, &mut values)?;
        let mut values = values.iter();
        if !optional {
            return values.map(cell).collect();
        }
        let mut next = |level: &i16| match level {
            0 => Ok(Value::Null),
            _ => values.next().map_or(Ok(Value::Null), cell),
        };
        levels.iter().map(&mut next).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::super::table_write::encode;
    use super::*;
    use crate::results::{EpisodeRow, PlanRow, RunRow};

    fn identity() -> Identity {
        Identity { job: "ab".into(), world: "w@n=3".into(), learner: "lr".into(), seed: u64::MAX }
    }

    #[test]
    fn rows_come_back_and_bytes_do_not_change() {
        let row = |k: u64| EpisodeRow {
            episode: k,
            t: 3 * k,
            regret: 0.1 * k as f64,
            cost: 1e300,
            ..EpisodeRow::default()
        };
        let rows: Vec<EpisodeRow> = (1..1000).map(row).collect();
        let bytes = encode(&identity(), &rows).unwrap();
        assert_eq!(bytes, encode(&identity(), &rows).unwrap());
        assert_eq!(decode::<EpisodeRow>(bytes, &identity()).unwrap(), rows);
    }

    #[test]
    fn what_is_missing_stays_missing() {
        let full =
            RunRow { lost: Some(3), radius: Some("printed".into()), empty: Some(true), ..RunRow::default() };
        let rows = vec![RunRow::default(), full, RunRow { width: Some(0.25), ..RunRow::default() }];
        let bytes = encode(&identity(), &rows).unwrap();
        assert_eq!(decode::<RunRow>(bytes, &identity()).unwrap(), rows);
        let none: Vec<PlanRow> = Vec::new();
        assert_eq!(decode::<PlanRow>(encode(&identity(), &none).unwrap(), &identity()).unwrap(), none);
    }

    #[test]
    fn rows_of_another_run_are_told() {
        let bytes = encode(&identity(), &vec![EpisodeRow::default(); 5000]).unwrap();
        assert_eq!(belongs(&bytes, "episodes", &identity()), Ok(()));
        let others = [
            Identity { job: "ac".into(), ..identity() },
            Identity { world: "w".into(), ..identity() },
            Identity { learner: "lr@delta=0.1".into(), ..identity() },
            Identity { seed: 3, ..identity() },
        ];
        for other in others {
            assert!(belongs(&bytes, "episodes", &other).unwrap_err().contains("another run"));
        }
    }

    /// A file whose header says another number of rows, here and there or everywhere.
    fn promising(rows: u64, of: usize, everywhere: bool) -> Vec<u8> {
        let varint = |n: u64| {
            let (mut n, mut bytes) = (2 * n, Vec::new());
            while n > 127 {
                bytes.push(n as u8 | 128);
                n >>= 7;
            }
            bytes.push(n as u8);
            bytes
        };
        let mut bytes = encode(&identity(), &vec![EpisodeRow::default(); of]).unwrap();
        let tail = bytes.len() - 8;
        let length = u32::from_le_bytes(bytes[tail..tail + 4].try_into().unwrap()) as usize;
        let footer = bytes[tail - length..tail].to_vec();
        bytes.truncate(tail - length);
        let (old, new) = (varint(of as u64), varint(rows));
        let (mut forged, mut at) = (Vec::new(), 0);
        while at < footer.len() {
            if footer[at..].starts_with(&old) && (everywhere || forged.len() == at) {
                forged.extend_from_slice(&new);
                at += old.len();
            } else {
                forged.push(footer[at]);
                at += 1;
            }
        }
        let length = (forged.len() as u32).to_le_bytes();
        [bytes, forged, length.to_vec(), b"PAR1".to_vec()].concat()
    }

    #[test]
    fn nothing_is_reserved_on_the_word_of_a_header() {
        assert_eq!(decode::<EpisodeRow>(promising(5001, 5001, true), &identity()).unwrap().len(), 5001);
        for rows in [5002, 1_000_000, 1 << 31, 1 << 40, u64::MAX / 4] {
            for everywhere in [true, false] {
                let bytes = promising(rows, 5001, everywhere);
                decode::<EpisodeRow>(bytes.clone(), &identity()).unwrap_err();
                belongs(&bytes, "episodes", &identity()).unwrap_err();
                let columns = || IDENTITY.iter().chain(EpisodeRow::COLUMNS);
                let mut all: Vec<Values> = columns().map(Values::of).collect();
                add_columns(bytes, "episodes", &identity(), EpisodeRow::COLUMNS, &mut all).unwrap_err();
            }
        }
    }

    #[test]
    fn other_files_are_refused() {
        let rows = vec![EpisodeRow::default()];
        let bytes = encode(&identity(), &rows).unwrap();
        assert!(decode::<PlanRow>(bytes.clone(), &identity()).unwrap_err().contains("columns"));
        assert!(decode::<EpisodeRow>(bytes[..bytes.len() / 2].to_vec(), &identity()).is_err());
        assert!(decode::<EpisodeRow>(b"not a file".to_vec(), &identity()).is_err());
    }
}
