//! Writing results: a folder holds those of one question, and a file is at all times either the old
//! one or the new one.

use crate::{Error, Result};
use goalward::episode::Arena;
use goalward::output::{replace, same_file};
use serde::Serialize;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The file that says what the results beside it answer.
const ABOUT: &str = "study.json";

/// A folder that may be written to. Nothing in it is touched before the first result is.
#[derive(Debug)]
pub struct Folder {
    dir: PathBuf,
    /// What [`ABOUT`] says.
    about: Value,
    /// The files that will be written.
    names: Vec<String>,
}

impl Folder {
    /// Looks whether the results of a question may go into a folder, which is made if there is
    /// none.
    ///
    /// Refused is a folder that holds other results than this question's, or files of others by the
    /// same names, unless `force` is set; and, whatever is set, one in which a result would
    /// overwrite a file that the question is about. `names` are the files that will be written.
    pub fn claim(
        dir: &Path,
        study: &str,
        question: &impl Serialize,
        arenas: &[&Arena],
        names: Vec<String>,
        force: bool,
    ) -> Result<Folder> {
        let mut question = serde_json::to_value(question).unwrap_or(Value::Null);
        if let Value::Object(options) = &mut question {
            options.remove("out"); // a folder may be moved
        }
        let worlds: Vec<String> = arenas.iter().map(|arena| arena.fingerprint()).collect();
        let about = json!({ "study": study, "question": question, "worlds": worlds });
        if dir.exists() && !dir.is_dir() {
            return Err(Error::Output { path: dir.into(), fault: "it is not a folder".into() });
        }
        fs::create_dir_all(dir).map_err(Error::io(dir))?;
        let folder = Folder { dir: dir.into(), about, names };
        folder.spares(arenas)?;
        if !force {
            folder.is_mine()?;
        }
        goalward::output::replaceable(&dir.join(ABOUT))?;
        Ok(folder)
    }

    /// No file that a world is read from would be overwritten.
    fn spares(&self, arenas: &[&Arena]) -> Result<()> {
        for name in self.names.iter().map(String::as_str).chain([ABOUT]) {
            let path = self.dir.join(name);
            let read = arenas.iter().map(|arena| Path::new(&arena.world));
            // a world that is built in is no file, whatever else has its name
            let mut files = read.filter(|world| goalward::worlds::entry(&world.to_string_lossy()).is_err());
            if files.any(|world| same_file(world, &path)) {
                let fault = "this is the world that is read: it would be overwritten".into();
                return Err(Error::Output { path, fault });
            }
        }
        Ok(())
    }

    fn is_mine(&self) -> Result<()> {
        let about = self.dir.join(ABOUT);
        match fs::read(&about) {
            Ok(text) => match serde_json::from_slice::<Value>(&text) {
                Ok(found) if found == self.about => Ok(()),
                Ok(found) => Err(Error::Taken { dir: self.dir.clone(), what: differs(&found, &self.about) }),
                Err(_) => Err(Error::Taken { dir: self.dir.clone(), what: format!("a {ABOUT} of others") }),
            },
            Err(_) => match self.names.iter().find(|name| self.dir.join(name).exists()) {
                Some(name) => {
                    Err(Error::Taken { dir: self.dir.clone(), what: format!("a {name} of unknown origin") })
                }
                None => Ok(()),
            },
        }
    }

    /// Writes a result.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Result<PathBuf> {
        debug_assert!(self.names.iter().any(|known| known == name), "{name} was not announced");
        let about = self.dir.join(ABOUT);
        let text = serde_json::to_string_pretty(&self.about).unwrap_or_default() + "\n";
        if fs::read(&about).ok().as_deref() != Some(text.as_bytes()) {
            replace(&about, text.as_bytes())?;
        }
        let path = self.dir.join(name);
        replace(&path, content.as_ref())?;
        Ok(path)
    }
}

/// The names of a figure's files.
pub(crate) fn figure_names(stem: &str) -> [String; 2] {
    [format!("{stem}.svg"), format!("{stem}.png")]
}

/// What the results that are there differ in.
fn differs(found: &Value, mine: &Value) -> String {
    let study = found["study"].as_str().unwrap_or("something");
    if found["study"] != mine["study"] {
        return format!("the results of another study, {study}");
    }
    let options = mine["question"].as_object().into_iter().flatten();
    let other = options
        .map(|(key, _)| key)
        .find(|key| found["question"][key.as_str()] != mine["question"][key.as_str()]);
    match other {
        Some(key) => {
            format!("the results of another {study}: its {key} is {}", found["question"][key.as_str()])
        }
        None => format!("the results of {study} on another world"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use goalward::Settings;

    fn claim(dir: &Path, study: &str, question: &Value, arena: &Arena, force: bool) -> Result<Folder> {
        Folder::claim(dir, study, question, &[arena], vec!["runs.csv".into()], force)
    }

    #[test]
    fn a_folder_holds_the_results_of_one_question() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("deep/er");
        let arena = Arena::open("corridor", &Settings::new()).unwrap();
        let question = json!({ "episodes": 3, "out": "x" });
        claim(&out, "compare", &question, &arena, false).unwrap().write("runs.csv", "1").unwrap();
        // the same again, from elsewhere
        let again = json!({ "episodes": 3, "out": "y" });
        claim(&out, "compare", &again, &arena, false).unwrap().write("runs.csv", "2").unwrap();
        let other = json!({ "episodes": 4 });
        let why = claim(&out, "compare", &other, &arena, false).unwrap_err();
        assert!(
            why.to_string().contains("its episodes is 3") && why.hint().unwrap().contains("--force"),
            "{why}"
        );
        let why = claim(&out, "survey", &question, &arena, false).unwrap_err().to_string();
        assert!(why.contains("another study, compare"), "{why}");
        let world = Arena::open("corridor", &Settings::new().set("length", 7)).unwrap();
        let why = claim(&out, "compare", &question, &world, false).unwrap_err().to_string();
        assert!(why.contains("another world"), "{why}");
        assert_eq!(fs::read_to_string(out.join("runs.csv")).unwrap(), "2");
        claim(&out, "compare", &other, &arena, true).unwrap().write("runs.csv", "3").unwrap();
        assert!(claim(&out, "compare", &question, &arena, false).is_err());
        assert!(claim(&out, "compare", &other, &arena, false).is_ok());
    }

    #[test]
    fn files_of_others_are_spared() {
        let dir = tempfile::tempdir().unwrap();
        let arena = Arena::open("corridor", &Settings::new()).unwrap();
        let question = json!({});
        fs::write(dir.path().join("notes.txt"), "mine").unwrap();
        assert!(claim(dir.path(), "compare", &question, &arena, false).is_ok(), "other names do no harm");
        fs::write(dir.path().join("runs.csv"), "mine").unwrap();
        let why = claim(dir.path(), "compare", &question, &arena, false).unwrap_err().to_string();
        assert!(why.contains("runs.csv of unknown origin"), "{why}");
        assert!(claim(&dir.path().join("notes.txt"), "compare", &question, &arena, true).is_err());
        assert!(claim(&dir.path().join("notes.txt/x"), "compare", &question, &arena, true).is_err());
        // a world is spared even by force
        let text = goalward::files::json::to_json(arena.instance());
        fs::write(dir.path().join("runs.csv"), &text).unwrap();
        let path = dir.path().join("runs.csv");
        let world = goalward::files::json::parse(&text).unwrap();
        let world = Arena::new(path.to_str().unwrap(), &Settings::new(), world).unwrap();
        let why = claim(dir.path(), "compare", &question, &world, true).unwrap_err().to_string();
        assert!(why.contains("it would be overwritten"), "{why}");
        assert_eq!(fs::read_to_string(path).unwrap(), text);
    }
}
