//! The goalward command line: what was typed, what it means, progress and exit codes. Everything
//! else is the library's.

mod commands;
mod counts;
mod exit;
mod interrupt;
mod lock;
mod names;
mod numbers;
mod output;
mod outputs;
mod progress;
mod seeds;
mod show;
mod signals;

use clap::{Parser, Subcommand};
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
    Exit codes: 0 done; 1 the answer is \"no\"; 2 wrong usage or input; 130 stopped by Ctrl-C, 143 by \
    SIGTERM where that saves first (serve).")]
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

#[derive(Subcommand)]
enum Command {
    Demo(commands::demo::DemoArgs),
    Reproduce(commands::reproduce::ReproduceArgs),
    Learn(commands::learn::LearnArgs),
    Compare(commands::compare::CompareArgs),
    Study(commands::study::StudyArgs),
    Audit(commands::audit::AuditArgs),
    Serve(Box<commands::serve::ServeArgs>),
    Solve(commands::solve::SolveArgs),
    Fit(commands::fit::FitArgs),
    Check(commands::check::CheckArgs),
    Mix(commands::mix::MixArgs),
    Export(commands::export::ExportArgs),
    List(commands::list::ListArgs),
    Completions(commands::completions::CompletionsArgs),
    #[command(visible_alias = "licenses")]
    Licences(commands::licences::LicencesArgs),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(told) => return exit::told(&told),
    };
    match run(cli) {
        Ok(outcome) => outcome.into(),
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
    let quiet = cli.quiet;
    match cli.command {
        Command::Demo(args) => commands::demo::run(args, quiet),
        Command::Reproduce(args) => commands::reproduce::run(args, quiet),
        Command::Learn(args) => commands::learn::run(args, quiet),
        Command::Study(args) => commands::study::run(args, quiet),
        Command::Audit(args) => commands::audit::run(args, quiet),
        Command::Compare(args) => commands::compare::run(args, quiet),
        Command::Serve(args) => commands::serve::run(*args, quiet),
        Command::Solve(args) => commands::solve::run(args, quiet),
        Command::Fit(args) => commands::fit::run(args, quiet),
        Command::Check(args) => commands::check::run(args, quiet),
        Command::Mix(args) => commands::mix::run(args, quiet),
        Command::Export(args) => commands::export::run(args, quiet),
        Command::List(args) => commands::list::run(args),
        Command::Completions(args) => commands::completions::run(args),
        Command::Licences(args) => commands::licences::run(args),
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
