//! Instruction counts of the hot paths: `cargo xtask bench instructions`.
