//! Reading rows.

use spindrift_core::{Id, Timestamp};

use crate::{SqlError, SqlRow, SqlValue};

/// A row read by column number, from 0. A column of another type than asked for means that table and code disagree.
pub(crate) struct Row(pub(crate) SqlRow);

impl Row {
    fn wrong(&self, column: usize) -> SqlError {
        SqlError::Unavailable(format!("column {column} of {} has an unexpected value", self.0.len()))
    }

    pub(crate) fn text(&self, column: usize) -> Result<&str, SqlError> {
        match self.0.get(column) {
            Some(SqlValue::Text(text)) => Ok(text),
            _ => Err(self.wrong(column)),
        }
    }

    pub(crate) fn optional_text(&self, column: usize) -> Result<Option<String>, SqlError> {
        match self.0.get(column) {
            Some(SqlValue::Null) => Ok(None),
            _ => self.text(column).map(|text| Some(text.to_owned())),
        }
    }

    pub(crate) fn integer(&self, column: usize) -> Result<i64, SqlError> {
        match self.0.get(column) {
            Some(SqlValue::Integer(n)) => Ok(*n),
            _ => Err(self.wrong(column)),
        }
    }

    pub(crate) fn unsigned(&self, column: usize) -> Result<u64, SqlError> {
        u64::try_from(self.integer(column)?).map_err(|_| self.wrong(column))
    }

    pub(crate) fn bool(&self, column: usize) -> Result<bool, SqlError> {
        Ok(self.integer(column)? != 0)
    }

    pub(crate) fn time(&self, column: usize) -> Result<Timestamp, SqlError> {
        self.integer(column).map(Timestamp::from_millis)
    }

    pub(crate) fn optional_time(&self, column: usize) -> Result<Option<Timestamp>, SqlError> {
        match self.0.get(column) {
            Some(SqlValue::Null) => Ok(None),
            _ => self.time(column).map(Some),
        }
    }

    pub(crate) fn id(&self, column: usize) -> Result<Id, SqlError> {
        self.text(column).map(Id::from_text)
    }

    /// An identifier where the empty text (or NULL) stands for none.
    pub(crate) fn optional_id(&self, column: usize) -> Result<Option<Id>, SqlError> {
        Ok(self.optional_text(column)?.filter(|text| !text.is_empty()).map(Id::from_text))
    }

    /// A text that `parse` accepts: what was validated before it was stored.
    pub(crate) fn parsed<T: std::str::FromStr>(&self, column: usize) -> Result<T, SqlError> {
        self.text(column)?.parse().map_err(|_| self.wrong(column))
    }

    /// As [`Row::parsed`], where NULL stands for none.
    pub(crate) fn optional_parsed<T: std::str::FromStr>(&self, column: usize) -> Result<Option<T>, SqlError> {
        match self.0.get(column) {
            Some(SqlValue::Null) => Ok(None),
            _ => self.parsed(column).map(Some),
        }
    }

    pub(crate) fn json<T: serde::de::DeserializeOwned>(&self, column: usize) -> Result<T, SqlError> {
        serde_json::from_str(self.text(column)?).map_err(|_| self.wrong(column))
    }
}

/// JSON for a column. Our types have no maps with keys that are not text, so this cannot fail on them.
pub(crate) fn to_json(value: &impl serde::Serialize) -> Result<String, SqlError> {
    serde_json::to_string(value).map_err(|error| SqlError::Unavailable(error.to_string()))
}

/// The column for an identifier that may be absent.
pub(crate) fn id_or_empty(id: Option<&Id>) -> SqlValue {
    id.map_or("", Id::as_str).into()
}
