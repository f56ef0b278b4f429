//! Trains a character-level GPT twice, without and with its annotation, and compares.

use std::path::PathBuf;
use std::process::ExitCode;

use burn::module::Module;
use burn::tensor::Device;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use remat::memory::Tracking;
use remat_examples::char_gpt::{
    Gpt, Progress, Settings, Text, Trained, equal_losses, generate, overview, train,
};
use remat_examples::options::Backend;

#[global_allocator]
static ALLOC: Tracking = Tracking::new();

/// Trains a character-level GPT on a text, first as plain burn, then with `#[checkpoint]` on its
/// blocks: the same losses, in a fraction of the memory.
///
/// A step is forward, loss, backward and `AdamW`. The exit code is 1 if the two losses differ in any
/// bit after any step.
#[derive(Parser)]
#[command(name = "char_gpt")]
struct Options {
    /// Text to train on [default: this project's sources]
    #[arg(long, value_name = "FILE")]
    text: Option<PathBuf>,

    #[command(flatten)]
    settings: Settings,

    /// Characters to write at the end
    #[arg(long, default_value_t = 200, value_name = "N")]
    sample: usize,

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
    run(&options, &text, &device)
}

fn open(options: &Options) -> Result<(Text, Device), String> {
    let settings = &options.settings;
    settings.check()?;
    let text = Text::open(options.text.as_deref(), settings.seq);
    let text = text.map_err(|error| error.to_string())?;
    Ok((text, options.device.device()?.autodiff()))
}

fn run(options: &Options, text: &Text, device: &Device) -> ExitCode {
    let settings = &options.settings;
    device.seed(settings.seed);
    let model = Gpt::new(settings, text.vocabulary(), device);
    println!(
        "{} characters, {} different ones; {}\n",
        text.len(),
        text.vocabulary(),
        describe(&model, settings),
    );

    // What the first steps set up (threads, buffers of the kernels) belongs to neither.
    remat::without_strategies(|| train(model.clone(), &settings.warm_up(), text, device, |_| {}));
    let plain = remat::without_strategies(|| with_bar("plain", &model, settings, text, device));
    let annotated = with_bar("annotated", &model, settings, text, device);

    println!("{}", overview(&plain, &annotated));
    let sample = generate(&annotated.model, settings, text, device, options.sample);
    println!("The trained model writes:\n\n{sample}\n");

    let (equal, steps) = (
        equal_losses(&plain.losses, &annotated.losses),
        settings.steps,
    );
    if equal == steps {
        println!("The losses of all {steps} steps are identical to the last bit.");
        ExitCode::SUCCESS
    } else {
        eprintln!(
            "error: the losses of {} of {steps} steps differ",
            steps - equal
        );
        ExitCode::FAILURE
    }
}

fn describe(model: &Gpt, settings: &Settings) -> String {
    format!(
        "{} parameters; blocks: {}, width: {}; batches of {} x {}",
        model.num_params(),
        settings.layers,
        settings.dim,
        settings.batch,
        settings.seq,
    )
}

/// Trains a copy of the model.
fn with_bar(
    name: &'static str,
    model: &Gpt,
    settings: &Settings,
    text: &Text,
    device: &Device,
) -> Trained {
    let style = ProgressStyle::with_template("{prefix:10} {bar:30} {pos}/{len} [{elapsed}] {msg}")
        .expect("the template is valid");
    let bar = ProgressBar::new(settings.steps as u64)
        .with_style(style)
        .with_prefix(name);
    let trained = train(model.clone(), settings, text, device, |step: Progress| {
        let live = step.live.map_or_else(String::new, |bytes| {
            format!(", {} live after forward", HumanBytes(bytes as u64))
        });
        bar.set_message(format!("loss {:.3}{live}", step.loss));
        bar.inc(1);
    });
    bar.abandon();
    trained
}
