//! Small parts that many pages share.

use std::borrow::Cow;

use maud::{Markup, PreEscaped, Render as _, html};
use spindrift_core::audit::MAX_REASON_CHARS;
use spindrift_core::{MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS};
pub(crate) use spindrift_pages::size;

use crate::{Address, form_token};

/// A time of the service (RFC 3339, UTC). A script converts it to the reader's time zone.
pub(crate) fn time(moment: &str) -> Markup {
    let short = moment.get(..16).unwrap_or(moment).replace('T', " ");
    html! { time datetime=(moment) title={ (moment) } { (short) " UTC" } }
}

/// Like [`time`]. The script shows only how long ago it was, or how far ahead.
pub(crate) fn ago(moment: &str) -> Markup {
    let short = moment.get(..16).unwrap_or(moment).replace('T', " ");
    html! { time.relative datetime=(moment) title={ (moment) } { (short) " UTC" } }
}

/// A number with spaces between groups of three digits.
pub(crate) fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// `part` of `whole` in percent: 100 only if they are equal. A dash if `whole` is 0.
pub(crate) fn share(part: u64, whole: u64) -> String {
    match (part * 100 + whole / 2).checked_div(whole) {
        Some(percent) if part < whole => format!("{} %", percent.min(99)),
        Some(percent) => format!("{percent} %"),
        None => "–".to_owned(),
    }
}

/// The definition of "up to date", shown wherever devices are counted.
pub(crate) const UP_TO_DATE: &str =
    "Devices for which there was nothing newer, in their channel and on their platform, when they last asked";

/// The field for a new password, with the service's rule. `value`: the previous input. `hint`: the
/// id of the description.
pub(crate) fn new_password(name: &str, is_required: bool, value: Option<&str>, hint: Option<&str>) -> Markup {
    html! {
        input type="password" name=(name) value=[value] autocomplete="new-password" required[is_required]
            minlength=(MIN_PASSWORD_CHARS) maxlength=(MAX_PASSWORD_CHARS) aria-describedby=[hint];
    }
}

/// The field for the name of a new or changed item.
pub(crate) fn new_name(value: &str) -> Markup {
    html! {
        label { "Name"
            input type="text" name="name" value=(value) required maxlength="64" autocomplete="off" autofocus;
        }
    }
}

/// "1 release", "2 releases".
pub(crate) fn count(number_of: u64, noun: &str) -> String {
    let s = if number_of == 1 { "" } else { "s" };
    format!("{} {noun}{s}", number(number_of))
}

/// Maximum number of characters of a text that shares its page with others.
const BRIEF_CHARACTERS: usize = 200;

/// Shortens a long text.
pub(crate) fn brief(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(BRIEF_CHARACTERS) {
        Some((end, _)) => Cow::Owned(format!("{}…", text[..end].trim_end())),
        None => Cow::Borrowed(text),
    }
}

/// A form that makes a change, with its token.
pub(crate) fn form(action: &Address, token: &str, content: &Markup) -> Markup {
    html! {
        form method="post" action=(action) {
            input type="hidden" name=(form_token::FIELD) value=(token);
            (content)
        }
    }
}

/// A text, with a button that copies it.
pub(crate) fn copyable(text: &str) -> Markup {
    html! { span.copyable { code { (text) } (copy(text)) } }
}

/// Texts that belong together, with a button that copies them all.
pub(crate) fn copyable_list(title: &str, texts: &[String]) -> Markup {
    html! {
        figure.snippet {
            figcaption { (title) (copy(&texts.join("\n"))) }
            ol.texts { @for text in texts { li { code { (text) } } } }
        }
    }
}

/// The beginning of a long text, with a button that copies the whole text.
pub(crate) fn copyable_from_its_beginning(text: &str, shown: usize) -> Markup {
    let beginning = text.get(..shown).unwrap_or(text);
    html! { span.copyable { code title=(text) { (beginning) "…" } (copy(text)) } }
}

fn copy(text: &str) -> Markup {
    html! { button.plain type="button" data-copy=(text) { "Copy" } }
}

/// Where an administrator finds the cause of a failure.
pub(crate) fn request_id(id: &str) -> Markup {
    html! { p { "The log has the cause under the request id " code { (id) } "." } }
}

/// A message about a failure.
pub(crate) fn problem(text: &str) -> Markup {
    html! { p.problem role="alert" { (text) } }
}

/// A text and the next step, in place of an empty list.
pub(crate) fn empty(statement: &str, next: &Markup) -> Markup {
    html! { div.empty { p { strong { (statement) } } p { (next) } } }
}

/// A coloured word. `kind`: `good`, `warn`, `bad`, or empty.
pub(crate) fn badge(kind: &str, text: &str) -> Markup {
    html! { span class={ "badge " (kind) } { (text) } }
}

/// Whether signed metadata covers the files that an application offers. `demanded`: whether uploads
/// must have digests.
pub(crate) fn signing(demanded: bool, signed: bool) -> Markup {
    match (signed, demanded) {
        (true, _) => badge("good", "signed"),
        (false, true) => badge("warn", "not signed yet"),
        (false, false) => html! {},
    }
}

/// The path from the overview to this page.
pub(crate) fn trail(steps: &[(&str, Address)], here: &str) -> Markup {
    html! {
        nav.trail aria-label="Where you are" {
            ol {
                @for (name, address) in steps { li { a href=(address) { (name) } } }
                li aria-current="page" { (here) }
            }
        }
    }
}

/// Links to the other pages of a list.
pub(crate) fn pages(base: &Address, page: u64, limit: u64, total: u64) -> Markup {
    let last = total.div_ceil(limit.max(1)).max(1);
    if last == 1 {
        return PreEscaped(String::new());
    }
    html! {
        nav.pages aria-label="Pages" {
            @if page > 1 { a href=(base.clone().with("page", page - 1)) rel="prev" { "← Before" } }
            span { "Page " (page) " of " (last) " (" (number(total)) ")" }
            @if page < last { a href=(base.clone().with("page", page + 1)) rel="next" { "Next →" } }
        }
    }
}

/// A select field. `choices`: values, with their texts.
pub(crate) fn select<'a>(
    name: &str,
    label: &str,
    chosen: &str,
    choices: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Markup {
    html! {
        label { (label)
            select name=(name) {
                @for (value, text) in choices { option value=(value) selected[value == chosen] { (text) } }
            }
        }
    }
}

pub(crate) fn field(name: &str, label: &str, value: &str) -> Markup {
    html! { label { (label) input type="text" name=(name) value=(value) autocomplete="off"; } }
}

/// The field for the reason of a change.
pub(crate) fn reason(value: &str) -> Markup {
    html! {
        label.reason { "Why (optional, for the history)"
            input type="text" name="reason" maxlength=(MAX_REASON_CHARS) autocomplete="off" value=(value);
        }
    }
}

/// A checkbox. `value` is sent if it is checked.
pub(crate) fn check(name: &str, value: &str, label: &str, is_checked: bool) -> Markup {
    html! { label.check { input type="checkbox" name=(name) value=(value) checked[is_checked]; (label) } }
}

/// Configuration to paste into a file, with a button that copies it.
pub(crate) fn snippet(title: &str, text: &str) -> Markup {
    html! {
        figure.snippet {
            figcaption { code { (title) } (copy(text)) }
            pre tabindex="0" { code { (text) } }
        }
    }
}

/// A collapsible table below a plot, from which its numbers can be read and copied.
pub(crate) fn table_of_plot(head: &[&str], rows: &[Vec<String>], csv: Option<&Address>) -> Markup {
    html! {
        details.figures {
            summary { "Show " @if let Some(rows) = head.first() { (rows.to_lowercase()) "s " } "as table" }
            @if let Some(csv) = csv { p { a href=(csv) download { "Download as CSV" } } }
            div.scroll tabindex="0" {
                table {
                    thead { tr { @for cell in head { th scope="col" { (cell) } } } }
                    tbody {
                        @for row in rows {
                            tr { @for (i, cell) in row.iter().enumerate() {
                                @if i > 0 { td { (cell.render()) } }
                                @else { th scope="row" { @if cell.is_empty() { em { "none" } } @else { (cell) } } }
                            } }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_read_them() {
        assert_eq!(number(0), "0");
        assert_eq!(number(1_234_567), "1\u{202f}234\u{202f}567");
        for (part, whole, text) in
            [(0, 0, "–"), (0, 3, "0 %"), (2, 3, "67 %"), (999, 1000, "99 %"), (3, 3, "100 %")]
        {
            assert_eq!(share(part, whole), text);
        }
        assert_eq!(
            (count(1, "release"), count(2, "release")),
            ("1 release".to_owned(), "2 releases".to_owned())
        );
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(brief("short"), "short");
        let whole = "ü".repeat(BRIEF_CHARACTERS);
        assert_eq!(brief(&whole), whole);
        assert_eq!(brief(&format!("{whole}ü")), format!("{whole}…"));
    }

    #[test]
    fn every_row_of_a_table_has_a_name() {
        let rows = [["linux", "2"], ["", "1"]].map(|row| row.map(ToOwned::to_owned).to_vec());
        let shown = table_of_plot(&["Platform", "Devices"], &rows, None).into_string();
        assert!(shown.contains("<summary>Show platforms as table</summary>"), "{shown}");
        assert!(shown.contains("<th scope=\"row\">linux</th><td>2</td>"), "{shown}");
        assert!(shown.contains("<th scope=\"row\"><em>none</em></th><td>1</td>"), "{shown}");
    }

    #[test]
    fn text_of_others_is_only_text() {
        let shown = copyable("<script>\"&").into_string();
        assert!(!shown.contains("<script>"), "{shown}");
        assert!(shown.contains("data-copy=\"&lt;script&gt;&quot;&amp;\""), "{shown}");
    }
}
