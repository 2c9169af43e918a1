//! Plots, as SVG made here. Values can be read by hovering and by screen readers; each plot on a page also has its table.

mod areas;
mod bars;
mod sparkline;

pub(crate) use areas::{Areas, Series};
pub(crate) use bars::bars;
pub(crate) use sparkline::sparkline;
