//! The JSON of percentages and plans, on the wire and in the database: `5`, `[{"percent": 5, "for": "12h"},
//! {"percent": 100}]`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Number, Value, json};

use super::{BasisPoints, InvalidPercentage, InvalidPlan, Plan, PlanFault, PlanStep};

impl BasisPoints {
    /// The percentage as a number in JSON: whole ones without decimals.
    pub fn to_number(self) -> Number {
        let exact = Number::from_f64(self.to_f64()).filter(|_| !self.is_whole());
        exact.unwrap_or_else(|| self.percent().into())
    }

    /// Like [`BasisPoints::to_number`], for fields of any type.
    pub fn to_json(self) -> Value {
        self.to_number().into()
    }

    /// Parses a JSON number.
    pub fn from_number(percent: &Number) -> Result<Self, InvalidPercentage> {
        Self::from_f64(percent.as_f64().ok_or(InvalidPercentage)?)
    }

    /// Like [`BasisPoints::from_number`]. `None`: not a percentage.
    pub fn from_json(percent: &Value) -> Option<Self> {
        Self::from_f64(percent.as_f64()?).ok()
    }
}

impl Plan {
    /// The steps in JSON.
    pub fn to_json(&self) -> Value {
        let step = |step: &PlanStep| match step.lasts {
            Some(lasts) => json!({ "percent": step.to.to_json(), "for": lasts.to_string() }),
            None => json!({ "percent": step.to.to_json() }),
        };
        self.steps().iter().map(step).collect()
    }

    /// Parses the steps in JSON. Unknown keys are errors.
    pub fn from_json(steps: &Value) -> Result<Self, InvalidPlan> {
        let steps = steps.as_array().ok_or(InvalidPlan::Steps)?;
        let steps = steps.iter().enumerate();
        Self::new(
            steps
                .map(|(at, step)| read_step(step).map_err(|fault| InvalidPlan::Step { place: at + 1, fault }))
                .collect::<Result<_, _>>()?,
        )
    }
}

fn read_step(step: &Value) -> Result<PlanStep, PlanFault> {
    let step = step.as_object().ok_or(PlanFault::Keys)?;
    if step.keys().any(|key| key != "percent" && key != "for") {
        return Err(PlanFault::Keys);
    }
    let to = step.get("percent").and_then(BasisPoints::from_json).ok_or(PlanFault::Percentage)?;
    let lasts = match step.get("for") {
        None | Some(Value::Null) => None,
        Some(lasts) => Some(lasts.as_str().ok_or(PlanFault::Length)?.parse()?),
    };
    Ok(PlanStep { to, lasts })
}

impl Serialize for Plan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Plan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_json(&Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// For fields that hold a percentage.
pub mod percentage {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use super::{BasisPoints, InvalidPercentage, Value};

    /// Writes the percentage as a number.
    pub fn serialize<S: Serializer>(percent: &BasisPoints, serializer: S) -> Result<S::Ok, S::Error> {
        percent.to_json().serialize(serializer)
    }

    /// Reads a number.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BasisPoints, D::Error> {
        let percent = BasisPoints::from_json(&Value::deserialize(deserializer)?);
        percent.ok_or_else(|| serde::de::Error::custom(InvalidPercentage))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_lists_of_steps() {
        let text = r#"[{"for":"12h","percent":0.1},{"percent":5},{"for":"1d","percent":20},{"percent":100}]"#;
        let plan: Plan = serde_json::from_str(text).unwrap();
        assert_eq!(plan.to_string(), "0.1:12h,5,20:1d,100");
        assert_eq!(serde_json::to_string(&plan).unwrap(), text);
        for (json, error) in [
            (r#""1:1h,100""#, "invalid plan: it has 1 to 50 steps"),
            (r"[5,100]", "invalid plan: step 1: it has the keys percent and for"),
            (
                r#"[{"percent":"5"},{"percent":100}]"#,
                "invalid plan: step 1: the percentage is 0 to 100, with up to two decimals",
            ),
            (
                r#"[{"percent":5,"lasts":"1h"},{"percent":100}]"#,
                "invalid plan: step 1: it has the keys percent and for",
            ),
            (
                r#"[{"percent":5,"for":60},{"percent":100}]"#,
                "invalid plan: step 1: a step lasts 5m to 90d, in whole minutes (m), hours (h) or days (d)",
            ),
        ] {
            assert_eq!(Plan::from_json(&serde_json::from_str(json).unwrap()).unwrap_err().to_string(), error);
        }
    }
}
