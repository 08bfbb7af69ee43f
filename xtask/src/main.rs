//! Project tasks: `cargo xtask test`, `cargo xtask bench`.
fn main() {}
