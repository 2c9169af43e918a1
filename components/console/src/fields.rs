//! The fields of a form or a query, which may repeat.

use spindrift_web::Query;

/// Decoded fields, in their original order.
pub(crate) struct FormFields(Vec<(String, String)>);

impl From<Query> for FormFields {
    fn from(query: Query) -> Self {
        Self(query.into_pairs())
    }
}

impl FormFields {
    pub(crate) fn pairs(&self) -> &[(String, String)] {
        &self.0
    }

    /// The first value of a field. Empty if the field is missing.
    pub(crate) fn one(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(field, _)| field == name);
        found.map_or("", |(_, value)| value)
    }

    /// Whether the field was sent. Browsers send the fields of checked boxes only.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }

    pub(crate) fn all<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s str> {
        self.0.iter().filter(move |(field, _)| field == name).map(|(_, value)| value.as_str())
    }

    /// Names in a field that repeats, contains commas, or both.
    pub(crate) fn names(&self, name: &str) -> Vec<String> {
        let names = self.all(name).flat_map(|value| value.split(','));
        names.map(str::trim).filter(|name| !name.is_empty()).map(ToOwned::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_may_repeat() {
        let fields = FormFields::from(Query::parse("a=1&b=&a=2%2C3&a=").unwrap());
        assert_eq!(fields.one("a"), "1");
        assert_eq!(fields.names("a"), ["1", "2", "3"]);
        assert!(fields.has("b") && !fields.has("c"));
        assert_eq!(fields.one("c"), "");
    }
}
