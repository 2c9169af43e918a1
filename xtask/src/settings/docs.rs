//! The tables of `docs/settings.md`.

use spindrift_settings::{AnySetting, SettingSource, SettingsSection};

const HEAD: &str = "| Variable | Meaning | Default | Range |\n|---|---|---|---|\n";

/// The text, with the table under the heading of each section replaced.
pub(super) fn write(text: &str, table: &[SettingsSection]) -> Result<String, String> {
    table.iter().try_fold(text.to_owned(), |text, section| {
        replace(&text, section).ok_or_else(|| format!("no table below the heading \"## {}\"", section.title))
    })
}

fn replace(text: &str, section: &SettingsSection) -> Option<String> {
    let heading = format!("## {}\n", section.title);
    let below = text.find(&heading)? + heading.len();
    let end = text[below..].find("\n## ").map_or(text.len(), |at| below + at + 1);
    let begin = below + text[below..end].find("\n|")? + 1;
    let length: usize =
        text[begin..].split_inclusive('\n').take_while(|line| line.starts_with('|')).map(str::len).sum();
    let rows: String = section.rows.iter().map(|setting| line(*setting)).collect();
    Some([&text[..begin], HEAD, &rows, &text[begin + length..]].concat())
}

fn line(setting: &dyn AnySetting) -> String {
    let row = setting.row();
    let mut name = format!("`{}`", row.name);
    if row.secret {
        name.push_str(" (secret)");
    }
    if row.edge == SettingSource::Variable {
        name.push_str(" (edges too)");
    }
    let default = match (row.edge, row.default) {
        (SettingSource::Required, _) => "none: it must be set".to_owned(),
        (_, "") => format!("empty: {}", row.when_empty),
        (_, default) => format!("`{default}`"),
    };
    let meaning = row.meaning.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    format!("| {name} | {} | {default} | {} |\n", meaning.trim_end_matches('.'), setting.range())
}
