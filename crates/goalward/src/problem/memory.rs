//! What fits into memory: said before it is filled, since a process that asks for too much is killed without a word.

use crate::{Error, Result};

/// The memory that is free for use, in bytes, where the system says so (`MemAvailable` of Linux).
pub fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// An error that states both sizes if so many bytes are more than is free.
pub fn require(what: &str, bytes: u64) -> Result<()> {
    match available() {
        Some(free) if bytes > free => Err(Error::Memory { what: what.into(), bytes, free }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_much_is_refused_with_both_sizes() {
        require("a little", 1).unwrap();
        if available().is_some() {
            let error = require("the features", u64::MAX).unwrap_err();
            let text = error.to_string();
            assert!(text.contains("the features") && text.contains("GB") && error.hint().is_some(), "{text}");
        }
    }
}
