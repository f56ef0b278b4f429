//! Memory against time, as a picture.

use std::error::Error;
use std::path::Path;

use plotters::prelude::*;

use crate::measure::Row;
use crate::table::in_mib;

const SIZE: (u32, u32) = (800, 500);

/// Writes an SVG file: one point a strategy for the memory that the forward pass retains, one for
/// the peak of a step.
///
/// # Errors
///
/// If the file cannot be written.
pub fn memory_against_time(rows: &[Row], path: &Path) -> Result<(), Box<dyn Error>> {
    let retained = Series::new("retained after the forward pass", BLUE, rows, |row| {
        row.retained_bytes.and_then(in_mib)
    });
    let peak = Series::new("peak of a step", RED, rows, |row| {
        row.peak_bytes.and_then(in_mib)
    });
    let points = || retained.points.iter().chain(&peak.points);
    let largest = |axis: fn(&Point) -> f64| points().map(axis).fold(1.0, f64::max);
    let fastest = points().map(|point| point.time).fold(1.0, f64::min);

    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .margin(20)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(
            // Room for the last point's name, and for the legend above the points.
            0.9 * fastest..1.2 * largest(|point| point.time),
            0.0..1.3 * largest(|point| point.mib),
        )?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc("time of a step, relative to plain burn")
        .y_desc("MiB")
        .draw()?;
    for series in [retained, peak] {
        let color = series.color;
        chart
            .draw_series(series.points.into_iter().map(|point| {
                EmptyElement::at((point.time, point.mib))
                    + Circle::new((0, 0), 4, color.filled())
                    + Text::new(point.label, (8, -5), ("sans-serif", 14))
            }))?
            .label(series.name)
            .legend(move |(x, y)| Circle::new((x + 8, y), 4, color.filled()));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .border_style(BLACK)
        .background_style(WHITE)
        .draw()?;
    root.present()?;
    Ok(())
}

struct Series {
    name: &'static str,
    color: RGBColor,
    points: Vec<Point>,
}

struct Point {
    label: &'static str,
    time: f64,
    mib: f64,
}

impl Series {
    fn new(
        name: &'static str,
        color: RGBColor,
        rows: &[Row],
        mib: impl Fn(&Row) -> Option<f64>,
    ) -> Self {
        let points = rows.iter().filter_map(|row| {
            Some(Point {
                label: row.strategy,
                time: row.step_ratio,
                mib: mib(row)?,
            })
        });
        Self {
            name,
            color,
            points: points.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(strategy: &'static str, peak_bytes: Option<usize>) -> Row {
        Row {
            strategy,
            retained_bytes: Some(3 << 20),
            peak_bytes,
            step_ratio: 1.25,
            loss: 1.0,
            grad_max_rel_err: Some(0.0),
            grad_cosine: Some(1.0),
        }
    }

    #[test]
    fn draws_a_point_for_what_was_measured() {
        let name = format!("remat-{}.svg", std::process::id());
        let path = std::env::temp_dir().join(name);
        let rows = [row("first", Some(5 << 20)), row("second", None)];
        memory_against_time(&rows, &path).unwrap();
        let svg = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(svg.matches("first").count(), 2);
        assert_eq!(svg.matches("second").count(), 1);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_an_error() {
        let path = Path::new("/no/such/folder/memory.svg");
        assert!(memory_against_time(&[row("first", None)], path).is_err());
    }
}
