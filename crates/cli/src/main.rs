//! The goalward command line: what was typed, what it means, progress and exit codes. Everything
//! else is the library's.

mod commands;
mod counts;
mod exit;
mod lock;
mod names;
mod numbers;
mod output;
mod outputs;
mod progress;
mod show;
mod signals;

use clap::{Parser, Subcommand};
use clap_complete::Shell;
use commands::study::{Short, StudyCommand};
use exit::Outcome;
use std::process::ExitCode;

/// Learn the cheapest way to a goal while finding out how the world moves
#[derive(Parser)]
#[command(
    name = "goalward",
    version,
    after_help = EXAMPLES,
    max_term_width = 110,
    subcommand_required = true
)]
#[command(arg_required_else_help = true)]
#[command(long_about = "Learn the cheapest way to a goal while finding out how the world moves.\n\n\
    goalward runs online algorithms for linear mixture stochastic shortest paths: the world is an \
    unknown mixture of \
    known candidate models, and every step towards the goal costs something. A WORLD is the id of \
    a built-in world, or \
    a path to a model (Storm's DRN, a Gymnasium table) or to a problem file (JSON), packed with \
    gzip or not.\n\n\
    Exit codes: 0 done; 1 the answer is \"no\"; 2 wrong usage or input; 130 stopped by Ctrl-C; 143 \
    stopped by SIGTERM after saving (serve).")]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print no progress and no notes; errors and results still appear
    #[arg(long, short, global = true, help_heading = "Global options")]
    quiet: bool,
    /// Number of threads for work that runs in parallel [default: one per core]; results never
    /// depend on it
    #[arg(long, value_name = "N", global = true, help_heading = "Global options")]
    #[arg(value_parser = counts::whole::<u16>(1..))]
    threads: Option<u16>,
}

const EXAMPLES: &str = "\
EXAMPLES:
    goalward list worlds
    goalward check model.drn.gz --goal done
    goalward mix sunny.drn rainy.drn --weights 0.3,0.7 -o weather.json && goalward learn weather.json
    goalward learn hard-instance --learner levis++ --set B=3 --episodes 1000
    goalward reproduce";

const DEMO: &str = "\
EXAMPLES:
    goalward demo
    goalward demo --seeds 5 --episodes 60 --out quick";

const REPRODUCE: &str = "\
EXAMPLES:
    goalward reproduce
    goalward reproduce --episodes 2000 --seeds 4 --out quick
    goalward reproduce --json > reproduction.json";

const LICENCES: &str = "\
EXAMPLES:
    goalward licences | less";

#[derive(Subcommand)]
enum Command {
    /// Show in seconds what a confidence set is worth
    ///
    /// Five learners on a small windy grid: LEVIS++ and LEVIS with their printed constants, LEVIS++
    /// with a radius that was scaled down, and the likelihood set, with LEVIS++ and alone. Short
    /// for `goalward study run demo`.
    #[command(after_help = DEMO)]
    Demo(Short),
    /// Reproduce the paper's figure: regret of LEVIS++ and its rivals on the hard instance
    ///
    /// Runs every learner on every dimension and seed, draws the figure, and says in words what was
    /// found. The radius with the paper's printed constants and the scaled one, which has no
    /// guarantee, are kept apart everywhere. Short for `goalward study run reproduce`.
    #[command(after_help = REPRODUCE)]
    Reproduce(Short),
    Learn(commands::learn::LearnArgs),
    Compare(commands::compare::CompareArgs),
    /// Run many learners on many worlds from a file, and get statistics, figures and a report
    ///
    /// A study file says which learners run on which worlds with which seeds, what is recorded, and
    /// what is asked. Every run is one job, whose records are kept as soon as it is done. A study
    /// that was stopped or killed goes on where it was, and its records are the same bytes as if
    /// nothing had happened, on any number of threads and machines.
    #[command(after_help = commands::study::EXAMPLES)]
    #[command(subcommand, subcommand_required = true, arg_required_else_help = true)]
    Study(StudyCommand),
    Audit(commands::audit::AuditArgs),
    Serve(Box<commands::serve::ServeArgs>),
    Solve(commands::solve::SolveArgs),
    Fit(commands::fit::FitArgs),
    Check(commands::check::CheckArgs),
    Mix(commands::mix::MixArgs),
    Export(commands::export::ExportArgs),
    List(commands::list::ListArgs),
    /// Print a script that completes goalward's commands, options, worlds and learners in your
    /// shell
    ///
    /// Write it to where your shell looks for completions and start a new shell.
    #[command(after_help = commands::completions::EXAMPLES)]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the licences of the software that goalward contains
    ///
    /// goalward itself is licensed under MIT or Apache-2.0, at your choice. What others have
    /// written and is linked into this program is listed with its version and its licence, and the
    /// texts follow.
    #[command(visible_alias = "licenses", after_help = LICENCES)]
    Licences,
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return exit::clap(&error),
    };
    match run(cli) {
        Ok(outcome) => ExitCode::from(outcome as u8),
        Err(error) => exit::report(&error),
    }
}

fn run(cli: Cli) -> anyhow::Result<Outcome> {
    // before there are other threads
    if matches!(cli.command, Command::Serve(_)) {
        signals::hold()?;
    }
    if let Some(threads) = cli.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
    }
    if cli.quiet {
        exit::hush();
    }
    match cli.command {
        Command::Demo(args) => commands::study::short("demo", args),
        Command::Reproduce(args) => commands::study::short("reproduce", args),
        Command::Learn(args) => commands::learn::run(args),
        Command::Study(command) => commands::study::run(command),
        Command::Audit(args) => commands::audit::run(args),
        Command::Compare(args) => commands::compare::run(args),
        Command::Serve(args) => commands::serve::run(*args),
        Command::Solve(args) => commands::solve::run(args),
        Command::Fit(args) => commands::fit::run(args),
        Command::Check(args) => commands::check::run(args),
        Command::Mix(args) => commands::mix::run(args),
        Command::Export(args) => commands::export::run(args),
        Command::List(args) => commands::list::run(args),
        Command::Completions { shell } => commands::completions::run(shell),
        Command::Licences => {
            // the notices of everything linked in; `cargo xtask licences` makes them
            output::text(include_str!("../../../THIRD-PARTY-LICENSES.txt"))?;
            Ok(Outcome::Done)
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
