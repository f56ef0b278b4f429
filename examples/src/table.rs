//! Tables of text.

/// Bytes in one MiB.
const MIB: f64 = (1 << 20) as f64;

/// Lays the cells out in columns: the first is flush left, numbers are flush right.
#[must_use]
pub fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let widths: [usize; N] = std::array::from_fn(|column| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    });
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
            if column == 0 {
                line += &format!("{cell:<width$}");
            } else {
                line += &format!("  {cell:>width$}");
            }
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// Bytes in MiB, or a dash where nothing was measured.
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "one decimal is printed")]
pub fn mib(bytes: Option<impl TryInto<i64>>) -> String {
    match bytes.and_then(|bytes| bytes.try_into().ok()) {
        Some(bytes) => format!("{:.1} MiB", bytes as f64 / MIB),
        None => "-".to_owned(),
    }
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
    }
}
