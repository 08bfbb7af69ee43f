//! Seeds as they are written: `20` for twenty of them, `0..20` (20 is left out), `3,5,7`, `0..4,7`.

use goalward::parameters::parse_count;

/// A slip such as `0..20000000000` must not fill the memory.
const MOST: u64 = 1_000_000;

/// Reads seeds in the order given, each once; what is wrong otherwise.
pub fn parse_seeds(text: &str) -> Result<Vec<u64>, String> {
    let whole = |part: &str| -> Result<u64, String> {
        let part = part.trim();
        parse_count(part).map_err(|fault| format!("{part:?}: {fault}"))
    };
    // one number alone is how many, in every command
    if !text.contains(',') && !text.contains("..") {
        return so_many(whole(text)?);
    }
    let mut seeds = Vec::new();
    for part in text.split(',') {
        let (from, to) = match part.split_once("..") {
            Some((from, to)) => (whole(from)?, whole(to)?),
            None => match whole(part)? {
                u64::MAX => return Err("the seed is too large".into()),
                seed => (seed, seed + 1),
            },
        };
        if from >= to {
            return Err(format!("{from}..{to} is empty: {to} itself is left out"));
        }
        if to - from > MOST - seeds.len() as u64 {
            return Err(format!("these are more than {MOST} seeds"));
        }
        seeds.extend(from..to);
    }
    each_once(seeds)
}

/// The first n seeds.
pub(super) fn so_many(n: u64) -> Result<Vec<u64>, String> {
    match n {
        0 => Err("0 seeds are none: 10 means the seeds 0 to 9, and 3..4 the seed 3 alone".into()),
        n if n > MOST => Err(format!("these are more than {MOST} seeds")),
        n => Ok((0..n).collect()),
    }
}

/// The seeds if none is given twice.
pub(super) fn each_once(seeds: Vec<u64>) -> Result<Vec<u64>, String> {
    let mut sorted = seeds.clone();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("seed {} is given twice", pair[0])),
        None => Ok(seeds),
    }
}

/// As short as they can be written: `20`, `3..7`, `3,5,7`.
pub(crate) fn spell_seeds(seeds: &[u64]) -> String {
    let first = seeds.first().copied().unwrap_or(0);
    let in_a_row = seeds.iter().enumerate().all(|(i, &seed)| seed.checked_sub(i as u64) == Some(first));
    match in_a_row {
        true if first == 0 => seeds.len().to_string(),
        true => format!("{first}..{}", first + seeds.len() as u64),
        false => seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(","),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_leave_their_end_out() {
        assert_eq!(parse_seeds("3..4"), Ok(vec![3]));
        assert_eq!(parse_seeds("3,5,7"), Ok(vec![3, 5, 7]));
        assert_eq!(parse_seeds("0..4,7"), Ok(vec![0, 1, 2, 3, 7]));
        assert_eq!(parse_seeds("5, 2..4"), Ok(vec![5, 2, 3]));
        for bad in ["", "a", "3..3", "4..2", "0..4,2", "0..", "..3", "-1", "1.5", "0..99999999999", "0,,1"] {
            assert!(parse_seeds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn one_number_says_how_many() {
        assert_eq!(parse_seeds("3"), Ok(vec![0, 1, 2]));
        assert_eq!(parse_seeds("1e2").map(|seeds| seeds.len()), Ok(100));
        assert_eq!(parse_seeds("1.5e1").map(|seeds| seeds.len()), Ok(15));
        assert_eq!(parse_seeds("0..1e1").map(|seeds| seeds.len()), Ok(10));
        for bad in ["0", "0e5", "1e9", "18446744073709551615", "1.5e0", "1e", "-3", "ten"] {
            assert!(parse_seeds(bad).is_err(), "{bad}");
        }
        assert_eq!(parse_seeds(&format!("{},5", u64::MAX)), Err("the seed is too large".into()));
    }

    #[test]
    fn what_is_spelled_is_read_back() {
        for text in ["20", "3..7", "3,5,7", "1"] {
            let seeds = parse_seeds(text).unwrap();
            assert_eq!(spell_seeds(&seeds), text);
        }
        assert_eq!(spell_seeds(&[3]), "3..4");
    }
}
