//! What cannot be resumed says why.

use crate::support::{Net, device, linear, loader, schedule, turn};
use burn::lr_scheduler::cosine::CosineAnnealingLrSchedulerConfig;
use burn::nn::LinearConfig;
use burn::optim::{AdamWConfig, ModuleOptimizer, SgdConfig};
use remat::amp::GradScaler;
use remat::train::{SaveError, TrainError, TrainLoop};
use std::fs;

fn adamw() -> ModuleOptimizer {
    AdamWConfig::new().init()
}

fn training() -> TrainLoop<Net> {
    TrainLoop::new(Net::new(1), adamw(), linear(100))
}

#[test]
fn only_the_same_kind_of_training_is_resumed() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("saved");
    let cosine = || schedule(CosineAnnealingLrSchedulerConfig::new(0.1, 100));
    let mut saved = TrainLoop::new(Net::new(1), adamw(), cosine());
    saved.run(1, loader, Net::loss).unwrap();
    saved.save(&folder).unwrap();

    let refused = |training: TrainLoop<Net>, what: &str| {
        let error = training.resume(&folder).unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
    };
    refused(
        TrainLoop::new(Net::new(1), SgdConfig::new().init(), cosine()),
        "optimizer",
    );
    refused(TrainLoop::new(Net::new(1), adamw(), 0.1), "schedule");
    let scaled = TrainLoop::new(Net::new(1), adamw(), cosine()).amp(GradScaler::default());
    refused(scaled, "`amp` after `resume`");
    let other = LinearConfig::new(2, 2).init(&device());
    let other = TrainLoop::new(other, adamw(), cosine()).resume(&folder);
    let Err(other @ SaveError::AnotherModel { .. }) = other else {
        panic!("{other:?}");
    };
    assert!(other.to_string().contains("other parameters"), "{other}");

    // And one that is.
    let same = TrainLoop::new(Net::new(1), adamw(), cosine()).resume(&folder);
    let mut same = same.unwrap();
    let error = same.run(2, |_| loader(0).take(0), Net::loss).unwrap_err();
    assert!(error.to_string().contains("epoch 1"), "{error}");
}

#[test]
fn a_loader_that_has_lost_data_is_an_error() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("saved");
    let mut saved = training();
    for x in loader(0).take(3) {
        saved.micro_batch(|model| model.loss(x)).unwrap();
    }
    saved.save(&folder).unwrap();
    let mut resumed = training().resume(&folder).unwrap();
    let error = resumed
        .run(1, |_| loader(0).take(2), Net::loss)
        .unwrap_err();
    let shorter = TrainError::ShorterLoader {
        epoch: 0,
        expected: 3,
        found: 2,
    };
    assert_eq!(error.to_string(), shorter.to_string());
    resumed.run(1, loader, Net::loss).unwrap();
    assert_eq!(resumed.position().windows, 5);
}

/// Each file, missing, empty, cut short, and of another kind.
#[test]
fn damaged_files_are_named() {
    let _turn = turn();
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("saved");
    let mut saved = training();
    saved.run(1, loader, Net::loss).unwrap();
    saved.save(&folder).unwrap();

    let missing = training().resume(place.path().join("nowhere")).unwrap_err();
    for part in ["nowhere", "`resume_if_saved`"] {
        assert!(missing.to_string().contains(part), "{missing}");
    }
    for name in ["model.bpk", "optimizer.bpk", "schedule.bpk", "loop.json"] {
        let path = folder.join("training").join(name);
        let whole = fs::read(&path).unwrap();
        // Small records of burn's end in padding, so half of one can be all of it.
        let mut damages = vec![Vec::new(), whole[..whole.len().min(24)].to_vec()];
        damages.push(b"something else".to_vec());
        for damage in damages {
            fs::write(&path, damage).unwrap();
            let error = training().resume(&folder).expect_err(name);
            assert!(error.to_string().contains(name), "{name}: {error}");
        }
        fs::remove_file(&path).unwrap();
        let error = training().resume(&folder).unwrap_err();
        assert!(error.to_string().contains(name), "{name}: {error}");
        fs::write(&path, whole).unwrap();
    }
    training().resume(&folder).unwrap();
}
