//! Seeds as they are typed: `20` for twenty of them, `0..20` (20 is left out), `3,5,7`, `0..4,7`.

use crate::counts;

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// Seeds in the order given, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seeds(pub(crate) Vec<u64>);

/// More seeds than anybody means: a slip such as `0..20000000000` must not fill the memory.
const MOST: u64 = 1_000_000;

impl FromStr for Seeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Seeds, String> {
        let whole = |part: &str| -> Result<u64, String> {
            let part = part.trim();
            counts::read(part, &..).map_err(|fault| format!("{part:?}: {fault}"))
        };
        // one number alone is how many, in every command
        if !text.contains(',') && !text.contains("..") {
            return match whole(text)? {
                0 => Err("0 seeds are none: 10 means the seeds 0 to 9, and 3..4 the seed 3 alone".into()),
                n if n > MOST => Err(format!("these are more than {MOST} seeds")),
                n => Ok(Seeds((0..n).collect())),
            };
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
            if to - from > MOST || seeds.len() as u64 > MOST {
                return Err(format!("these are more than {MOST} seeds"));
            }
            seeds.extend(from..to);
        }
        let mut sorted = seeds.clone();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("seed {} is given twice", pair[0])),
            None => Ok(Seeds(seeds)),
        }
    }
}

/// Seeds that follow one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SeedRange(pub(crate) Range<u64>);

impl FromStr for SeedRange {
    type Err = String;

    fn from_str(text: &str) -> Result<SeedRange, String> {
        let Seeds(seeds) = text.parse()?;
        let (first, count) = (seeds[0], seeds.len() as u64); // no list is empty
        match seeds.iter().copied().eq(first..first + count) {
            true => Ok(SeedRange(first..first + count)),
            false => Err("expected one range, such as 0..10".into()),
        }
    }
}

impl fmt::Display for SeedRange {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}..{}", self.0.start, self.0.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_leave_their_end_out() {
        let seeds = |text: &str| text.parse::<Seeds>().map(|seeds| seeds.0);
        assert_eq!(seeds("3..4"), Ok(vec![3]));
        assert_eq!(seeds("3,5,7"), Ok(vec![3, 5, 7]));
        assert_eq!(seeds("0..4,7"), Ok(vec![0, 1, 2, 3, 7]));
        assert_eq!(seeds("5, 2..4"), Ok(vec![5, 2, 3]));
        for bad in ["", "a", "3..3", "4..2", "0..4,2", "0..", "..3", "-1", "1.5", "0..99999999999", "0,,1"] {
            assert!(seeds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn one_number_says_how_many() {
        let seeds = |text: &str| text.parse::<Seeds>().map(|seeds| seeds.0);
        assert_eq!(seeds("3"), Ok(vec![0, 1, 2]));
        assert_eq!(seeds("1"), Ok(vec![0]));
        assert_eq!(seeds("1e2").map(|seeds| seeds.len()), Ok(100));
        assert_eq!(seeds("1.5e1").map(|seeds| seeds.len()), Ok(15));
        assert_eq!(seeds("0..1e1").map(|seeds| seeds.len()), Ok(10));
        for bad in ["0", "0e5", "1e9", "18446744073709551615", "1.5e0", "1e", "-3", "ten"] {
            assert!(seeds(bad).is_err(), "{bad}");
        }
        assert_eq!(seeds(&format!("{},5", u64::MAX)), Err("the seed is too large".into()));
    }

    #[test]
    fn a_range_has_no_holes() {
        let range = |text: &str| text.parse::<SeedRange>().map(|range| range.0);
        assert_eq!(range("2..5"), Ok(2..5));
        assert_eq!(range("3"), Ok(0..3));
        assert_eq!(range("3..4"), Ok(3..4));
        assert_eq!(range("0..2,2"), Ok(0..3));
        assert!(range("0,2").is_err());
        assert!(range("1,0").is_err());
        assert_eq!(SeedRange(0..10).to_string(), "0..10");
    }
}
