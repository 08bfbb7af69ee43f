//! Watches a run and keeps what a replay shows, within bounds that do not depend on its length.

use super::scene::{Stage, StateTable};
use super::sets::{Knowledge, SetWatch};
use goalward::episode::{Arena, Episode, Flow, Observer, Runner, Step};
use goalward::learners::Learner;
use goalward::numeric::Portable;
use goalward::problem::State;

/// So many episodes are kept.
const MOST_EPISODES: u64 = 300;
/// All of the first ones, where most is learnt.
const FIRST: u64 = 60;
/// So many steps of a path.
pub(super) const MOST_STEPS: usize = 400;
/// So many values, over all that is kept.
const MOST_VALUES: u64 = 600_000;

/// One episode.
pub(super) struct ReplayFrame {
    pub(super) episode: u64,
    pub(super) steps: u64,
    pub(super) cost: f64,
    pub(super) regret: f64,
    pub(super) gap_regret: f64,
    /// Where it went, from its first state on.
    pub(super) path: Vec<State>,
    pub(super) finished: bool,
    /// The learner at its end; none if no step was made.
    pub(super) view: Option<Glimpse>,
}

/// What a learner knew at some time.
pub(super) struct Glimpse {
    pub(super) t: u64,
    /// How many plans it had made.
    pub(super) plan: u64,
    /// Its values and its policy: a number in [`Recorder::tables`].
    pub(super) table: usize,
    pub(super) theta: Knowledge,
}

/// Watches a run for its replay.
pub struct Recorder<'a> {
    arena: &'a Arena,
    pub(super) scene: Stage,
    watch: SetWatch,
    /// The episodes to keep, by number; those that came are taken off its end.
    wanted: Vec<u64>,
    /// Episodes that were finished before.
    pub(super) from: u64,
    /// Whether an episode was under way.
    pub(super) midway: bool,
    path: Vec<State>,
    steps: u64,
    view: Option<Glimpse>,
    pub(super) tables: Vec<StateTable>,
    pub(super) frames: Vec<ReplayFrame>,
}

impl<'a> Recorder<'a> {
    /// For a run that is about to begin, or to go on.
    pub fn new(runner: &Runner<'a>) -> Recorder<'a> {
        let arena = runner.arena();
        let (progress, scene) = (runner.progress(), Stage::new(arena.problem()));
        let most = (MOST_VALUES / scene.size().max(1) as u64).clamp(20, MOST_EPISODES);
        let mut wanted = wanted(progress.episodes, runner.spec().episodes, most);
        wanted.reverse();
        Recorder {
            arena,
            watch: SetWatch::new(arena.problem().dim()),
            scene,
            wanted,
            from: progress.episodes,
            midway: progress.episode_steps > 0,
            path: vec![progress.state],
            steps: 0,
            view: None,
            tables: Vec::new(),
            frames: Vec::new(),
        }
    }

    /// Adds the episode under way, if there is one.
    pub(super) fn close(&mut self, runner: &Runner) {
        let progress = runner.progress();
        if self.steps == 0 {
            return;
        }
        self.look(runner.learner(), progress.steps);
        let path = std::mem::take(&mut self.path);
        self.frames.push(ReplayFrame {
            episode: progress.episodes + 1,
            steps: self.steps,
            cost: progress.episode_cost,
            regret: runner.result().regret,
            gap_regret: progress.gap_regret,
            path,
            finished: false,
            view: self.view.take(),
        });
    }

    /// Takes down what the learner knows.
    fn look(&mut self, learner: &Learner, t: u64) {
        for state in &self.path {
            self.scene.meet(*state);
        }
        let value = |s| learner.value(s).ok().flatten();
        let q = |s, a| learner.q(s, a).ok().flatten();
        let table = self.scene.table(self.arena.problem(), value, q);
        if self.tables.last() != Some(&table) {
            self.tables.push(table);
        }
        self.view = Some(Glimpse {
            t,
            plan: learner.clock().j,
            table: self.tables.len() - 1,
            theta: self.watch.look(learner),
        });
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
        let path = std::mem::replace(&mut self.path, vec![self.arena.problem().start()]);
        let steps = std::mem::take(&mut self.steps);
        if self.wanted.last() == Some(&ended.episode) {
            self.wanted.pop();
            self.frames.push(ReplayFrame {
                episode: ended.episode,
                steps,
                cost: ended.cost,
                regret: ended.regret,
                gap_regret: ended.gap_regret,
                path,
                finished: true,
                view: self.view.take(),
            });
        }
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
