//! A client of `goalward serve`: it runs a world of its own, and draws the luck that the library
//! draws.

use goalward::Stream;
use goalward::episode::WORLD_STREAM;
use goalward::problem::Instance;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

/// A session under way.
pub(crate) struct Client {
    pub(crate) child: Child,
    pub(crate) input: Option<ChildStdin>,
    pub(crate) output: Option<BufReader<ChildStdout>>,
    line: String,
    /// The first line.
    pub(crate) hello: Value,
}

impl Client {
    /// Starts a session in a folder, and waits until it is ready.
    pub(crate) fn start(program: &Path, folder: &Path, words: &[&str]) -> Client {
        let mut child = Command::new(program)
            .arg("serve")
            .args(words)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("goalward runs");
        let (input, output) = (child.stdin.take(), child.stdout.take().map(BufReader::new));
        let mut client = Client { child, input, output, line: String::new(), hello: Value::Null };
        client.hello = client.read();
        assert_eq!(client.hello["ready"], true, "{}", client.hello);
        client
    }

    /// Sends bytes, which need not be a line.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.input.as_mut().expect("an input").write_all(bytes).expect("a reader");
    }

    /// The next answer.
    pub(crate) fn read(&mut self) -> Value {
        self.read_line();
        let read = serde_json::from_str(&self.line);
        read.unwrap_or_else(|e| panic!("{e}: {:?}: {}", self.line.clone(), self.errors()))
    }

    /// The next answer as it stands.
    pub(crate) fn read_line(&mut self) -> &str {
        self.line.clear();
        self.output.as_mut().expect("an output").read_line(&mut self.line).expect("an answer");
        &self.line
    }

    /// Asks, and waits for the answer.
    pub(crate) fn ask(&mut self, request: &str) -> Value {
        self.send(format!("{request}\n").as_bytes());
        self.read()
    }

    pub(crate) fn act(&mut self, state: usize) -> usize {
        let answer = self.ask(&json!({ "op": "act", "state": state }).to_string());
        answer["action"].as_u64().unwrap_or_else(|| panic!("{answer}")) as usize
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// How much of what happened it had seen when it began.
    pub(crate) fn seen(&self) -> u64 {
        let count = |key: &str| self.hello[key].as_u64().expect("a count");
        count("steps") + count("episodes")
    }

    /// Ends its input, waits, and says how it ended and what it noted.
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        self.input = None;
        self.ended()
    }

    /// kill -9.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("a process");
        self.child.wait().expect("an end");
    }

    /// The memory that it has now, in kB.
    pub(crate) fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).expect("a status");
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("its memory");
        line.split_whitespace().nth(1).and_then(|kb| kb.parse().ok()).expect("a number")
    }

    /// Waits until it has ended: how, and what it noted.
    pub(crate) fn ended(mut self) -> (ExitStatus, String) {
        let status = self.child.wait().expect("an end");
        (status, self.errors())
    }

    fn errors(&mut self) -> String {
        let _ = self.child.kill();
        self.child
            .stderr
            .take()
            .map_or(String::new(), |errors| std::io::read_to_string(errors).unwrap_or_default())
    }
}

/// A client that is left behind by a panic leaves no process behind.
impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a client tells a learner, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Step { state: usize, action: usize, next: usize },
    End,
}

/// A world that a client runs: what happened in it so far.
pub(crate) struct Walk<'a> {
    world: &'a Instance,
    seed: u64,
    luck: Stream,
    state: usize,
    pub(crate) events: Vec<Event>,
    steps: u64,
    episodes: u64,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(world: &'a Instance, seed: u64) -> Walk<'a> {
        let luck = Stream::new(seed, &[WORLD_STREAM, 1]);
        Walk { world, seed, luck, state: world.problem.start(), events: Vec::new(), steps: 0, episodes: 0 }
    }

    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    pub(crate) fn episodes(&self) -> u64 {
        self.episodes
    }

    /// Makes one step, and ends the episode if that reached the goal.
    pub(crate) fn step(&mut self, client: &mut Client) {
        let problem = &self.world.problem;
        let (state, action) = (self.state, client.act(self.state));
        let truth = self.world.truth.as_ref().expect("a truth");
        let next = truth.sample(problem, problem.pair(state, action), self.luck.uniform());
        self.state = next;
        self.steps += 1;
        self.tell(client, Event::Step { state, action, next });
        if next == problem.goal() {
            self.episodes += 1;
            self.state = problem.start();
            self.luck = Stream::new(self.seed, &[WORLD_STREAM, self.episodes + 1]);
            self.tell(client, Event::End);
        }
    }

    /// Asks what to do, and does it not.
    pub(crate) fn ask(&self, client: &mut Client) {
        client.act(self.state);
    }

    fn tell(&mut self, client: &mut Client, event: Event) {
        self.events.push(event);
        say(client, event);
    }

    /// Tells a session that was taken up what it has not seen; every action is asked for again, and
    /// must be what it was. What differs, if something does.
    pub(crate) fn catch_up(&self, client: &mut Client) -> Option<String> {
        for (n, event) in self.events.iter().enumerate().skip(client.seen() as usize) {
            if let Event::Step { state, action, .. } = *event {
                let now = client.act(state);
                if now != action {
                    return Some(format!("event {n}: action {now} in state {state}, which was {action}"));
                }
            }
            say(client, *event);
        }
        None
    }
}

fn say(client: &mut Client, event: Event) {
    let answer = client.ask(&match event {
        Event::Step { state, action, next } => {
            json!({ "op": "observe", "state": state, "action": action, "next": next }).to_string()
        }
        Event::End => r#"{"op":"end_episode"}"#.into(),
    });
    assert_eq!(answer["ok"], true, "{answer}");
}
