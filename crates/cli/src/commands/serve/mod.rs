//! `goalward serve`: a learner for a loop in any language, over JSON lines.

mod answers;
mod fault;
mod lines;
mod places;
mod request;
mod session;

use super::World;
use super::learn::checkpoint;
use super::learner::LearnerArgs;
use crate::counts::whole;
use crate::exit::{self, Outcome, Usage};
use crate::outputs::{Files, is_stdin};
use crate::progress::Busy;
use crate::signals;
use answers::{Answer, PROTOCOL};
use goalward::plan::Halt;
use lines::Lines;
use session::Session;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
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

const EPISODES: &str = "The number of episodes that the learner is told to expect; some learners plan for it, \
                        and the real number may differ [default: 1000]";
const PROBLEM: &str = "A problem file, a model (Storm's DRN, a Gymnasium table), or a built-in world (`goalward \
                       list worlds`); windy-grid@n=3 is short for windy-grid --param n=3";
const SEED: &str = "The seed of the learner's own luck [default: 0]";

/// Let a program in any language drive a learner: requests and answers are lines of JSON
///
/// The program runs its own world. It sends one JSON object a line on standard input, and gets one
/// line on standard output for each, at once. The first line of the output says that the session is
/// ready, and how much it has seen.
///
/// Requests: {"op":"act","state":S} gives an action.
/// {"op":"observe","state":S,"action":A,"next":S2} tells a step; "cost" may be added, and must be
/// the problem's own. {"op":"end_episode"} says that the goal was reached. {"op":"estimate"} gives
/// theta with its intervals, {"op":"value","state":S} the value of a state in the last plan.
/// {"op":"save"} writes the checkpoint. {"op":"quit"} writes it and ends, as does the end of the
/// input. States and actions are numbers or names. A field "id" is given back in the answer.
/// docs/serve.md has it all.
///
/// A wrong request is answered by {"error":{"code","message","line",...}}. It changes nothing, and
/// the session goes on.
///
/// The learner watches whether any mixture of the models explains the steps. When every mixture is
/// rejected, the answer to that "observe" has "misfit", and "estimate" has it from then on.
/// --on-misfit says what the learner does then; after stop every further "act" is an error.
///
/// --checkpoint saves the session. If the file is there, the session is taken up from it: "steps"
/// and "episodes" of the first line say how much it has seen, and the further actions are the same
/// as without the interruption. Other options must agree with it.
///
/// Exit codes: 0 after quit, the end of the input, or a reader that closed the pipe; 130 after
/// Ctrl-C and 143 after SIGTERM, both of which save first, also during a planning call; 2 as
/// everywhere.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("episodes", |arg| arg.help(EPISODES)), mut_arg("seed", |arg| arg.help(SEED)))]
#[command(mut_arg("world", |arg| arg.help(PROBLEM).value_name("PROBLEM")))]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    world: World,
    #[command(flatten)]
    learner: LearnerArgs,
    /// Save the session to this file; if it is there, the session is taken up from it
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// The steps between two saves; ten seconds are the most while steps come in
    #[arg(long, value_name = "STEPS", default_value_t = 10_000)]
    #[arg(value_parser = whole::<u64>(1..))]
    checkpoint_every: u64,
}

/// A session that the thread of requests and that of signals share.
struct Served {
    /// None once one of them has ended it.
    session: Mutex<Option<Session>>,
    /// Held while an answer is written.
    writing: Mutex<()>,
}

static SERVED: OnceLock<Served> = OnceLock::new();

pub(crate) fn run(args: ServeArgs) -> anyhow::Result<Outcome> {
    let halt = Halt::new();
    let stopped = halt.clone();
    signals::watch(move |code| {
        stopped.ask();
        match SERVED.get() {
            Some(served) => served.stop(code),
            // nothing has begun that could be kept
            None => std::process::exit(code),
        }
    });
    let asked = args.learner.spec()?;
    let (world, params) = args.world.named()?;
    if is_stdin(&world) {
        let reason = format!("serve {world}: requests come through standard input, so the problem cannot");
        return Err(Usage::new(reason).hint("write the problem to a file first, and give that").into());
    }
    let mut files = Files::default();
    files.reads_world(&world);
    let lock = args.checkpoint.as_deref().map(|path| checkpoint(path, &mut files)).transpose()?;
    let file = lock.map(|lock| (lock, args.checkpoint_every));
    let busy = Busy::new(format!("opening {world}"));
    let instance = super::open(&world, &params, &busy)?;
    let (mut session, resumed) = session::open(&args.learner, asked, &instance, file, &busy)?;
    drop(busy);
    super::say_if_known(&instance.problem, &session.agent.spec().learner, &args.world.world)?;
    drop(instance);
    session.agent.learner.heed(&halt);
    session.save()?;
    let hello = hello(&session, resumed);
    let served =
        SERVED.get_or_init(|| Served { session: Mutex::new(Some(session)), writing: Mutex::new(()) });
    let written = {
        let _writing = served.writing.lock();
        write(&hello)?
    };
    if !written {
        return served.end();
    }
    if io::stdin().is_terminal() {
        exit::note("waiting for requests, one JSON object a line; Ctrl-D ends");
    }
    served.serve()
}

/// The first line: what is served, and where the session begins.
fn hello(session: &Session, resumed: bool) -> Vec<u8> {
    let (agent, problem) = (&session.agent, session.agent.learner.problem());
    let mut line = Vec::new();
    Answer::new(&mut line, None)
        .put("ready", true)
        .put("protocol", PROTOCOL)
        .put("version", env!("CARGO_PKG_VERSION"))
        .put("problem", problem.name())
        .put("learner", agent.learner.id())
        .put("seed", agent.spec().seed)
        .put("states", problem.states())
        .put("start", problem.start())
        .put("goal", problem.goal())
        .put_some("model_names", problem.model_names())
        .put("steps", session.steps())
        .put("episodes", session.episodes())
        .put("episodes_asked", agent.spec().episodes)
        .put("resumed", resumed)
        .end();
    line
}

impl Served {
    fn session(&self) -> MutexGuard<'_, Option<Session>> {
        // a session that a panic interrupted is still what it was before its request
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers requests until the input ends or the client quits.
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
            // the end of the session waits until the answer is out
            let writing = self.writing.lock();
            if then.is_break() {
                *session = None;
            }
            drop(session);
            let written = write(&out);
            drop(writing);
            match (then, written) {
                (ControlFlow::Break(()), written) => return written.map(|_| Outcome::Done),
                (_, Ok(true)) => {}
                // the client has closed the pipe
                (_, Ok(false)) => return self.end(),
                (_, Err(error)) => return self.end().and(Err(error)),
            }
        }
    }

    fn end(&self) -> anyhow::Result<Outcome> {
        match self.session().take() {
            Some(mut session) => session.save()?,
            None => wait(),
        }
        Ok(Outcome::Done)
    }

    fn stop(&self, code: i32) {
        // a request under way is soon done: its planning calls are cut off
        let Some(mut session) = self.session().take() else { return };
        let saved = session.save();
        let file = session.file.as_ref().map(|(lock, _)| lock.path.clone());
        drop(session); // and its lock
        if let (Ok(()), Some(file)) = (&saved, file) {
            exit::note(format!("stopped; the session is saved in {}", file.display()));
        }
        let code = match saved {
            Ok(()) => code,
            Err(error) => {
                exit::report(&error.into());
                2
            }
        };
        // the client may not read its last answer
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

/// The session is ended, and the process is about to end.
fn wait() -> ! {
    loop {
        std::thread::park();
    }
}
