//! Lines that are nearly requests.

use goalward::Stream;

/// What is changed.
const SEEDS: &[&str] = &[
    r#"{"op":"act","state":0}"#,
    r#"{"op":"act","state":"(1,1)","id":"a"}"#,
    r#"{"op":"observe","state":0,"action":1,"cost":0.2,"next":3}"#,
    r#"{"id":17,"op":"observe","state":"(0,0)","action":"right","next":"(0,1)"}"#,
    r#"{"op":"end_episode"}"#,
    r#"{"op":"estimate","id":null}"#,
    r#"{"op":"value","state":4}"#,
    r#"{"op":"save"}"#,
];

/// What is put in.
const PARTS: &[&str] = &[
    "NaN",
    "Infinity",
    "-1",
    "1e308",
    "1e999",
    "18446744073709551616",
    "0.5",
    "null",
    "true",
    "{}",
    "[]",
    "[[[[[[[[",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "\u{feff}",
    "\u{0}",
    "é",
    ",",
    ":",
    "{",
    "}",
    "\"op\":\"quit\"",
    "\"state\":2,",
    "\"next\":9e9",
    " ",
    "\t",
    "//",
    "'",
    "-0",
    "1E5",
    "0x10",
    "01",
];

/// The n-th line: a request with one to four changes. It has no line break, and is no `quit`.
pub(crate) fn line(n: u64) -> Vec<u8> {
    let mut luck = Stream::new(n, &[0x6c69_6e65]);
    let mut draw = |below: usize| (luck.uniform() * below as f64) as usize;
    let mut line = SEEDS[draw(SEEDS.len())].as_bytes().to_vec();
    for _ in 0..1 + draw(4) {
        let at = draw(line.len() + 1);
        let to = (at + draw(8)).min(line.len());
        match draw(6) {
            0 => drop(line.splice(at..at, PARTS[draw(PARTS.len())].bytes())),
            1 => drop(line.splice(at..to, PARTS[draw(PARTS.len())].bytes())),
            2 => drop(line.drain(at..to)),
            3 if at < line.len() => line[at] = draw(256) as u8,
            4 => {
                let copy = line[at..to].to_vec();
                drop(line.splice(to..to, copy));
            }
            _ => line.truncate(at.max(1)),
        }
        if line.is_empty() {
            line.push(b' ');
        }
    }
    line.retain(|byte| *byte != b'\n');
    // a session that ends is none that goes on
    let text = String::from_utf8_lossy(&line).replace(char::is_whitespace, "");
    if text.contains("\"quit\"") { b"quit".to_vec() } else { line }
}
