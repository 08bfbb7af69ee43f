//! Progress on stderr: hidden when that is no terminal, and with `--quiet`.

use crate::exit;
use crate::names::in_line;
use crate::numbers;
use crate::signals;
use goalward::episode::{Episode, Flow, Observer, Plan, Step};
use goalward::files;
use goalward::plan::{Done, Halt};
use goalward::worlds::{self, Place};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::sync::mpsc::{RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

const PACE: Duration = Duration::from_millis(100);
/// How long a pipe may be silent before that is noted.
const PATIENCE: Duration = Duration::from_millis(700);
/// Steps between two looks at the clock: a step can be faster than a look.
const LOOK_EVERY: u64 = 64;

fn bar(units: Option<u64>, template: &str) -> ProgressBar {
    let target = if exit::quiet() { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(units, target).with_style(style.progress_chars("=> "))
}

/// Says what a command is doing while that cannot be counted.
pub(crate) struct Busy {
    bar: ProgressBar,
    /// The counts when it began that.
    began: Arc<Mutex<Done>>,
    halt: Halt,
}

impl Busy {
    pub(crate) fn new(what: impl Into<String>) -> Busy {
        let (began, halt) = (Arc::new(Mutex::new(Done::default())), Halt::new());
        let (since, solving) = (began.clone(), halt.clone());
        let counts = move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
            let since = *since.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = out.write_str(&counts(solving.done().since(since), solving.lacking()));
        };
        let bar = bar(None, "{spinner} {msg}{counts}, {elapsed}");
        bar.set_style(bar.style().with_key("counts", counts));
        bar.set_message(in_line(&what.into()));
        bar.enable_steady_tick(PACE);
        Busy { bar, began, halt }
    }

    pub(crate) fn say(&self, what: impl Into<String>) {
        *self.began.lock().unwrap_or_else(PoisonError::into_inner) = self.halt.done();
        self.bar.set_message(in_line(&what.into()));
    }

    /// Through which reading, building and planning report how far they are.
    pub(crate) fn halt(&self) -> &Halt {
        &self.halt
    }

    pub(crate) fn aside<T>(&self, act: impl FnOnce() -> T) -> T {
        self.bar.suspend(act)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn counts(done: Done, lacking: Option<f64>) -> String {
    let mut text = String::new();
    if done.bytes >= 1_000_000 {
        text += &format!(", {} MB read", numbers::count(done.bytes / 1_000_000));
    }
    if done.rows > 0 {
        text += &format!(", {} feature rows", numbers::count(done.rows));
    }
    if done.states > 0 {
        text += &format!(", {} states solved", numbers::count(done.states));
    }
    text + &residual(lacking)
}

fn residual(lacking: Option<f64>) -> String {
    match lacking.filter(|&lacking| lacking > 1.0 && lacking.is_finite()) {
        Some(lacking) => format!(", residual {lacking:.0e} times what is enough"),
        None => String::new(),
    }
}

fn planning(lacking: Option<f64>) -> String {
    lacking.map_or(String::new(), |_| format!("  planning{}", residual(lacking)))
}

/// Notes after a while that a world is to come through a pipe or to be typed, until it is dropped.
pub(crate) fn waiting(world: &str) -> Option<Sender<()>> {
    let Ok(Place::File(path)) = worlds::locate(world) else { return None };
    let what = match files::kind(path).ok()? {
        files::Kind::Pipe => format!("waiting for what comes through the pipe {world}"),
        files::Kind::Terminal => "waiting for a model to be typed, its end marked by Ctrl-D".to_string(),
        files::Kind::File => return None,
    };
    let (until, over) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        if over.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            exit::note(format!("{what}; Ctrl-C stops"));
        }
    });
    Some(until)
}

/// Shows how much of a log was read.
pub(crate) struct Reading(ProgressBar);

impl Reading {
    /// `size` is that of the log, if it is a file.
    pub(crate) fn new(size: Option<u64>) -> Reading {
        let template = match size {
            Some(_) => "{spinner} [{bar:30}] {msg}, {elapsed}, {eta} left",
            None => "{spinner} {msg}, {elapsed}",
        };
        Reading(bar(size, template))
    }

    pub(crate) fn at(&self, rows: u64, bytes: u64) {
        if rows.is_multiple_of(LOOK_EVERY * 64) {
            self.0.set_message(format!("{} rows", numbers::count(rows)));
            self.0.set_position(bytes);
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Shows how far one run is: episodes, steps a second, planning calls, mean regret.
pub(crate) struct Meter {
    bar: ProgressBar,
    began: Instant,
    drawn: Instant,
    steps: u64,
    plans: u64,
    regret: Option<(u64, f64)>,
}

impl Meter {
    /// `done` of `episodes` are done already.
    pub(crate) fn new(done: u64, episodes: u64, halt: Halt) -> Meter {
        let template =
            "{spinner} [{bar:30}] {pos}/{len} episodes, {elapsed}, {eta} left{planning}  {wide_msg}";
        let bar = bar(Some(episodes), template);
        let planning = move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
            let _ = out.write_str(&planning(halt.lacking()));
        };
        bar.set_style(bar.style().with_key("planning", planning));
        bar.set_position(done);
        bar.reset_eta();
        // a planning call on a large problem takes many seconds, in which no step is made
        bar.enable_steady_tick(PACE);
        let now = Instant::now();
        Meter { bar, began: now, drawn: now, steps: 0, plans: 0, regret: None }
    }

    fn draw(&mut self) {
        let now = Instant::now();
        if now - self.drawn < PACE {
            return;
        }
        self.drawn = now;
        let pace = self.steps as f64 / (now - self.began).as_secs_f64();
        let mut message =
            format!("{} steps/s  {} plans", numbers::count(pace as u64), numbers::count(self.plans));
        if let Some((episodes, regret)) = self.regret {
            message += &format!("  mean regret {}", numbers::real(regret / episodes as f64));
            self.bar.set_position(episodes);
        }
        self.bar.set_message(message);
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Meter {
    fn step(&mut self, _: &Step) -> Flow {
        self.steps += 1;
        if self.steps.is_multiple_of(LOOK_EVERY) {
            self.draw();
        }
        Flow::Continue(())
    }

    fn plan(&mut self, _: &Plan) -> Flow {
        self.plans += 1;
        self.draw();
        Flow::Continue(())
    }

    fn episode(&mut self, ended: &Episode) -> Flow {
        self.regret = Some((ended.episode, ended.regret));
        Flow::Continue(())
    }
}

/// Shows how far a job of many runs is.
pub(crate) struct Jobs {
    bar: OnceLock<ProgressBar>,
    halt: Halt,
}

impl Jobs {
    pub(crate) fn new() -> Jobs {
        Jobs { bar: OnceLock::new(), halt: Halt::new() }
    }
}

impl goalward_lab::Progress for Jobs {
    fn begin(&self, what: &str, units: u64) {
        // without a handler Ctrl-C ends the process at once
        let _ = signals::listen(&self.halt);
        let bar = bar(Some(units), "{msg}  [{bar:30}] {percent:>3}%  {elapsed}, {eta} left");
        bar.set_message(in_line(what));
        bar.enable_steady_tick(PACE);
        let _ = self.bar.set(bar);
    }

    fn advance(&self, units: u64) {
        if let Some(bar) = self.bar.get() {
            bar.inc(units);
        }
    }

    fn end(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }

    fn halt(&self) -> Halt {
        self.halt.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_say_what_there_is_to_count() {
        let of = |bytes, rows| counts(Done { bytes, rows, states: 0 }, None);
        assert_eq!(of(0, 0), "");
        assert_eq!(of(999_999, 0), "");
        assert_eq!(of(1_234_567_890, 0), ", 1,234 MB read");
        assert_eq!(of(2_000_000, 40_960), ", 2 MB read, 40,960 feature rows");
        let solving = |lacking| counts(Done { states: 1_000, ..Done::default() }, lacking);
        assert_eq!(solving(None), ", 1,000 states solved");
        assert_eq!(solving(Some(2.5e4)), ", 1,000 states solved, residual 2e4 times what is enough");
        assert_eq!(solving(Some(0.5)), ", 1,000 states solved");
        assert_eq!(solving(Some(f64::INFINITY)), ", 1,000 states solved");
    }

    #[test]
    fn a_long_planning_call_says_what_it_lacks() {
        assert_eq!(planning(None), "");
        assert_eq!(planning(Some(f64::INFINITY)), "  planning");
        assert_eq!(planning(Some(300.0)), "  planning, residual 3e2 times what is enough");
    }
}
