//! Seeds as they are typed: `20` for twenty of them, `0..20` (20 is left out), `3,5,7`, `0..4,7`.

use goalward_lab::study::parse_seeds;
use std::str::FromStr;

/// Seeds in the order given, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seeds(pub(crate) Vec<u64>);

impl FromStr for Seeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Seeds, String> {
        parse_seeds(text).map(Seeds)
    }
}
