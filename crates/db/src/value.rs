//! The values of a statement's parameters, and of the rows that it returns.

use spindrift_core::{
    AccentColor, AppName, ArchName, BasisPoints, ChannelName, Day, DeviceGroupName, DownloadMode, EventType,
    FileName, GroupHash, GroupStatus, Id, Listing, Package, PlatformName, Reason, Sha256Hex, Sha512Hex,
    Timestamp, Updater, UserName, Version, Visibility,
};

/// A value that SQLite stores or returns.
#[derive(Debug, Clone, PartialEq)]
pub enum SqlValue {
    /// SQL `NULL`.
    Null,
    /// A 64-bit signed integer; booleans are 0 and 1, times are Unix milliseconds.
    Integer(i64),
    /// A 64-bit float.
    Real(f64),
    /// UTF-8 text.
    Text(String),
    /// Raw bytes.
    Blob(Vec<u8>),
}

/// The parameters of a statement, in their order: `params![owner, &app.name, now]`. Each can be anything that
/// converts to an [`SqlValue`].
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        [$($crate::SqlValue::from($value)),*]
    };
}
pub(crate) use params;

impl From<&str> for SqlValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for SqlValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&String> for SqlValue {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl From<bool> for SqlValue {
    fn from(is_set: bool) -> Self {
        i64::from(is_set).into()
    }
}

impl From<i64> for SqlValue {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

/// Numbers whose values all fit into SQLite's integers.
macro_rules! small_numbers {
    ($($type:ty),+) => {
        $(impl From<$type> for SqlValue {
            fn from(number: $type) -> Self {
                i64::from(number).into()
            }
        })+
    };
}

small_numbers!(u8, u16, u32);

/// A number above SQLite's largest integer is stored as that integer. Sizes, versions and positions in lists
/// are far below it.
impl From<u64> for SqlValue {
    fn from(number: u64) -> Self {
        i64::try_from(number).unwrap_or(i64::MAX).into()
    }
}

impl From<BasisPoints> for SqlValue {
    fn from(part: BasisPoints) -> Self {
        part.get().into()
    }
}

/// In Unix milliseconds.
impl From<Timestamp> for SqlValue {
    fn from(moment: Timestamp) -> Self {
        moment.as_millis().into()
    }
}

/// As the number of days since 1970.
impl From<Day> for SqlValue {
    fn from(day: Day) -> Self {
        day.number().into()
    }
}

impl<T: Into<SqlValue>> From<Option<T>> for SqlValue {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// Types that are stored as their text.
macro_rules! texts {
    ($($type:ty),+) => {
        $(impl From<$type> for SqlValue {
            fn from(value: $type) -> Self {
                value.as_str().into()
            }
        })+
    };
}

texts!(
    &Id,
    &UserName,
    &AppName,
    &ChannelName,
    &PlatformName,
    &ArchName,
    &Version,
    &Package,
    &FileName,
    &DeviceGroupName
);
texts!(&AccentColor, &GroupHash, &Reason, &Sha256Hex, &Sha512Hex);
texts!(Updater, DownloadMode, Listing, GroupStatus, EventType, Visibility);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_stored_as_the_tables_have_them() {
        let id = Id::from_text("a");
        let stored = params![&id, Some(&id), None::<i64>, true, u64::MAX, Timestamp::from_millis(5)];
        let text = || SqlValue::Text("a".to_owned());
        let integer = SqlValue::Integer;
        assert_eq!(stored, [text(), text(), SqlValue::Null, integer(1), integer(i64::MAX), integer(5)]);
    }
}
