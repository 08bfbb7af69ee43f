//! `goalward serve`: a learner for a loop in any language, over JSON lines.

mod answers;
mod fault;
mod lines;
mod places;
mod request;
mod session;
mod taken_up;

use super::vigilant::Vigilant;
use super::{Parameters, named, together};
use crate::counts::whole;
use crate::exit::{self, Outcome, Usage};
use crate::names::{LearnerName, WorldName};
use crate::outputs::{Files, is_stdin};
use crate::progress::Busy;
use crate::signals;
use answers::{Hello, PROTOCOL};
use goalward::Settings;
use goalward::parameters::name_and_settings;
use goalward::plan::Halt;
use lines::Lines;
use session::{Session, Then};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

const EXAMPLES: &str = "\
EXAMPLES:
    goalward serve weather.json                        # reads requests from stdin, answers on stdout
    goalward serve windy-grid@n=3 --learner lr --seed 7 --checkpoint robot.ckpt
    goalward serve mine.json --learner levis++ --set B=30 --episodes 1e5
    printf '%s\\n' '{\"op\":\"act\",\"state\":0}' '{\"op\":\"quit\"}' | goalward serve windy-grid@n=3

A SESSION (> is sent, < is answered; the first line comes by itself):
    < {\"ready\":true,\"protocol\":1,...,\"states\":9,\"start\":0,\"goal\":8,...,\"steps\":0,\"episodes\":0,...}
    > {\"op\":\"act\",\"state\":0}
    < {\"action\":0,\"name\":\"right\"}
    > {\"op\":\"observe\",\"state\":0,\"action\":0,\"next\":1}
    < {\"ok\":true,\"planned\":true,\"steps\":1}
    > {\"op\":\"end_episode\"}
    < {\"ok\":true,\"episodes\":1}";

const DEFAULT_EPISODES: u64 = 1000;

/// Let a program in any language drive a learner: requests and answers are lines of JSON
///
/// The program runs its own world. It asks what to do and tells what happened, one JSON object a
/// line on standard input, and gets one line on standard output for each, at once. The first line
/// of the output says that the session is ready, and where it stands.
///
/// Requests: {"op":"act","state":S} gives an action. {"op":"observe","state":S,"action":A,"next":S2}
/// tells a step; "cost" may be added, and must be the problem's own. {"op":"end_episode"} says that
/// the goal was reached. {"op":"estimate"} gives theta with its intervals, {"op":"value","state":S}
/// what the last plan says of a state. {"op":"save"} writes the checkpoint, {"op":"quit"} writes it
/// and ends, and so does the end of the input. States and actions are numbers or names. A field
/// "id" is given back in the answer. docs/serve.md has it all.
///
/// What is wrong with a request is answered by {"error":{"code","message","line",...}}. It changes
/// nothing, and the session goes on.
///
/// The learner watches whether any mixture of the models explains what it is told. When every
/// mixture is rejected, the answer to that "observe" has "misfit", and "estimate" has it from then
/// on. --on-misfit says what the learner does then; after stop every further "act" is an error.
///
/// --checkpoint saves the session. If the file is there, the session is taken up from it: "steps"
/// and "episodes" of the first line say how much it has seen, and a program that goes on from there
/// gets the same actions as if nothing had happened. Other options must agree with it.
///
/// Exit codes: 0 after quit, the end of the input, or a reader that went away; 130 after Ctrl-C and
/// 143 after SIGTERM, both of which save first, also while a plan is being made; 2 as everywhere.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServeArgs {
    /// A problem file, a model (Storm's DRN, a Gymnasium table), or a built-in world (`goalward list
    /// worlds`); windy-grid@n=3 is short for windy-grid --param n=3
    #[arg(value_name = "PROBLEM", value_parser = WorldName, hide_possible_values = true)]
    world: String,
    #[command(flatten)]
    parameters: Parameters,
    /// The learner (`goalward list learners`) [default: levis++lr if B is set, else lr, which needs
    /// to know nothing]; levis++@B=3 is short for levis++ --set B=3
    #[arg(long, value_name = "ID", value_parser = LearnerName, hide_possible_values = true)]
    learner: Option<String>,
    /// Set a parameter of the learner; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// The seed of the learner's own luck [default: 0]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(..))]
    seed: Option<u64>,
    /// The number of episodes that the learner is told to expect; some learners plan for it, and the
    /// real number may differ [default: 1000]
    #[arg(long, value_name = "K", value_parser = whole::<u64>(..))]
    episodes: Option<u64>,
    #[command(flatten)]
    vigilance: Vigilant,
    /// Save the session to this file; if it is there, the session is taken up from it
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Save it every so many steps, and at least every ten seconds while steps come in
    #[arg(long, value_name = "STEPS", default_value_t = 10_000)]
    #[arg(value_parser = whole::<u64>(1..))]
    checkpoint_every: u64,
}

/// What was asked for, written out.
struct Asked {
    world: String,
    params: Settings,
    learner: Option<String>,
    settings: Settings,
    seed: Option<u64>,
    episodes: Option<u64>,
    vigilance: Vigilant,
}

impl ServeArgs {
    fn asked(&self) -> anyhow::Result<Asked> {
        let (world, params) = named(&self.world, &self.parameters.settings()?)?;
        if is_stdin(&world) {
            let reason =
                format!("serve {world}: requests come through standard input, so the problem cannot");
            return Err(Usage::new(reason).hint("write the problem to a file first, and give that").into());
        }
        let flags = Settings::parse(&self.settings)?;
        let (learner, settings) = match &self.learner {
            Some(learner) => {
                let (id, own) = name_and_settings(learner)?;
                (Some(id.to_string()), together("--set", own, &flags)?)
            }
            None => (None, flags),
        };
        let (seed, episodes, vigilance) = (self.seed, self.episodes, self.vigilance.clone());
        Ok(Asked { world, params, learner, settings, seed, episodes, vigilance })
    }
}

/// A session, and who is at it.
struct Served {
    /// None from the moment on that somebody has ended it.
    session: Mutex<Option<Session>>,
    /// Held while an answer is written.
    writing: Mutex<()>,
}

pub(crate) fn run(args: ServeArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let (halt, served) = (Halt::new(), Arc::new(OnceLock::<Arc<Served>>::new()));
    let (stopped, there) = (halt.clone(), served.clone());
    signals::watch(move |code| {
        stopped.ask();
        match there.get() {
            Some(served) => served.stop(code, quiet),
            // nothing has begun that could be kept
            None => std::process::exit(code),
        }
    });
    let asked = args.asked()?;
    let mut files = Files::default();
    files.reads_world(&args.world);
    let file = args.checkpoint.as_deref().map(|path| taken_up::lock(path, &mut files)).transpose()?;
    let busy = Busy::new(format!("opening {}", asked.world), quiet);
    let instance = super::open(&asked.world, &asked.params, &busy, quiet)?;
    let (mut session, resumed) =
        taken_up::session(asked, &instance, file, &busy, args.checkpoint_every, quiet)?;
    drop(busy);
    if !quiet {
        super::say_if_known(&instance.problem, &session.agent.spec().learner, &args.world)?;
    }
    drop(instance);
    session.agent.learner.heed(&halt);
    session.save()?;
    let hello = hello(&session, resumed);
    let shared = Arc::new(Served { session: Mutex::new(Some(session)), writing: Mutex::new(()) });
    let shared = served.get_or_init(|| shared);
    if !shared.write(&hello)? {
        return shared.end();
    }
    if io::stdin().is_terminal() && !quiet {
        exit::note("waiting for requests, one JSON object a line; Ctrl-D ends");
    }
    shared.serve()
}

fn hello(session: &Session, resumed: bool) -> Vec<u8> {
    let (agent, problem) = (&session.agent, session.agent.learner.problem());
    let mut line = Vec::new();
    answers::put(
        &mut line,
        None,
        &Hello {
            ready: true,
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION"),
            problem: problem.name(),
            learner: agent.learner.id(),
            seed: agent.spec().seed,
            states: problem.states(),
            start: problem.start(),
            goal: problem.goal(),
            model_names: problem.model_names(),
            steps: session.steps(),
            episodes: session.episodes(),
            episodes_asked: agent.spec().episodes,
            resumed,
        },
    );
    line
}

impl Served {
    fn session(&self) -> MutexGuard<'_, Option<Session>> {
        // a session that a panic interrupted is still what it was before its request
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers requests until there are no more, or the client wants no more.
    fn serve(&self) -> anyhow::Result<Outcome> {
        let (mut lines, mut out) = (Lines::new(io::stdin().lock()), Vec::new());
        loop {
            let (number, line) = match lines.next() {
                Ok(Some(line)) => line,
                Ok(None) => return self.end(),
                Err(error) => {
                    let error = Usage::new(format!("standard input: {error}"));
                    return self.end().and(Err(error.into()));
                }
            };
            let mut session = self.session();
            let Some(now) = session.as_mut() else { wait() };
            let then = now.answer(line, number, &mut out);
            // whoever ends the session now waits until the answer is out
            let writing = self.writing.lock();
            if then == Then::Quit {
                *session = None;
            }
            drop(session);
            let written = write(&out);
            drop(writing);
            match (then, written) {
                (Then::Quit, written) => return written.map(|_| Outcome::Done),
                (_, Ok(true)) => {}
                // a client that is gone has all that it wanted
                (_, Ok(false)) => return self.end(),
                (_, Err(error)) => return self.end().and(Err(error)),
            }
        }
    }

    /// Writes a line; whether there is a reader.
    fn write(&self, line: &[u8]) -> anyhow::Result<bool> {
        let _writing = self.writing.lock();
        write(line)
    }

    /// Saves, and ends the session.
    fn end(&self) -> anyhow::Result<Outcome> {
        match self.session().take() {
            Some(mut session) => session.save()?,
            None => wait(),
        }
        Ok(Outcome::Done)
    }

    /// Saves because of a signal, and ends the process.
    fn stop(&self, code: i32, quiet: bool) {
        // a request under way is soon done: its planning calls are cut off
        let Some(mut session) = self.session().take() else { return };
        let saved = session.save();
        let file = session.file().map(Path::to_path_buf);
        drop(session); // and its lock
        let code = match (saved, file) {
            (Err(error), _) => {
                exit::report(&error.into());
                2
            }
            (Ok(()), Some(file)) if !quiet => {
                exit::note(format!("stopped; the session is saved in {}", file.display()));
                code
            }
            _ => code,
        };
        // an answer that nobody reads is not waited for
        for _ in 0..20 {
            if self.writing.try_lock().is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        std::process::exit(code);
    }
}

/// Writes a line to standard output; whether there is a reader.
fn write(line: &[u8]) -> anyhow::Result<bool> {
    let mut out = io::stdout().lock();
    match out.write_all(line).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Usage::new(format!("standard output: {error}")).into()),
    }
}

/// Somebody else has ended the session, and is about to end the process.
fn wait() -> ! {
    loop {
        std::thread::park();
    }
}
