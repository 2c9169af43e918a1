//! Resolves the channel, platform or architecture of a request.

/// The name for no channel, platform or architecture, in paths and queries.
pub(super) const UNUSED: &str = "default";

/// One of the three dimensions of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DimensionKind {
    /// Release channels.
    Channel,
    /// Platforms.
    Platform,
    /// Architectures.
    Arch,
}

/// The owner's items that are relevant for one dimension of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DimensionChoices<T> {
    /// The item that the request names.
    pub requested: Option<T>,
    /// Whether the application ever published something for that item. Only used if its name is
    /// `default`.
    pub requested_was_used: bool,
    /// The default for clients that name none.
    pub default: Option<T>,
    /// Whether the owner has any item.
    pub any: bool,
    /// Whether the application ever published something without the dimension.
    pub was_unused: bool,
}

/// The result for one dimension of a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dimension<T> {
    /// This item.
    Known(T),
    /// The owner does not have the named item.
    Unknown,
    /// The scope without the dimension.
    Unused,
    /// The request names no item, and its meaning is unclear.
    Required,
}

impl<T> DimensionChoices<T> {
    /// Resolves an installed copy's request. `name`: the name that it sends, if any.
    ///
    /// A copy that sends no name means the owner's default. Without a default it means the scope
    /// without the dimension, if something was ever published there. So the owner's first channel
    /// changes no answer. The name `default` means that scope, unless it is the name of an item
    /// that was published for. A scope in which nothing was ever published has no copies, so the
    /// name then falls back to an item of that name or to the owner's default, and is unknown
    /// without either.
    pub fn of_copy(self, name: Option<&str>) -> Dimension<T> {
        let is_unused = self.was_unused || !self.any;
        match name {
            None => match self.default {
                Some(default) => Dimension::Known(default),
                None if is_unused => Dimension::Unused,
                None => Dimension::Required,
            },
            Some(UNUSED) => match (self.requested, self.default) {
                (Some(requested), _) if self.requested_was_used || !is_unused => Dimension::Known(requested),
                _ if is_unused => Dimension::Unused,
                (None, Some(default)) => Dimension::Known(default),
                _ => Dimension::Unknown,
            },
            Some(_) => self.requested.map_or(Dimension::Unknown, Dimension::Known),
        }
    }

    /// Resolves a publisher's request, which must name an item if the owner has any.
    pub fn of_publisher(self, name: Option<&str>) -> Dimension<T> {
        match (name, self.requested) {
            (Some(_), Some(requested)) => Dimension::Known(requested),
            (Some(_), None) => Dimension::Unknown,
            (None, _) if self.any => Dimension::Required,
            (None, _) => Dimension::Unused,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Dimension::{Known, Required, Unknown, Unused};
    use super::*;

    /// `n`: the named item exists, `u`: and was published for, `d`: there is a default, `a`: there
    /// are items, `w`: something was published without the dimension.
    fn choices(facts: &str) -> DimensionChoices<&'static str> {
        let has = |fact: char| facts.contains(fact);
        DimensionChoices {
            requested: has('n').then_some("named"),
            requested_was_used: has('u'),
            default: has('d').then_some("default"),
            any: has('a') || has('n') || has('d'),
            was_unused: has('w'),
        }
    }

    #[test]
    fn copies() {
        for (name, facts, expected) in [
            (None, "", Unused),
            (None, "a", Required),
            (None, "aw", Unused),
            (None, "d", Known("default")),
            (None, "dw", Known("default")),
            (Some("beta"), "n", Known("named")),
            (Some("beta"), "ndw", Known("named")),
            (Some("beta"), "", Unknown),
            (Some("beta"), "dw", Unknown),
            (Some("default"), "", Unused),
            (Some("default"), "aw", Unused),
            (Some("default"), "dw", Unused),
            (Some("default"), "nw", Unused),
            (Some("default"), "nuw", Known("named")),
            (Some("default"), "n", Known("named")),
            (Some("default"), "nd", Known("named")),
            (Some("default"), "d", Known("default")),
            (Some("default"), "a", Unknown),
        ] {
            assert_eq!(choices(facts).of_copy(name), expected, "{name:?} with {facts:?}");
        }
    }

    #[test]
    fn publishers() {
        for (name, facts, expected) in [
            (None, "", Unused),
            (None, "dw", Required),
            (Some("beta"), "n", Known("named")),
            (Some("beta"), "dw", Unknown),
            (Some("default"), "aw", Unknown),
            (Some("default"), "n", Known("named")),
        ] {
            assert_eq!(choices(facts).of_publisher(name), expected, "{name:?} with {facts:?}");
        }
    }
}
