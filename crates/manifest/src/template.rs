//! Templates with `{{ variable }}`.

use std::collections::BTreeMap;

/// Replaces every `{{ name }}` by the value of `name`.
///
/// # Errors
/// An unknown variable, named in the text, or unbalanced braces.
pub fn render(template: &str, values: &BTreeMap<String, String>) -> Result<String, String> {
    let mut rendered = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((literal, after)) = rest.split_once("{{") {
        let (name, tail) =
            after.split_once("}}").ok_or_else(|| format!("`{template}` has `{{{{` without `}}}}`"))?;
        let name = name.trim();
        let value =
            values.get(name).ok_or_else(|| format!("`{template}` names the undeclared variable `{name}`"))?;
        rendered.push_str(literal);
        rendered.push_str(value);
        rest = tail;
    }
    rendered.push_str(rest);
    Ok(rendered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_names_and_reports_unknown_ones() {
        let values = BTreeMap::from([("host".to_owned(), "a.example".to_owned())]);
        assert_eq!(render("https://{{ host }}:{{host}}/", &values).unwrap(), "https://a.example:a.example/");
        assert_eq!(render("plain", &values).unwrap(), "plain");
        assert!(render("{{ other }}", &values).unwrap_err().contains("other"));
        assert!(render("{{ host", &values).unwrap_err().contains("without"));
    }
}
