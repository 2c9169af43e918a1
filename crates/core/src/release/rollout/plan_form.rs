//! The JSON of percentages and plans, on the wire and in the database: `5`, `[{"percent": 5, "for": "12h"},
//! {"percent": 100}]`. A plan with working hours is an object: `{"steps": [...], "begin": {"days": "Mon-Thu",
//! "from": "09:00", "to": "16:00", "offset": "+01:00"}}`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Number, Value, json};

use super::{
    BasisPoints, HoursFault, InvalidPercentage, InvalidPlan, Plan, PlanFault, PlanStep, WorkingHours,
};

/// The number of keys of working hours.
const HOURS_KEYS: usize = 4;

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
    /// The plan in JSON.
    pub fn to_json(&self) -> Value {
        let step = |step: &PlanStep| match step.lasts {
            Some(lasts) => json!({ "percent": step.to.to_json(), "for": lasts.to_string() }),
            None => json!({ "percent": step.to.to_json() }),
        };
        let steps: Value = self.steps().iter().map(step).collect();
        match self.hours() {
            Some(hours) => json!({ "steps": steps, "begin": hours.to_json() }),
            None => steps,
        }
    }

    /// Parses a plan in JSON. Unknown keys are errors.
    pub fn from_json(plan: &Value) -> Result<Self, InvalidPlan> {
        let Some(plan) = plan.as_object() else { return Self::from_steps(plan) };
        if plan.keys().any(|key| key != "steps" && key != "begin") {
            return Err(InvalidPlan::Keys);
        }
        let steps = Self::from_steps(plan.get("steps").ok_or(InvalidPlan::Keys)?)?;
        let hours = plan.get("begin").filter(|begin| !begin.is_null());
        Ok(steps.with_hours(hours.map(WorkingHours::from_json).transpose()?))
    }

    fn from_steps(steps: &Value) -> Result<Self, InvalidPlan> {
        let steps = steps.as_array().ok_or(InvalidPlan::Steps)?;
        let steps = steps.iter().enumerate();
        Self::new(
            steps
                .map(|(at, step)| read_step(step).map_err(|fault| InvalidPlan::Step { place: at + 1, fault }))
                .collect::<Result<_, _>>()?,
        )
    }
}

impl WorkingHours {
    fn to_json(self) -> Value {
        json!({ "days": self.days(), "from": self.from(), "to": self.to(), "offset": self.offset() })
    }

    fn from_json(hours: &Value) -> Result<Self, HoursFault> {
        let hours = hours.as_object().filter(|hours| hours.len() == HOURS_KEYS).ok_or(HoursFault::Keys)?;
        let text = |key| hours.get(key).and_then(Value::as_str).ok_or(HoursFault::Keys);
        Self::new(text("days")?, text("from")?, text("to")?, text("offset")?)
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

    #[test]
    fn a_plan_with_hours_is_an_object() {
        let text = r#"{"begin":{"days":"Mon-Thu","from":"09:00","offset":"+01:00","to":"16:00"},"steps":[{"for":"1d","percent":1},{"percent":100}]}"#;
        let plan: Plan = serde_json::from_str(text).unwrap();
        assert_eq!(plan.to_string(), "1:1d,100 @ Mon-Thu 09:00-16:00 +01:00");
        assert_eq!(serde_json::to_string(&plan).unwrap(), text);
        let steps = json!([{ "percent": 1, "for": "1d" }, { "percent": 100 }]);
        for plan in [json!({ "steps": steps }), json!({ "steps": steps, "begin": null }), steps.clone()] {
            assert_eq!(Plan::from_json(&plan).unwrap().to_string(), "1:1d,100", "{plan}");
        }
        let hours = json!({ "days": "Mon", "from": "09:00", "to": "16:00", "offset": "+01:00" });
        let changed = |key: &str, value: Value| {
            let mut hours = hours.clone();
            hours[key] = value;
            json!({ "steps": steps, "begin": hours })
        };
        for (plan, error) in [
            (json!({ "begin": hours }), "it has the keys steps and begin"),
            (json!({ "steps": steps, "hours": hours }), "it has the keys steps and begin"),
            (json!({ "steps": [], "begin": hours }), "it has 1 to 50 steps"),
            (json!({ "steps": steps, "begin": "Mon" }), "begin: it has the keys days, from, to and offset"),
            (changed("zone", json!("UTC")), "begin: it has the keys days, from, to and offset"),
            (changed("from", json!(9)), "begin: it has the keys days, from, to and offset"),
            (changed("days", json!("")), "begin: days are like Mon-Thu or Mon,Wed,Fri"),
            (changed("to", json!("08:00")), "begin: from is before to"),
        ] {
            let refused = Plan::from_json(&plan).unwrap_err().to_string();
            assert_eq!(refused, format!("invalid plan: {error}"), "{plan}");
        }
    }
}
