//! Trains two models in f32, in bf16, and in f16 with a scaled loss, and compares.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use burn::tensor::Device;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use indicatif::{ProgressBar, ProgressStyle};
use remat::memory::Tracking;
use remat_examples::amp::{Data, Recipe, Row, Settings, Task, overview, run};
use remat_examples::char_gpt::Text;
use remat_examples::digits::Digits;
use remat_examples::options::Backend;

#[global_allocator]
static ALLOC: Tracking = Tracking::new();

/// Trains a classifier of digits and a character-level language model in f32, with their layers in bf16, and with their
/// layers in f16 and a scaled loss. Parameters, norms and losses are in f32 in all of them.
///
/// `retained` is what is live after a forward pass and was not before; a step is forward, loss, backward and `AdamW`;
/// `loss` is the mean of the last ten steps; `skipped` steps had gradients that were not finite; `scale` is the last one of
/// the loss. On a processor that does not multiply in 16 bits, burn's Flex does it in f32 on copies, which takes longer.
///
/// The exit code is 1 if a loss is not finite in the end.
#[derive(Parser)]
#[command(name = "amp")]
struct Options {
    /// What is trained, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Task::Digits, Task::Characters], value_name = "TASKS")]
    tasks: Vec<Task>,

    /// How it is trained, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Recipe::F32, Recipe::Bf16, Recipe::F16], value_name = "RECIPES")]
    recipes: Vec<Recipe>,

    #[command(flatten)]
    settings: Settings,

    /// Text to train on [default: this project's sources]
    #[arg(long, value_name = "FILE")]
    text: Option<PathBuf>,

    /// Where the tensors are
    #[arg(long, default_value = "flex")]
    device: Backend,

    /// Print a JSON object for each training, in a line of its own
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let (data, device) = match open(&options) {
        Ok(opened) => opened,
        Err(message) => Options::command()
            .error(ErrorKind::ValueValidation, message)
            .exit(),
    };
    match train_all(&options, &data, &device) {
        Ok(rows) => conclude(&rows),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn open(options: &Options) -> Result<(Data, Device), String> {
    let settings = &options.settings;
    settings.check()?;
    let digits = Digits::open(None).map_err(|error| error.to_string())?;
    let text = Text::open(options.text.as_deref(), settings.seq);
    let text = text.map_err(|error| error.to_string())?;
    let device = options.device.device()?.autodiff();
    Ok((Data { digits, text }, device))
}

fn train_all(options: &Options, data: &Data, device: &Device) -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for &task in &options.tasks {
        for &recipe in &options.recipes {
            let row = train_one(task, recipe, &options.settings, data, device)?;
            if options.json {
                println!("{}", serde_json::to_string(&row)?);
            }
            rows.push(row);
        }
    }
    if !options.json {
        print!("{}", overview(&rows));
    }
    Ok(rows)
}

fn train_one(
    task: Task,
    recipe: Recipe,
    settings: &Settings,
    data: &Data,
    device: &Device,
) -> Result<Row, Box<dyn Error>> {
    let bar = bar(format!("{} {}", task.name(), recipe.name()), settings.steps);
    let mut step = 0;
    let trained = run(task, recipe, settings, data, device, |progress| {
        step += 1;
        if let Some(overflow) = &progress.overflow {
            bar.suspend(|| eprintln!("step {step} is skipped: {overflow}"));
        }
        bar.set_message(format!("loss {:.3}", progress.loss));
        bar.inc(1);
    })?;
    bar.finish_and_clear();
    Ok(Row::new(task, recipe, &trained))
}

fn bar(name: String, steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{prefix:23} {bar:30} {pos}/{len} [{elapsed}] {msg}")
        .expect("the template is valid");
    ProgressBar::new(steps as u64)
        .with_style(style)
        .with_prefix(name)
}

fn conclude(rows: &[Row]) -> ExitCode {
    match rows.iter().find(|row| !row.loss.is_finite()) {
        None => ExitCode::SUCCESS,
        Some(row) => {
            eprintln!("error: {} in {} came to nothing", row.task, row.recipe);
            ExitCode::FAILURE
        }
    }
}
