//! Names and paths with wildcards.

/// Whether a pattern matches `name`. A pattern with a final `*` matches every name with that prefix.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == name, |prefix| name.starts_with(prefix))
}

/// Whether one of the patterns matches `name`.
pub(crate) fn matches_any(patterns: &[String], name: &str) -> bool {
    patterns.iter().any(|pattern| matches(pattern, name))
}

/// Whether a pattern matches a path with `/`. `*` matches any one segment, and a final `**` matches one or
/// more.
pub(crate) fn matches_path(pattern: &str, path: &str) -> bool {
    let (mut pattern, mut path) = (pattern.split('/'), path.split('/'));
    loop {
        match (pattern.next(), path.next()) {
            (None, None) | (Some("**"), Some(_)) => return true,
            (Some(wanted), Some(segment)) if wanted == "*" || wanted == segment => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (pattern, name, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "ab", true),
            ("a*", "a", true),
            ("a*", "b", false),
            ("a-*", "a", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn paths() {
        for (pattern, path, expected) in [
            ("a/*/c.rs", "a/b/c.rs", true),
            ("a/*/c.rs", "a/b/b/c.rs", false),
            ("a/**", "a/b", true),
            ("a/**", "a/b/c.rs", true),
            ("a/**", "a", false),
            ("a/b", "a/b/c", false),
        ] {
            assert_eq!(matches_path(pattern, path), expected, "{pattern} {path}");
        }
    }
}
