//! Finds the component for a path.

use std::borrow::Cow;

/// A route of the manifest, split into segments.
#[derive(Debug, Clone)]
struct RoutePattern {
    raw: String,
    segments: Vec<Segment>,
    /// Whether the route ends in `/...`, which matches any number of further segments, including none.
    open: bool,
    component: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    Exact(String),
    /// `:name`: matches any one segment.
    Named(String),
}

/// All routes, most specific first.
#[derive(Debug, Clone, Default)]
pub struct Routes(Vec<RoutePattern>);

/// A matching route, with the texts that its variable parts matched.
#[derive(Debug)]
pub struct RouteMatch<'a> {
    route: Cow<'a, RoutePattern>,
    /// The text matched by `...`: empty, or beginning with `/`.
    pub path_info: String,
    /// The text matched by each `:name`.
    pub variables: Vec<(&'a str, &'a str)>,
}

impl Routes {
    /// Builds the table from `(route, component)` pairs.
    ///
    /// # Errors
    /// A malformed or duplicate route, named in the text.
    pub fn new(pairs: &[(String, String)]) -> Result<Self, String> {
        let mut routes: Vec<RoutePattern> = Vec::with_capacity(pairs.len());
        for (raw, component) in pairs {
            let route = RoutePattern::parse(raw, component)?;
            if let Some(twin) = routes.iter().find(|other| other.same_shape(&route)) {
                return Err(format!("the routes `{}` and `{raw}` are the same", twin.raw));
            }
            routes.push(route);
        }
        routes.sort_by_key(RoutePattern::rank);
        Ok(Self(routes))
    }

    /// The most specific route that matches `path`. A trailing slash makes no difference.
    pub fn find<'a>(&'a self, path: &'a str) -> Option<RouteMatch<'a>> {
        let trimmed = path.trim_matches('/');
        let parts: Vec<&str> = if trimmed.is_empty() { Vec::new() } else { trimmed.split('/').collect() };
        self.0.iter().find_map(|route| route.matches(path, &parts))
    }
}

impl RouteMatch<'_> {
    /// The match of a request that is addressed to a component itself: the whole path.
    pub fn of_component(id: &str, path: &str) -> Self {
        let route = RoutePattern {
            raw: "/...".to_owned(),
            segments: Vec::new(),
            open: true,
            component: id.to_owned(),
        };
        Self { path_info: remainder(path, 0), route: Cow::Owned(route), variables: Vec::new() }
    }

    pub fn component(&self) -> &str {
        &self.route.component
    }

    /// The route as written in the manifest.
    pub fn raw(&self) -> &str {
        &self.route.raw
    }

    /// The route without its final `/...`.
    pub fn prefix(&self) -> &str {
        self.route.raw.strip_suffix("/...").unwrap_or(&self.route.raw)
    }
}

impl RoutePattern {
    fn parse(raw: &str, component: &str) -> Result<Self, String> {
        let Some(rest) = raw.strip_prefix('/') else {
            return Err(format!("the route `{raw}` does not begin with `/`"));
        };
        let mut parts: Vec<&str> =
            rest.trim_end_matches('/').split('/').filter(|part| !part.is_empty()).collect();
        let open = parts.last() == Some(&"...");
        if open {
            parts.pop();
        }
        if parts.contains(&"...") {
            return Err(format!("the route `{raw}` has `...` before its end"));
        }
        let segments = parts
            .into_iter()
            .map(|part| match part.strip_prefix(':') {
                Some(name) => Segment::Named(name.to_owned()),
                None => Segment::Exact(part.to_owned()),
            })
            .collect();
        Ok(Self { raw: raw.to_owned(), segments, open, component: component.to_owned() })
    }

    /// Sort key: at the first difference between two routes, exact text comes before `:name`, and both before
    /// `...`.
    fn rank(&self) -> Vec<u8> {
        let mut rank: Vec<u8> =
            self.segments.iter().map(|segment| u8::from(matches!(segment, Segment::Named(_)))).collect();
        rank.push(if self.open { 3 } else { 2 });
        rank
    }

    fn same_shape(&self, other: &Self) -> bool {
        let alike = |(a, b): (&Segment, &Segment)| match (a, b) {
            (Segment::Exact(a), Segment::Exact(b)) => a == b,
            (Segment::Named(_), Segment::Named(_)) => true,
            _ => false,
        };
        self.open == other.open
            && self.segments.len() == other.segments.len()
            && self.segments.iter().zip(&other.segments).all(alike)
    }

    fn matches<'a>(&'a self, path: &'a str, parts: &[&'a str]) -> Option<RouteMatch<'a>> {
        let fits_length =
            if self.open { parts.len() >= self.segments.len() } else { parts.len() == self.segments.len() };
        if !fits_length {
            return None;
        }
        let mut variables = Vec::new();
        for (segment, part) in self.segments.iter().zip(parts) {
            match segment {
                Segment::Exact(text) if text == part => {}
                Segment::Exact(_) => return None,
                Segment::Named(name) => variables.push((name.as_str(), *part)),
            }
        }
        let path_info = if self.open { remainder(path, self.segments.len()) } else { String::new() };
        Some(RouteMatch { route: Cow::Borrowed(self), path_info, variables })
    }
}

/// `path` without its first `count` segments.
fn remainder(path: &str, count: usize) -> String {
    let mut rest = path.trim_start_matches('/');
    for _ in 0..count {
        rest = rest.split_once('/').map_or("", |(_, tail)| tail);
    }
    let has_rest = !rest.is_empty() || (count > 0 && path.ends_with('/'));
    if has_rest { format!("/{rest}") } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(routes: &[&str]) -> Routes {
        let pairs: Vec<_> = routes.iter().map(|r| ((*r).to_owned(), format!("for {r}"))).collect();
        Routes::new(&pairs).unwrap()
    }

    #[test]
    fn the_most_specific_route_wins() {
        let routes = table(&["/...", "/a", "/a/...", "/a/:id", "/a/:id/files/...", "/a/b/c"]);
        for (path, expected) in [
            ("/", "/..."),
            ("/x/y", "/..."),
            ("/a", "/a"),
            ("/a/", "/a"),
            ("/a/b", "/a/:id"),
            ("/a/b/c", "/a/b/c"),
            ("/a/b/d", "/a/..."),
            ("/a/7/files/x", "/a/:id/files/..."),
        ] {
            assert_eq!(routes.find(path).unwrap().raw(), expected, "{path}");
        }
    }

    #[test]
    fn nothing_matches_without_a_route() {
        assert!(table(&["/a"]).find("/b").is_none());
        assert!(table(&["/a/..."]).find("/ab").is_none());
    }

    #[test]
    fn variable_parts_are_reported() {
        let routes = table(&["/foo/:userid/..."]);
        let found = routes.find("/foo/42/bar").unwrap();
        assert_eq!(found.path_info, "/bar");
        assert_eq!(found.variables, [("userid", "42")]);
        assert_eq!(found.prefix(), "/foo/:userid");
        assert_eq!(routes.find("/foo/42").unwrap().path_info, "");
    }

    #[test]
    fn malformed_and_double_routes_are_refused() {
        for routes in [vec!["a"], vec!["/a/.../b"], vec!["/a", "/a/"], vec!["/:x", "/:y"]] {
            let pairs: Vec<_> = routes.iter().map(|r| ((*r).to_owned(), "c".to_owned())).collect();
            assert!(Routes::new(&pairs).is_err(), "{routes:?}");
        }
    }
}
