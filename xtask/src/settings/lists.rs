//! Lists with one line for each component, in the source and the manifests of crates that link components.

use crate::declarations::Component;

/// The dependencies on components.
pub(super) fn dependencies<'a>(
    text: &str,
    components: impl Iterator<Item = &'a Component>,
) -> Result<String, String> {
    let line = |component: &Component| {
        let name = &component.name;
        format!("component-{name} = {{ path = \"../../components/{name}\" }}")
    };
    replace(text, "component-", components.map(line))
}

/// The components of the server.
pub(super) fn linked(text: &str, components: &[Component]) -> Result<String, String> {
    let line = |component: &Component| {
        let work = component.work?;
        Some(format!("    \"{}\" {work:?} {}::*", component.name, component.crate_name()))
    };
    replace(text, "    \"", components.iter().filter_map(line))
}

/// The components of the description.
pub(super) fn described(text: &str, components: &[Component]) -> Result<String, String> {
    let line = |component: &Component| {
        let (name, library) = (&component.name, component.crate_name());
        format!("    add(\"{name}\", &{library}::ROUTES, {library}::describe, &mut all);")
    };
    replace(text, "    add(\"", components.iter().filter(|component| component.is_described).map(line))
}

/// Replaces the successive lines that begin with `start`.
fn replace(text: &str, start: &str, lines: impl Iterator<Item = String>) -> Result<String, String> {
    let before: usize =
        text.split_inclusive('\n').take_while(|line| !line.starts_with(start)).map(str::len).sum();
    let old: usize =
        text[before..].split_inclusive('\n').take_while(|line| line.starts_with(start)).map(str::len).sum();
    if old == 0 {
        return Err(format!("no line begins with {start:?}"));
    }
    let new: String = lines.map(|line| line + "\n").collect();
    Ok([&text[..before], &new, &text[before + old..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_list_is_replaced() {
        let lines = || ["a-1".to_owned(), "a-3".to_owned()].into_iter();
        assert_eq!(replace("x\na-1\na-2\ny\n", "a-", lines()).unwrap(), "x\na-1\na-3\ny\n");
        assert!(replace("x\n", "a-", lines()).unwrap_err().contains("a-"));
    }
}
