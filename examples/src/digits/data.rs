//! Handwritten digits and their file format: a digit a line, its pixels and then what it is.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{fmt, fs, io};

/// Of an image.
pub(super) const WIDTH: usize = 8;
const PIXELS: usize = WIDTH * WIDTH;
/// The value of a black pixel.
pub(super) const BLACK: u8 = 16;
/// Different digits.
pub(super) const CLASSES: usize = 10;

/// Of this many lines, one is for validation.
const FOLDS: usize = 5;

/// Here wherever the program is.
const OWN_DATA: &str = include_str!("../../data/digits.csv");

/// An image of a digit.
#[derive(Clone, Debug, PartialEq)]
pub struct Digit {
    /// Row by row, from 0 to 16.
    pub pixels: [u8; PIXELS],
    /// The digit that it shows.
    pub label: u8,
}

/// Digits to train on, and others to see what was learned.
#[derive(Clone, Debug)]
pub struct Digits {
    /// What the model learns from.
    pub train: Vec<Digit>,
    /// What the model has not seen.
    pub valid: Vec<Digit>,
}

/// Why digits cannot be read.
#[derive(Debug)]
pub enum DataError {
    /// The file cannot be read, or is not text in UTF-8.
    Read(PathBuf, io::Error),
    /// A line is not a digit.
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// There is nothing to train on, or nothing to validate.
    TooShort {
        /// Lines in the file.
        lines: usize,
    },
}

impl std::error::Error for DataError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(_, error) => Some(error),
            Self::Line { .. } | Self::TooShort { .. } => None,
        }
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(path, error) => write!(f, "cannot read {}: {error}", path.display()),
            Self::Line { line, problem } => write!(f, "line {line} of the data: {problem}"),
            Self::TooShort { lines } => write!(
                f,
                "the data has {lines} lines, too few: each fifth is for validation, the others \
                 for training"
            ),
        }
    }
}

impl Digits {
    /// The digits of a file, or those that come with this program.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or has other lines than it should.
    pub fn open(file: Option<&Path>) -> Result<Self, DataError> {
        match file {
            Some(path) => {
                let text = fs::read_to_string(path)
                    .map_err(|error| DataError::Read(path.to_owned(), error))?;
                text.parse()
            }
            None => OWN_DATA.parse(),
        }
    }

    /// The split is by line, so it is the same in every run.
    fn split(digits: Vec<Digit>) -> Result<Self, DataError> {
        let lines = digits.len();
        let (mut train, mut valid) = (vec![], vec![]);
        for (index, digit) in digits.into_iter().enumerate() {
            let part = match index % FOLDS {
                0 => &mut valid,
                _ => &mut train,
            };
            part.push(digit);
        }
        if train.is_empty() {
            return Err(DataError::TooShort { lines });
        }
        Ok(Self { train, valid })
    }
}

impl FromStr for Digits {
    type Err = DataError;

    fn from_str(text: &str) -> Result<Self, DataError> {
        let digits = text.lines().zip(1..).map(|(digit, line)| {
            let digit: Result<Digit, String> = digit.parse();
            digit.map_err(|problem| DataError::Line { line, problem })
        });
        Self::split(digits.collect::<Result<_, _>>()?)
    }
}

impl FromStr for Digit {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let numbers: Vec<u8> = line.split(',').map(number).collect::<Result<_, _>>()?;
        let wrong_count = |_| format!("{} numbers instead of {}", numbers.len(), PIXELS + 1);
        let [pixels @ .., label] = <[u8; PIXELS + 1]>::try_from(&*numbers).map_err(wrong_count)?;
        if let Some(pixel) = pixels.iter().find(|pixel| **pixel > BLACK) {
            return Err(format!("a pixel is {pixel}, the darkest is {BLACK}"));
        }
        if usize::from(label) >= CLASSES {
            return Err(format!("the label is {label}, which is not a digit"));
        }
        Ok(Self { pixels, label })
    }
}

fn number(text: &str) -> Result<u8, String> {
    let number = text.trim().parse();
    number.map_err(|_| format!("`{text}` is not a whole number from 0 to {}", u8::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(pixel: &str, label: &str) -> String {
        format!("{}{label}", format!("{pixel},").repeat(PIXELS))
    }

    fn problem(line: &str) -> String {
        line.parse::<Digit>().unwrap_err()
    }

    #[test]
    fn a_line_is_the_pixels_and_the_label() {
        let digit: Digit = line("16", "7").parse().unwrap();
        assert_eq!(
            digit,
            Digit {
                pixels: [16; PIXELS],
                label: 7,
            }
        );
    }

    #[test]
    fn a_line_that_is_no_digit_says_why() {
        assert!(problem("").contains("`` is not a whole number"));
        assert!(problem("1,2,3").contains("3 numbers instead of 65"));
        assert!(problem(&line("x", "7")).contains("`x` is not"));
        assert!(problem(&line("-1", "7")).contains("`-1` is not"));
        assert!(problem(&line("17", "7")).contains("a pixel is 17"));
        assert!(problem(&line("16", "10")).contains("the label is 10"));
    }

    #[test]
    fn a_bad_line_is_named() {
        let text = format!("{}\n{}\n", line("0", "1"), line("0", "11"));
        let error = text.parse::<Digits>().unwrap_err();
        assert!(error.to_string().starts_with("line 2 of the data: "));
    }

    #[test]
    fn there_must_be_something_to_train_on() {
        for (text, lines) in [(String::new(), 0), (line("0", "1"), 1)] {
            let error = text.parse::<Digits>().unwrap_err();
            assert!(error.to_string().contains(&format!("{lines} lines")));
        }
    }

    #[test]
    fn every_fifth_line_is_for_validation() {
        let digits = Digits::open(None).unwrap();
        assert_eq!((digits.train.len(), digits.valid.len()), (1437, 360));
        let lines: Vec<Digit> = OWN_DATA.lines().map(|line| line.parse().unwrap()).collect();
        assert_eq!(digits.valid[..2], [lines[0].clone(), lines[5].clone()]);
        assert_eq!(digits.train[..4], lines[1..5]);
    }
}
