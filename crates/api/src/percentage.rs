//! Percentages of devices.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Number;
use spindrift_core::{BasisPoints, InvalidPercentage};

/// A percentage of devices, 0 to 100 with up to two decimals. A number in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Percentage(#[serde(with = "spindrift_core::percentage")] pub BasisPoints);

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Percentage {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Percentage".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "number", "minimum": 0, "maximum": 100, "multipleOf": 0.01 })
    }
}

impl From<Percentage> for Number {
    fn from(percent: Percentage) -> Self {
        percent.0.to_number()
    }
}

impl std::str::FromStr for Percentage {
    type Err = InvalidPercentage;

    fn from_str(text: &str) -> Result<Self, InvalidPercentage> {
        text.parse().map(Self)
    }
}

impl fmt::Display for Percentage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
