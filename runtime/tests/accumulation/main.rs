//! Windows of micro-batches against the full batch, and the cases of the field (G01 to G16).

mod batch_norm;
mod errors;
mod field;
mod full_batch;
mod non_finite;
mod precision;
mod ranks;
mod strategies;
mod support;
