//! Values put together, in the order in which they come up.

/// Those that are alike, side by side; the first of a group stands for it.
pub(crate) fn grouped<T>(values: impl IntoIterator<Item = T>, alike: impl Fn(&T, &T) -> bool) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = Vec::new();
    for value in values {
        match groups.iter_mut().find(|group| alike(&group[0], &value)) {
            Some(group) => group.push(value),
            None => groups.push(vec![value]),
        }
    }
    groups
}

/// Each once.
pub(crate) fn distinct<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}
