//! Reading rows by column name.

use spindrift_core::{
    AccentColor, AppName, ArchName, BasisPoints, ChannelName, DeviceGroupName, DownloadMode, EventType,
    FileName, GroupHash, GroupStatus, Id, Listing, Package, PlatformName, Reason, Target, Timestamp, Updater,
    UserName, Version, Visibility,
};

use crate::{SqlError, SqlRows, SqlValue};

impl SqlRows {
    /// Reads all rows with `read`.
    pub(crate) fn all<T, C: FromIterator<T>>(
        &self,
        read: impl Fn(&Row<'_>) -> Result<T, SqlError>,
    ) -> Result<C, SqlError> {
        self.iter().map(|row| read(&row)).collect()
    }

    /// Reads the first row with `read`. `Ok(None)` if there are no rows.
    pub(crate) fn one<T>(
        &self,
        read: impl FnOnce(&Row<'_>) -> Result<T, SqlError>,
    ) -> Result<Option<T>, SqlError> {
        self.iter().next().map(|row| read(&row)).transpose()
    }

    /// Whether there are any rows.
    pub(crate) fn exist(&self) -> bool {
        !self.values.is_empty()
    }

    fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        self.values.iter().map(|values| Row { columns: &self.columns, values })
    }
}

/// One row. A missing column, or a value of an unexpected type, means that the statement and the code
/// disagree, or that another program has written to the table.
pub(crate) struct Row<'a> {
    columns: &'a [String],
    values: &'a [SqlValue],
}

impl Row<'_> {
    /// The value of a column.
    pub(crate) fn get<T: FromColumn>(&self, column: &str) -> Result<T, SqlError> {
        self.value(column).and_then(T::from_column).ok_or_else(|| wrong(column))
    }

    /// The columns `channel_id`, `platform_id` and `arch_id`.
    pub(crate) fn target(&self) -> Result<Target, SqlError> {
        Ok(Target {
            channel_id: self.get("channel_id")?,
            platform_id: self.get("platform_id")?,
            arch_id: self.get("arch_id")?,
        })
    }

    /// The value of a column that holds JSON.
    pub(crate) fn json<T: serde::de::DeserializeOwned>(&self, column: &str) -> Result<T, SqlError> {
        serde_json::from_str(self.text(column)?).map_err(|_| wrong(column))
    }

    /// Like [`Row::json`], with NULL as `None`.
    pub(crate) fn optional_json<T: serde::de::DeserializeOwned>(
        &self,
        column: &str,
    ) -> Result<Option<T>, SqlError> {
        match self.value(column) {
            Some(SqlValue::Null) => Ok(None),
            _ => self.json(column).map(Some),
        }
    }

    /// A text, borrowed from the row.
    pub(crate) fn text(&self, column: &str) -> Result<&str, SqlError> {
        self.value(column).and_then(text).ok_or_else(|| wrong(column))
    }

    fn value(&self, column: &str) -> Option<&SqlValue> {
        self.values.get(self.columns.iter().position(|name| name == column)?)
    }
}

/// The error for a column whose value no version of this service writes.
pub(crate) fn wrong(column: &str) -> SqlError {
    SqlError::Unavailable(format!("the column {column} is missing or has an unexpected value"))
}

/// A type that a column can be read as.
pub(crate) trait FromColumn: Sized {
    /// Whether an empty text stands for `None` in an optional column.
    const EMPTY_IS_NONE: bool = false;
    /// `None` if the value has another type.
    fn from_column(value: &SqlValue) -> Option<Self>;
}

fn text(value: &SqlValue) -> Option<&str> {
    if let SqlValue::Text(text) = value { Some(text) } else { None }
}

impl<T: FromColumn> FromColumn for Option<T> {
    fn from_column(value: &SqlValue) -> Option<Self> {
        match value {
            SqlValue::Null => Some(None),
            SqlValue::Text(text) if T::EMPTY_IS_NONE && text.is_empty() => Some(None),
            value => T::from_column(value).map(Some),
        }
    }
}

impl FromColumn for String {
    fn from_column(value: &SqlValue) -> Option<Self> {
        text(value).map(str::to_owned)
    }
}

impl FromColumn for i64 {
    fn from_column(value: &SqlValue) -> Option<Self> {
        if let SqlValue::Integer(number) = value { Some(*number) } else { None }
    }
}

impl FromColumn for u64 {
    fn from_column(value: &SqlValue) -> Option<Self> {
        Self::try_from(i64::from_column(value)?).ok()
    }
}

impl FromColumn for u32 {
    fn from_column(value: &SqlValue) -> Option<Self> {
        Self::try_from(i64::from_column(value)?).ok()
    }
}

impl FromColumn for u16 {
    fn from_column(value: &SqlValue) -> Option<Self> {
        Self::try_from(i64::from_column(value)?).ok()
    }
}

impl FromColumn for BasisPoints {
    fn from_column(value: &SqlValue) -> Option<Self> {
        Self::new(u16::from_column(value)?)
    }
}

impl FromColumn for u8 {
    fn from_column(value: &SqlValue) -> Option<Self> {
        Self::try_from(i64::from_column(value)?).ok()
    }
}

impl FromColumn for bool {
    fn from_column(value: &SqlValue) -> Option<Self> {
        Some(i64::from_column(value)? != 0)
    }
}

impl FromColumn for Timestamp {
    fn from_column(value: &SqlValue) -> Option<Self> {
        i64::from_column(value).map(Self::from_millis)
    }
}

impl FromColumn for Id {
    const EMPTY_IS_NONE: bool = true;

    fn from_column(value: &SqlValue) -> Option<Self> {
        text(value).map(Self::from_text)
    }
}

impl FromColumn for Visibility {
    fn from_column(value: &SqlValue) -> Option<Self> {
        let text = text(value)?;
        [Self::Public, Self::Private].into_iter().find(|visibility| visibility.as_str() == text)
    }
}

/// Texts that were validated before they were stored.
macro_rules! parsed {
    ($($type:ty),+) => {
        $(impl FromColumn for $type {
            fn from_column(value: &SqlValue) -> Option<Self> {
                text(value)?.parse().ok()
            }
        })+
    };
}

parsed!(
    UserName,
    AppName,
    ChannelName,
    PlatformName,
    ArchName,
    Version,
    Package,
    FileName,
    Updater,
    DeviceGroupName
);
parsed!(AccentColor, DownloadMode, Listing, GroupHash, GroupStatus, EventType, Reason);

/// Serialises a value as JSON for a column. Cannot fail for our types: their map keys are always text.
pub(crate) fn to_json(value: &(impl serde::Serialize + ?Sized)) -> Result<String, SqlError> {
    serde_json::to_string(value).map_err(|error| SqlError::Unavailable(error.to_string()))
}

/// The column value of an optional id: empty if absent.
pub(crate) fn id_or_empty(id: Option<&Id>) -> SqlValue {
    id.map_or("", Id::as_str).into()
}

/// The column values of channel, platform and architecture; empty if absent.
pub(crate) fn target_ids(target: &Target) -> [SqlValue; 3] {
    [&target.channel_id, &target.platform_id, &target.arch_id].map(|id| id_or_empty(id.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(values: Vec<Vec<SqlValue>>) -> SqlRows {
        SqlRows { columns: ["id", "name", "count"].map(str::to_owned).to_vec(), values }
    }

    #[test]
    fn columns_are_read_by_name() {
        let rows = rows(vec![vec!["a".into(), "acme".into(), SqlValue::Integer(3)]]);
        let read = |row: &Row<'_>| Ok((row.get::<u64>("count")?, row.get::<Id>("id")?, row.get("name")?));
        assert_eq!(rows.one(read), Ok(Some((3, Id::from_text("a"), "acme".parse::<UserName>().unwrap()))));
        assert_eq!(rows.all::<_, Vec<_>>(|row| row.get::<i64>("count")), Ok(vec![3]));
    }

    #[test]
    fn no_row_is_none_and_no_value_is_none() {
        assert_eq!(rows(vec![]).one(|row| row.get::<i64>("count")), Ok(None));
        assert!(!rows(vec![]).exist());
        let rows = rows(vec![vec!["".into(), SqlValue::Null, SqlValue::Null]]);
        assert_eq!(rows.one(|row| row.get::<Option<Id>>("id")), Ok(Some(None)), "an empty identifier");
        assert_eq!(rows.one(|row| row.get::<Option<String>>("id")), Ok(Some(Some(String::new()))));
        assert_eq!(rows.one(|row| row.get::<Option<AppName>>("name")), Ok(Some(None)));
        assert_eq!(rows.one(|row| row.optional_json::<Vec<u8>>("name")), Ok(Some(None)));
    }

    #[test]
    fn a_column_that_is_not_there_or_of_another_type_is_an_error() {
        let rows = rows(vec![vec!["a".into(), "not/a name".into(), SqlValue::Integer(-1)]]);
        assert_eq!(rows.one(|row| row.get::<i64>("other")), Err(wrong("other")));
        assert_eq!(rows.one(|row| row.get::<i64>("id")), Err(wrong("id")));
        assert_eq!(rows.one(|row| row.get::<AppName>("name")), Err(wrong("name")));
        assert_eq!(rows.one(|row| row.get::<u64>("count")), Err(wrong("count")));
        assert_eq!(rows.one(|row| row.json::<i64>("name")), Err(wrong("name")));
    }
}
