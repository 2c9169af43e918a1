//! Horizontal bars that show a distribution.

use maud::{Markup, html};

use crate::parts;

/// Names with their counts, as a list that is readable without the bars. Bars are shares of
/// `total`.
pub(crate) fn bars(label: &str, rows: &[(String, u64)], total: u64) -> Markup {
    html! {
        table.bars aria-label=(label) {
            tbody {
                @for (name, value) in rows {
                    tr {
                        th scope="row" title=(name) { @if name.is_empty() { em { "none" } } @else { (name) } }
                        td.bar { meter min="0" max=(total.max(1)) value=(value) aria-hidden="true" {} }
                        td.value { (parts::number(*value)) }
                        td.share { (parts::share(*value, total)) }
                    }
                }
            }
        }
    }
}
