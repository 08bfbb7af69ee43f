//! `--show`: values and policies in the terminal, and as a picture if a file is named.

use crate::exit::{Usage, note};
use crate::output;
use crate::outputs::{Files, Output, Takes};
use goalward_lab::figure::Format;
use goalward_lab::pictures::grid::Scene;
use std::path::{Path, PathBuf};

/// What `--show` asked for, judged before the work begins.
pub(crate) struct Show {
    picture: Option<(PathBuf, Format, Output)>,
    terminal: bool,
}

/// How a file's name ends, in small letters.
pub(crate) fn ending(path: &Path) -> Option<String> {
    path.extension().map(|ending| ending.to_string_lossy().to_lowercase())
}

impl Show {
    /// Refuses a file whose name says nothing of its format, and a text that --json would have to
    /// share standard output with. `taken` if something else is printed there alone.
    pub(crate) fn judge(
        asked: &Option<Option<PathBuf>>,
        taken: bool,
        files: &mut Files,
    ) -> anyhow::Result<Option<Show>> {
        let Some(file) = asked else { return Ok(None) };
        let Some(path) = file else {
            if taken {
                files.prints("--show")?;
            }
            return Ok(Some(Show { picture: None, terminal: true }));
        };
        let Some(format) = Format::of(path) else {
            let reason = format!("--show {}: its name must end in .png or .svg", path.display());
            let hint = "--show alone prints in the terminal; a world goes before --show";
            return Err(Usage::new(reason).hint(hint).into());
        };
        let output = files.writes("--show", path, Takes::Files)?;
        Ok(Some(Show { picture: Some((path.clone(), format, output)), terminal: !taken }))
    }

    /// Prints it and writes it.
    pub(crate) fn put(
        &self,
        scene: &Scene,
        title: &str,
        notes: &[String],
        quiet: bool,
    ) -> anyhow::Result<()> {
        if self.terminal {
            output::text(&format!("\n{}", scene.text()))?;
        }
        if let Some((path, format, output)) = &self.picture {
            let picture = scene.picture("show", title, notes.to_vec(), &[*format])?;
            output.put_bytes(picture.file(*format))?;
            if !quiet {
                note(format!("wrote {}", path.display()));
            }
        }
        Ok(())
    }
}
