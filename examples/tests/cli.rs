//! The programs, as they are called.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

fn frontier(options: &str) -> Output {
    run(env!("CARGO_BIN_EXE_frontier"), options)
}

fn char_gpt(options: &str) -> Output {
    run(env!("CARGO_BIN_EXE_char_gpt"), options)
}

fn digits(options: &str) -> Output {
    run(env!("CARGO_BIN_EXE_digits"), options)
}

fn amp(options: &str) -> Output {
    run(env!("CARGO_BIN_EXE_amp"), options)
}

fn train(options: &str) -> Output {
    run(env!("CARGO_BIN_EXE_train"), options)
}

fn run(program: &str, options: &str) -> Output {
    let mut command = Command::new(program);
    command.args(options.split_whitespace());
    command.output().expect("the program starts")
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// The message of a call that must fail like every wrong call: code 2, and no panic.
fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const SMALL_STACK: &str = "--layers 3 --dim 16 --heads 2 --batch 4 --seq 16 --pairs 1";
const SMALL_GPT: &str = "--layers 2 --dim 16 --heads 2 --batch 4 --seq 16 --steps 3 --sample 5";

#[test]
fn frontier_prints_a_json_object_a_line() {
    let text = stdout(&frontier(&format!("{SMALL_STACK} --json")));
    let rows: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let names: Vec<_> = rows.iter().map(|row| row["strategy"].as_str()).collect();
    assert_eq!(
        names[..3],
        [Some("plain"), Some("balanced"), Some("checkpoint")]
    );

    let retained = |row: &Value| row["retained_bytes"].as_i64().expect("a count");
    assert!(retained(&rows[2]) < retained(&rows[0]), "{text}");
    for row in &rows {
        assert!(row["peak_bytes"].as_i64() > Some(retained(row)), "{row}");
        assert!(row["step_ratio"].as_f64() > Some(0.0), "{row}");
        // Rows about dropout compute something else, those in 16 bits nearly the same.
        let low = row["strategy"]
            .as_str()
            .is_some_and(|name| name.contains("f16"));
        if !row["grad_max_rel_err"].is_null() && !low {
            assert_eq!(row["loss"], rows[0]["loss"], "{row}");
        }
    }
    assert_eq!(rows[2]["grad_max_rel_err"].as_f64(), Some(0.0));
}

#[test]
fn frontier_measures_the_strategies_that_it_is_asked_for() {
    let text = stdout(&frontier(&format!(
        "{SMALL_STACK} --strategies checkpoint,plain"
    )));
    let names: Vec<_> = text
        .lines()
        .map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(
        names,
        [Some("retained"), Some("checkpoint"), Some("plain")],
        "{text}"
    );
}

#[test]
fn frontier_refuses_what_it_cannot_do() {
    assert!(refused(&frontier("--strategies plain,magic")).contains("checkpoint"));
    assert!(refused(&frontier("--layers 0")).contains("at least 1"));
    assert!(refused(&frontier("--dropout 1")).contains("below 1"));
    assert!(refused(&frontier("--dim 10 --heads 4")).contains("not divisible"));
}

#[test]
fn char_gpt_trains_twice_and_compares() {
    let text = stdout(&char_gpt(SMALL_GPT));
    for expected in [
        "retained after forward",
        "x less",
        "identical to the last bit",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn char_gpt_refuses_what_it_cannot_do() {
    assert!(refused(&char_gpt("--text no/such.txt")).contains("cannot read no/such.txt"));
    assert!(refused(&char_gpt("--seq 1000000000")).contains("too few"));
    assert!(refused(&char_gpt("--dim 10 --heads 4")).contains("not divisible"));
    assert!(refused(&char_gpt("--steps 0")).contains("at least 1"));
    assert!(refused(&char_gpt("--lr -1")).contains("above 0"));
}

#[test]
fn digits_learns_the_same_with_and_without_its_annotation() {
    let text = stdout(&digits("--epochs 3 --batch-size 16"));
    let row = text.lines().find(|line| line.starts_with("validation acc"));
    let words = row.expect("a row").split_whitespace();
    let percents: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
    assert!(percents.len() == 2 && percents[0] >= 97.0, "{text}");
    assert_eq!(percents[0], percents[1]);
    assert!(text.contains("x less"), "{text}");
    assert!(text.contains("identical to the last bit"), "{text}");
}

#[test]
fn digits_keeps_what_the_learner_writes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (data, artifacts) = (folder.path().join("few.csv"), folder.path().join("kept"));
    let few: Vec<_> = include_str!("../data/digits.csv")
        .lines()
        .take(10)
        .collect();
    fs::write(&data, few.join("\n")).expect("it can be written");

    let options = format!(
        "--epochs 1 --batch-size 4 --data {} --artifacts {}",
        data.display(),
        artifacts.display()
    );
    let text = stdout(&digits(&options));
    assert!(text.contains("8 digits to train on, 2 for validation"));
    for name in ["plain", "annotated"] {
        let model = artifacts.join(name).join("checkpoint/model-1.bpk");
        assert!(model.is_file(), "{}", model.display());
    }
}

#[test]
fn digits_refuses_what_it_cannot_do() {
    let bad = tempfile::NamedTempFile::new().expect("a temporary file");
    fs::write(bad.path(), "1,2,3\n").expect("it can be written");
    let bad = bad.path().display();
    assert!(refused(&digits(&format!("--data {bad}"))).contains("line 1 of the data: 3 numbers"));
    assert!(refused(&digits(&format!("--artifacts {bad}/folder"))).contains("cannot create"));
    assert!(refused(&digits("--data no/such.csv")).contains("cannot read no/such.csv"));
    assert!(refused(&digits("--epochs 0")).contains("at least 1"));
    assert!(refused(&digits("--learning-rate 2")).contains("at most 1"));
}

#[test]
fn amp_trains_in_every_precision_and_skips_the_step_that_it_is_told_to() {
    let text = stdout(&amp(
        "--steps 6 --digits 32 --batch 8 --seq 32 --layers 1 --dim 16 --heads 2 --overflow-at 3 --json",
    ));
    let rows: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let tasks: Vec<_> = rows.iter().map(|row| row["task"].as_str()).collect();
    let (digits, characters) = (Some("digits"), Some("characters"));
    assert_eq!(tasks[..3], [digits; 3]);
    assert_eq!(tasks[3..], [characters; 3]);

    for task in rows.chunks(3) {
        let number = |row: usize, key: &str| task[row][key].as_f64();
        for low in [1, 2] {
            assert!(
                number(low, "retained_mib") < number(0, "retained_mib"),
                "{text}"
            );
            let (loss, plain) = (number(low, "loss"), number(0, "loss"));
            let ratio = loss.expect("a loss") / plain.expect("a loss");
            assert!((ratio - 1.0).abs() < 0.2, "{text}");
        }
        let skipped: Vec<_> = task
            .iter()
            .map(|row| row["skipped_steps"].as_i64())
            .collect();
        assert_eq!(skipped, [Some(0), Some(0), Some(1)]);
        let scales: Vec<_> = task.iter().map(|row| row["final_scale"].as_f64()).collect();
        assert_eq!(scales, [None, None, Some(32768.0)]);
    }
}

#[test]
fn amp_compares_what_it_is_asked_for() {
    let output = amp("--tasks digits --recipes f16,f32 --steps 2 --digits 4 --overflow-at 1");
    let text = stdout(&output);
    let names: Vec<_> = text
        .lines()
        .map(|line| line.split_whitespace().nth(1))
        .collect();
    assert_eq!(names[1..], [Some("f16"), Some("f32")], "{text}");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(messages.contains("step 1 is skipped"), "{messages}");
    assert!(messages.contains("`blocks.0.conv.weight`"), "{messages}");
}

#[test]
fn amp_refuses_what_it_cannot_do() {
    assert!(refused(&amp("--init-scale 0")).contains("`init_scale` is 0"));
    assert!(refused(&amp("--overflow-at 0")).contains("at least 1"));
    assert!(refused(&amp("--dim 10 --heads 4")).contains("not divisible"));
    assert!(refused(&amp("--recipes f8")).contains("bf16"));
    assert!(refused(&amp("--text no/such.txt")).contains("cannot read no/such.txt"));
}

const SMALL_TRAINING: &str =
    "--layers 4 --dim 16 --heads 2 --seq 16 --batch 8 --accumulate 4 --precision f32";

/// The lines of a file of JSON.
fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// The losses of windows, which count from 1.
fn losses(path: &Path) -> Vec<f64> {
    let lines = lines(path);
    let windows = lines.iter().map(|line| line["window"].as_u64());
    assert!(windows.eq((1..=lines.len() as u64).map(Some)), "{lines:?}");
    let loss = |line: &Value| line["loss"].as_f64().expect("a loss");
    lines.iter().map(loss).collect()
}

#[test]
fn train_goes_on_where_it_was_saved() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str| folder.path().join(name);
    let options = |name: &str| {
        format!(
            "{SMALL_TRAINING} --steps 3 --save {} --metrics {}",
            file(name).display(),
            file(&format!("{name}.jsonl")).display()
        )
    };
    let svg = file("whole.svg");
    let whole = format!("{} --epochs 2 --svg {}", options("whole"), svg.display());
    assert!(stdout(&train(&whole)).contains("done after 6 steps, of which 0 were skipped"));
    let picture = fs::read_to_string(svg).expect("a picture");
    assert!(picture.contains("loss") && picture.contains("peak of a window"));

    stdout(&train(&options("parts")));
    stdout(&train(&format!("{} --epochs 2 --resume", options("parts"))));
    assert_eq!(losses(&file("parts.jsonl")), losses(&file("whole.jsonl")));
    assert!(losses(&file("whole.jsonl")).len() == 6);
}

/// A step is finished and saved; the rest is as if nothing had happened.
#[cfg(unix)]
#[test]
fn train_stops_at_ctrl_c() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str| folder.path().join(name);
    let (saved, metrics) = (file("saved"), file("metrics.jsonl"));
    let options = format!(
        "{SMALL_TRAINING} --steps 60 --save {} --metrics {}",
        saved.display(),
        metrics.display()
    );
    // As a script starts it in the background: there SIGINT is ignored at first.
    let mut command = Command::new("sh");
    command.args(["-c", r#"trap "" INT; exec "$0" "$@""#]);
    let command = command.arg(env!("CARGO_BIN_EXE_train"));
    let command = command.args(options.split_whitespace());
    let running = command.stdout(Stdio::piped()).spawn().expect("it starts");
    while lines(&metrics).len() < 3 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let id = running.id().to_string();
    let kill = Command::new("kill").args(["-INT", &id]).status();
    assert!(kill.expect("there is a kill").success());
    let stopped = stdout(&running.wait_with_output().expect("it ends"));
    assert!(stopped.contains("stopped after"), "{stopped}");
    let before = losses(&metrics).len();
    assert!(before < 60, "it stopped before its end");

    stdout(&train(&format!("{options} --resume")));
    let whole = file("whole.jsonl");
    let whole_options = format!("{SMALL_TRAINING} --steps 60 --metrics {}", whole.display());
    stdout(&train(&whole_options));
    assert_eq!(losses(&metrics), losses(&whole));
}

#[test]
fn train_compares_each_strategy_with_all() {
    let text = stdout(&train(
        "--layers 4 --dim 32 --heads 2 --seq 32 --batch 16 --accumulate 8 --steps 2 --compare --json",
    ));
    let rows: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let names: Vec<_> = rows.iter().map(|row| row["name"].as_str()).collect();
    let expected = ["plain", "accumulate", "checkpoint", "amp", "all"];
    assert_eq!(names, expected.map(Some));
    let peak = |row: &Value| row["peak_bytes"].as_f64().expect("it is counted");
    let loss = |row: &Value| row["final_loss"].as_f64().expect("a loss");
    for row in &rows[1..] {
        assert!(peak(row) < peak(&rows[0]), "{text}");
        assert!((loss(row) / loss(&rows[0]) - 1.0).abs() < 0.01, "{text}");
        assert!(row["seconds"].as_f64() > Some(0.0), "{text}");
    }
    assert!(peak(&rows[4]) < 0.35 * peak(&rows[0]), "{text}");
    assert_eq!(
        loss(&rows[2]),
        loss(&rows[0]),
        "a checkpoint changes no bit"
    );
}

#[test]
fn train_refuses_what_it_cannot_do() {
    assert!(refused(&train("--batch 10 --accumulate 4")).contains("not divisible"));
    assert!(refused(&train("--accumulate 0")).contains("at least 1"));
    assert!(refused(&train("--clip 0")).contains("above 0"));
    assert!(refused(&train("--resume")).contains("--save"));
    assert!(refused(&train("--json")).contains("--compare"));
    let nowhere = train(&format!("{SMALL_TRAINING} --save no/such --resume"));
    assert_eq!(nowhere.status.code(), Some(1));
    let message = String::from_utf8_lossy(&nowhere.stderr);
    assert!(message.contains("no/such"), "{message}");
}

#[cfg(not(feature = "wgpu"))]
#[test]
fn a_backend_that_was_not_built_is_named() {
    assert!(refused(&frontier("--device wgpu")).contains("--features wgpu"));
}
