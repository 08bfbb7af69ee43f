//! Reads a problem file as it comes. Feature rows, most of the text, are parsed in pieces on all
//! cores. A file of wrong form gives none: the caller then reads its whole text for the fault.

use super::document::Document;
use super::features::Features;
use rayon::prelude::*;
use std::io::BufRead;

/// The text of rows that is parsed in one piece.
const PIECE: usize = 1 << 20;
/// The number of pieces parsed in parallel: fixed, so that results do not depend on the cores.
const PIECES: usize = 16;

/// Reads a document; also the length of its text. None if anything is wrong with it.
pub(super) fn read(mut from: impl BufRead) -> Option<(Document, usize)> {
    let mut splitter = Splitter::default();
    loop {
        let block = from.fill_buf().ok()?;
        if block.is_empty() {
            break;
        }
        let length = block.len();
        splitter.take(block)?;
        from.consume(length);
    }
    splitter.finish()
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// Outside of strings and feature rows.
    #[default]
    Outside,
    /// In a string; with true, after a backslash.
    Text(bool),
    /// Among the feature rows.
    Rows,
}

/// What was last seen of `"features": [`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Seen {
    #[default]
    Nothing,
    Name,
    Colon,
}

#[derive(Default)]
struct Splitter {
    place: Place,
    seen: Seen,
    depth: usize,
    rest: Vec<u8>,
    /// Where the last string began, in `rest`.
    string: usize,
    /// Text of rows that is not parsed yet; those before `whole` are complete.
    rows: Vec<u8>,
    whole: usize,
    pieces: Vec<Vec<u8>>,
    features: Features,
    any: bool,
    size: usize,
}

impl Splitter {
    fn take(&mut self, mut block: &[u8]) -> Option<()> {
        self.size += block.len();
        while let Some(&byte) = block.first() {
            if self.place == Place::Rows {
                block = self.take_rows(block)?;
                continue;
            }
            block = &block[1..];
            self.rest.push(byte);
            match self.place {
                Place::Text(true) => self.place = Place::Text(false),
                Place::Text(false) if byte == b'\\' => self.place = Place::Text(true),
                Place::Text(false) if byte == b'"' => {
                    self.place = Place::Outside;
                    let is_name = self.depth == 1 && &self.rest[self.string..] == b"\"features\"";
                    self.seen = if is_name { Seen::Name } else { Seen::Nothing };
                }
                Place::Text(false) => {}
                _ => self.outside(byte)?,
            }
        }
        Some(())
    }

    fn outside(&mut self, byte: u8) -> Option<()> {
        if byte.is_ascii_whitespace() {
            return Some(());
        }
        let seen = std::mem::take(&mut self.seen);
        match byte {
            b'"' => {
                self.string = self.rest.len() - 1;
                self.place = Place::Text(false);
            }
            b':' if seen == Seen::Name => self.seen = Seen::Colon,
            b'[' | b'{' => {
                self.depth += 1;
                if byte == b'[' && seen == Seen::Colon {
                    // a second list of features is refused by the parser of the rest
                    self.place = Place::Rows;
                }
            }
            b']' | b'}' => self.depth = self.depth.checked_sub(1)?,
            _ => {}
        }
        Some(())
    }

    /// Takes what belongs to the rows, and gives back what follows their end.
    fn take_rows<'a>(&mut self, block: &'a [u8]) -> Option<&'a [u8]> {
        for (i, &byte) in block.iter().enumerate() {
            match byte {
                b'[' => self.depth += 1,
                b']' => {
                    self.depth = self.depth.checked_sub(1)?;
                    if self.depth == 2 {
                        self.whole = self.rows.len() + i + 1;
                    } else if self.depth == 1 {
                        self.rows.extend_from_slice(&block[..i]);
                        self.cut()?;
                        self.parse()?;
                        // only space may follow
                        if !self.rows.trim_ascii().is_empty() {
                            return None;
                        }
                        self.rest.push(b']');
                        self.place = Place::Outside;
                        return Some(&block[i + 1..]);
                    }
                }
                // rows have neither texts nor objects
                b'"' | b'{' | b'}' => return None,
                _ => {}
            }
        }
        self.rows.extend_from_slice(block);
        if self.whole >= PIECE {
            self.cut()?;
        }
        Some(&[])
    }

    /// Puts the complete rows aside as a piece that is a list of its own.
    fn cut(&mut self) -> Option<()> {
        if self.whole == 0 {
            return Some(());
        }
        let left = self.rows.split_off(self.whole);
        let mut piece = std::mem::replace(&mut self.rows, left);
        self.whole = 0;
        let first = piece.iter().position(|byte| !byte.is_ascii_whitespace())?;
        if self.any {
            // the comma between two rows becomes the bracket of the list
            if piece[first] != b',' {
                return None;
            }
            piece[first] = b'[';
        } else {
            piece.insert(0, b'[');
        }
        self.any = true;
        piece.push(b']');
        self.pieces.push(piece);
        if self.pieces.len() >= PIECES { self.parse() } else { Some(()) }
    }

    fn parse(&mut self) -> Option<()> {
        let pieces = std::mem::take(&mut self.pieces);
        let parsed: Vec<Option<Features>> =
            pieces.into_par_iter().map(|piece| serde_json::from_slice(&piece).ok()).collect();
        parsed.into_iter().try_for_each(|features| {
            self.features.append(features?);
            Some(())
        })
    }

    fn finish(self) -> Option<(Document, usize)> {
        let text = std::str::from_utf8(&self.rest).ok()?;
        // an object, not a list of its values
        if !text.trim_ascii_start().starts_with('{') {
            return None;
        }
        let document: Document = serde_json::from_str(text).ok()?;
        Some((if self.any { document.with_features(self.features) } else { document }, self.size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// A text in blocks of a given number of bytes.
    fn in_blocks(text: &str, bytes: usize) -> Option<Document> {
        read(std::io::BufReader::with_capacity(bytes, text.as_bytes())).map(|(document, size)| {
            assert_eq!(size, text.len());
            document
        })
    }

    fn document(features: &str) -> String {
        format!(
            r#" {{"name": "a \"features\": [ b", "states": 2, "features" : {features}, "start": 0, "goal": 1,
            "dim": 1, "cost": [[1.0], []], "state_names": ["features", "]\\"]}} "#
        )
    }

    #[test]
    fn it_reads_what_the_parser_reads() {
        let rows =
            ["[[0, 0, 0, [0.5]], [0,0,1,[0.5]]]", "[ ]", "[\n[0,0,1,[1e0]] ]", "[[0,0,1,[]],[7,8,9,[1,2]]]"];
        for rows in rows {
            let text = document(rows);
            let whole = Document::parse(&text, Path::new("x")).unwrap();
            for bytes in [1, 2, 3, 7, 64, 10_000] {
                let streamed = in_blocks(&text, bytes).unwrap();
                assert_eq!(format!("{streamed:?}"), format!("{whole:?}"), "{rows} in blocks of {bytes}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_left_to_the_parser() {
        for rows in [
            "[[0,0,1,[1]],]",
            "[,[0,0,1,[1]]]",
            "[[0,0,1,[1]] [0,0,1,[1]]]",
            "[[0,0,1,[1]],,[0,0,1,[1]]]",
            "[[0,0,1,[1]]",
            "[[0,0,1,[1]]]]",
            "[[0,0,1,[\"1\"]]]",
            "[1]",
            "[[0,0,1,[1]],1]",
            "[[0,0,1,[1]]], \"features\": []",
            "{}",
            "[[0,0,1,{}]]",
            "[[0,0,-1,[1]]]",
            "[[0,0,1,[01]]]",
            "[[0,0,1,[1]]1]",
            "[1[0,0,1,[1]]]",
        ] {
            let text = document(rows);
            assert!(Document::parse(&text, Path::new("x")).is_err(), "{rows}");
            for bytes in [1, 5, 10_000] {
                assert!(in_blocks(&text, bytes).is_none(), "{rows}");
            }
        }
        assert!(in_blocks("", 10).is_none() && in_blocks("[1, 2]", 10).is_none());
    }

    #[test]
    fn pieces_follow_each_other() {
        // more text than one round of pieces
        let row = |i: usize| format!("[{}, 0, {}, [{}.25, 1e-{}]]", i, 3 * i, i, i % 9);
        let rows: Vec<String> = (0..700_000).map(row).collect();
        let text = document(&format!("[{}]", rows.join(",\n")));
        assert!(text.len() > PIECES * PIECE);
        let (streamed, whole) =
            (in_blocks(&text, 1 << 16).unwrap(), Document::parse(&text, Path::new("x")).unwrap());
        assert!(streamed.same_features(&whole));
    }
}
