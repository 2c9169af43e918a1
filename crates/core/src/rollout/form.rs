//! The forms in which rollouts are kept and sent.
//!
//! JSON names the whole percentage, rounded down and 0 for a halted release, beside everything else. A reader of an earlier
//! version finds only that, and offers less. The key-value format has no field names, so it has each field once.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{BasisPoints, Rollout, Widening};

#[derive(Serialize, Deserialize)]
struct Named {
    percent: u8,
    seed: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    basis_points: Option<BasisPoints>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    later: Vec<Widening>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    halted: bool,
}

#[derive(Serialize, Deserialize)]
struct Unnamed(BasisPoints, Vec<Widening>, bool, String);

impl Serialize for Rollout {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { basis_points, later, is_halted, seed } = self.clone();
        if !serializer.is_human_readable() {
            return Unnamed(basis_points, later, is_halted, seed).serialize(serializer);
        }
        let percent = if is_halted { 0 } else { basis_points.percent() };
        let basis_points = (BasisPoints::from_percent(percent) != basis_points).then_some(basis_points);
        Named { percent, seed, basis_points, later, halted: is_halted }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Rollout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            let Unnamed(basis_points, later, is_halted, seed) = Unnamed::deserialize(deserializer)?;
            return Ok(Self { basis_points, later, is_halted, seed });
        }
        let Named { percent, seed, basis_points, later, halted } = Named::deserialize(deserializer)?;
        let basis_points = basis_points.unwrap_or_else(|| BasisPoints::from_percent(percent));
        Ok(Self { basis_points, later, is_halted: halted, seed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timestamp;

    fn rollout(basis_points: u16, later: &[(i64, u16)], is_halted: bool) -> Rollout {
        let bp = |bp| BasisPoints::new(bp).unwrap();
        let later =
            later.iter().map(|(at, to)| Widening { at: Timestamp::from_millis(*at), to: bp(*to) }).collect();
        Rollout { basis_points: bp(basis_points), later, is_halted, seed: "s".into() }
    }

    #[test]
    fn json_is_as_before_while_nothing_new_is_used() {
        for (rollout, json) in [
            (rollout(2000, &[], false), r#"{"percent":20,"seed":"s"}"#),
            (rollout(10, &[], false), r#"{"percent":0,"seed":"s","basis_points":10}"#),
            (rollout(2800, &[], true), r#"{"percent":0,"seed":"s","basis_points":2800,"halted":true}"#),
            (
                rollout(100, &[(5, 10_000)], false),
                r#"{"percent":1,"seed":"s","later":[{"at":5,"to":10000}]}"#,
            ),
        ] {
            assert_eq!(serde_json::to_string(&rollout).unwrap(), json);
            assert_eq!(serde_json::from_str::<Rollout>(json).unwrap(), rollout);
        }
        assert!(serde_json::from_str::<Rollout>(r#"{"percent":1,"seed":"s","basis_points":10001}"#).is_err());
    }
}
