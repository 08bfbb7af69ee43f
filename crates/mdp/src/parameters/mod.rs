//! Parameters of learners and worlds, each declared once as a typed constant, a [`Key`]. Lists,
//! reading with bounds ([`Reader`]), errors, the values in force, tables ([`table`]), a JSON schema
//! ([`schema`]) and the learners' typed builders come from it.
//!
//! ```
//! use goalward_mdp::parameters::{Key, Reader, Settings};
//! const DELTA: Key<f64> = Key::probability("delta", "failure probability").or("0.01");
//! const RIDGE: Key<f64> = Key::number("ridge", 0.0, 1e9, "ridge").computed("1/d");
//! let given = Settings::new().set("delta", "1/20");
//! let declared = [DELTA.about(), RIDGE.about()];
//! let read = Reader::new("mine", &declared, &given)?;
//! assert_eq!(read.get(&DELTA)?, 0.05);
//! assert_eq!(read.get_or(&RIDGE, || 0.5)?, 0.5);
//! assert_eq!(read.in_force()["ridge"], 0.5);
//! # Ok::<(), goalward_mdp::Error>(())
//! ```

mod declared;
mod numbers;
mod reader;
mod schema;
mod settings;
#[cfg(test)]
mod tests;
mod value;

pub use declared::{Choice, Fallback, Key, Kind, Parameter};
pub use numbers::{parse_count, parse_number};
pub use reader::Reader;
pub use schema::{schema, table};
pub use settings::Settings;
pub use settings::name_and_settings;
pub use value::{Bound, Value};
