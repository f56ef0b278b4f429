//! The training text, as numbers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use burn::tensor::{Device, Int, Tensor, TensorData};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// What the programs of this folder and the library say, which is here wherever the program is.
const OWN_SOURCES: &str = concat!(
    include_str!("../../../README.md"),
    include_str!("../../../macros/src/lib.rs"),
    include_str!("../../../runtime/src/lib.rs"),
    include_str!("../../../runtime/src/memory/mod.rs"),
    include_str!("../../../runtime/src/memory/measure.rs"),
    include_str!("../../../runtime/src/memory/report.rs"),
    include_str!("../../../runtime/src/memory/tracking.rs"),
    include_str!("../bin/char_gpt.rs"),
    include_str!("../bin/frontier.rs"),
    include_str!("../measure.rs"),
    include_str!("../options.rs"),
    include_str!("../plot.rs"),
    include_str!("../statistics.rs"),
    include_str!("compare.rs"),
    include_str!("generate.rs"),
    include_str!("model.rs"),
    include_str!("text.rs"),
    include_str!("train.rs"),
);

/// A text and its characters, each of which has a number.
#[derive(Clone, Debug)]
pub struct Text {
    characters: Vec<char>,
    numbers: Vec<usize>,
}

/// Why a text cannot be trained on.
#[derive(Debug)]
pub enum TextError {
    /// The file cannot be read, or is not text in UTF-8.
    Read(PathBuf, io::Error),
    /// There is not one sequence in it.
    TooShort {
        /// Characters in the text.
        length: usize,
        /// Characters in a sequence.
        seq: usize,
    },
}

impl std::error::Error for TextError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(_, error) => Some(error),
            Self::TooShort { .. } => None,
        }
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(path, error) => write!(f, "cannot read {}: {error}", path.display()),
            Self::TooShort { length, seq } => write!(
                f,
                "the text has {length} characters, too few for sequences of --seq {seq}: \
                 each needs one more than that, which is its last target"
            ),
        }
    }
}

impl Text {
    /// The text of a file, or this project's own sources.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is too short for sequences of `seq` characters.
    pub fn open(file: Option<&Path>, seq: usize) -> Result<Self, TextError> {
        match file {
            Some(path) => {
                let text = fs::read_to_string(path)
                    .map_err(|error| TextError::Read(path.to_owned(), error))?;
                Self::new(&text, seq)
            }
            None => Self::new(OWN_SOURCES, seq),
        }
    }

    pub(super) fn new(text: &str, seq: usize) -> Result<Self, TextError> {
        let characters: Vec<_> = text.chars().collect::<BTreeSet<_>>().into_iter().collect();
        let number = |c| characters.binary_search(&c).ok();
        let numbers: Vec<_> = text.chars().filter_map(number).collect();
        if numbers.len() <= seq {
            let length = numbers.len();
            return Err(TextError::TooShort { length, seq });
        }
        Ok(Self {
            characters,
            numbers,
        })
    }

    /// Different characters.
    #[must_use]
    pub fn vocabulary(&self) -> usize {
        self.characters.len()
    }

    /// Characters.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "it never is")]
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The characters of these numbers.
    #[must_use]
    pub fn decode(&self, numbers: &[usize]) -> String {
        numbers
            .iter()
            .filter_map(|n| self.characters.get(*n))
            .collect()
    }

    /// The number of the text's first character.
    #[must_use]
    pub fn first(&self) -> usize {
        self.numbers[0]
    }
}

/// Random pieces of a text, the same ones for the same seed.
///
/// They come from a generator of their own: what the model draws from the device's generator does
/// not move them.
pub struct Batches<'a> {
    text: &'a Text,
    batch: usize,
    seq: usize,
    random: StdRng,
}

impl<'a> Batches<'a> {
    /// Batches of `batch` sequences of `seq` characters.
    #[must_use]
    pub fn new(text: &'a Text, batch: usize, seq: usize, seed: u64) -> Self {
        Self {
            text,
            batch,
            seq,
            random: StdRng::seed_from_u64(seed),
        }
    }

    /// Characters `[batch, seq]`, and for each the one that follows it.
    pub fn next(&mut self, device: &Device) -> (Tensor<2, Int>, Tensor<2, Int>) {
        let last = self.text.len() - self.seq - 1;
        let starts: Vec<_> = (0..self.batch)
            .map(|_| self.random.random_range(0..=last))
            .collect();
        let from = |offset| {
            let pieces = starts.iter().flat_map(|start| {
                let start = start + offset;
                &self.text.numbers[start..start + self.seq]
            });
            numbers(pieces.copied(), [self.batch, self.seq], device)
        };
        (from(0), from(1))
    }
}

/// A tensor of character numbers.
pub(crate) fn numbers(
    values: impl Iterator<Item = usize>,
    shape: [usize; 2],
    device: &Device,
) -> Tensor<2, Int> {
    // A vocabulary is at most Unicode's 1.1 million characters.
    let values: Vec<_> = values
        .map(|value| i32::try_from(value).unwrap_or(i32::MAX))
        .collect();
    Tensor::from_data(TensorData::new(values, shape), device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_get_numbers_in_order() {
        let text = Text::new("hé, hallo", 2).unwrap();
        assert_eq!(text.vocabulary(), 7);
        assert_eq!(text.decode(&text.numbers), "hé, hallo");
        assert_eq!(text.decode(&[text.first()]), "h");
        assert_eq!(text.len(), 9);
    }

    #[test]
    fn the_own_sources_are_a_text() {
        let text = Text::open(None, 1000).unwrap();
        assert!(text.len() > 20_000);
    }

    #[test]
    fn a_text_needs_a_target_for_its_last_character() {
        assert!(Text::new("abcd", 3).is_ok());
        let error = Text::new("abc", 3).unwrap_err().to_string();
        assert!(
            error.contains("3 characters") && error.contains("--seq 3"),
            "{error}"
        );
        assert!(Text::new("", 1).is_err());
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let error = Text::open(Some(Path::new("no/such.txt")), 3).unwrap_err();
        assert!(error.to_string().starts_with("cannot read no/such.txt: "));
    }

    #[test]
    fn targets_follow_the_inputs() {
        let text = Text::new("0123456789", 4).unwrap();
        let device = Device::flex();
        let mut batches = Batches::new(&text, 3, 4, 1);
        for _ in 0..20 {
            let (inputs, targets) = batches.next(&device);
            assert_eq!(inputs.dims(), [3, 4]);
            assert_eq!((inputs + 1).to_data(), targets.to_data());
        }
    }

    #[test]
    fn the_seed_chooses_the_batches() {
        let text = Text::open(None, 8).unwrap();
        let first = |seed| {
            Batches::new(&text, 4, 8, seed)
                .next(&Device::flex())
                .0
                .to_data()
        };
        assert_eq!(first(1), first(1));
        assert_ne!(first(1), first(2));
    }
}
