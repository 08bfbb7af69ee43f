//! The goalward command line.
fn main() {}
