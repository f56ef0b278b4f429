//! The result of a comparison.

use std::fmt;

/// Gradients with compression against those without, by [`compare`](crate::quantize::compare()). Displayed as a table.
///
/// ```
/// use remat::quantize::{Comparison, FieldError};
///
/// let field = FieldError { name: "Block.up", relative_error: 0.08 };
/// let comparison = Comparison { parameters: vec![], fields: vec![field] };
/// assert!(comparison.to_string().contains("more bits"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The parameters with a gradient, in the order of the model.
    pub parameters: Vec<ParameterError>,
    /// The annotated fields that compress something, in the order of their names. Several fields with one name (one struct
    /// used for several layers) are one.
    pub fields: Vec<FieldError>,
}

/// What all of the compression does to the gradient of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterError {
    /// Where it is in the model: `blocks.0.up.weight`.
    pub path: String,
    /// The cosine of the angle between the gradients with and without compression.
    pub cosine: f64,
    /// The norm of their difference, over the norm of the gradient (or 10⁻⁴ of the norm of all gradients, if that is more).
    pub relative_error: f64,
    /// The field that alone makes the largest difference; `None` if none makes any.
    pub worst_field: Option<&'static str>,
}

/// What the compression of one field does to all gradients.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldError {
    /// Its name: `Block.up`.
    pub name: &'static str,
    /// The norm of the difference that it alone makes, over the norm of all gradients.
    pub relative_error: f64,
}

/// Above this relative error of the gradients, a field should use more bits. (Mini-batches disturb them more.)
const LIMIT: f64 = 0.05;

impl FieldError {
    /// What to do about it, if anything.
    ///
    /// ```
    /// use remat::quantize::FieldError;
    ///
    /// let suggestion = |relative_error| FieldError { name: "Block.up", relative_error }.suggestion();
    /// assert_eq!(suggestion(0.01), None);
    /// assert_eq!(suggestion(0.2), Some("use more bits"));
    /// ```
    #[must_use]
    pub fn suggestion(&self) -> Option<&'static str> {
        let fits = self.relative_error <= LIMIT;
        (!fits).then_some("use more bits")
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.parameters.iter().map(|parameter| parameter.path.len());
        let names = names.chain(self.fields.iter().map(|field| field.name.len()));
        let width = names.max().unwrap_or(0).max("parameter".len());

        writeln!(f, "{:width$}  cosine    error     mostly by", "parameter")?;
        for parameter in &self.parameters {
            let ParameterError {
                path,
                cosine,
                relative_error,
                worst_field,
            } = parameter;
            let by = worst_field.unwrap_or("-");
            writeln!(f, "{path:width$}  {cosine:.6}  {relative_error:.2e}  {by}")?;
        }
        writeln!(f, "\n{:width$}            error", "field alone")?;
        for field in &self.fields {
            let FieldError {
                name,
                relative_error,
            } = field;
            let advice = field.suggestion().unwrap_or_default();
            let line = format!("{name:width$}            {relative_error:.2e}  {advice}");
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
