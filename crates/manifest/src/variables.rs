//! The values of application variables.

use std::collections::BTreeMap;

use crate::error::ManifestError;
use crate::manifest::Variable;

/// Values by name of the variable.
pub type Values = BTreeMap<String, String>;

/// The value of every declared variable: the given one, or else the manifest's default.
///
/// # Errors
/// `ManifestError::Variable` if a required variable has no value, or a given value belongs to no declared
/// variable.
pub fn resolve(declared: &BTreeMap<String, Variable>, given: &Values) -> Result<Values, ManifestError> {
    if let Some(unknown) = given.keys().find(|name| !declared.contains_key(*name)) {
        return Err(ManifestError::Variable(format!("`{unknown}` is not declared in the manifest")));
    }
    let value = |(name, variable): (&String, &Variable)| match given.get(name).or(variable.default.as_ref()) {
        Some(value) => Ok((name.clone(), value.clone())),
        None => Err(ManifestError::Variable(format!(
            "`{name}` is required; set it with --variable {name}=... or SPIN_VARIABLE_{}",
            name.to_uppercase()
        ))),
    };
    declared.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(pairs: &[(&str, &str)]) -> Values {
        pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
    }

    #[test]
    fn a_given_value_wins_also_an_empty_one() {
        let declared =
            toml::from_str("a.default = \"default\"\nb.default = \"default\"\nc.default = \"default\"")
                .unwrap();
        let given = values(&[("a", "given"), ("b", "")]);
        assert_eq!(
            resolve(&declared, &given).unwrap(),
            values(&[("a", "given"), ("b", ""), ("c", "default")])
        );
    }

    #[test]
    fn missing_and_unknown_variables_are_named() {
        let required = toml::from_str("token = { required = true }").unwrap();
        let error = resolve(&required, &Values::new()).unwrap_err();
        assert!(error.to_string().contains("SPIN_VARIABLE_TOKEN"));
        let error = resolve(&BTreeMap::new(), &values(&[("typo", "x")])).unwrap_err();
        assert!(error.to_string().contains("typo"));
    }
}
