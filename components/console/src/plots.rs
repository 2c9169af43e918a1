//! Plots, as SVG made here. Values can be read by hovering and by screen readers. Each plot on a page also
//! has its table, which can be saved as a file; those of a small line are on the page that its card or row
//! leads to.

mod areas;
mod bars;
mod sparkline;

pub(crate) use areas::{Areas, Series};
pub(crate) use bars::bars;
pub(crate) use sparkline::sparkline;
