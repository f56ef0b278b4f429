//! Trains a character-level language model with three strategies together, or compares them.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use burn::module::Module;
use burn::tensor::Device;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use remat::memory::Tracking;
use remat::train::StopSignal;
use remat::train::observe::{Metrics, ProgressBar};
use remat_examples::char_gpt::Text;
use remat_examples::options::Backend;
use remat_examples::train::{Recipe, Settings, compare, loader, micro_batch, overview, training};

#[global_allocator]
static ALLOC: Tracking = Tracking::new();

/// Trains a character-level GPT with batches in micro-batches, a checkpoint every few blocks, and attention and linear layers
/// in bf16, all three together.
///
/// Ctrl-C finishes the step, saves if there is a folder to save into, and ends; `--resume` goes on from there, to the bit.
///
/// With `--compare` it trains five times from the same parameters on the same sequences: plain burn, with each strategy by
/// itself, and with all. `peak` is the most that is live while it trains, minus what was live before its model was made:
/// parameters, the optimizer's state, gradients and activations.
#[derive(Parser)]
#[command(name = "train")]
struct Options {
    /// Text to train on [default: this project's sources]
    #[arg(long, value_name = "FILE")]
    text: Option<PathBuf>,

    #[command(flatten)]
    settings: Settings,

    /// Save into this folder after every epoch, and when Ctrl-C is pressed
    #[arg(long, value_name = "FOLDER", conflicts_with = "compare")]
    save: Option<PathBuf>,

    /// Go on from where the training in the folder was saved
    #[arg(long, requires = "save")]
    resume: bool,

    /// Write a line of JSON for every step into this file
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    metrics: Option<PathBuf>,

    /// Draw loss and memory of the steps into this SVG file
    #[arg(long, value_name = "FILE", requires = "metrics")]
    svg: Option<PathBuf>,

    /// Train with each strategy by itself, too, and compare
    #[arg(long)]
    compare: bool,

    /// Print a JSON object for each training that is compared, in a line of its own
    #[arg(long, requires = "compare")]
    json: bool,

    /// Where the tensors are
    #[arg(long, default_value = "flex")]
    device: Backend,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let (text, device) = match open(&options) {
        Ok(opened) => opened,
        Err(message) => Options::command()
            .error(ErrorKind::ValueValidation, message)
            .exit(),
    };
    let done = if options.compare {
        compare_all(&options, &text, &device)
    } else {
        train(&options, &text, &device)
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn open(options: &Options) -> Result<(Text, Device), String> {
    let settings = &options.settings;
    settings.check()?;
    let text = Text::open(options.text.as_deref(), settings.seq);
    let text = text.map_err(|error| error.to_string())?;
    Ok((text, options.device.device()?.autodiff()))
}

fn train(options: &Options, text: &Text, device: &Device) -> Result<(), Box<dyn Error>> {
    let (recipe, settings) = (Recipe::ALL, &options.settings);
    let mut training = training(recipe, settings, text, device)?
        .stop_on(StopSignal::on_ctrl_c()?)
        .observe(ProgressBar::new("characters"));
    if let Some(folder) = &options.save {
        training = training.save_in(folder);
        if options.resume {
            training = training.resume(folder)?;
        }
    }
    if let Some(path) = &options.metrics {
        let metrics = if options.resume {
            Metrics::append(path)
        } else {
            Metrics::create(path)
        };
        training = training.observe(match &options.svg {
            Some(svg) => metrics.plot(svg),
            None => metrics,
        });
    }
    println!("{} parameters", training.model().num_params());
    let loader = |epoch| loader(recipe, settings, text, device, epoch);
    let summary = training.run(settings.epochs, loader, micro_batch)?;
    let (steps, skipped) = (summary.position.windows, summary.position.skipped);
    let how = if summary.stopped { "stopped" } else { "done" };
    println!("{how} after {steps} steps, of which {skipped} were skipped");
    Ok(())
}

fn compare_all(options: &Options, text: &Text, device: &Device) -> Result<(), Box<dyn Error>> {
    let rows = compare(&options.settings, text, device, |row| {
        if options.json {
            // At once: with these sizes a run is long.
            println!("{}", serde_json::to_string(row)?);
        }
        Ok(())
    })?;
    if !options.json {
        print!("{}", overview(&rows));
    }
    Ok(())
}
