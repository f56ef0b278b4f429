//! Loss and memory of all windows, as a picture.

use super::ObserverError;
use super::metrics::Line;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::Path;

const SIZE: (u32, u32) = (800, 600);
const MIB: f64 = 1_048_576.0;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// A name, a colour, and a point for every window that has a value.
type Curve = (&'static str, RGBColor, Vec<(f64, f64)>);

/// What can be drawn: a range of larger numbers is none.
const LARGEST: f64 = 1e300;

/// Draws the loss above the memory, where that is known.
pub(super) fn draw(lines: &[Line], svg: &Path) -> Result<(), ObserverError> {
    let drawn = draw_into(lines, svg);
    drawn.map_err(|error| format!("{}: {error}", svg.display()).into())
}

fn draw_into(lines: &[Line], svg: &Path) -> Result<(), ObserverError> {
    let root = SVGBackend::new(svg, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let loss = curve(lines, "loss", BLUE, |line| line.loss);
    let bytes = |bytes: Option<usize>| bytes.map(in_mib);
    let memory = [
        curve(lines, "peak of a window", RED, |line| {
            bytes(line.peak_bytes)
        }),
        curve(lines, "live after it", BLACK, |line| bytes(line.live_bytes)),
    ];
    if memory.iter().all(|(_, _, points)| points.is_empty()) {
        chart(&root, "loss", &[loss])?;
    } else {
        let (upper, lower) = root.split_vertically(SIZE.1 / 2);
        chart(&upper, "loss", &[loss])?;
        chart(&lower, "MiB", &memory)?;
    }
    root.present()?;
    Ok(())
}

fn curve(
    lines: &[Line],
    name: &'static str,
    color: RGBColor,
    value: impl Fn(&Line) -> Option<f64>,
) -> Curve {
    #[allow(clippy::cast_precision_loss, reason = "windows, not that many")]
    let points = lines
        .iter()
        .filter_map(|line| Some((line.window as f64, value(line)?.clamp(-LARGEST, LARGEST))));
    (name, color, points.collect())
}

#[allow(clippy::cast_precision_loss, reason = "a picture has fewer digits")]
fn in_mib(bytes: usize) -> f64 {
    bytes as f64 / MIB
}

fn chart(area: &Area<'_>, unit: &str, curves: &[Curve]) -> Result<(), ObserverError> {
    let points = || curves.iter().flat_map(|(_, _, points)| points);
    let largest = |of: fn(&(f64, f64)) -> f64| points().map(of).fold(1e-6, f64::max);
    let least = points().map(|point| point.1).fold(0.0, f64::min);
    let mut chart = ChartBuilder::on(area)
        .margin(20)
        .x_label_area_size(35)
        .y_label_area_size(60)
        // Room for the legend.
        .build_cartesian_2d(
            0.0..largest(|point| point.0),
            least..least + 1.25 * (largest(|point| point.1) - least),
        )?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc("window")
        .y_desc(unit)
        .draw()?;
    for (name, color, points) in curves {
        chart
            .draw_series(LineSeries::new(points.iter().copied(), color))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 16, y)], color));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .border_style(BLACK)
        .background_style(WHITE)
        .draw()?;
    Ok(())
}
