//! `goalward serve`: sessions as a program in another language has them.

#[path = "../../../soak/client.rs"]
mod client;
mod faults;
#[path = "../../../soak/mutations.rs"]
mod mutations;
mod same;
mod saved;

use super::*;
use client::Client;

impl Place {
    /// Starts a session with words that are separated by spaces.
    fn serve(&self, line: &str) -> Client {
        Client::start(goalward(), self.0.path(), &line.split_whitespace().collect::<Vec<_>>())
    }
}
