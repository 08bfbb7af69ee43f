//! The checksum that ends a checkpoint, or a manifest of a study.

use std::fmt;

/// What comes before the checksum, and after it.
const BEFORE: &[u8] = b",\"checksum\":\"";
const AFTER: &[u8] = b"\"}\n";
const DIGITS: usize = 2 * blake3::OUT_LEN;

/// Why a file is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadSeal {
    /// It does not end with a checksum.
    Missing,
    /// It has another one.
    Differs,
}

impl fmt::Display for BadSeal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            BadSeal::Missing => {
                "it does not end with its checksum: it never had one, or was cut or changed since"
            }
            BadSeal::Differs => {
                "its checksum is not that of its content: it was changed since it was written"
            }
        })
    }
}

/// The hash of some bytes, in hexadecimal digits.
pub(super) fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// A JSON object with the checksum of all its bytes so far as its last field, and a line break.
pub fn seal(mut object: Vec<u8>) -> Vec<u8> {
    object.pop(); // the brace
    let hash = hash(&object);
    [&object, BEFORE, hash.as_bytes(), AFTER].concat()
}

/// The object, if its checksum is right. Every byte of the file counts: those before the checksum
/// by their hash, the others by what they must be.
pub fn open(file: &[u8]) -> Result<Vec<u8>, BadSeal> {
    let rest = file.strip_suffix(AFTER).ok_or(BadSeal::Missing)?;
    let (rest, written) = rest.split_at_checked(rest.len().wrapping_sub(DIGITS)).ok_or(BadSeal::Missing)?;
    let object = rest.strip_suffix(BEFORE).ok_or(BadSeal::Missing)?;
    if hash(object).as_bytes() != written {
        return Err(BadSeal::Differs);
    }
    Ok([object, b"}"].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bit_can_change_and_no_byte_be_missing() {
        let file = seal(br#"{"version":2,"text":"a"}"#.to_vec());
        assert_eq!(open(&file).as_deref(), Ok(&br#"{"version":2,"text":"a"}"#[..]));
        for at in 0..file.len() {
            for bit in 0..8 {
                let mut other = file.clone();
                other[at] ^= 1 << bit;
                assert!(open(&other).is_err(), "byte {at}, bit {bit}");
            }
            assert!(open(&file[..at]).is_err() && open(&file[at + 1..]).is_err(), "byte {at}");
        }
        assert!(open(&[&file[..], b" "].concat()).is_err());
    }
}
