//! What the loop has in the user's folder.
//!
//! A folder of its own, which is written under another name and then renamed, so that one with the right name is complete.
//! What else the user has in the outer folder, and what that is (a link, a volume, the working directory), is left alone.

use super::SaveError;
use super::errors::io_error;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

const TRAINING: &str = "training";

pub(super) struct Places {
    training: PathBuf,
    partial: PathBuf,
    previous: PathBuf,
}

impl Places {
    pub(super) fn in_folder(folder: &Path) -> Self {
        let place = |suffix| folder.join(format!("{TRAINING}{suffix}"));
        Self {
            training: place(""),
            partial: place(".partial"),
            previous: place(".previous"),
        }
    }

    /// An empty folder, for a new training.
    pub(super) fn begin(&self) -> Result<&Path, SaveError> {
        folder_or_nothing(&self.training)?;
        folder_or_nothing(&self.previous)?;
        remove(&self.partial)?;
        fs::create_dir_all(&self.partial).map_err(io_error(&self.partial))?;
        Ok(&self.partial)
    }

    /// Lets the new training take the old one's place, once the disk has it.
    pub(super) fn replace(&self) -> Result<(), SaveError> {
        sync(&self.partial).map_err(io_error(&self.partial))?;
        let rename =
            |from: &Path, to: &Path| fs::rename(from, to).map_err(io_error(&self.training));
        if self.training.exists() {
            remove(&self.previous)?;
            rename(&self.training, &self.previous)?;
        }
        rename(&self.partial, &self.training)?;
        remove(&self.previous)
    }

    /// The training; or the one before it, where saving was interrupted between two names.
    pub(super) fn complete(self) -> PathBuf {
        if !self.training.exists() && self.previous.exists() {
            self.previous
        } else {
            self.training
        }
    }
}

/// A file that has one of the names is somebody's.
fn folder_or_nothing(place: &Path) -> Result<(), SaveError> {
    if place.exists() && !place.is_dir() {
        return Err(io_error(place)(ErrorKind::NotADirectory.into()));
    }
    Ok(())
}

/// A machine that goes down keeps the new names of files whose bytes it may not have written.
fn sync(folder: &Path) -> io::Result<()> {
    for file in fs::read_dir(folder)? {
        let file = File::options().write(true).open(file?.path())?;
        file.sync_all()?;
    }
    Ok(())
}

fn remove(folder: &Path) -> Result<(), SaveError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(io_error(folder)(error)),
        _ => Ok(()),
    }
}
