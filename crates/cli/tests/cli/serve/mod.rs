//! `goalward serve`: sessions as a program in another language has them.

#[path = "../../../soak/client.rs"]
mod client;
mod faults;
mod misfit;
#[path = "../../../soak/mutations.rs"]
mod mutations;
mod proposals;
mod same;
mod saved;
mod shown;

use super::*;
use client::Client;
use std::process::ExitStatus;

impl Place {
    /// Starts a session with words that are separated by spaces.
    fn serve(&self, line: &str) -> Client {
        Client::start(goalward(), self.0.path(), &line.split_whitespace().collect::<Vec<_>>())
    }
}

impl Client {
    /// Whether the output has ended.
    fn is_over(&mut self) -> bool {
        self.read_line().is_empty()
    }

    /// Reads no more, and asks once more: the answer finds no reader.
    fn leave(mut self) -> (ExitStatus, String) {
        self.output = None;
        self.send(b"{\"op\":\"value\",\"state\":0}\n");
        self.ended()
    }
}
