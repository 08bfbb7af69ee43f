//! Items by group, sorted by counting.

/// Lists of items, one for each of some groups: the arcs into each node, the members of each block.
#[derive(Clone, Debug, Default)]
pub struct Grouped<T> {
    first: Vec<usize>,
    items: Vec<T>,
}

impl<T: Copy + Default> Grouped<T> {
    /// Sorts items, given as (group, item), stably by their groups; `all` is called twice.
    pub fn new<I: Iterator<Item = (usize, T)>>(groups: usize, all: impl Fn() -> I) -> Grouped<T> {
        let mut grouped = Grouped::default();
        grouped.sort(groups, all);
        grouped
    }

    /// The same in the buffers of `self`.
    pub fn sort<I: Iterator<Item = (usize, T)>>(&mut self, groups: usize, all: impl Fn() -> I) {
        let Grouped { first, items } = self;
        // counted one place too high, so that filling in moves each entry to its place
        first.clear();
        first.resize(groups + 2, 0);
        all().for_each(|(group, _)| first[group + 2] += 1);
        (2..groups + 2).for_each(|group| first[group] += first[group - 1]);
        items.clear();
        items.resize(first[groups + 1], T::default());
        all().for_each(|(group, item)| {
            items[first[group + 1]] = item;
            first[group + 1] += 1;
        });
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.first.len().saturating_sub(2)
    }

    /// Whether there is no group.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The items of a group, in the order given.
    pub fn of(&self, group: usize) -> &[T] {
        &self.items[self.first[group]..self.first[group + 1]]
    }

    /// With arcs grouped by their ends: the nodes with a path to a marked one, which are included.
    /// `from` is where an arc begins, if it counts.
    pub fn reaching(&self, mut marked: Vec<bool>, from: impl Fn(T) -> Option<usize>) -> Vec<bool> {
        let mut queue: Vec<u32> = (0..marked.len() as u32).filter(|&s| marked[s as usize]).collect();
        while let Some(next) = queue.pop() {
            for s in self.of(next as usize).iter().filter_map(|&arc| from(arc)) {
                if !std::mem::replace(&mut marked[s], true) {
                    queue.push(s as u32);
                }
            }
        }
        marked
    }
}
