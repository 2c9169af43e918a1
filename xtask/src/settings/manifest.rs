//! The variables and grants in a manifest.

use spindrift_settings::{Reader, SettingRow, SettingSource, SettingsSection};
use toml_edit::{DocumentMut, InlineTable, Item, Table, value};

use crate::declarations::Component;

/// Replaces the variables of a manifest, and the grants of each of its components. `given` selects how this
/// deployment gets a setting. Everything else stays unchanged.
pub(super) fn write(
    text: &str,
    table: &[SettingsSection],
    declared: &[Component],
    given: fn(&SettingRow) -> SettingSource,
) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
    let variables = document.get_mut("variables").and_then(Item::as_table_mut).ok_or("no [variables]")?;
    declare(variables, table, given);
    let components = document.get_mut("component").and_then(Item::as_table_mut).ok_or("no [component]")?;
    for (name, component) in components.iter_mut() {
        let grants = component.get_mut("variables").and_then(Item::as_table_mut);
        let grants = grants.ok_or_else(|| format!("no [component.{name}.variables]"))?;
        let component = declared.iter().find(|component| component.name == name.get());
        let component = component.ok_or_else(|| format!("there is no folder components/{name}"))?;
        grant(grants, component.reader(), table, given);
    }
    Ok(document.to_string())
}

/// Like [`write`], for the service. Fails where a component of it is missing.
pub(super) fn write_service(
    text: &str,
    table: &[SettingsSection],
    declared: &[Component],
) -> Result<String, String> {
    let written = write(text, table, declared, |row: &SettingRow| row.service)?;
    let has = |name: &str| written.contains(&format!("\n[component.{name}]\n"));
    match declared.iter().find(|component| component.is_of_service() && !has(&component.name)) {
        Some(Component { name, .. }) => Err(format!(
            "add a [[trigger.http]] for each route of {name}, [component.{name}] with its source and grants, \
             [component.{name}.variables] without content, and [component.{name}.build]"
        )),
        None => Ok(written),
    }
}

fn rows(section: &SettingsSection) -> impl Iterator<Item = &'static SettingRow> {
    section.rows.iter().map(|setting| setting.row())
}

/// Each section begins with a comment with its title; each line ends with a comment with the accepted values.
fn declare(variables: &mut Table, table: &[SettingsSection], given: fn(&SettingRow) -> SettingSource) {
    variables.clear();
    for section in table {
        let mut heading = format!("# {}\n", section.title);
        for setting in section.rows {
            let row = setting.row();
            let Some(mut variable) = declaration(row, given(row)) else { continue };
            variable.decor_mut().set_suffix(format!(" # {}", setting.range()));
            variables.insert(row.name, value(variable));
            if let Some(mut key) = variables.key_mut(row.name) {
                key.leaf_decor_mut().set_prefix(std::mem::take(&mut heading));
            }
        }
    }
}

fn declaration(row: &SettingRow, given: SettingSource) -> Option<InlineTable> {
    let mut variable = InlineTable::new();
    match given {
        SettingSource::Variable => variable.insert("default", row.default.into()),
        SettingSource::Required => variable.insert("required", true.into()),
        SettingSource::Fixed(_) | SettingSource::Absent => return None,
    };
    if row.secret {
        variable.insert("secret", true.into());
    }
    Some(variable)
}

fn grant(
    grants: &mut Table,
    reader: Reader<'_>,
    table: &[SettingsSection],
    given: fn(&SettingRow) -> SettingSource,
) {
    grants.clear();
    for row in table.iter().flat_map(rows).filter(|row| row.is_read_by(reader)) {
        let text = match given(row) {
            SettingSource::Variable | SettingSource::Required => format!("{{{{ {} }}}}", row.name),
            SettingSource::Fixed(text) => text.to_owned(),
            SettingSource::Absent => continue,
        };
        grants.insert(row.granted_name(reader), value(text));
    }
}
