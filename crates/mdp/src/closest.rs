//! "Did you mean": the known word that is nearest to one that was typed, if it is near.

/// The known word that was probably meant, if one is close.
///
/// Case and the difference between `-` and `_` do not count. Two letters swapped count as one slip.
/// The beginning of a word stands for the word. Of several words the nearest is taken, and of those
/// the first.
///
/// ```
/// use goalward_mdp::closest;
/// let known = ["levis++", "levis", "lr", "random"];
/// assert_eq!(closest("lewis", known), Some("levis"));
/// assert_eq!(closest("rand", known), Some("random"));
/// assert_eq!(closest("dijkstra", known), None);
/// ```
pub fn closest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = folded(typed);
    // a page of text is not a misspelt word, and comparing takes the product of the lengths
    if typed.is_empty() || typed.len() > LONGEST {
        return None;
    }
    let near = known.into_iter().filter_map(|word| {
        let other = folded(word);
        if other.is_empty() || other.len() > LONGEST {
            return None;
        }
        let slips = slips(&typed, &other);
        // one letter in three; short words may be turned round
        let alike = slips <= typed.len().max(other.len()) / 3 || typed.iter().rev().eq(&other);
        let begins = typed.len() >= 3 && other.starts_with(&typed);
        (alike || begins).then_some((slips, word))
    });
    near.min_by_key(|(slips, _)| *slips).map(|(_, word)| word)
}

/// The longest text that is taken for a word.
const LONGEST: usize = 64;

fn folded(word: &str) -> Vec<char> {
    let letters = word.trim().chars().flat_map(char::to_lowercase);
    letters.map(|letter| if letter == '_' { '-' } else { letter }).collect()
}

/// Letters to add, drop, change, or swap with their neighbour.
fn slips(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = changed.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 9] =
        ["B", "delta", "lambda", "c_min", "radius", "rows", "planner", "theta_norm", "delta_split"];

    #[test]
    fn slips_of_every_kind() {
        for (typed, meant) in [
            ("dleta", "delta"),
            ("delt", "delta"),
            ("deltaa", "delta"),
            ("delte", "delta"),
            ("DELTA", "delta"),
            ("b", "B"),
            ("c-min", "c_min"),
            ("cmin", "c_min"),
            ("theta-nrom", "theta_norm"),
            ("lam", "lambda"),
            (" radius ", "radius"),
            ("delta_spilt", "delta_split"),
        ] {
            assert_eq!(closest(typed, KEYS), Some(meant), "{typed}");
        }
    }

    #[test]
    fn what_is_far_is_not_offered() {
        for typed in ["", "x", "zz", "zeta", "epsilon", "gamma-ray", "de", &"delta".repeat(1000)] {
            assert_eq!(closest(typed, KEYS), None, "{typed}");
        }
        assert_eq!(closest("delta", []), None);
        assert_eq!(closest("delta", [""]), None);
    }

    #[test]
    fn short_words_and_ties() {
        assert_eq!(closest("rl", ["lr", "levis"]), Some("lr"));
        assert_eq!(closest("levi", ["levis++", "levis"]), Some("levis"));
        assert_eq!(closest("levis+", ["levis", "levis++"]), Some("levis"), "the first of two equally near");
    }
}
