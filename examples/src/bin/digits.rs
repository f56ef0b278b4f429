//! Trains an image classifier twice with burn's learner, without and with its annotation, and
//! compares.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use burn::module::Module;
use burn::tensor::Device;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use indicatif::{ProgressBar, ProgressStyle};
use remat::memory::Tracking;
use remat_examples::digits::{Cnn, Digits, Settings, differences, overview, train};
use remat_examples::options::Backend;
use tempfile::TempDir;

#[global_allocator]
static ALLOC: Tracking = Tracking::new();

/// Trains a convolutional network on handwritten digits with burn's learner, first as plain burn,
/// then with `#[checkpoint]` on its blocks: the same model, in a fraction of the memory.
///
/// The exit code is 1 if any loss, validation accuracy, parameter or running statistic of the two
/// differs in any bit.
#[derive(Parser)]
#[command(name = "digits")]
struct Options {
    /// Digits to train on: 64 pixels from 0 to 16 and the digit, a line each
    /// [default: 1797 of the UCI repository]
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,

    #[command(flatten)]
    settings: Settings,

    /// Where metrics and checkpoints are kept [default: nowhere]
    #[arg(long, value_name = "DIR")]
    artifacts: Option<PathBuf>,

    /// Where the tensors are
    #[arg(long, default_value = "flex")]
    device: Backend,
}

/// What the options name.
struct Opened {
    digits: Digits,
    artifacts: Artifacts,
    device: Device,
}

/// A folder for what burn's learner writes.
enum Artifacts {
    Kept(PathBuf),
    /// Removed when dropped.
    Temporary(TempDir),
}

impl Artifacts {
    fn open(directory: Option<&Path>) -> Result<Self, String> {
        let Some(directory) = directory else {
            let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
            return Ok(Self::Temporary(directory));
        };
        match fs::create_dir_all(directory) {
            Ok(()) => Ok(Self::Kept(directory.to_owned())),
            Err(error) => Err(format!("cannot create {}: {error}", directory.display())),
        }
    }

    fn path(&self) -> &Path {
        match self {
            Self::Kept(path) => path,
            Self::Temporary(directory) => directory.path(),
        }
    }
}

fn main() -> ExitCode {
    let options = Options::parse();
    let opened = match open(&options) {
        Ok(opened) => opened,
        Err(message) => Options::command()
            .error(ErrorKind::ValueValidation, message)
            .exit(),
    };
    match run(&options.settings, &opened) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn open(options: &Options) -> Result<Opened, String> {
    let digits = Digits::open(options.data.as_deref());
    Ok(Opened {
        digits: digits.map_err(|error| error.to_string())?,
        artifacts: Artifacts::open(options.artifacts.as_deref())?,
        device: options.device.device()?.autodiff(),
    })
}

fn run(settings: &Settings, opened: &Opened) -> Result<ExitCode, Box<dyn Error>> {
    let Opened { digits, device, .. } = opened;
    println!("{}\n", describe(settings, opened));

    let run = |name| {
        let directory = opened.artifacts.path().join(name);
        let bar = bar(name, settings.steps(digits.train.len()));
        train(settings, digits, device, &directory, bar)
    };
    // On this thread, which is the one where burn's learner calls the model.
    let plain = remat::without_strategies(|| run("plain"))?;
    let annotated = run("annotated")?;

    println!("{}", overview(&plain, &annotated));
    if let Artifacts::Kept(directory) = &opened.artifacts {
        println!("Metrics and checkpoints are in {}.\n", directory.display());
    }
    Ok(conclude(&differences(&plain, &annotated)))
}

fn conclude(differences: &[&str]) -> ExitCode {
    if differences.is_empty() {
        println!(
            "All losses, validation accuracies, parameters and running statistics are identical \
             to the last bit."
        );
        ExitCode::SUCCESS
    } else {
        eprintln!("error: the {} differ", differences.join(", "));
        ExitCode::FAILURE
    }
}

fn describe(settings: &Settings, opened: &Opened) -> String {
    let model = Cnn::new(&opened.device);
    let Digits { train, valid } = &opened.digits;
    format!(
        "{} digits to train on, {} for validation; {} parameters; blocks: {}; batches of {}",
        train.len(),
        valid.len(),
        model.num_params(),
        model.num_blocks(),
        settings.batch_size,
    )
}

fn bar(name: &'static str, steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{prefix:10} {bar:30} {pos}/{len} [{elapsed}] {msg}")
        .expect("the template is valid");
    ProgressBar::new(steps as u64)
        .with_style(style)
        .with_prefix(name)
}
