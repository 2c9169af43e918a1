//! The application's variables.

use std::collections::{BTreeMap, HashMap};
use std::sync::{PoisonError, RwLock};

use spindrift_settings::{ORIGIN_URL, VariableError, Variables};
use spindrift_web::Deployment;

use crate::NativePlatform;
use crate::faults::REASON;

impl Variables for NativePlatform {
    fn variable(&self, name: &str) -> Result<Option<String>, VariableError> {
        if self.faults().variables.is_on() {
            return Err(VariableError { name: name.to_owned(), reason: REASON.to_owned() });
        }
        let variables = self.variables().read().unwrap_or_else(PoisonError::into_inner);
        let Some(grants) = self.grants_for(name) else { return Ok(variables.get(name).cloned()) };
        let Some(template) = grants.variables.get(name) else { return Ok(None) };
        let of_application = template.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
        Ok(of_application.map_or_else(|| Some(template.clone()), |name| variables.get(name.trim()).cloned()))
    }
}

impl Deployment for NativePlatform {
    /// With an origin, the application is an edge deployment, for all its components.
    fn is_edge(&self) -> bool {
        let variables = self.variables().read().unwrap_or_else(PoisonError::into_inner);
        variables.get(ORIGIN_URL.row.name).is_some_and(|url| !url.is_empty())
    }
}

impl NativePlatform {
    /// The values of all variables of the application.
    pub(crate) fn all_variables(&self) -> BTreeMap<String, String> {
        let variables = self.variables().read().unwrap_or_else(PoisonError::into_inner);
        variables.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

/// All settings with their defaults.
pub(crate) fn defaults() -> HashMap<String, String> {
    let rows = spindrift_settings::SECTIONS.iter().flat_map(|section| section.rows);
    rows.map(|setting| (setting.row().name.to_owned(), setting.row().default.to_owned())).collect()
}

pub(crate) fn set(variables: &RwLock<HashMap<String, String>>, name: &str, value: &str) {
    let mut variables = variables.write().unwrap_or_else(PoisonError::into_inner);
    variables.insert(name.to_owned(), value.to_owned());
}

pub(crate) fn remove(variables: &RwLock<HashMap<String, String>>, name: &str) {
    variables.write().unwrap_or_else(PoisonError::into_inner).remove(name);
}

#[cfg(test)]
mod tests {
    use spindrift_db::Database as _;
    use spindrift_settings::Variables as _;

    use crate::{Grants, NativePlatform, SQLITE_DATABASES};

    #[test]
    fn a_component_has_what_it_is_granted() {
        let variables = [("b", "{{ a }}"), ("c", "")].map(|(name, text)| (name.to_owned(), text.to_owned()));
        let grants = Grants { component: "one".to_owned(), variables: variables.into(), ..Grants::default() };
        let platform = NativePlatform::recording_uses("unused").with_variable("a", "x");
        let seen = platform.with_grants(grants.into());
        assert_eq!(seen.variable("b").unwrap().as_deref(), Some("x"));
        assert_eq!(seen.variable("c").unwrap().as_deref(), Some(""));
        assert_eq!(seen.variable("a").unwrap(), None);
        assert!(seen.connect().is_err());
        let uses = ["a", "b", "c", SQLITE_DATABASES].map(|what| ("one".to_owned(), what.to_owned()));
        assert_eq!(platform.uses(), uses.into());
    }

    #[test]
    fn empty_is_not_absent() {
        let platform = NativePlatform::new("unused").with_variable("a", "");
        assert_eq!(platform.variable("a").unwrap(), Some(String::new()));
        assert_eq!(platform.variable("b").unwrap(), None);
        platform.remove_variable("a");
        assert_eq!(platform.variable("a").unwrap(), None);
        platform.fail_variables(true);
        assert_eq!(platform.variable("a").unwrap_err().name, "a");
    }
}
