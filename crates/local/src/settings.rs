//! Checks the values that an operator has given, before anything is served.

use spindrift_manifest::Values;
use spindrift_settings::{SECTIONS, SettingError};

use crate::error::LocalError;

/// Prefix of the environment variables that contain values.
const PREFIX: &str = "SPIN_VARIABLE_";
/// Similarity from which a name is suggested, from 0 (nothing in common) to 1 (equal).
const LEAST_SIMILARITY: f64 = 0.8;
/// Longest part of a value that an error shows, in characters.
const MAX_SHOWN: usize = 60;

/// Checks the value of each setting by the rules of the table, and then all values together.
pub(crate) fn check(values: &Values) -> Result<(), LocalError> {
    let problem = |(name, value): (&String, &String)| {
        let setting = spindrift_settings::setting(name)?;
        let error = setting.check(value).err()?.to_string();
        Some(if setting.row().secret { error } else { format!("{error}; it is {:?}", shorten(value)) })
    };
    fail_on(&values.iter().filter_map(problem).collect::<Vec<_>>())?;
    match spindrift_settings::password_hash_cost(values) {
        Err(error @ SettingError::Unusable { .. }) => fail_on(&[error.to_string()]),
        // The application may lack the setting.
        _ => Ok(()),
    }
}

/// Checks that each name is a variable that the application declares. `environment` holds the names of all
/// environment variables.
pub(crate) fn check_names(
    declared: &[&str],
    given: impl Iterator<Item = String>,
    environment: impl Iterator<Item = String>,
) -> Result<(), LocalError> {
    let unknown = given.filter(|name| !declared.contains(&name.as_str())).map(|name| {
        let meant = similar(&name, declared);
        let meant = meant.map(|meant| format!(": did you mean {meant}?")).unwrap_or_default();
        format!("--variable {name}: there is no such setting{meant}")
    });
    let is_setting = |name: &str| {
        let of_table = SECTIONS.iter().flat_map(|section| section.rows).map(|setting| setting.row().name);
        of_table.chain(declared.iter().copied()).any(|known| known.to_uppercase() == name)
    };
    let names = environment.filter_map(|name| name.strip_prefix(PREFIX).map(str::to_owned));
    let mistaken = names.filter(|name| !is_setting(name)).map(|name| {
        let meant = similar(&name.to_lowercase(), declared);
        let meant = meant.map(|meant| format!(": did you mean {PREFIX}{}?", meant.to_uppercase()));
        format!("{PREFIX}{name}: there is no such setting{}", meant.unwrap_or_default())
    });
    fail_on(&unknown.chain(mistaken).collect::<Vec<_>>())
}

fn fail_on(problems: &[String]) -> Result<(), LocalError> {
    if problems.is_empty() { Ok(()) } else { Err(LocalError::Settings(problems.join("; "))) }
}

/// The known name that is most similar to `name`, if any is similar enough.
fn similar<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let rated = known.iter().map(|known| (strsim::jaro_winkler(name, known), *known));
    let close = rated.filter(|(rate, _)| *rate >= LEAST_SIMILARITY);
    close.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, known)| known)
}

fn shorten(value: &str) -> String {
    let mut shown: String = value.chars().take(MAX_SHOWN).collect();
    if shown.len() < value.len() {
        shown.push_str("...");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(pairs: &[(&str, &str)]) -> Values {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn all_problems_are_named_at_once_and_no_secret_is_shown() {
        let given = values(&[
            ("api_url", "https://updates.example.com"),
            ("jwt_secret", "hunter2"),
            ("telemetry_enabled", "maybe"),
            ("a_variable_of_another_application", "x"),
        ]);
        let error = check(&given).unwrap_err().to_string();
        assert!(error.contains("the setting jwt_secret must be at least 32 bytes"), "{error}");
        assert!(error.contains("telemetry_enabled must be true or false; it is \"maybe\""), "{error}");
        assert!(!error.contains("hunter2"), "{error}");
        assert!(check(&values(&[("telemetry_enabled", ""), ("jwt_secret", "")])).is_ok());
    }

    #[test]
    fn cheap_hashes_are_refused_where_others_can_log_in() {
        let of = |api_url| check(&values(&[("api_url", api_url), ("password_hash_cost", "test")]));
        assert!(of("http://127.0.0.1:3000").is_ok());
        let error = of("https://updates.example.com").unwrap_err().to_string();
        assert!(
            error.contains("password_hash_cost must be default, unless api_url is an address"),
            "{error}"
        );
    }

    #[test]
    fn a_mistyped_name_comes_with_the_setting_that_was_meant() {
        let declared = ["api_url", "telemetry_enabled"];
        let names =
            |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>().into_iter();
        let of = |given: &[&str], environment: &[&str]| {
            check_names(&declared, names(given), names(environment)).err().map(|error| error.to_string())
        };
        // A setting of another application, such as an edge, may be set too.
        let right = ["PATH", "SPIN_VARIABLE_API_URL", "SPIN_VARIABLE_ORIGIN_URL"];
        assert_eq!(of(&["api_url"], &right), None);
        let mistyped =
            of(&[], &["SPIN_VARIABLE_TELEMETRY_ENABELD", "SPIN_VARIABLE_QUITE_DIFFERENT"]).unwrap();
        assert!(mistyped.contains("did you mean SPIN_VARIABLE_TELEMETRY_ENABLED?"), "{mistyped}");
        assert!(
            mistyped.contains("; SPIN_VARIABLE_QUITE_DIFFERENT: there is no such setting. "),
            "{mistyped}"
        );
        let flag = of(&["api_ulr"], &[]).unwrap();
        assert!(
            flag.contains("--variable api_ulr: there is no such setting: did you mean api_url?"),
            "{flag}"
        );
    }
}
