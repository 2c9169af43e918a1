//! Plots, rendered as SVG. Values are shown on hover, and read by screen readers. Each plot on a
//! page also has a table that can be saved as a file. Sparklines have theirs on the page that their
//! card or row links to.

mod areas;
mod bars;
mod shares;
mod sparkline;

pub(crate) use areas::{Areas, Series};
pub(crate) use bars::bars;
pub(crate) use shares::{ShareLine, SharePlot, percent, share_plots};
pub(crate) use sparkline::sparkline;
