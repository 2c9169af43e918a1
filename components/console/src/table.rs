//! Tables, in a region that scrolls on small screens.

use maud::{Markup, html};

/// A table. `label` is for screen readers.
pub(crate) fn table(label: &str, columns: &Markup, rows: &Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(label) {
            table {
                thead { tr { (columns) } }
                tbody { (rows) }
            }
        }
    }
}

pub(crate) fn column(title: &str) -> Markup {
    html! { th scope="col" { (title) } }
}

pub(crate) fn columns<const N: usize>(titles: [&str; N]) -> Markup {
    html! { @for title in titles { (column(title)) } }
}

/// The heading of a column of numbers.
pub(crate) fn value(title: &str) -> Markup {
    html! { th.value scope="col" { (title) } }
}

/// The heading of a column that small screens hide.
pub(crate) fn extra(title: &str) -> Markup {
    html! { th.extra scope="col" { (title) } }
}
