use super::*;
use crate::results::{EpisodeRow, PlanRow, RunRow};

fn identity() -> Identity {
    Identity { job: "ab".into(), world: "w@n=3".into(), learner: "lr".into(), seed: u64::MAX }
}

#[test]
fn rows_come_back_and_bytes_do_not_change() {
    let row = |k: u64| EpisodeRow {
        episode: k,
        t: 3 * k,
        regret: 0.1 * k as f64,
        cost: 1e300,
        ..EpisodeRow::default()
    };
    let rows: Vec<EpisodeRow> = (1..1000).map(row).collect();
    let bytes = encode(&identity(), &rows).unwrap();
    assert_eq!(bytes, encode(&identity(), &rows).unwrap());
    assert_eq!(decode::<EpisodeRow>(bytes).unwrap(), rows);
}

#[test]
fn what_is_missing_stays_missing() {
    let full =
        RunRow { lost: Some(3), radius: Some("printed".into()), empty: Some(true), ..RunRow::default() };
    let rows = vec![RunRow::default(), full, RunRow { width: Some(0.25), ..RunRow::default() }];
    let bytes = encode(&identity(), &rows).unwrap();
    assert_eq!(decode::<RunRow>(bytes).unwrap(), rows);
    let none: Vec<PlanRow> = Vec::new();
    assert_eq!(decode::<PlanRow>(encode(&identity(), &none).unwrap()).unwrap(), none);
}

#[test]
fn rows_of_another_run_are_told() {
    let bytes = encode(&identity(), &vec![EpisodeRow::default(); 5000]).unwrap();
    assert_eq!(belongs(&bytes, "episodes", &identity()), Ok(()));
    let others = [
        Identity { job: "ac".into(), ..identity() },
        Identity { world: "w".into(), ..identity() },
        Identity { learner: "lr@delta=0.1".into(), ..identity() },
        Identity { seed: 3, ..identity() },
    ];
    for other in others {
        assert!(belongs(&bytes, "episodes", &other).unwrap_err().contains("another run"));
    }
}

/// A file whose header says another number of rows, here and there or everywhere.
fn promising(rows: u64, of: usize, everywhere: bool) -> Vec<u8> {
    let varint = |n: u64| {
        let (mut n, mut bytes) = (2 * n, Vec::new());
        while n > 127 {
            bytes.push(n as u8 | 128);
            n >>= 7;
        }
        bytes.push(n as u8);
        bytes
    };
    let mut bytes = encode(&identity(), &vec![EpisodeRow::default(); of]).unwrap();
    let tail = bytes.len() - 8;
    let length = u32::from_le_bytes(bytes[tail..tail + 4].try_into().unwrap()) as usize;
    let footer = bytes[tail - length..tail].to_vec();
    bytes.truncate(tail - length);
    let (old, new) = (varint(of as u64), varint(rows));
    let (mut forged, mut at) = (Vec::new(), 0);
    while at < footer.len() {
        if footer[at..].starts_with(&old) && (everywhere || forged.len() == at) {
            forged.extend_from_slice(&new);
            at += old.len();
        } else {
            forged.push(footer[at]);
            at += 1;
        }
    }
    let length = (forged.len() as u32).to_le_bytes();
    [bytes, forged, length.to_vec(), b"PAR1".to_vec()].concat()
}

#[test]
fn nothing_is_reserved_on_the_word_of_a_header() {
    assert_eq!(decode::<EpisodeRow>(promising(5001, 5001, true)).unwrap().len(), 5001);
    for rows in [5002, 1_000_000, 1 << 31, 1 << 40, u64::MAX / 4] {
        for everywhere in [true, false] {
            let bytes = promising(rows, 5001, everywhere);
            decode::<EpisodeRow>(bytes.clone()).unwrap_err();
            belongs(&bytes, "episodes", &identity()).unwrap_err();
            let columns = || IDENTITY.iter().chain(EpisodeRow::COLUMNS);
            let mut all: Vec<Values> = columns().map(Values::of).collect();
            add_columns(bytes, "episodes", EpisodeRow::COLUMNS, &mut all).unwrap_err();
        }
    }
}

/// A page whose header says that it was as large as a number can say.
#[test]
fn nothing_is_reserved_on_the_word_of_a_page() {
    let rows: Vec<EpisodeRow> = (0..200).map(|t| EpisodeRow { t, ..EpisodeRow::default() }).collect();
    let bytes = encode(&identity(), &rows).unwrap();
    let file = SerializedFileReader::new(Bytes::from(bytes.clone())).unwrap();
    let (start, length) = file.metadata().row_group(0).column(0).byte_range();
    pages::check(&bytes, start..start + length).unwrap();
    // kind and number of a field take a byte, and so does the number before
    let at = start as usize + 2;
    assert_eq!(bytes[at], 0x15, "the size is the second field, a number");
    let mut forged = bytes[..=at].to_vec();
    forged.extend([0xfe, 0xff, 0xff, 0xff, 0x0f]);
    let longer = bytes[at + 1..].iter().skip_while(|byte| **byte > 127).skip(1);
    forged.extend(longer);
    let said = pages::check(&forged, start..forged.len() as u64).unwrap_err();
    assert!(said.contains("promises 2147483647 bytes"), "{said}");
}

#[test]
fn other_files_are_refused() {
    let rows = vec![EpisodeRow::default()];
    let bytes = encode(&identity(), &rows).unwrap();
    assert!(decode::<PlanRow>(bytes.clone()).unwrap_err().contains("columns"));
    assert!(decode::<EpisodeRow>(bytes[..bytes.len() / 2].to_vec()).is_err());
    assert!(decode::<EpisodeRow>(b"not a file".to_vec()).is_err());
}
