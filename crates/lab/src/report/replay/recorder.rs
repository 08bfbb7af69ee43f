//! Watches a run and keeps a bounded part of it for its replay.

use super::scene::{Stage, StateTable};
use super::sets::SetWatch;
use super::{DIGITS, rounded};
use goalward::episode::{Arena, Episode, Flow, Observer, Runner, Step};
use goalward::learners::Learner;
use goalward::numeric::Portable;
use goalward::problem::State;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::mem::take;

/// The most episodes that are kept.
const MOST_EPISODES: u64 = 300;
/// All of the first ones, where most is learnt.
const FIRST: u64 = 60;
/// The most steps of a path.
pub(super) const MOST_STEPS: usize = 400;
/// The most values over all kept episodes.
const MOST_VALUES: u64 = 600_000;

/// Watches a run for its replay.
pub struct Recorder<'a> {
    arena: &'a Arena,
    pub(super) stage: Stage,
    watch: SetWatch,
    /// The numbers of the episodes to keep, the next one last.
    wanted: Vec<u64>,
    /// Episodes finished before the recording.
    pub(super) from: u64,
    /// Whether the recording began within an episode.
    pub(super) midway: bool,
    path: Vec<State>,
    steps: u64,
    /// What the learner knew at the end of the episode to be kept, as fields of its frame.
    view: Value,
    pub(super) tables: Vec<StateTable>,
    /// The kept episodes, as the script reads them.
    pub(super) frames: Vec<Value>,
    /// All states of their paths.
    pub(super) visited: BTreeSet<State>,
}

impl<'a> Recorder<'a> {
    /// For a run that is about to begin, or to go on.
    pub fn new(runner: &Runner<'a>) -> Recorder<'a> {
        let arena = runner.arena();
        let (progress, stage) = (runner.progress(), Stage::new(arena.problem()));
        let most = (MOST_VALUES / stage.capacity().max(1) as u64).clamp(20, MOST_EPISODES);
        let mut wanted = wanted(progress.episodes, runner.spec().episodes, most);
        wanted.reverse();
        Recorder {
            arena,
            watch: SetWatch::new(arena.problem().dim()),
            stage,
            wanted,
            from: progress.episodes,
            midway: progress.episode_steps > 0,
            path: vec![progress.state],
            steps: 0,
            view: Value::Null,
            tables: Vec::new(),
            frames: Vec::new(),
            visited: BTreeSet::new(),
        }
    }

    /// Adds the episode under way, if there is one.
    pub(super) fn close(&mut self, runner: &Runner) {
        let progress = runner.progress();
        if self.steps > 0 {
            self.look(runner.learner(), progress.steps);
            let numbers = [progress.episode_cost, runner.result().regret, progress.gap_regret];
            self.add_frame(progress.episodes + 1, numbers, false);
        }
    }

    /// Looks at the learner: its values and policy, and its confidence set.
    fn look(&mut self, learner: &Learner, t: u64) {
        self.path.iter().for_each(|state| self.stage.meet(*state));
        let value = |s| learner.value(s).ok().flatten();
        let q = |s, a| learner.q(s, a).ok().flatten();
        let table = self.stage.table(self.arena.problem(), value, q);
        if self.tables.last() != Some(&table) {
            self.tables.push(table);
        }
        self.view = self.watch.look(learner);
        self.view["t"] = t.into();
        self.view["table"] = (self.tables.len() - 1).into();
    }

    /// Adds the episode that was watched last, with its cost, regret and gap regret.
    fn add_frame(&mut self, episode: u64, [cost, regret, gap]: [f64; 3], finished: bool) {
        self.visited.extend(&self.path);
        let mut frame = json!({
            "k": episode,
            "steps": self.steps,
            "cost": rounded(cost, DIGITS),
            "regret": rounded(regret, DIGITS),
            "gap": rounded(gap, DIGITS),
            "finished": finished,
            "path": take(&mut self.path),
        });
        if let (Value::Object(frame), Value::Object(view)) = (&mut frame, take(&mut self.view)) {
            frame.extend(view);
        }
        self.frames.push(frame);
    }
}

impl Observer for Recorder<'_> {
    fn step(&mut self, step: &Step) -> Flow {
        self.steps += 1;
        if self.path.len() <= MOST_STEPS {
            self.path.push(step.next);
        }
        if step.next == self.arena.problem().goal() && self.wanted.last() == Some(&step.episode) {
            self.look(step.learner, step.t);
        }
        Flow::Continue(())
    }

    fn episode(&mut self, ended: &Episode) -> Flow {
        if self.wanted.last() == Some(&ended.episode) {
            self.wanted.pop();
            self.add_frame(ended.episode, [ended.cost, ended.regret, ended.gap_regret], true);
        }
        (self.path, self.steps) = (vec![self.arena.problem().start()], 0);
        Flow::Continue(())
    }
}

/// The episodes to keep, of those after `from` up to `last`: the first ones, then fewer and fewer,
/// and the last.
fn wanted(from: u64, last: u64, most: u64) -> Vec<u64> {
    let all = last.saturating_sub(from);
    if all <= most {
        return (from + 1..=last).collect();
    }
    let first = FIRST.min(most / 3);
    let rest = most - first;
    let mut wanted: Vec<u64> = (1..=first).collect();
    for i in 1..=rest {
        let share = i as f64 / rest as f64;
        let next = (first as f64 * (all as f64 / first as f64).to_the(share)).round() as u64;
        wanted.push(if i == rest { all } else { next });
    }
    wanted.sort_unstable();
    wanted.dedup();
    wanted.into_iter().map(|k| from + k).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn episodes_are_thinned_and_the_last_is_kept() {
        assert_eq!(wanted(0, 5, 300), [1, 2, 3, 4, 5]);
        assert_eq!(wanted(7, 9, 300), [8, 9]);
        assert!(wanted(9, 9, 300).is_empty());
        for (from, last, most) in [(0, 2000, 300), (1_000, 1_000_000_000, 300), (0, 500, 20)] {
            let kept = wanted(from, last, most);
            assert!(kept.len() as u64 <= most && kept.len() as u64 > most / 2, "{}", kept.len());
            assert_eq!((kept[0], kept.last()), (from + 1, Some(&last)));
            assert!(kept.windows(2).all(|pair| pair[0] < pair[1]));
            assert!(kept.contains(&(from + FIRST.min(most / 3))));
        }
    }
}
