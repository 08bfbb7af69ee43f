//! Names of states and actions in few allocations: a million take little more than their letters.

use std::collections::HashMap;

/// Many texts, one after the other in one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    ends: Vec<usize>,
    text: String,
}

impl Names {
    /// Adds a text at the end.
    pub fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len());
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// One of them.
    pub fn get(&self, i: usize) -> &str {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.text[start..self.ends[i]]
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        (0..self.len()).map(|i| self.get(i))
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.ends) + self.text.len()
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.ends.shrink_to_fit();
        self.text.shrink_to_fit();
    }
}

impl<'a> IntoIterator for &'a Names {
    type Item = &'a str;
    type IntoIter = Box<dyn ExactSizeIterator<Item = &'a str> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

impl<T: AsRef<str>> FromIterator<T> for Names {
    fn from_iter<I: IntoIterator<Item = T>>(names: I) -> Names {
        let mut all = Names::default();
        names.into_iter().for_each(|name| all.push(name.as_ref()));
        all
    }
}

/// The number of names looked up; later ones are appended, so that the table stays small.
const LOOKED_UP: usize = 1 << 14;

/// The names of each state's actions. A name that many actions have is held once.
#[derive(Clone, Debug, Default)]
pub struct ActionNames {
    ends: Vec<usize>,
    which: Vec<u32>,
    different: Names,
}

impl ActionNames {
    /// The number of lists.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no list.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn range(&self, s: usize) -> std::ops::Range<usize> {
        (if s == 0 { 0 } else { self.ends[s - 1] })..self.ends[s]
    }

    /// The length of a state's list.
    pub fn length(&self, s: usize) -> usize {
        self.range(s).len()
    }

    /// A name, if a state's list is so long.
    pub fn get(&self, s: usize, a: usize) -> Option<&str> {
        let range = if s < self.len() { self.range(s) } else { 0..0 };
        let which = &self.which[range];
        which.get(a).map(|&which| self.different.get(which as usize))
    }

    /// The names of a state's actions.
    pub fn of(&self, s: usize) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.which[self.range(s)].iter().map(|&which| self.different.get(which as usize))
    }

    /// The lists of all states.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Vec<&str>> {
        (0..self.len()).map(|s| self.of(s).collect())
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.ends) + size_of_val(&*self.which) + self.different.bytes()
    }
}

/// What they say, however it is held.
impl PartialEq for ActionNames {
    fn eq(&self, other: &ActionNames) -> bool {
        self.ends == other.ends && (0..self.len()).all(|s| self.of(s).eq(other.of(s)))
    }
}

impl<L: IntoIterator<Item: AsRef<str>>> FromIterator<L> for ActionNames {
    fn from_iter<I: IntoIterator<Item = L>>(lists: I) -> ActionNames {
        let mut lister = ActionLister::default();
        for list in lists {
            list.into_iter().for_each(|name| lister.action(name.as_ref()));
            lister.end_state();
        }
        lister.finish()
    }
}

/// Takes the names of actions down, one after the other.
#[derive(Debug, Default)]
pub struct ActionLister {
    names: ActionNames,
    known: HashMap<String, u32>,
}

impl ActionLister {
    /// The name of the next action of the current state.
    pub fn action(&mut self, name: &str) {
        let which = match self.known.get(name) {
            Some(&which) => which,
            None => {
                let which = self.names.different.len() as u32;
                self.names.different.push(name);
                if self.known.len() < LOOKED_UP {
                    self.known.insert(name.into(), which);
                }
                which
            }
        };
        self.names.which.push(which);
    }

    /// The current state has no more actions.
    pub fn end_state(&mut self) {
        self.names.ends.push(self.names.which.len());
    }

    /// All of them.
    pub fn finish(mut self) -> ActionNames {
        self.names.ends.shrink_to_fit();
        self.names.which.shrink_to_fit();
        self.names.different.shrink_to_fit();
        self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        let names: Names = ["a", "", "größer", "a"].into_iter().collect();
        assert_eq!(names.iter().collect::<Vec<_>>(), ["a", "", "größer", "a"]);
        assert_eq!((names.len(), names.get(2)), (4, "größer"));
        let lists = [vec!["up", "down"], vec![], vec!["down"]];
        let actions: ActionNames = lists.iter().collect();
        assert_eq!(actions.iter().collect::<Vec<_>>(), lists);
        assert_eq!((actions.length(0), actions.get(2, 0), actions.get(2, 1)), (2, Some("down"), None));
        assert_eq!(actions.get(7, 0), None);
        assert_eq!(actions.different.len(), 2);
    }

    #[test]
    fn many_different_names_are_equal_by_what_they_say() {
        let many = |n: usize| (0..n).map(|i| [format!("{i}"), "stay".to_string()]).collect::<ActionNames>();
        let all = many(2 * LOOKED_UP);
        assert_eq!(all.get(2 * LOOKED_UP - 1, 0), Some((2 * LOOKED_UP - 1).to_string().as_str()));
        assert_eq!(all, many(2 * LOOKED_UP));
        // the same name in two places of the table is still the same name
        let again = |last: &str| {
            let names = (0..LOOKED_UP + 2).map(|i| [i.to_string()]).chain([[last.to_string()], ["x".into()]]);
            names.collect::<ActionNames>()
        };
        assert_eq!(again("x"), again("x"));
        assert_ne!(again("x"), again("y"));
    }
}
