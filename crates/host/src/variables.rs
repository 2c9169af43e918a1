//! Where the value of an application variable comes from.

use std::collections::BTreeMap;

use crate::error::HostError;
use crate::manifest::Variable;

/// Values by variable name.
pub(crate) type Values = BTreeMap<String, String>;

/// The possible sources, strongest first: what the operator gave, what the host itself provides, generated secrets, and
/// last the manifest's default.
pub(crate) struct Sources<'a> {
    pub(crate) given: &'a Values,
    pub(crate) provided: &'a Values,
    pub(crate) generated: &'a Values,
}

/// The value of every declared variable.
///
/// # Errors
/// `HostError::Variable` for a required variable without value and for a given value that no variable is declared for.
pub(crate) fn resolve(
    declared: &BTreeMap<String, Variable>,
    sources: &Sources<'_>,
) -> Result<Values, HostError> {
    if let Some(unknown) = sources.given.keys().find(|name| !declared.contains_key(*name)) {
        return Err(HostError::Variable(format!("`{unknown}` is not declared in the manifest")));
    }
    let value = |(name, variable): (&String, &Variable)| {
        let found =
            [sources.given, sources.provided, sources.generated].iter().find_map(|values| values.get(name));
        match found.or(variable.default.as_ref()) {
            Some(value) => Ok((name.clone(), value.clone())),
            None => Err(HostError::Variable(format!(
                "`{name}` is required; set it with --variable {name}=... or SPIN_VARIABLE_{}",
                name.to_uppercase()
            ))),
        }
    };
    declared.iter().map(value).collect()
}

/// The declared variables that get a random value when nobody sets them: secrets whose default is empty.
pub(crate) fn to_generate<'a>(
    declared: &'a BTreeMap<String, Variable>,
    given: &'a Values,
) -> impl Iterator<Item = &'a str> {
    declared
        .iter()
        .filter(|(name, variable)| {
            variable.secret && variable.default.as_deref() == Some("") && !given.contains_key(*name)
        })
        .map(|(name, _)| name.as_str())
}

/// The values that the environment gives, under `SPIN_VARIABLE_<NAME>`.
pub(crate) fn from_environment(declared: &BTreeMap<String, Variable>) -> Values {
    let read = |name: &String| {
        std::env::var(format!("SPIN_VARIABLE_{}", name.to_uppercase()))
            .ok()
            .map(|value| (name.clone(), value))
    };
    declared.keys().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(text: &str) -> BTreeMap<String, Variable> {
        toml::from_str(text).unwrap()
    }

    fn values(pairs: &[(&str, &str)]) -> Values {
        pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
    }

    #[test]
    fn the_strongest_source_wins() {
        let declared = declared(
            "a = { default = \"default\" }\nb.default = \"default\"\nc.default = \"default\"\nd.default = \"default\"",
        );
        let sources = Sources {
            given: &values(&[("a", "given")]),
            provided: &values(&[("a", "provided"), ("b", "provided"), ("undeclared", "x")]),
            generated: &values(&[("a", "generated"), ("b", "generated"), ("c", "generated")]),
        };
        let resolved = resolve(&declared, &sources).unwrap();
        assert_eq!(
            resolved,
            values(&[("a", "given"), ("b", "provided"), ("c", "generated"), ("d", "default")])
        );
    }

    #[test]
    fn a_given_empty_value_stays_empty() {
        let declared = declared("jwt_secret = { default = \"\", secret = true }");
        let given = values(&[("jwt_secret", "")]);
        assert_eq!(to_generate(&declared, &given).count(), 0);
        assert_eq!(to_generate(&declared, &Values::new()).collect::<Vec<_>>(), ["jwt_secret"]);
    }

    #[test]
    fn missing_and_unknown_variables_are_named() {
        let none = Values::new();
        let required = declared("token = { required = true }");
        let sources = Sources { given: &none, provided: &none, generated: &none };
        assert!(resolve(&required, &sources).unwrap_err().to_string().contains("SPIN_VARIABLE_TOKEN"));
        let given = values(&[("typo", "x")]);
        let sources = Sources { given: &given, provided: &none, generated: &none };
        assert!(resolve(&BTreeMap::new(), &sources).unwrap_err().to_string().contains("typo"));
    }
}
