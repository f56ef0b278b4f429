//! Tables of text.

/// Lays the cells out in columns: the first is flush left, numbers are flush right.
#[must_use]
pub fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let widths: [usize; N] = std::array::from_fn(|column| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    });
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths).enumerate();
        let cells = cells.map(|(column, (cell, width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("  {cell:>width$}"),
        });
        cells.collect::<String>().trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// A row: what it is of, two values, and how many times more or less the second is. A dash is where
/// nothing was measured.
#[must_use]
pub fn compared(name: &str, values: [Option<f64>; 2], unit: impl Fn(f64) -> String) -> [String; 4] {
    let cell = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), &unit);
    let [from, to] = values;
    let change = from.zip(to).map(|(from, to)| change(from, to));
    [
        name.to_owned(),
        cell(from),
        cell(to),
        change.unwrap_or_default(),
    ]
}

fn change(from: f64, to: f64) -> String {
    if to < from {
        format!("{:.1}x less", from / to)
    } else {
        format!("{:.2}x", to / from)
    }
}

/// Bytes in MiB for a table, a dash where nothing was measured.
#[must_use]
pub fn mib(bytes: Option<impl TryInto<i64>>) -> String {
    match bytes.and_then(in_mib) {
        Some(mib) => format!("{mib:.1} MiB"),
        None => "-".to_owned(),
    }
}

/// Bytes in MiB (of 2^20 bytes).
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "it is for people to read")]
pub fn in_mib(bytes: impl TryInto<i64>) -> Option<f64> {
    let bytes = bytes.try_into().ok()?;
    Some(bytes as f64 / f64::from(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [["", "plain", "µ"], ["retained", "1.0 MiB", "2"]];
        let text = table(&rows.map(|row| row.map(str::to_owned)));
        assert_eq!(text, "            plain  µ\nretained  1.0 MiB  2\n");
    }

    #[test]
    fn what_was_not_measured_is_a_dash() {
        assert_eq!(mib(Some(3_i64 << 19)), "1.5 MiB");
        assert_eq!(mib(Some(-1_i64 << 20)), "-1.0 MiB");
        assert_eq!(mib(None::<i64>), "-");

        let mib = |mib: f64| format!("{mib} MiB");
        assert_eq!(
            compared("peak", [Some(1.5), None], mib),
            ["peak", "1.5 MiB", "-", ""]
        );
    }

    #[test]
    fn changes_are_said_in_words() {
        assert_eq!(change(100.0, 5.0), "20.0x less");
        assert_eq!(change(100.0, 125.0), "1.25x");
    }
}
