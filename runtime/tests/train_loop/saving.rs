//! Where a training is saved, and what else is there.

use crate::support::{Net, bits, loader, turn};
use burn::optim::AdamWConfig;
use remat::train::{SaveError, TrainError, TrainLoop};
use std::fs;
use std::path::Path;

fn training(seed: u64) -> TrainLoop<Net> {
    let training = TrainLoop::new(Net::new(seed), AdamWConfig::new().init(), 0.1);
    training.accumulate(2).unwrap()
}

fn trained(seed: u64) -> TrainLoop<Net> {
    let mut training = training(seed);
    training.run(1, loader, Net::loss).unwrap();
    training
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Whatever a folder is called, and whatever it is.
#[test]
fn any_name_of_a_folder_will_do() {
    let _turn = turn();
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    fs::create_dir(place.join("there")).unwrap();
    let mut folders = vec![
        "new",
        "slash/",
        "a/b/c",
        "there",
        "there/.",
        "there/../there/",
    ];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(place.join("there"), place.join("link")).unwrap();
        folders.extend(["link", "link/"]);
    }
    let first = trained(1);
    for folder in folders {
        let folder = place.join(folder);
        for _ in 0..2 {
            first.save(&folder).unwrap();
            assert_eq!(names(&folder), ["training"], "{}", folder.display());
        }
        let second = training(2).resume(&folder).unwrap();
        assert_eq!(bits(second.model()), bits(first.model()));
    }
    #[cfg(unix)]
    assert!(place.join("link").is_symlink());
}

/// A folder may be somebody's, with metrics in it, say.
#[test]
fn what_else_is_in_the_folder_stays() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("metrics.jsonl"), "mine").unwrap();
    let mut often = training(1).save_every(1).unwrap().save_in(folder);
    often.run(1, loader, Net::loss).unwrap();
    assert_eq!(names(folder), ["metrics.jsonl", "training"]);
    assert_eq!(fs::read(folder.join("metrics.jsonl")).unwrap(), b"mine");
}

/// Saving over a file, or where nothing can be written: known before anything is trained.
#[test]
fn places_where_nothing_can_be_saved_are_an_error() {
    let _turn = turn();
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("file");
    fs::write(&file, "mine").unwrap();
    for folder in [file.clone(), file.join("saved")] {
        let error = training(1).save(&folder).unwrap_err();
        assert!(error.to_string().contains("file"), "{error}");
        let mut training = training(1).save_in(&folder);
        let error = training.run(1, loader, Net::loss).unwrap_err();
        assert!(
            matches!(error, TrainError::Save(SaveError::Io { .. })),
            "{error}"
        );
        assert_eq!(training.position().windows, 0);
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
}

#[test]
fn a_training_goes_on_only_if_one_was_saved() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("saved");
    let mut first = training(1).resume_if_saved(&folder).unwrap();
    first.run(1, loader, Net::loss).unwrap();
    first.save(&folder).unwrap();
    let second = training(2).resume_if_saved(&folder).unwrap();
    assert_eq!(second.position(), first.position());
    fs::remove_file(folder.join("training/loop.json")).unwrap();
    let error = training(2).resume_if_saved(&folder).unwrap_err();
    assert!(error.to_string().contains("loop.json"), "{error}");
}

/// The options of a training come before what is resumed or after it.
#[test]
fn windows_are_those_of_the_epoch_that_is_resumed() {
    use remat::train::accumulator::{Accumulator, Schedule};
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    trained(1).save(folder.path()).unwrap();
    let schedule = || Schedule::constant(1).unwrap().from_epoch(1, 5).unwrap();
    let accumulator = || Accumulator::scheduled(schedule());
    let before = training(2).accumulator(accumulator()).resume(folder.path());
    let after = training(2).resume(folder.path()).unwrap();
    for mut resumed in [before.unwrap(), after.accumulator(accumulator())] {
        resumed.run(2, loader, Net::loss).unwrap();
        assert_eq!(resumed.position().windows, 3 + 1);
    }
}

#[test]
fn whoever_kills_the_program_while_it_saves_finds_the_training_before() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let training = trained(1);
    training.save(folder).unwrap();

    // Killed while files were written: they are in another folder, and in the way of nobody.
    let partial = folder.join("training.partial");
    fs::create_dir(&partial).unwrap();
    fs::write(partial.join("model.bpk"), "half").unwrap();
    assert_eq!(
        self::training(2).resume(folder).unwrap().position(),
        training.position()
    );
    training.save(folder).unwrap();
    assert!(!partial.exists());

    // Killed between two names.
    fs::rename(folder.join("training"), folder.join("training.previous")).unwrap();
    assert_eq!(
        self::training(2).resume(folder).unwrap().position(),
        training.position()
    );
    training.save(folder).unwrap();
    assert_eq!(names(folder), ["training"]);
    assert!(folder.join("training/loop.json").is_file());
}

/// A file with one of the loop's names is somebody's: it stays, nothing is lost, and it is known before anything is trained.
#[test]
fn files_in_the_place_of_folders_are_an_error() {
    let _turn = turn();
    let trained = trained(1);
    for name in ["training", "training.partial", "training.previous"] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let saved = name != "training";
        if saved {
            trained.save(folder).unwrap();
        }
        fs::write(folder.join(name), "mine").unwrap();
        let mut another = training(2).save_in(folder);
        let error = another.run(1, loader, Net::loss).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
        assert_eq!(another.position().windows, 0);
        let error = trained.save(folder).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");

        assert_eq!(fs::read(folder.join(name)).unwrap(), b"mine");
        let resumed = training(2).resume(folder);
        assert_eq!(
            resumed.ok().map(|training| training.position()),
            saved.then_some(trained.position())
        );
    }
}
