//! Measures every strategy on the same stack of transformer blocks, and those of other networks on theirs.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use burn::tensor::Device;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use indicatif::{ProgressBar, ProgressStyle};
use remat::memory::Tracking;
use remat_examples::measure::{Comparison, Row};
use remat_examples::models::{STRATEGIES, Strategy, TRANSFORMER, Workload, strategy};
use remat_examples::options::{Backend, positive};
use remat_examples::plot::memory_against_time;
use remat_examples::table::{mib, table};

#[global_allocator]
static ALLOC: Tracking = Tracking::new();

/// Memory and time of every strategy, against plain burn in the same process.
///
/// A step is the forward pass of a stack of transformer blocks on random input, the mean of the
/// squares of its output as the loss, the backward pass, and dropping the gradients; no optimizer.
/// `retained` is what is live after forward pass and loss and was not before, the entries of burn's
/// graph included; `peak` is the most that is live during a step, minus what was before it; the
/// step ratio is the median over pairs of steps that take turns, plain burn and the strategy;
/// `grad_max_rel_err` is the largest over the parameters of the norm of the gradient's difference,
/// over the norm of the gradient (at least 1e-4 of the norm of all); `grad_cosine` is that of all gradients together. Rows about dropout, which the plain stack does not
/// have, have none.
///
/// The rows `mlp_relu_..` (12 layers of width 1024, batch 512) and `cnn_..` (a residual network, batch 64) are other
/// networks of fixed sizes, each compared with its own `.._plain`.
#[derive(Parser)]
#[command(name = "frontier")]
struct Options {
    /// Strategies to measure, separated by commas [default: all of the transformer]
    #[arg(
        long,
        value_delimiter = ',',
        hide_default_value = true,
        default_values = names(|strategy| strategy.against == TRANSFORMER),
        value_parser = strategies(),
        value_name = "NAMES"
    )]
    strategies: Vec<Strategy>,

    #[command(flatten)]
    workload: Workload,

    /// Pairs of steps that are timed for a strategy
    #[arg(long, default_value_t = 20, value_parser = positive, value_name = "N")]
    pairs: usize,

    /// Seed of the parameters, the input and the dropout masks
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// Where the tensors are
    #[arg(long, default_value = "flex")]
    device: Backend,

    /// Print a JSON object for each strategy, in a line of its own
    #[arg(long)]
    json: bool,

    /// Draw memory against time into this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

fn names(wanted: fn(&Strategy) -> bool) -> Vec<&'static str> {
    let wanted = STRATEGIES.iter().filter(|strategy| wanted(strategy));
    wanted.map(|strategy| strategy.name).collect()
}

fn strategies() -> impl TypedValueParser<Value = Strategy> {
    PossibleValuesParser::new(names(|_| true))
        .try_map(|name| strategy(&name).ok_or("not in the list"))
}

fn main() -> ExitCode {
    let options = Options::parse();
    let device = match options.workload.check().and(options.device.device()) {
        Ok(device) => device,
        Err(message) => Options::command()
            .error(ErrorKind::ValueValidation, message)
            .exit(),
    };
    match run(options, device) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: Options, device: Device) -> Result<(), Box<dyn Error>> {
    let bar = progress_bar(options.pairs);
    let mut comparison = Comparison::new(options.workload, device, options.seed, options.pairs);
    let mut rows = Vec::new();
    for strategy in options.strategies {
        bar.set_message(strategy.name);
        bar.reset();
        let row = comparison.measure(strategy, || bar.inc(1))?;
        if options.json {
            // At once: a run with many strategies is long.
            let line = serde_json::to_string(&row)?;
            bar.suspend(|| println!("{line}"));
        }
        rows.push(row);
    }
    bar.finish_and_clear();
    if !options.json {
        print!("{}", overview(&rows));
    }
    if let Some(path) = &options.svg {
        memory_against_time(&rows, path)
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    Ok(())
}

fn progress_bar(pairs: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg:21} {bar:30} {pos} of {len} pairs")
        .expect("the template is valid");
    ProgressBar::new(pairs as u64).with_style(style)
}

fn overview(rows: &[Row]) -> String {
    let head = [
        "",
        "retained",
        "peak",
        "step ratio",
        "loss",
        "gradient error",
        "cosine",
    ];
    let mut cells = vec![head.map(str::to_owned)];
    cells.extend(rows.iter().map(|row| {
        [
            row.strategy.to_owned(),
            mib(row.retained_bytes),
            mib(row.peak_bytes),
            format!("{:.2}", row.step_ratio),
            row.loss.to_string(),
            row.grad_max_rel_err
                .map_or_else(|| "-".to_owned(), |error| format!("{error:.1e}")),
            row.grad_cosine
                .map_or_else(|| "-".to_owned(), |cosine| format!("{cosine:.6}")),
        ]
    }));
    table(&cells)
}
