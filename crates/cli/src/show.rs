//! `--show`: values and policies in the terminal, and as a picture if a file is named.

use crate::exit::{Usage, note};
use crate::output;
use crate::outputs::Files;
use goalward::output::replace;
use goalward_lab::figure::Format;
use goalward_lab::pictures::grid::Scene;
use std::path::{Path, PathBuf};

/// What `--show` asks for, checked before the work begins.
pub(crate) struct Show {
    picture: Option<(PathBuf, Format)>,
    terminal: bool,
}

pub(crate) fn ending(path: &Path) -> Option<String> {
    path.extension().map(|ending| ending.to_string_lossy().to_lowercase())
}

impl Show {
    /// Refuses a file without a format's ending, and a text where standard output is `taken`.
    pub(crate) fn check(
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
        files.replaces("--show", path)?;
        Ok(Some(Show { picture: Some((path.clone(), format)), terminal: !taken }))
    }

    pub(crate) fn put(&self, scene: &Scene, title: &str, notes: &[String]) -> anyhow::Result<()> {
        if self.terminal {
            output::text(&format!("\n{}", scene.text()))?;
        }
        if let Some((path, format)) = &self.picture {
            let picture = scene.picture("show", title, notes.to_vec(), &[*format])?;
            replace(path, picture.file(*format))?;
            note(format!("wrote {}", path.display()));
        }
        Ok(())
    }
}
