//! Routes with their descriptions.

use super::call::Call;

/// A route of a component, with the description of the call that it leads to.
#[derive(Debug, Clone)]
pub struct Route {
    pub component: &'static str,
    /// In capitals.
    pub method: &'static str,
    /// The path, where `{x}` is any one segment, and `{x...}` at the end one or more.
    pub path: &'static str,
    pub call: Call,
}

impl Route {
    /// The names of the variable segments.
    pub fn segments(&self) -> impl Iterator<Item = &'static str> {
        let names = self.path.split('/').filter_map(|segment| segment.strip_prefix('{'));
        names.map(|name| name.trim_end_matches('}').trim_end_matches("..."))
    }

    /// The path in the form of OpenAPI, where a variable segment has only a name.
    pub(super) fn template(&self) -> String {
        self.path.replace("...}", "}")
    }
}
