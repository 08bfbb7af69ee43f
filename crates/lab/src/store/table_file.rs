//! Rows as Parquet and back. The same rows give the same bytes.

use super::columns::{Column, IDENTITY, Kind, Row, SCHEMA};
use bytes::Bytes;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::Result as Parquet;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use serde_json::{Map, Value};
use std::sync::Arc;

/// What run a file belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) job: String,
    pub(crate) world: String,
    pub(crate) learner: String,
    pub(crate) seed: u64,
}

impl Identity {
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

fn schema<R: Row>() -> Parquet<TypePtr> {
    let field = |column: &Column| {
        let physical = match column.kind {
            Kind::Count => Physical::INT64,
            Kind::Real => Physical::DOUBLE,
            Kind::Text => Physical::BYTE_ARRAY,
            Kind::Flag => Physical::BOOLEAN,
        };
        let logical = match column.kind {
            Kind::Count => Some(LogicalType::integer(64, false)),
            Kind::Text => Some(LogicalType::String),
            _ => None,
        };
        let repetition = if column.optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let field = Type::primitive_type_builder(column.name, physical)
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

/// The rows of a file, and whose they are; nothing if it has no row.
pub(crate) fn decode<R: Row>(bytes: Vec<u8>) -> Result<Vec<R>, String> {
    let file = opened(bytes, R::TABLE, R::COLUMNS)?;
    let mut rows = Vec::new();
    for group in 0..file.num_row_groups() {
        let group = file.get_row_group(group).map_err(|e| e.to_string())?;
        let n = usize::try_from(group.metadata().num_rows()).map_err(|e| e.to_string())?;
        let mut maps: Vec<Map<String, Value>> = vec![Map::new(); n];
        for (at, column) in R::COLUMNS.iter().enumerate() {
            let cells = read_column(&*group, IDENTITY.len() + at, column, n).map_err(|e| e.to_string())?;
            complete(column, cells.len(), n)?;
            for (map, cell) in maps.iter_mut().zip(cells) {
                map.insert(column.name.into(), cell);
            }
        }
        for map in maps {
            rows.push(serde_json::from_value(Value::Object(map)).map_err(|e| e.to_string())?);
        }
    }
    Ok(rows)
}

/// A file whose columns are those of a table.
fn opened(bytes: Vec<u8>, table: &str, columns: &[Column]) -> Result<SerializedFileReader<Bytes>, String> {
    let file = SerializedFileReader::new(Bytes::from(bytes)).map_err(|e| e.to_string())?;
    let schema = file.metadata().file_metadata().schema_descr();
    let names = schema.columns().iter().map(|column| column.name());
    if !IDENTITY.iter().chain(columns).map(|column| column.name).eq(names) {
        return Err(format!("its columns are not those of the table {table} of schema {SCHEMA}"));
    }
    Ok(file)
}

fn complete(column: &Column, found: usize, n: usize) -> Result<(), String> {
    if found == n { Ok(()) } else { Err(format!("column {} has {found} of {n} values", column.name)) }
}

fn read_column(group: &dyn RowGroupReader, at: usize, column: &Column, n: usize) -> Parquet<Vec<Value>> {
    let value = |cell: Option<Value>| cell.unwrap_or(Value::Null);
    match column.kind {
        Kind::Count => take::<Int64Type, _>(group, at, column, n, |x| value(x.map(|x| (*x as u64).into()))),
        Kind::Real => take::<DoubleType, _>(group, at, column, n, |x| value(x.map(|x| (*x).into()))),
        Kind::Text => take::<ByteArrayType, _>(group, at, column, n, |x| value(x.map(|x| utf8(x).into()))),
        Kind::Flag => take::<BoolType, _>(group, at, column, n, |x| value(x.map(|x| (*x).into()))),
    }
}

fn utf8(text: &ByteArray) -> &str {
    text.as_utf8().unwrap_or("")
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
                add(all, take::<ByteArrayType, _>(group, at, column, n, |x| x.map(|x| utf8(x).into()))?)
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
    let file = opened(bytes, table, columns)?;
    for group in 0..file.num_row_groups() {
        let group = file.get_row_group(group).map_err(|e| e.to_string())?;
        let n = usize::try_from(group.metadata().num_rows()).map_err(|e| e.to_string())?;
        for ((at, column), values) in IDENTITY.iter().chain(columns).enumerate().zip(all.iter_mut()) {
            let found = values.read(&*group, at, column, n).map_err(|e| e.to_string())?;
            complete(column, found, n)?;
        }
    }
    Ok(())
}

fn take<T: DataType, C>(
    group: &dyn RowGroupReader,
    at: usize,
    column: &Column,
    n: usize,
    cell: impl Fn(Option<&T::T>) -> C,
) -> Parquet<Vec<C>> {
    let mut reader = get_typed_column_reader::<T>(group.get_column_reader(at)?);
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    let mut read = 0;
    while read < n {
        let levels = column.optional.then_some(&mut levels);
        let (records, ..) = reader.read_records(n - read, levels, None, &mut values)?;
        if records == 0 {
            break;
        }
        read += records;
    }
    if !column.optional {
        return Ok(values.iter().map(|value| cell(Some(value))).collect());
    }
    let mut values = values.iter();
    Ok(levels.iter().map(|level| cell(if *level == 0 { None } else { values.next() })).collect())
}

#[cfg(test)]
mod tests {
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
        assert_eq!(decode::<EpisodeRow>(bytes).unwrap(), rows);
    }

    #[test]
    fn what_is_missing_stays_missing() {
        let full =
            RunRow { lost: Some(3), radius: Some("printed".into()), empty: Some(true), ..RunRow::default() };
        let rows = vec![RunRow::default(), full, RunRow { width: Some(0.25), ..RunRow::default() }];
        let bytes = encode(&identity(), &rows).unwrap();
        assert_eq!(decode::<RunRow>(bytes).unwrap(), rows);
        let none: Vec<PlanRow> = Vec::new();
        assert_eq!(decode::<PlanRow>(encode(&identity(), &none).unwrap()).unwrap(), none);
    }

    #[test]
    fn other_files_are_refused() {
        let rows = vec![EpisodeRow::default()];
        let bytes = encode(&identity(), &rows).unwrap();
        assert!(decode::<PlanRow>(bytes.clone()).unwrap_err().contains("columns"));
        assert!(decode::<EpisodeRow>(bytes[..bytes.len() / 2].to_vec()).is_err());
        assert!(decode::<EpisodeRow>(b"not a file".to_vec()).is_err());
    }
}
