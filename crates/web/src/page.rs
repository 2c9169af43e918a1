//! Pages of lists.

use crate::{ApiError, Query};

/// Maximum number of items on a page, unless a list allows more.
const MAX_LIMIT: u32 = 100;

/// The requested page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageQuery {
    /// From 1.
    pub number: u32,
    /// Number of items on a page, at least 1.
    pub limit: u32,
}

impl PageQuery {
    /// Reads the parameters `page`, and `limit` from 1 to 100. Values outside their ranges are a 400.
    pub fn parse(query: &Query, default_limit: u32) -> Result<Self, ApiError> {
        Self::parse_up_to(query, default_limit, MAX_LIMIT)
    }

    /// Like [`PageQuery::parse`], for a list that allows more items on a page.
    pub fn parse_up_to(query: &Query, default_limit: u32, max_limit: u32) -> Result<Self, ApiError> {
        let number = query.optional("page")?.unwrap_or(1);
        let limit = query.optional("limit")?.unwrap_or(default_limit);
        if number == 0 {
            return Err(ApiError::invalid("page", "a number from 1", Some("0")));
        }
        if !(1..=max_limit).contains(&limit) {
            let rule = format!("a number from 1 to {max_limit}");
            return Err(ApiError::invalid("limit", &rule, Some(&limit.to_string())));
        }
        Ok(Self { number, limit })
    }

    /// The number of items on the previous pages.
    pub fn skip(self) -> u64 {
        u64::from(self.number - 1) * u64::from(self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Result<PageQuery, ApiError> {
        PageQuery::parse(&Query::parse(text)?, 9)
    }

    #[test]
    fn pages() {
        assert_eq!(page(""), Ok(PageQuery { number: 1, limit: 9 }));
        assert_eq!(page("page=4294967295&limit=100").unwrap().skip(), 429_496_729_400);
        for (text, error) in [
            ("page=0", "invalid page parameter: a number from 1, not \"0\""),
            ("page=-1", "invalid page parameter: a whole number, not \"-1\""),
            ("limit=0", "invalid limit parameter: a number from 1 to 100, not \"0\""),
            ("limit=101", "invalid limit parameter: a number from 1 to 100, not \"101\""),
            ("limit=many", "invalid limit parameter: a whole number, not \"many\""),
        ] {
            assert_eq!(page(text), Err(ApiError::bad_request(error)), "{text}");
        }
    }
}
