//! The programs that cargo built, from its JSON messages.

use serde_json::Value;
use std::path::{Path, PathBuf};

pub(crate) struct TestProgram {
    /// The package and the target: `goalward it`.
    pub(crate) name: String,
    pub(crate) program: PathBuf,
    /// The working directory of its tests.
    pub(crate) folder: PathBuf,
}

fn messages(output: &[u8]) -> impl Iterator<Item = Value> {
    let lines = output.split(|byte| *byte == b'\n');
    lines
        .filter_map(|line| serde_json::from_slice(line).ok())
        .filter(|m: &Value| m["reason"] == "compiler-artifact")
}

fn executable(message: &Value) -> Option<PathBuf> {
    message["executable"].as_str().map(PathBuf::from)
}

pub(crate) fn program(output: &[u8]) -> Option<PathBuf> {
    let ours = |m: &Value| m["target"]["name"] == "goalward" && m["profile"]["test"] == false;
    messages(output).filter(ours).find_map(|m| executable(&m))
}

pub(crate) fn tests(output: &[u8]) -> Vec<TestProgram> {
    let test = |m: Value| {
        let folder: PathBuf = Path::new(m["manifest_path"].as_str()?).parent()?.into();
        let package = folder.file_name()?.to_string_lossy().into_owned();
        let target = match m["target"]["kind"][0].as_str()? {
            "test" => m["target"]["name"].as_str()?.to_string(),
            kind => format!("unit tests ({kind})"),
        };
        let program = executable(&m).filter(|_| m["profile"]["test"] == true)?;
        Some(TestProgram { name: format!("{package}: {target}"), program, folder })
    };
    let mut tests: Vec<TestProgram> = messages(output).filter_map(test).collect();
    tests.sort_by(|a, b| a.name.cmp(&b.name));
    tests
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_tests_are_distinguished() {
        let line = |kind: &str, name: &str, test: bool, program: &str| {
            format!(
                "{{\"reason\":\"compiler-artifact\",\"manifest_path\":\"/w/crates/cli/Cargo.toml\",\"target\":{{\"kind\":[\"{kind}\"],\
                 \"name\":\"{name}\"}},\"profile\":{{\"test\":{test}}},\"executable\":{program}}}\n"
            )
        };
        let output = line("lib", "goalward", false, "null")
            + "not json\n"
            + &line("bin", "goalward", false, "\"/t/goalward\"")
            + &line("bin", "goalward", true, "\"/t/deps/goalward-1\"")
            + &line("test", "cli", true, "\"/t/deps/cli-1\"");
        assert_eq!(program(output.as_bytes()), Some("/t/goalward".into()));
        let found = super::tests(output.as_bytes());
        let names: Vec<&str> = found.iter().map(|t| t.name.as_str()).collect();
        assert_eq!(names, ["cli: cli", "cli: unit tests (bin)"]);
        assert_eq!(found[0].folder, Path::new("/w/crates/cli"));
    }
}
