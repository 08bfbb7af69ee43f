//! `goalward licences`

use crate::exit::Outcome;
use crate::output;

/// The notices of everything linked in; `cargo xtask licences` makes them.
const NOTICES: &str = include_str!("../../../../THIRD-PARTY-LICENSES.txt");

const EXAMPLES: &str = "\
EXAMPLES:
    goalward licences | less";

/// Print the licences of the software that goalward contains
///
/// goalward itself is licensed under MIT or Apache-2.0, at your choice. What others have written
/// and is linked into this program is listed with its version and its licence, and the texts
/// follow.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LicencesArgs {}

pub(crate) fn run(_: LicencesArgs) -> anyhow::Result<Outcome> {
    output::text(NOTICES)?;
    Ok(Outcome::Done)
}
