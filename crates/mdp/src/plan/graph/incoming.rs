//! Arcs by where they lead.

/// What is told of the arcs into each of some nodes.
#[derive(Default)]
pub(crate) struct Incoming<T> {
    first: Vec<usize>,
    arcs: Vec<T>,
}

impl<T: Copy + Default> Incoming<T> {
    /// Sorts arcs, given as (end, what is told of it), by their ends; they are listed twice.
    pub(crate) fn new<I: Iterator<Item = (usize, T)>>(nodes: usize, arcs: impl Fn() -> I) -> Incoming<T> {
        let mut incoming = Incoming { first: Vec::new(), arcs: Vec::new() };
        incoming.sort(nodes, arcs);
        incoming
    }

    /// The same in the place of the arcs before.
    pub(crate) fn sort<I: Iterator<Item = (usize, T)>>(&mut self, nodes: usize, arcs: impl Fn() -> I) {
        let Incoming { first, arcs: sorted } = self;
        // counted one place too high, so that filling in moves each entry to its place
        first.clear();
        first.resize(nodes + 2, 0);
        arcs().for_each(|(end, _)| first[end + 2] += 1);
        (2..nodes + 2).for_each(|end| first[end] += first[end - 1]);
        sorted.clear();
        sorted.resize(first[nodes + 1], T::default());
        arcs().for_each(|(end, arc)| {
            sorted[first[end + 1]] = arc;
            first[end + 1] += 1;
        });
    }

    /// The arcs into a node.
    pub(crate) fn of(&self, node: usize) -> &[T] {
        &self.arcs[self.first[node]..self.first[node + 1]]
    }

    /// The nodes that have a path to a marked one, the marked ones included. `from` says where an
    /// arc begins, if it counts.
    pub(crate) fn closure(&self, mut marked: Vec<bool>, from: impl Fn(T) -> Option<usize>) -> Vec<bool> {
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
