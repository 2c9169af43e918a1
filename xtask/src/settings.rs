//! `cargo xtask settings`: writes files generated from the table of settings and the declarations of components.

mod docs;
mod fast;
mod lists;
mod manifest;

use std::path::Path;

use spindrift_settings::{SECTIONS, SettingRow, SettingsSection};

use crate::declarations::{self, Component};
use crate::error::Error;

/// A file that is generated from the table, the components and another file.
struct Written {
    path: &'static str,
    /// The other file: mostly itself, which is then generated in part.
    from: &'static str,
    write: Write,
}

/// Generates the new text of a file from the text of the other one.
type Write = fn(&str, &[SettingsSection], &[Component]) -> Result<String, String>;

const SERVICE: &str = "spin.toml";
const EDGE: &str = "deploy/edge/spin.toml";
const DOCS: &str = "docs/settings.md";

const SERVER: &str = "crates/server/Cargo.toml";
const LINKED: &str = "crates/server/src/components.rs";
const DESCRIPTION: &str = "crates/openapi/Cargo.toml";
const DESCRIBED: &str = "crates/openapi/src/routes.rs";

const WRITTEN: [Written; 8] = [
    Written { path: SERVICE, from: SERVICE, write: manifest::write_service },
    Written { path: "deploy/fast/spin.toml", from: SERVICE, write: fast::write },
    Written {
        path: EDGE,
        from: EDGE,
        write: |text, table, components| {
            manifest::write(text, table, components, |row: &SettingRow| row.edge)
        },
    },
    Written { path: DOCS, from: DOCS, write: |text, table, _| docs::write(text, table) },
    Written {
        path: SERVER,
        from: SERVER,
        write: |text, _, components| {
            lists::dependencies(text, components.iter().filter(|component| component.is_of_service()))
        },
    },
    Written { path: LINKED, from: LINKED, write: |text, _, components| lists::linked(text, components) },
    Written {
        path: DESCRIPTION,
        from: DESCRIPTION,
        write: |text, _, components| {
            lists::dependencies(text, components.iter().filter(|component| component.is_described))
        },
    },
    Written {
        path: DESCRIBED,
        from: DESCRIBED,
        write: |text, _, components| lists::described(text, components),
    },
];

/// Writes the files below `root`, or only compares them (`is_check`). `Ok(false)`: some files differ, and
/// their names have been printed.
pub(crate) fn run(root: &Path, is_check: bool) -> Result<bool, Error> {
    let components = declarations::read(root)?;
    let mut is_current = true;
    for Written { path, from, write } in WRITTEN {
        let (file, from) = (root.join(path), root.join(from));
        let text = std::fs::read_to_string(&file).map_err(Error::file(&file))?;
        let source = std::fs::read_to_string(&from).map_err(Error::file(&from))?;
        let wanted =
            write(&source, &SECTIONS, &components).map_err(|reason| Error::invalid(&file, &reason))?;
        if text == wanted {
            continue;
        }
        if is_check {
            println!(
                "{path}: differs from the table of settings or the components; run `cargo xtask settings`"
            );
            is_current = false;
        } else {
            std::fs::write(&file, wanted).map_err(Error::file(&file))?;
            println!("{path}: written");
        }
    }
    Ok(is_current)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use spindrift_settings::{AnySetting, LOG_READS, Setting, SettingRow, SettingSource, UPLOAD_GRACE};

    use super::*;

    /// The lines that change in each generated file when one setting of the table is replaced: lines removed
    /// and lines added.
    fn changed_lines(
        name: &str,
        change: impl FnOnce() -> Box<dyn AnySetting>,
    ) -> BTreeMap<&'static str, (Vec<String>, Vec<String>)> {
        let changed: &'static dyn AnySetting = Box::leak(change());
        let sections = SECTIONS.map(|section| {
            let rows = section.rows.iter().map(|row| if row.row().name == name { changed } else { *row });
            SettingsSection { rows: Vec::leak(rows.collect()), ..section }
        });
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let components = declarations::read(root).unwrap();
        let differing = WRITTEN.iter().filter_map(|Written { path, from, write }| {
            let source = std::fs::read_to_string(root.join(from)).unwrap();
            let [before, after] =
                [&SECTIONS, &sections].map(|table| write(&source, table, &components).unwrap());
            let only_in = |a: &str, b: &str| {
                let other: Vec<&str> = b.lines().collect();
                a.lines().filter(|line| !other.contains(line)).map(str::to_owned).collect::<Vec<_>>()
            };
            let lines = (only_in(&before, &after), only_in(&after, &before));
            (before != after).then_some((*path, lines))
        });
        differing.collect()
    }

    /// The line that declares `upload_grace` with the given name and default.
    fn declared(name: &str, default: &str) -> String {
        format!("{name} = {{ default = \"{default}\" }} # {}", UPLOAD_GRACE.range())
    }

    #[test]
    fn a_changed_default_changes_its_variable_and_its_documentation() {
        let row = SettingRow { default: "12h", ..UPLOAD_GRACE.row };
        let changed = changed_lines("upload_grace", || Box::new(Setting { row, ..UPLOAD_GRACE }));

        assert_eq!(
            changed.keys().copied().collect::<Vec<_>>(),
            ["deploy/fast/spin.toml", "docs/settings.md", "spin.toml"]
        );
        let (old, new) = &changed["spin.toml"];
        assert_eq!(old.as_slice(), [declared("upload_grace", "24h")]);
        assert_eq!(new.as_slice(), [declared("upload_grace", "12h")]);
        let (old, new) = &changed["docs/settings.md"];
        assert_eq!((old.len(), new.len()), (1, 1));
        assert_eq!(old[0].replace("`24h`", "`12h`"), new[0]);
    }

    #[test]
    fn a_renamed_setting_changes_where_it_is_declared_granted_and_described() {
        let row = SettingRow { name: "grace", readers: &["maintenance", "upload"], ..UPLOAD_GRACE.row };
        let changed = changed_lines("upload_grace", || Box::new(Setting { row, ..UPLOAD_GRACE }));

        let (old, new) = &changed["spin.toml"];
        let granted = |name: &str| format!("{name} = \"{{{{ {name} }}}}\"");
        // The component `health` has every setting whose value has a rule.
        let old_grants = [granted("upload_grace"), granted("upload_grace")];
        assert_eq!(old.as_slice(), [&[declared("upload_grace", "24h")][..], &old_grants].concat());
        let new_grants = ["grace"; 3].map(granted);
        assert_eq!(new.as_slice(), [&[declared("grace", "24h")][..], &new_grants].concat());
        assert_eq!(changed["docs/settings.md"].0.len(), 1);
        assert!(!changed.contains_key("deploy/edge/spin.toml"));
    }

    #[test]
    fn an_edge_has_its_own_way_of_having_a_setting() {
        for (edge, line) in [
            (SettingSource::Absent, None),
            (SettingSource::Fixed("true"), Some("log_requests = \"true\"")),
            (SettingSource::Required, Some("log_reads = { required = true } # true or false")),
        ] {
            let row = SettingRow { edge, ..LOG_READS.row };
            let changed = changed_lines("log_reads", || Box::new(Setting { row, ..LOG_READS }));
            let (old, new) = &changed["deploy/edge/spin.toml"];
            assert_eq!(old[0], "log_reads = { default = \"false\" } # true or false");
            assert_eq!(new.first().map(String::as_str), line);
            assert!(!changed.contains_key("spin.toml"), "{edge:?}");
        }
    }

    #[test]
    fn a_place_that_is_missing_is_named() {
        assert!(manifest::write("[component.a]\n", &SECTIONS, &[], |row| row.service).is_err());
        let error = docs::write("## The service\n\nNo table.\n\n## Other\n\n| a |\n", &SECTIONS).unwrap_err();
        assert!(error.contains("The service"), "{error}");
    }
}
