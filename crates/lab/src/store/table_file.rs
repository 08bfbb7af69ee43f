//! Rows as Parquet and back. The same rows give the same bytes.

use super::columns::{Column, IDENTITY, Kind, Row, SCHEMA};
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
    let file = SerializedFileReader::new(bytes::Bytes::from(bytes)).map_err(|e| e.to_string())?;
    let names: Vec<String> = file
        .metadata()
        .file_metadata()
        .schema_descr()
        .columns()
        .iter()
        .map(|c| c.name().to_string())
        .collect();
    let expected = IDENTITY.iter().chain(R::COLUMNS).map(|column| column.name);
    if !expected.eq(names.iter().map(String::as_str)) {
        return Err(format!("its columns are not those of the table {} of schema {SCHEMA}", R::TABLE));
    }
    let mut rows = Vec::new();
    for group in 0..file.num_row_groups() {
        let group = file.get_row_group(group).map_err(|e| e.to_string())?;
        let n = usize::try_from(group.metadata().num_rows()).map_err(|e| e.to_string())?;
        let mut maps: Vec<Map<String, Value>> = vec![Map::new(); n];
        for (at, column) in R::COLUMNS.iter().enumerate() {
            let cells = read_column(&*group, IDENTITY.len() + at, column, n).map_err(|e| e.to_string())?;
            if cells.len() != n {
                return Err(format!("column {} has {} of {n} values", column.name, cells.len()));
            }
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

fn read_column(group: &dyn RowGroupReader, at: usize, column: &Column, n: usize) -> Parquet<Vec<Value>> {
    match column.kind {
        Kind::Count => take::<Int64Type>(group, at, column, n, |x| (*x as u64).into()),
        Kind::Real => take::<DoubleType>(group, at, column, n, |x| (*x).into()),
        Kind::Text => take::<ByteArrayType>(group, at, column, n, |x| x.as_utf8().unwrap_or("").into()),
        Kind::Flag => take::<BoolType>(group, at, column, n, |x| (*x).into()),
    }
}

fn take<T: DataType>(
    group: &dyn RowGroupReader,
    at: usize,
    column: &Column,
    n: usize,
    cell: impl Fn(&T::T) -> Value,
) -> Parquet<Vec<Value>> {
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
        return Ok(values.iter().map(cell).collect());
    }
    let mut values = values.iter();
    let next = |level: &i16| match level {
        0 => Value::Null,
        _ => values.next().map_or(Value::Null, &cell),
    };
    Ok(levels.iter().map(next).collect())
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
