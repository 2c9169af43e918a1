//! A release's OS requirements, as form fields.

mod targets;

use maud::{Markup, html};
use serde_json::{Map, Value, json};
use spindrift_core::MAX_EXCLUDED;
use spindrift_web::Query;

pub(super) use self::targets::{EDITED, ReleaseTargets};
use crate::{parts, requirements};

/// The value of the button that removes requirements.
pub(super) const REMOVE: &str = "remove";

/// Requirements in form fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RequirementFields {
    /// Empty: all platforms of the release.
    platform: String,
    /// Empty: all architectures of the release.
    arch: String,
    min: String,
    max: String,
    /// Separated by commas.
    not: String,
    /// Whether clients that do not report their version get the release.
    is_for_unknown: bool,
}

impl RequirementFields {
    /// The values in a form or an address.
    pub(super) fn sent(form: &Query) -> Self {
        let text = |name: &str| form.get(name).unwrap_or_default().trim().to_owned();
        Self {
            platform: text("platform"),
            arch: text("arch"),
            min: text("min"),
            max: text("max"),
            not: text("not"),
            is_for_unknown: form.get("unknown").is_some(),
        }
    }

    /// For the same place, filled with its current requirements. They stay empty if its parts have
    /// different ones.
    pub(super) fn filled(&self, places: &ReleaseTargets<'_>) -> Self {
        let place = Self { platform: self.platform.clone(), arch: self.arch.clone(), ..Self::default() };
        let Some(requires) = places.common([&self.platform, &self.arch]) else { return place };
        let range = requires.os_version.clone().unwrap_or_default();
        Self {
            min: range.min.unwrap_or_default(),
            max: range.max.unwrap_or_default(),
            not: range.not.join(", "),
            is_for_unknown: requirements::are_for_unknown(requires),
            ..place
        }
    }

    /// Platform and architecture for a call. `None`: all.
    pub(super) fn place(&self) -> [Option<String>; 2] {
        [&self.platform, &self.arch].map(|name| Some(name.clone()).filter(|name| !name.is_empty()))
    }

    fn left_out(&self) -> Vec<&str> {
        self.not.split(',').map(str::trim).filter(|version| !version.is_empty()).collect()
    }

    /// The requirements for a call. The service validates the fields. `None`: no version was
    /// entered.
    pub(super) fn to_json(&self) -> Option<Value> {
        let mut range = Map::new();
        for (name, version) in [("min", &self.min), ("max", &self.max)] {
            if !version.is_empty() {
                range.insert(name.to_owned(), version.as_str().into());
            }
        }
        let not = self.left_out();
        if !not.is_empty() {
            range.insert("not".to_owned(), not.into());
        }
        if range.is_empty() {
            return None;
        }
        let mut requires = json!({ "os_version": range });
        if self.is_for_unknown {
            requires["unknown"] = "offer".into();
        }
        Some(requires)
    }

    /// `problem`: why the form was refused; it names the invalid field.
    pub(super) fn fields(&self, places: &ReleaseTargets<'_>, problem: Option<&str>) -> Markup {
        let version = |name: &str, label: &str, value: &str, hint: &Markup| {
            let is_wrong =
                problem.is_some_and(|problem| problem.starts_with(&format!("invalid requires: {name}: ")));
            let hint_id = format!("requires-{name}");
            html! {
                div {
                    label { (label)
                        input type="text" name=(name) value=(value) autocomplete="off"
                            aria-describedby=(hint_id) aria-invalid=[is_wrong.then_some("true")] autofocus[is_wrong];
                    }
                    span.hint id=(hint_id) { (hint) }
                }
            }
        };
        let unknown = "Clients that do not say their system's version get it too";
        html! {
            (select("platform", "Platform", &self.platform, &places.platforms()))
            (select("arch", "Architecture", &self.arch, &places.archs()))
            (version("min", "Lowest version", &self.min, &html! {
                "1 to 4 numbers with dots, such as " code { "13.6" } " or " code { "10.0.19045" } "."
            }))
            (version("max", "Highest version", &self.max, &html! { code { "12" } " includes 12.7." }))
            (version("not", "Versions left out", &self.not, &html! {
                "Up to " (MAX_EXCLUDED) ", with commas between them. " code { "13.2" } " includes 13.2.1."
            }))
            (parts::check("unknown", "offer", unknown, self.is_for_unknown))
        }
    }
}

/// A choice of names, if there are any. A sent name stays in the list even if no file has it.
fn select(field: &str, label: &str, chosen: &str, names: &[&str]) -> Markup {
    let gone = Some(chosen).filter(|chosen| !chosen.is_empty() && !names.contains(chosen));
    let names: Vec<&str> = names.iter().copied().chain(gone).collect();
    html! {
        @if !names.is_empty() {
            (parts::select(field, label, chosen, std::iter::once(("", "all")).chain(names.into_iter().map(|name| (name, name)))))
        }
    }
}
