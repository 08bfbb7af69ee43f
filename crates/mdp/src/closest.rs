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
        let slips = strsim::osa_distance(&typed, &other);
        // one letter in three; short words may be turned round
        let alike =
            slips <= letters(&typed).max(letters(&other)) / 3 || typed.chars().rev().eq(other.chars());
        let begins = letters(&typed) >= 3 && other.starts_with(&typed);
        (alike || begins).then_some((slips, word))
    });
    near.min_by_key(|(slips, _)| *slips).map(|(_, word)| word)
}

/// The likely meaning as the end of an error, `; did you mean levis?`, or nothing.
pub fn did_you_mean<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    closest(typed, known).map_or(String::new(), |meant| format!("; did you mean {meant}?"))
}

/// The same as the beginning of a hint: `did you mean levis? `.
pub fn did_you_mean_first<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    closest(typed, known).map_or(String::new(), |meant| format!("did you mean {meant}? "))
}

/// The longest text that is taken for a word, in bytes.
const LONGEST: usize = 256;

fn letters(word: &str) -> usize {
    word.chars().count()
}

fn folded(word: &str) -> String {
    word.trim().to_lowercase().replace('_', "-")
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
