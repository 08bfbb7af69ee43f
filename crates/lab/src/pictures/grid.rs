//! Values and policies of a problem's states, in the terminal and as a picture: on its grid if it has
//! one, and as a table or bars of the first states otherwise.

use super::Picture;
use super::sight::Sight;
use crate::Result;
use crate::figure::{
    Arrow, Axis, Colour, Entry, Format, Head, Map, MapCell, MapPanel, RowPanel, Rows, number_label,
};
use crate::layout::{Layout, direction};
use crate::table::Table;
use goalward::Problem;
use goalward::numeric::Portable;
use goalward::problem::{Action, State, Truth};

/// Values and policies on one problem.
pub struct Scene<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// Where actions lead, for the arrows of those whose name is no direction.
    pub truth: Option<&'a Truth>,
    /// The meaning of the values: "expected cost to the goal".
    pub measure: String,
    /// Side by side.
    pub sights: Vec<Sight>,
}

/// The states of a table or of bars.
const STATES: usize = 24;
/// Columns of a terminal.
const WIDE: usize = 100;
/// Wider grids have arrows without numbers.
const WIDEST: usize = 160;

impl Scene<'_> {
    /// For a terminal: arrows and numbers on the grid, or a table of the first states.
    pub fn text(&self) -> String {
        match Layout::of(self.problem) {
            Some(layout) => self.boards(&layout),
            None => self.table(),
        }
    }

    /// As a picture.
    pub fn picture(
        &self,
        name: &str,
        title: &str,
        notes: Vec<String>,
        formats: &[Format],
    ) -> Result<Picture> {
        let mut head = Head { title: title.into(), notes };
        let alt = format!("{title}. {}", self.in_words());
        let canvas = match Layout::of(self.problem) {
            Some(layout) => {
                head.notes.extend(self.elsewhere(&layout));
                self.map(head, &layout).draw()
            }
            None => self.rows(head).draw(),
        };
        Picture::of(name.into(), alt, canvas, formats)
    }

    /// The start's value from every sight, and how many states there are.
    fn in_words(&self) -> String {
        let start = self.problem.start();
        let of = |sight: &Sight| {
            let value = sight.value(start);
            format!("{}: {} from the start", sight.title, value.map_or("unknown".into(), number))
        };
        let said: Vec<String> = self.sights.iter().map(of).collect();
        format!("{} of {} states. {}.", self.measure, self.problem.states(), said.join("; "))
    }

    /// The values of the first states that are not on the grid.
    fn elsewhere(&self, layout: &Layout) -> Vec<String> {
        const SHOWN: usize = 6;
        let off: Vec<State> = (0..layout.places.len()).filter(|s| layout.places[*s].is_none()).collect();
        let of = |sight: &Sight| {
            let one = |&s: &State| {
                let value = sight.value(s);
                let done = self.done(sight, s);
                let done = if done.is_empty() { done } else { format!(" ({done})") };
                format!("{} {}{done}", self.name(s), value.map_or("?".into(), number))
            };
            let said: Vec<String> = off.iter().take(SHOWN).map(one).collect();
            let whose = if self.sights.len() > 1 { format!("{}, ", sight.title) } else { String::new() };
            format!("{whose}not on the grid: {}", said.join(", "))
        };
        if off.is_empty() { Vec::new() } else { self.sights.iter().map(of).collect() }
    }

    fn mark(&self, s: State) -> &'static str {
        match s {
            s if s == self.problem.goal() => "goal",
            s if s == self.problem.start() => "start",
            _ => "",
        }
    }

    /// Where an action leads on the grid: by its name, and otherwise by where it leads on average.
    fn arrow(&self, layout: &Layout, s: State, a: Action) -> Arrow {
        if let Some((down, right)) = direction(&self.problem.action_name(s, a)) {
            let length = Portable::hypotenuse(right, down);
            return Some((right / length, down / length));
        }
        let (truth, from) = (self.truth?, layout.places[s]?);
        let pair = self.problem.pair(s, a);
        let (mut dx, mut dy) = (0.0, 0.0);
        for (&next, p) in self.problem.successors(pair).iter().zip(truth.row(self.problem, pair)) {
            if let Some(Some(to)) = layout.places.get(next as usize) {
                dx += p * (to.1 as f64 - from.1 as f64);
                dy += p * (to.0 as f64 - from.0 as f64);
            }
        }
        let length = Portable::hypotenuse(dx, dy);
        (length >= 0.05).then(|| (dx / length, dy / length))
    }

    fn cell(&self, layout: &Layout, sight: &Sight, s: State, holes: &[bool]) -> MapCell {
        if holes[s] {
            return MapCell { mark: "hole", ..MapCell::default() };
        }
        MapCell {
            value: sight.value(s).filter(|v| !v.is_nan()),
            arrows: self.actions(sight, s).iter().map(|&a| self.arrow(layout, s, a)).collect(),
            mark: self.mark(s),
        }
    }

    /// What is done in a state; nothing in the goal.
    fn actions<'a>(&self, sight: &'a Sight, s: State) -> &'a [Action] {
        sight.actions.get(s).filter(|_| s != self.problem.goal()).map_or(&[], Vec::as_slice)
    }

    fn map(&self, head: Head, layout: &Layout) -> Map {
        let holes = holes(self.problem, self.truth);
        let panel = |sight: &Sight| {
            let mut cells = vec![None; layout.rows * layout.columns];
            for (s, place) in layout.places.iter().enumerate() {
                if let Some((row, column)) = place {
                    cells[row * layout.columns + column] = Some(self.cell(layout, sight, s, &holes));
                }
            }
            MapPanel { title: sight.title.clone(), columns: layout.columns, cells }
        };
        let panels = self.sights.iter().map(panel).collect();
        Map { head, panels, measure: self.measure.clone(), size: None }
    }

    /// The first states, and the start if it is none of them.
    fn first(&self) -> Vec<State> {
        let mut states: Vec<State> = (0..self.problem.states().min(STATES)).collect();
        if self.problem.start() >= states.len() {
            states.push(self.problem.start());
        }
        states
    }

    /// The first states, as bars.
    fn rows(&self, mut head: Head) -> Rows {
        let states = self.first();
        if states.len() < self.problem.states() {
            head.notes.push(format!("the first {STATES} of {} states, and the start", self.problem.states()));
        }
        let entry = |sight: &Sight, s: State| {
            let value = sight.value(s).filter(|v| !v.is_nan());
            let done = self.done(sight, s);
            let text = value.map_or("unknown".into(), number);
            let text = if done.is_empty() { text } else { format!("{text} · {done}") };
            Entry { value: value.filter(|v| v.is_finite()), interval: None, tick: None, text }
        };
        let panel = |sight: &Sight| RowPanel {
            title: sight.title.clone(),
            x: Axis { title: self.measure.clone(), ..Axis::default() },
            entries: states.iter().map(|&s| entry(sight, s)).collect(),
        };
        let label = |&s: &State| (self.name(s), Colour::BLUE);
        Rows {
            head,
            labels: states.iter().map(label).collect(),
            panels: self.sights.iter().map(panel).collect(),
            columns: self.sights.len().max(1),
            size: None,
            dots: false,
        }
    }

    fn name(&self, s: State) -> String {
        let mark = self.mark(s);
        let name = printable(&self.problem.state_name(s));
        if mark.is_empty() || name == mark { name } else { format!("{name} ({mark})") }
    }

    /// The names of what is done in a state; empty where nothing is.
    fn done(&self, sight: &Sight, s: State) -> String {
        let names = self.actions(sight, s).iter().map(|&a| printable(&self.problem.action_name(s, a)));
        names.collect::<Vec<_>>().join(" = ")
    }

    /// The first states, for a terminal.
    fn table(&self) -> String {
        let states = self.first();
        let headings = self.sights.iter().flat_map(|sight| [sight.title.clone(), "action".into()]);
        let mut table = Table::new(std::iter::once("state".to_string()).chain(headings));
        for &s in &states {
            let mut row = vec![self.name(s)];
            for sight in &self.sights {
                let value = sight.value(s);
                row.extend([value.map_or("-".into(), number), self.done(sight, s)]);
            }
            table.row(row);
        }
        let more = match self.problem.states() - states.len() {
            0 => String::new(),
            more => format!("... and {more} more states\n"),
        };
        table.text() + &more
    }

    /// The grids, for a terminal: side by side if they fit, and arrows alone if numbers do not.
    fn boards(&self, layout: &Layout) -> String {
        let numbers: Vec<Vec<String>> = self.sights.iter().map(|s| self.board(layout, s, true)).collect();
        let width = |board: &[String]| board.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let widest = numbers.iter().map(|board| width(board)).max().unwrap_or(0);
        let boards = match widest <= WIDEST {
            true => numbers,
            false => self.sights.iter().map(|s| self.board(layout, s, false)).collect(),
        };
        let together: usize = boards.iter().map(|board| width(board) + 4).sum();
        let shown = |sign: char| boards.iter().flatten().any(|line| line.contains(sign));
        let signs = [
            ('S', "S start"),
            ('G', "G goal"),
            ('O', "O no way there from the start, or none from there to the goal"),
            ('∞', "∞ no way to the goal"),
            ('·', "· stays where it is"),
            ('=', "= another action is as good"),
            ('?', "? not known"),
        ];
        let signs: Vec<&str> =
            signs.iter().filter(|(sign, _)| shown(*sign)).map(|(_, words)| *words).collect();
        let legend = [vec![signs.join(", ")], self.elsewhere(layout)].concat().join("\n") + "\n";
        if together > WIDE {
            let text: Vec<String> = boards.iter().map(|board| board.join("\n")).collect();
            return format!("{}\n{legend}", text.join("\n\n"));
        }
        let line = |i: usize| {
            let part = |board: &Vec<String>| {
                let part = board.get(i).map_or("", String::as_str);
                format!("{part:<width$}", width = width(board) + 4)
            };
            format!("{}\n", boards.iter().map(part).collect::<String>().trim_end())
        };
        let lines = boards.iter().map(Vec::len).max().unwrap_or(0);
        (0..lines).map(line).collect::<String>() + &legend
    }

    /// One grid, line by line.
    fn board(&self, layout: &Layout, sight: &Sight, numbers: bool) -> Vec<String> {
        let finite = sight.values.iter().flatten().filter(|v| v.is_finite());
        let most = finite.fold(0.0, |most: f64, v| most.max(v.abs()));
        let decimals = if most > 0.0 { (2.0 - most.log_10().floor()).clamp(0.0, 6.0) as usize } else { 1 };
        let ties = (0..layout.places.len()).any(|s| self.actions(sight, s).len() > 1);
        let signs = if ties { 2 } else { 1 };
        let holes = holes(self.problem, self.truth);
        let mut cells = vec![String::new(); layout.rows * layout.columns];
        for (s, place) in layout.places.iter().enumerate() {
            let Some((row, column)) = place else { continue };
            let cell = self.cell(layout, sight, s, &holes);
            let sign = match (cell.mark, &cell.arrows[..]) {
                ("goal", _) => "G".into(),
                (_, [only]) => arrow(*only).to_string(),
                (_, [first, ..]) => format!("{}=", arrow(*first)),
                _ => " ".into(),
            };
            let sign = format!("{sign:<signs$}");
            let value = match cell.value {
                _ if cell.mark == "hole" => "O".into(),
                Some(v) if v.is_finite() => number_label(v, decimals),
                Some(_) => "∞".into(),
                None => "?".into(),
            };
            let start = if cell.mark == "start" { 'S' } else { ' ' };
            cells[row * layout.columns + column] =
                if numbers { format!("{start}{value} {sign}") } else { format!("{start}{sign}") };
        }
        let wide = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
        let line = |row: &[String]| {
            let padded: Vec<String> = row.iter().map(|cell| format!("{cell:>wide$}")).collect();
            format!("  {}", padded.join(if numbers { "  " } else { "" })).trim_end().to_string()
        };
        let mut lines = vec![sight.title.clone()];
        lines.extend(cells.chunks(layout.columns.max(1)).map(line));
        lines
    }
}

/// Six significant digits.
pub(super) fn number(x: f64) -> String {
    match x.abs() {
        _ if x.is_infinite() => "∞".into(),
        0.0 => "0".into(),
        size if (1e-3..1e9).contains(&size) => {
            let text = number_label(x, (5.0 - size.log_10().floor()).clamp(0.0, 8.0) as usize);
            match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').into(),
                false => text,
            }
        }
        _ => format!("{x:.4e}"),
    }
}

/// A name without the signs that move a terminal's cursor.
fn printable(name: &str) -> String {
    name.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

/// The nearest of eight arrows.
fn arrow(to: Arrow) -> char {
    const ARROWS: [char; 8] = ['→', '↘', '↓', '↙', '←', '↖', '↑', '↗'];
    let Some((dx, dy)) = to else { return '·' };
    let eighth = (dy.arc_tangent_2(dx) / std::f64::consts::FRAC_PI_4).round() as i64;
    ARROWS[eighth.rem_euclid(8) as usize]
}

/// The states that no policy enters from the start, or from which none reaches the goal.
fn holes(problem: &Problem, truth: Option<&Truth>) -> Vec<bool> {
    let mut onward = vec![Vec::new(); problem.states()];
    let mut back = vec![Vec::new(); problem.states()];
    for s in 0..problem.states() {
        for pair in problem.pairs_of(s) {
            for (i, &next) in problem.successors(pair).iter().enumerate() {
                if truth.is_none_or(|truth| truth.row(problem, pair)[i] > 0.0) {
                    onward[s].push(next as State);
                    back[next as usize].push(s);
                }
            }
        }
    }
    let (met, hopeful) = (closed(&onward, problem.start()), closed(&back, problem.goal()));
    (0..problem.states()).map(|s| !(met[s] && hopeful[s])).collect()
}

/// The states that are reached over the arcs.
fn closed(arcs: &[Vec<State>], first: State) -> Vec<bool> {
    let mut seen = vec![false; arcs.len()];
    seen[first] = true;
    let mut queue = vec![first];
    while let Some(s) = queue.pop() {
        for &next in &arcs[s] {
            if !seen[next] {
                seen[next] = true;
                queue.push(next);
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use goalward::Settings;
    use goalward::episode::Arena;

    fn scene<'a>(arena: &'a Arena, titles: &[&str]) -> Scene<'a> {
        let sight = |title: &&str| {
            let mut sight = Sight::best(title, arena).unwrap();
            sight.actions.iter_mut().for_each(|actions| actions.truncate(1));
            sight
        };
        Scene {
            problem: arena.problem(),
            truth: arena.instance().truth().ok(),
            measure: "expected cost to the goal".into(),
            sights: titles.iter().map(sight).collect(),
        }
    }

    #[test]
    fn a_grid_has_arrows_and_aligned_numbers() {
        let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
        let text = scene(&arena, &["V*"]).text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5, "{text}");
        assert_eq!(lines[0], "V*");
        let ends: Vec<Vec<usize>> = lines[1..4]
            .iter()
            .map(|line| {
                let signs = line.chars().enumerate().filter(|(_, c)| "→↓←↑G".contains(*c));
                signs.map(|(i, _)| i).collect()
            })
            .collect();
        assert!(ends.iter().all(|e| e.len() == 3 && *e == ends[0]), "{text}");
        assert!(text.contains('S') && text.contains('G'), "{text}");
        let two = scene(&arena, &["V_j", "V*"]).text();
        assert!(two.lines().next().unwrap().contains("V*"), "side by side: {two}");
        let picture = scene(&arena, &["V_j", "V*"]).picture("x", "V*", Vec::new(), &Format::all()).unwrap();
        assert!(picture.svg().contains("goal") && picture.file(Format::Png).starts_with(b"\x89PNG"));
        assert!(!picture.svg().contains("NaN"));
    }

    #[test]
    fn what_is_as_good_is_marked() {
        let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
        let mut scene = scene(&arena, &["V*"]);
        assert!(!scene.text().contains('='), "{}", scene.text());
        scene.sights[0].actions[0] = vec![1, 0];
        let text = scene.text();
        assert!(text.contains("↓=") && text.contains("= another action is as good"), "{text}");
        let drawn =
            |scene: &Scene| scene.picture("x", "V*", Vec::new(), &Format::all()).unwrap().svg().to_string();
        let both = drawn(&scene);
        scene.sights[0].actions[0] = vec![1];
        assert_ne!(both, drawn(&scene), "both arrows are drawn");
    }

    #[test]
    fn holes_are_no_cells() {
        let settings = Settings::new().set("restart", true);
        let arena = Arena::open("frozen-lake", &settings).unwrap();
        let text = scene(&arena, &["V*"]).text();
        let rows: Vec<usize> = text.lines().skip(1).take(4).map(|line| line.matches('O').count()).collect();
        assert_eq!(rows, [0, 2, 1, 1], "{text}");
        assert_eq!(text.matches(['→', '↓', '←', '↑', '↖']).count(), 11, "none on a hole: {text}");
        let picture = scene(&arena, &["V*"]).picture("x", "V*", Vec::new(), &Format::all()).unwrap();
        assert_eq!(picture.svg().matches("hole").count(), 4);
    }

    #[test]
    fn others_have_a_table_of_the_first_states() {
        let arena = Arena::open("taxi", &Settings::new()).unwrap();
        let scene = scene(&arena, &["V*"]);
        let text = scene.text();
        assert_eq!(text.lines().count(), 3 + STATES, "{text}");
        assert!(text.contains("(start)"), "{text}");
        assert!(text.lines().last().unwrap().contains("more states"), "{text}");
        assert!(
            scene.picture("x", "V*", Vec::new(), &Format::all()).unwrap().svg().contains("the first 24 of")
        );
    }

    #[test]
    fn what_is_unknown_and_what_is_lost_is_shown() {
        let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
        let mut scene = scene(&arena, &["V"]);
        scene.sights[0].values[1] = None;
        scene.sights[0].values[2] = Some(f64::INFINITY);
        scene.sights[0].values[3] = Some(f64::NAN);
        scene.sights[0].actions.clear();
        let text = scene.text();
        assert_eq!((text.matches('?').count(), text.matches('∞').count()), (3, 2), "{text}");
        let picture = scene.picture("x", "V", Vec::new(), &Format::all()).unwrap();
        assert!(picture.svg().contains('∞') && !picture.svg().contains("NaN"));
    }

    #[test]
    fn arrows_are_the_nearest() {
        for (dx, dy, sign) in [(1.0, 0.1, '→'), (0.0, -1.0, '↑'), (-0.7, 0.7, '↙'), (-1.0, -0.1, '←')]
        {
            assert_eq!(arrow(Some((dx, dy))), sign);
        }
    }
}
