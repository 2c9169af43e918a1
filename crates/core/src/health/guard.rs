//! The instruction to stop an unhealthy release.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Number, Value};

use crate::shortened;
use crate::{InvalidValue, quoted_json};

/// A number with up to three decimals, 0 to 1,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Thousandths(u32);

impl Thousandths {
    /// From thousandths of one.
    pub const fn new(thousandths: u32) -> Self {
        Self(thousandths)
    }

    fn from_json(number: &Value) -> Option<Self> {
        let scaled = number.as_f64()? * 1000.0;
        let whole = scaled.round();
        // Decimal fractions such as 0.007 have no exact form, so the product is only nearly whole.
        if (scaled - whole).abs() > 1e-6 || !(0.0..=1_000_000.0).contains(&whole) {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number up to a million"
        )]
        Some(Self(whole as u32))
    }

    /// The number.
    pub fn to_f64(self) -> f64 {
        f64::from(self.0) / 1000.0
    }

    /// The number in JSON: whole ones without decimals.
    pub fn to_number(self) -> Number {
        let exact = Number::from_f64(self.to_f64()).filter(|_| !self.0.is_multiple_of(1000));
        exact.unwrap_or_else(|| (self.0 / 1000).into())
    }
}

/// The step of a guard run against an unhealthy release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuardAction {
    /// Pauses the plan: devices that may have the release still get it.
    Pause,
    /// Halts the rollout: no further device gets the release.
    Halt,
}

impl GuardAction {
    /// The text form in requests, answers and the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pause => "pause",
            Self::Halt => "halt",
        }
    }
}

/// The instruction to stop a release automatically, with its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// The step.
    pub on_unhealthy: GuardAction,
    /// The chance of a false alarm, 0.001 to 0.1: while the release fails at most `factor` times as
    /// often as the one before, it is stopped no more often than this, however often it is checked.
    pub alpha: Thousandths,
    /// How much more often than before a release may fail, 1 to 10.
    pub factor: Thousandths,
    /// The minimum number of failing devices that counts as evidence, 3 to 1,000.
    pub min_failing: u32,
    /// The failures of a healthy release per device-day, in thousandths: 0.001 to 1,000. It
    /// replaces the comparison of `running` with the previous version.
    pub max_per_1000: Option<Thousandths>,
    /// The release is unhealthy once more devices than these have failed, 1 to 1,000,000, whatever else is
    /// known.
    pub max_failing: Option<u32>,
}

/// A key of a guard is unknown or has an invalid value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid guard: {0}")]
pub struct InvalidGuard(String);

impl From<InvalidValue> for InvalidGuard {
    fn from(value: InvalidValue) -> Self {
        Self(value.to_string())
    }
}

const KEYS: [&str; 6] = ["on_unhealthy", "alpha", "factor", "min_failing", "max_per_1000", "max_failing"];

impl Guard {
    /// A guard with the default limits.
    pub const fn new(on_unhealthy: GuardAction) -> Self {
        Self {
            on_unhealthy,
            alpha: Thousandths::new(10),
            factor: Thousandths::new(1250),
            min_failing: 5,
            max_per_1000: None,
            max_failing: None,
        }
    }

    /// The evidence that makes a release unhealthy, as a natural logarithm.
    pub fn needed(&self) -> f64 {
        // There are two series.
        (2.0 / self.alpha.to_f64()).ln()
    }

    /// Parses a JSON object. Missing and null keys have their defaults, except `on_unhealthy`,
    /// which is required.
    pub fn from_json(guard: &Value) -> Result<Self, InvalidGuard> {
        let Value::Object(keys) = guard else {
            return Err(InvalidGuard(format!("an object, not {}", quoted_json(guard))));
        };
        if let Some(unknown) = keys.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let known = KEYS.join(", ");
            return Err(InvalidGuard(format!("{}: no such key, only {known}", shortened(unknown))));
        }
        let action = match keys.get("on_unhealthy").and_then(Value::as_str) {
            Some("pause") => GuardAction::Pause,
            Some("halt") => GuardAction::Halt,
            _ => {
                let sent = keys.get("on_unhealthy").unwrap_or(&Value::Null);
                return Err(InvalidValue::of_json("on_unhealthy", "pause or halt", sent).into());
            }
        };
        let default = Self::new(action);
        let keys = GuardFields(keys);
        Ok(Self {
            alpha: keys
                .decimal(("alpha", "0.001 to 0.1, with up to three decimals"), 1, 100)?
                .unwrap_or(default.alpha),
            factor: keys
                .decimal(("factor", "1 to 10, with up to three decimals"), 1000, 10_000)?
                .unwrap_or(default.factor),
            min_failing: keys
                .whole(("min_failing", "a whole number from 3 to 1000"), 3, 1000)?
                .unwrap_or(default.min_failing),
            max_per_1000: keys.decimal(
                ("max_per_1000", "0.001 to 1000, with up to three decimals"),
                1,
                1_000_000,
            )?,
            max_failing: keys.whole(("max_failing", "a whole number from 1 to 1000000"), 1, 1_000_000)?,
            ..default
        })
    }
}

struct GuardFields<'a>(&'a Map<String, Value>);

impl GuardFields<'_> {
    fn read<T>(
        &self,
        (key, rule): (&'static str, &'static str),
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<Option<T>, InvalidGuard> {
        let value = self.0.get(key).filter(|value| !value.is_null());
        let invalid = |value: &Value| InvalidValue::of_json(key, rule, value).into();
        value.map(|value| read(value).ok_or_else(|| invalid(value))).transpose()
    }

    /// `min` and `max` are thousandths.
    fn decimal(
        &self,
        key: (&'static str, &'static str),
        min: u32,
        max: u32,
    ) -> Result<Option<Thousandths>, InvalidGuard> {
        self.read(key, |value| Thousandths::from_json(value).filter(|number| (min..=max).contains(&number.0)))
    }

    fn whole(
        &self,
        key: (&'static str, &'static str),
        min: u32,
        max: u32,
    ) -> Result<Option<u32>, InvalidGuard> {
        let number = |value: &Value| u32::try_from(value.as_u64()?).ok();
        self.read(key, |value| number(value).filter(|number| (min..=max).contains(number)))
    }
}

/// The form in the database and in answers.
#[derive(Serialize)]
struct GuardJson {
    on_unhealthy: &'static str,
    alpha: Number,
    factor: Number,
    min_failing: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_per_1000: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_failing: Option<u32>,
}

impl Serialize for Guard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let json = GuardJson {
            on_unhealthy: self.on_unhealthy.as_str(),
            alpha: self.alpha.to_number(),
            factor: self.factor.to_number(),
            min_failing: self.min_failing,
            max_per_1000: self.max_per_1000.map(Thousandths::to_number),
            max_failing: self.max_failing,
        };
        json.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Guard {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_json(&Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn guards_are_objects() {
        let guard = Guard::from_json(&json!({ "on_unhealthy": "pause", "factor": null })).unwrap();
        assert_eq!(guard, Guard::new(GuardAction::Pause));
        let written = serde_json::to_value(guard).unwrap();
        let defaults = json!({ "on_unhealthy": "pause", "alpha": 0.01, "factor": 1.25, "min_failing": 5 });
        assert_eq!(written, defaults);
        let all = json!({
            "on_unhealthy": "halt", "alpha": 0.007, "factor": 2, "min_failing": 3, "max_per_1000": 2.5, "max_failing": 20,
        });
        assert_eq!(serde_json::to_value(Guard::from_json(&all).unwrap()).unwrap(), all);
    }

    #[test]
    fn errors_name_the_key() {
        for (json, error) in [
            (json!(["pause"]), "an object, not [\"pause\"]"),
            (json!({}), "on_unhealthy: pause or halt, not null"),
            (json!({ "on_unhealthy": "stop" }), "on_unhealthy: pause or halt, not \"stop\""),
            (
                json!({ "on_unhealthy": "pause", "alpha": 0.0005 }),
                "alpha: 0.001 to 0.1, with up to three decimals, not 0.0005",
            ),
            (json!({ "on_unhealthy": "pause", "alpha": 0.0015 }), "alpha: "),
            (json!({ "on_unhealthy": "pause", "alpha": 0.2 }), "alpha: "),
            (
                json!({ "on_unhealthy": "pause", "factor": 0.9 }),
                "factor: 1 to 10, with up to three decimals, not 0.9",
            ),
            (json!({ "on_unhealthy": "pause", "factor": "2" }), "factor: "),
            (
                json!({ "on_unhealthy": "pause", "min_failing": 2 }),
                "min_failing: a whole number from 3 to 1000, not 2",
            ),
            (json!({ "on_unhealthy": "pause", "min_failing": 3.5 }), "min_failing: "),
            (
                json!({ "on_unhealthy": "pause", "max_failing": 0 }),
                "max_failing: a whole number from 1 to 1000000",
            ),
            (json!({ "on_unhealthy": "pause", "max_per_1000": 1001 }), "max_per_1000: 0.001 to 1000"),
            (
                json!({ "on_unhealthy": "pause", "beta": 1 }),
                "beta: no such key, only on_unhealthy, alpha, factor",
            ),
        ] {
            let message = Guard::from_json(&json).unwrap_err().to_string();
            assert!(message.starts_with(&format!("invalid guard: {error}")), "{json}: {message}");
        }
    }
}
