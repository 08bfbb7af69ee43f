//! What the user says beside a model: goal, cost and start.

use super::Explicit;
use crate::error::shown;
use crate::parameters::{Key, Parameter, Reader, Settings};
use crate::problem::{Faults, LARGEST_COST, Note, ROW_TOLERANCE, State};
use crate::{Error, Result, closest};

/// What may be said of a model file, as parameters of the world that it is.
pub const PARAMETERS: &[Parameter] = &[GOAL.about(), COST.about(), START.about()];

const GOAL: Key<String> =
    Key::text("goal", "a label, whose states become one goal, or a state").computed("the only label");
const COST: Key<String> =
    Key::text("cost", "the reward model that is paid for every step; 1: every step costs 1")
        .computed("the only reward model");
const START: Key<String> = Key::text("start", "a state; all: an initial state is drawn first, at no cost")
    .computed("the only initial state");

/// Goal, cost and start of a model; an omitted one must be the only possibility.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// A label or a state.
    pub goal: Option<String>,
    /// A reward model, or `1`.
    pub cost: Option<String>,
    /// A state, or `all`.
    pub start: Option<String>,
}

impl Options {
    /// Reads them from settings; other keys are refused, `owner` is the file that they are for.
    pub fn new(owner: &str, settings: &Settings) -> Result<Options> {
        let read = Reader::new(owner, PARAMETERS, settings)?;
        Ok(Options { goal: read.given(&GOAL)?, cost: read.given(&COST)?, start: read.given(&START)? })
    }
}

/// The user's words, found in a model.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The goal's states, in ascending order; at least one.
    pub(super) goal: Vec<u32>,
    pub(super) goal_name: String,
    /// The number of the reward model; none: 1 a step.
    pub(super) cost: Option<usize>,
    /// None: an initial state is drawn.
    pub(super) start: Option<State>,
    /// Whether the user said what a step costs.
    pub(super) asked_cost: bool,
}

impl Chosen {
    pub(super) fn is_goal(&self, s: State) -> bool {
        self.goal.binary_search(&(s as u32)).is_ok()
    }
}

impl Explicit {
    /// Finds what the user said, or what is the only possibility. [`Explicit::settle`] comes first.
    pub fn choose(&self, options: &Options) -> Result<Chosen> {
        let (goal, goal_name) = self.choose_goal(options.goal.as_deref())?;
        let cost = self.choose_cost(options.cost.as_deref())?;
        let start = self.choose_start(options.start.as_deref())?;
        Ok(Chosen { goal, goal_name, cost, start, asked_cost: options.cost.is_some() })
    }

    /// What a user got wrong, for a report: each of goal, cost and start that cannot be found.
    pub fn choose_faults(&self, options: &Options) -> Vec<Error> {
        let goal = self.choose_goal(options.goal.as_deref()).err();
        let cost = self.choose_cost(options.cost.as_deref()).err();
        let start = self.choose_start(options.start.as_deref()).err();
        goal.into_iter().chain(cost).chain(start).collect()
    }

    fn refuse(&self, what: &'static str, fault: impl Into<String>, known: Vec<String>) -> Error {
        Error::Choose { path: self.path.clone(), what, fault: fault.into(), known }
    }

    fn choose_goal(&self, asked: Option<&str>) -> Result<(Vec<u32>, String)> {
        let labels = || -> Vec<String> {
            let say = |(label, states): (&str, usize)| format!("{label:?} ({states} states)");
            self.labels().map(say).collect()
        };
        let Some(asked) = asked else {
            let mut all = self.labels.iter();
            return match (all.next(), all.next()) {
                (Some((label, states)), None) => Ok((states.clone(), label.clone())),
                (None, _) => Err(self.refuse("goal", "no state has a label; say which state it is", vec![])),
                _ => Err(self.refuse("goal", "several labels could be meant; say which", labels())),
            };
        };
        let bare = asked.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(asked);
        if let Some(states) = self.labels.get(asked).or_else(|| self.labels.get(bare)) {
            return Ok((states.clone(), bare.into()));
        }
        match self.find_state(bare) {
            Some(s) => Ok((vec![s as u32], self.state_name(s))),
            None => {
                let meant = meant(bare, self.labels().map(|(label, _)| label));
                let fault =
                    format!("{bare:?} is neither a label nor one of the {} states{meant}", self.states());
                Err(self.refuse("goal", fault, labels()))
            }
        }
    }

    fn choose_cost(&self, asked: Option<&str>) -> Result<Option<usize>> {
        let names = || self.reward_models().map(|name| format!("{name:?}")).collect::<Vec<_>>();
        match (asked, self.rewards.len()) {
            (Some("1"), _) | (None, 0) => Ok(None),
            (None, _) if self.settled.is_some_and(|settled| settled.positive.is_some()) => Ok(None),
            (None, 1) => Ok(Some(0)),
            (None, _) => {
                Err(self.refuse("cost", "several reward models could be meant; say which, or 1", names()))
            }
            (Some(asked), _) => match self.reward_models().position(|name| name == asked) {
                Some(i) => Ok(Some(i)),
                None => {
                    let mut known = names();
                    known.push("1 for unit costs".into());
                    let meant = meant(asked, self.reward_models());
                    Err(self.refuse("cost", format!("there is no reward model {asked:?}{meant}"), known))
                }
            },
        }
    }

    fn choose_start(&self, asked: Option<&str>) -> Result<Option<State>> {
        let initial = || self.initial.iter().map(|&(s, _)| self.state_name(s as State)).collect::<Vec<_>>();
        match (asked, self.initial.as_slice()) {
            (None, &[(s, _)]) | (Some("all"), &[(s, _)]) => Ok(Some(s as State)),
            (None | Some("all"), []) => {
                Err(self.refuse("start", "no state is marked as initial; say which state it is", vec![]))
            }
            (None, _) => {
                let fault = "several states are initial; say which, or all to draw one of them first";
                Err(self.refuse("start", fault, initial()))
            }
            (Some("all"), _) => {
                let fault = |fault: String| Err(self.refuse("start", fault, vec![]));
                if let Some(&(s, p)) = self.initial.iter().find(|(_, p)| !(0.0..=1.0 + 1e-9).contains(p)) {
                    return fault(format!(
                        "state {} is drawn with probability {}",
                        self.state_name(s as State),
                        shown(p)
                    ));
                }
                match self.initial.iter().map(|(_, p)| p).sum::<f64>() {
                    sum if (sum - 1.0).abs() <= ROW_TOLERANCE => Ok(None),
                    sum => fault(format!("the initial distribution sums to {}, not to 1", shown(sum))),
                }
            }
            (Some(asked), _) => self.find_state(asked).map(Some).ok_or_else(|| {
                let fault = format!("{asked:?} is none of the {} states", self.states());
                self.refuse("start", fault, initial())
            }),
        }
    }

    pub(super) fn find_state(&self, name: &str) -> Option<State> {
        if let Some((&s, _)) = self.odd_names.iter().find(|(_, odd)| *odd == name) {
            return Some(s as State);
        }
        let number = name.parse::<State>().ok()?;
        (number < self.states() && !self.odd_names.contains_key(&(number as u32))).then_some(number)
    }

    pub(super) fn costs(&self, chosen: &Chosen) -> Vec<f64> {
        let Some(i) = chosen.cost else { return vec![1.0; self.choices()] };
        let mut costs = vec![0.0; self.choices()];
        for &(s, value) in &self.rewards[i].of_states {
            let choices = self.first_choice[s as usize]..self.first_choice[s as usize + 1];
            costs[choices].iter_mut().for_each(|cost| *cost += value);
        }
        for &(choice, value) in &self.rewards[i].of_choices {
            costs[choice as usize] += value;
        }
        costs
    }

    pub(super) fn cost_faults(&self, chosen: &Chosen, costs: &[f64], faults: &mut Faults) {
        for s in (0..self.states()).filter(|&s| !chosen.is_goal(s)) {
            for (a, choice) in (self.first_choice[s]..self.first_choice[s + 1]).enumerate() {
                let cost = costs[choice];
                if faults.suffices() {
                    return;
                }
                if !(0.0..=LARGEST_COST).contains(&cost) {
                    faults.push("cost", || {
                        let (state, action) = (self.state_name(s), self.action_name(s, a));
                        self.at_choice(choice, Error::Cost { state, action, cost })
                    });
                }
            }
        }
    }

    /// What a step costs, in words.
    pub fn cost_words(&self, chosen: &Chosen) -> String {
        let Some(settled) = &self.settled else {
            return match chosen.cost {
                Some(i) => format!("the reward model {}", self.rewards[i].name),
                None if chosen.asked_cost => "1 a step, as asked for".into(),
                None => "1 a step: the file has no rewards".into(),
            };
        };
        match (chosen.cost, settled.positive) {
            (Some(0), _) => "minus the reward".into(),
            (Some(_), _) => {
                let most = settled.at_goal;
                format!("what the rewards fall short of the {most} at the goal: total reward = {most} - cost")
            }
            (None, _) if chosen.asked_cost => "1 a step, as asked for".into(),
            (None, most) => {
                let most = most.unwrap_or(0.0);
                format!("1 a step: rewards cannot be costs, because some are positive (up to {most})")
            }
        }
    }

    /// What was done to the numbers of the model, to be said with any result.
    pub(super) fn notes(&self, chosen: &Chosen) -> Vec<Note> {
        let rewards = self.settled.as_ref().and_then(|settled| {
            let most = settled.positive.filter(|_| chosen.cost.is_none() && !chosen.asked_cost)?;
            let message = format!("rewards include positive ones (up to {most}): every step costs 1 instead");
            let note = Note::new("rewards", message).value(most);
            Some(match settled.shortfall {
                true => note.hint(format!(
                    "--cost shortfall counts what the rewards fall short of the {most} at the \
                     goal; --cost 1 says that 1 a \
                     step is meant"
                )),
                false => note.hint("--cost 1 says that this is meant"),
            })
        });
        self.rescaled().into_iter().chain(self.rounded()).chain(rewards).collect()
    }
}

/// The question whether another name was meant, if one is close.
fn meant<'a>(asked: &str, known: impl Iterator<Item = &'a str>) -> String {
    closest(asked, known).map_or(String::new(), |meant| format!(" (did you mean {meant:?}?)"))
}
