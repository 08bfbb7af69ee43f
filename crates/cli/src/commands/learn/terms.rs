//! The symbols that claims and conditions are written in, in words.

const TERMS: [(&str, &str); 19] = [
    ("O~", "at most of this order, up to constants and logarithms"),
    ("V*", "the least expected cost from a state to the goal"),
    ("B*", "the largest V* of all states"),
    ("T*", "the most expected steps of the best policy, over all states"),
    ("theta*", "the true weights of the models"),
    ("K", "the number of episodes"),
    ("m", "the directions of theta* that transitions can show, fewer than there are weights"),
    ("d", "the number of weights"),
    ("S", "the number of states"),
    ("A", "the most actions of a state"),
    ("D", "the most that the cheapest way to the goal costs, over all states"),
    ("B", "the bound on B* in force"),
    ("t_star", "the bound on T* in force"),
    ("c_min", "the least cost of a step"),
    ("c_max", "the largest cost of a step"),
    ("lambda", "a parameter of the learner"),
    ("gamma", "a parameter of the learner"),
    ("levels", "a parameter of the learner"),
    ("phi_V", "the features of an action, summed over its next states with values V as weights"),
];

/// The symbols in some texts with their meanings, each once.
pub(super) fn terms<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> impl Iterator<Item = String> {
    let named = move |symbol: &str| texts.clone().any(|text| symbols(text).any(|word| word == symbol));
    TERMS
        .into_iter()
        .filter(move |(symbol, _)| named(symbol))
        .map(|(symbol, what)| format!("{symbol}: {what}"))
}

/// Words that may be symbols: "5B/c_min" has B and c_min.
fn symbols(text: &str) -> impl Iterator<Item = &str> {
    let within = |c: char| c.is_alphanumeric() || matches!(c, '_' | '*' | '~');
    text.split(move |c| !within(c)).map(|word| word.trim_start_matches(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_found_in_formulas() {
        let found = |text: &str| -> Vec<String> {
            let first = |term: String| term.split(':').next().unwrap_or_default().to_string();
            terms(std::iter::once(text)).map(first).collect()
        };
        assert_eq!(found("m B* sqrt(K) + m^2 B*, up to logarithms"), ["B*", "K", "m"]);
        assert_eq!(found("levels >= log2(5B/c_min)"), ["B", "c_min", "levels"]);
        assert_eq!(found("sqrt(lambda) |theta*| <= 1"), ["theta*", "lambda"]);
        assert!(found("every cost off the goal is positive").is_empty());
    }
}
