//! Rows as Parquet and back. The same rows give the same bytes.

mod pages;

use super::columns::{Column, IDENTITY, Kind, Row, SCHEMA, TABLES};
use bytes::Bytes;
use goalward::{Settings, worlds};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result as Parquet};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnDescPtr, Type, TypePtr};
use serde_json::{Map, Value};
use std::cell::Cell;
use std::panic;
use std::path::Path;
use std::sync::{Arc, Once};

/// What run a file belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) job: String,
    pub(crate) world: String,
    pub(crate) learner: String,
    pub(crate) seed: u64,
}

impl Identity {
    /// The run of a learner with its settings in a world with its parameters. A world that is a file
    /// is called by the file's name, wherever the file lies.
    pub(crate) fn new(
        job: &str,
        world: (&str, &Settings),
        learner: (&str, &Settings),
        seed: u64,
    ) -> Identity {
        let spelled = |name: &str, settings: &Settings| {
            settings.iter().fold(name.to_string(), |text, (key, value)| format!("{text}@{key}={value}"))
        };
        let named = match worlds::entry(world.0) {
            Ok(_) => world.0.into(),
            Err(_) => Path::new(world.0).file_name().unwrap_or_default().to_string_lossy(),
        };
        let (world, learner) = (spelled(&named, world.1), spelled(learner.0, learner.1));
        Identity { job: job.into(), world, learner, seed }
    }

    fn value(&self, column: &Column) -> Value {
        match column.name {
            "job" => self.job.as_str().into(),
            "world" => self.world.as_str().into(),
            "learner" => self.learner.as_str().into(),
            _ => self.seed.into(),
        }
    }
}

/// The bytes of a file with these rows.
pub(crate) fn encode<R: Row>(identity: &Identity, rows: &[R]) -> Parquet<Vec<u8>> {
    let values: Vec<Map<String, Value>> = rows
        .iter()
        .map(|row| match serde_json::to_value(row) {
            Ok(Value::Object(map)) => map,
            _ => Map::new(),
        })
        .collect();
    let mut bytes = Vec::new();
    let mut file = SerializedFileWriter::new(&mut bytes, schema::<R>()?, properties::<R>()?)?;
    if !rows.is_empty() {
        let mut group = file.next_row_group()?;
        for column in IDENTITY {
            let value = identity.value(column);
            write_column(&mut group, column, values.iter().map(|_| &value))?;
        }
        for column in R::COLUMNS {
            let cells = values.iter().map(|row| row.get(column.name).unwrap_or(&Value::Null));
            write_column(&mut group, column, cells)?;
        }
        group.close()?;
    }
    file.close()?;
    Ok(bytes)
}

fn properties<R: Row>() -> Parquet<WriterPropertiesPtr> {
    let about = |key: &str, value: String| KeyValue::new(key.to_string(), value);
    let metadata =
        vec![about("goalward.schema", SCHEMA.to_string()), about("goalward.table", R::TABLE.to_string())];
    // neither time nor version of a library: the same rows give the same bytes
    let properties = WriterProperties::builder()
        .set_created_by(format!("goalward-lab schema {SCHEMA}"))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_key_value_metadata(Some(metadata));
    Ok(Arc::new(properties.build()))
}

fn physical(kind: Kind) -> Physical {
    match kind {
        Kind::Count => Physical::INT64,
        Kind::Real => Physical::DOUBLE,
        Kind::Text => Physical::BYTE_ARRAY,
        Kind::Flag => Physical::BOOLEAN,
    }
}

fn schema<R: Row>() -> Parquet<TypePtr> {
    let field = |column: &Column| {
        let logical = match column.kind {
            Kind::Count => Some(LogicalType::integer(64, false)),
            Kind::Text => Some(LogicalType::String),
            _ => None,
        };
        let repetition = if column.optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let field = Type::primitive_type_builder(column.name, physical(column.kind))
            .with_repetition(repetition)
            .with_logical_type(logical);
        field.build().map(Arc::new)
    };
    let fields = IDENTITY.iter().chain(R::COLUMNS).map(field).collect::<Parquet<Vec<_>>>()?;
    Ok(Arc::new(Type::group_type_builder(R::TABLE).with_fields(fields).build()?))
}

type Group<'a, 'w> = SerializedRowGroupWriter<'a, &'w mut Vec<u8>>;

fn write_column<'v>(
    group: &mut Group,
    column: &Column,
    cells: impl Iterator<Item = &'v Value> + Clone,
) -> Parquet<()> {
    let levels: Vec<i16> = cells.clone().map(|cell| i16::from(!cell.is_null())).collect();
    let there = cells.filter(|cell| !column.optional || !cell.is_null());
    match column.kind {
        Kind::Count => {
            // as unsigned numbers are stored: the same bits
            let values = there.map(|cell| cell.as_u64().unwrap_or(0) as i64);
            put::<Int64Type>(group, column, &values.collect::<Vec<_>>(), &levels)
        }
        Kind::Real => {
            let values = there.map(|cell| cell.as_f64().unwrap_or(f64::NAN));
            put::<DoubleType>(group, column, &values.collect::<Vec<_>>(), &levels)
        }
        Kind::Text => {
            let values = there.map(|cell| ByteArray::from(cell.as_str().unwrap_or("")));
            put::<ByteArrayType>(group, column, &values.collect::<Vec<_>>(), &levels)
        }
        Kind::Flag => {
            let values = there.map(|cell| cell.as_bool().unwrap_or(false));
            put::<BoolType>(group, column, &values.collect::<Vec<_>>(), &levels)
        }
    }
}

fn put<T: DataType>(group: &mut Group, column: &Column, values: &[T::T], levels: &[i16]) -> Parquet<()> {
    let Some(mut writer) = group.next_column()? else { return Ok(()) };
    writer.typed::<T>().write_batch(values, column.optional.then_some(levels), None)?;
    writer.close()
}

/// The rows of a file; nothing if it has no row.
pub(crate) fn decode<R: Row>(bytes: Vec<u8>) -> Result<Vec<R>, String> {
    contained(|| {
        let file = opened(bytes, R::TABLE, R::COLUMNS, size_of::<R>())?;
        let mut rows = Vec::new();
        for group in 0..file.num_row_groups() {
            let group = file.get_row_group(group).map_err(said)?;
            rows_of(&*group, &mut rows)?;
        }
        Ok(rows)
    })
}

/// Adds the rows of a group, a step at a time: as objects they take far more room.
fn rows_of<R: Row>(group: &dyn RowGroupReader, rows: &mut Vec<R>) -> Result<(), String> {
    let n = usize::try_from(group.metadata().num_rows()).map_err(said)?;
    let column = |(at, column)| cells(group, IDENTITY.len() + at, column);
    let mut columns: Vec<_> =
        R::COLUMNS.iter().enumerate().map(column).collect::<Parquet<_>>().map_err(said)?;
    for first in (0..n).step_by(STEP) {
        let step = STEP.min(n - first);
        let mut maps: Vec<Map<String, Value>> = Vec::new();
        for (column, next) in R::COLUMNS.iter().zip(&mut columns) {
            let cells = next(step).map_err(said)?;
            complete(column, first + cells.len(), first + step)?;
            maps.resize(step, Map::new());
            for (map, cell) in maps.iter_mut().zip(cells) {
                map.insert(column.name.into(), cell);
            }
        }
        for map in maps {
            rows.push(serde_json::from_value(Value::Object(map)).map_err(said)?);
        }
    }
    Ok(())
}

/// Whether all rows of a file belong to this run; else what is wrong.
pub(super) fn belongs(bytes: &[u8], table: &str, run: &Identity) -> Result<(), String> {
    let columns = TABLES.iter().find(|(name, _)| *name == table).map_or(&[][..], |(_, columns)| columns);
    contained(|| {
        let file = opened(bytes.to_vec(), table, columns, 1)?;
        for group in 0..file.num_row_groups() {
            let group = file.get_row_group(group).map_err(said)?;
            let n = usize::try_from(group.metadata().num_rows()).map_err(said)?;
            for (at, column) in IDENTITY.iter().enumerate() {
                let own = run.value(column);
                let same = match &own {
                    Value::String(own) => take::<ByteArrayType, _>(&*group, at, column, n, |x| {
                        x.is_some_and(|x| x.data() == own.as_bytes())
                    }),
                    own => {
                        take::<Int64Type, _>(&*group, at, column, n, |x| x.map(|x| *x as u64) == own.as_u64())
                    }
                };
                let same = same.map_err(said)?;
                complete(column, same.len(), n)?;
                if same.contains(&false) {
                    return Err(format!(
                        "its rows are those of another run: their {} is not {own}",
                        column.name
                    ));
                }
            }
        }
        Ok(())
    })
}

/// Rows that are read at a time: whatever a header promises, no more is reserved.
const STEP: usize = 4096;
/// More than any text of a record has.
const LONGEST_TEXT: usize = 1 << 16;
/// What takes less is not asked for.
const ASKED: usize = 100_000_000;

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// A file whose columns are those of a table and whose rows, of so many bytes each, there is room
/// for. What its header says is checked as far as it can be: nothing else takes it at its word.
fn opened(
    bytes: Vec<u8>,
    table: &str,
    columns: &[Column],
    each: usize,
) -> Result<SerializedFileReader<Bytes>, String> {
    let bytes = Bytes::from(bytes);
    let file = SerializedFileReader::new(bytes.clone()).map_err(said)?;
    let schema = file.metadata().file_metadata().schema_descr();
    let columns = || IDENTITY.iter().chain(columns);
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

/// What a library makes of bytes that may be forged: where it panics, that is an error, and says
/// nothing on the terminal.
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

fn complete(column: &Column, found: usize, n: usize) -> Result<(), String> {
    if found == n { Ok(()) } else { Err(format!("column {} has {found} of {n} values", column.name)) }
}

/// Gives the next cells of a column, so many at most.
type Cells = Box<dyn FnMut(usize) -> Parquet<Vec<Value>>>;

fn cells(group: &dyn RowGroupReader, at: usize, column: &Column) -> Parquet<Cells> {
    let value = |cell: Option<Value>| cell.unwrap_or(Value::Null);
    Ok(match column.kind {
        Kind::Count => Box::new(steps::<Int64Type, _, _>(group, at, column, move |x| {
            value(x.map(|x| (*x as u64).into()))
        })?),
        Kind::Real => {
            Box::new(steps::<DoubleType, _, _>(group, at, column, move |x| value(x.map(|x| (*x).into())))?)
        }
        Kind::Flag => {
            Box::new(steps::<BoolType, _, _>(group, at, column, move |x| value(x.map(|x| (*x).into())))?)
        }
        Kind::Text => {
            let mut texts = steps::<ByteArrayType, _, _>(group, at, column, |x| x.cloned())?;
            Box::new(move |n| texts(n)?.into_iter().map(|x| Ok(text(x)?.into())).collect())
        }
    })
}

/// A text, which a file can name a million times in a few bytes.
fn text(cell: Option<ByteArray>) -> Parquet<Option<String>> {
    match cell {
        Some(cell) if cell.len() > LONGEST_TEXT => {
            Err(ParquetError::General(format!("a text of {} bytes", cell.len())))
        }
        Some(cell) => cell.as_utf8().map(|text| Some(text.into())),
        None => Ok(None),
    }
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

    /// Adds a column of some rows; how many there were.
    fn read(&mut self, group: &dyn RowGroupReader, at: usize, column: &Column, n: usize) -> Parquet<usize> {
        fn add<C>(all: &mut Vec<C>, more: Vec<C>) -> usize {
            let n = more.len();
            all.extend(more);
            n
        }
        let nan = |x: Option<f64>| x.unwrap_or(f64::NAN);
        Ok(match self {
            Values::Count(all) => {
                add(all, take::<Int64Type, _>(group, at, column, n, |x| x.map_or(0, |x| *x as u64))?)
            }
            Values::Real(all) if column.kind == Kind::Count => {
                add(all, take::<Int64Type, _>(group, at, column, n, |x| nan(x.map(|x| *x as u64 as f64)))?)
            }
            Values::Real(all) => add(all, take::<DoubleType, _>(group, at, column, n, |x| nan(x.copied()))?),
            Values::Text(all) => {
                let texts = take::<ByteArrayType, _>(group, at, column, n, |x| x.cloned())?;
                add(all, texts.into_iter().map(text).collect::<Parquet<_>>()?)
            }
            Values::Flag(all) => add(all, take::<BoolType, _>(group, at, column, n, |x| x.copied())?),
        })
    }
}

/// Adds the rows of a file to columns: the four of [`IDENTITY`], and then the table's own.
pub(super) fn add_columns(
    bytes: Vec<u8>,
    table: &str,
    columns: &[Column],
    all: &mut [Values],
) -> Result<(), String> {
    contained(|| {
        let width = 8 * (IDENTITY.len() + columns.len());
        let file = opened(bytes, table, columns, width)?;
        for group in 0..file.num_row_groups() {
            let group = file.get_row_group(group).map_err(said)?;
            let n = usize::try_from(group.metadata().num_rows()).map_err(said)?;
            for ((at, column), values) in IDENTITY.iter().chain(columns).enumerate().zip(all.iter_mut()) {
                let found = values.read(&*group, at, column, n).map_err(said)?;
                complete(column, found, n)?;
            }
        }
        Ok(())
    })
}

fn take<T: DataType, C>(
    group: &dyn RowGroupReader,
    at: usize,
    column: &Column,
    n: usize,
    cell: impl Fn(Option<&T::T>) -> C,
) -> Parquet<Vec<C>> {
    let (mut next, mut all) = (steps::<T, C, _>(group, at, column, cell)?, Vec::new());
    while all.len() < n {
        let step = next(STEP.min(n - all.len()))?;
        if step.is_empty() {
            break;
        }
        all.extend(step);
    }
    Ok(all)
}

/// Reads a column bit by bit.
fn steps<T: DataType, C, F: Fn(Option<&T::T>) -> C>(
    group: &dyn RowGroupReader,
    at: usize,
    column: &Column,
    cell: F,
) -> Parquet<impl FnMut(usize) -> Parquet<Vec<C>> + use<T, C, F>> {
    let mut reader = get_typed_column_reader::<T>(group.get_column_reader(at)?);
    let optional = column.optional;
    Ok(move |n| {
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        reader.read_records(n, optional.then_some(&mut levels), None, &mut values)?;
        if !optional {
            return Ok(values.iter().map(|value| cell(Some(value))).collect());
        }
        let mut values = values.iter();
        Ok(levels.iter().map(|level| cell(if *level == 0 { None } else { values.next() })).collect())
    })
}

#[cfg(test)]
mod tests;
