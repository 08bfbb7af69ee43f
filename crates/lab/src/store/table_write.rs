//! Rows as Parquet. The same rows give the same bytes.

use crate::results::{Column, IDENTITY, Kind, SCHEMA, TableRow};
use goalward::{Settings, worlds};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::Result as Parquet;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::Arc;

/// The run of a file.
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

    pub(super) fn value(&self, column: &Column) -> Value {
        match column.name {
            "job" => self.job.as_str().into(),
            "world" => self.world.as_str().into(),
            "learner" => self.learner.as_str().into(),
            _ => self.seed.into(),
        }
    }
}

/// The bytes of a file with these rows.
pub(crate) fn encode<R: TableRow>(identity: &Identity, rows: &[R]) -> Parquet<Vec<u8>> {
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

fn properties<R: TableRow>() -> Parquet<WriterPropertiesPtr> {
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

pub(super) fn physical(kind: Kind) -> Physical {
    match kind {
        Kind::Count => Physical::INT64,
        Kind::Real => Physical::DOUBLE,
        Kind::Text => Physical::BYTE_ARRAY,
        Kind::Flag => Physical::BOOLEAN,
    }
}

fn schema<R: TableRow>() -> Parquet<TypePtr> {
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
