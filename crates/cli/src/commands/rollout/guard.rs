//! `rollout guard`.

use std::ops::RangeInclusive;

use clap::{Args, ValueEnum};
use serde_json::{Number, json};
use spindrift_api::{GuardActionName, GuardBody, OfferChangeBody};

use super::selection::{RolloutChange, RolloutOrder};
use super::sentences::guard_sentence;
use crate::context::Context;
use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct RolloutGuardCommand {
    #[command(flatten)]
    change: RolloutChange,
    /// The step of a guard run that finds the release unhealthy.
    step: GuardStep,
    #[command(flatten)]
    limits: GuardLimits,
}

/// The step of a guard run against an unhealthy release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GuardStep {
    /// Pause its plan. Devices that may have the release still get it. Without a plan, nothing stops.
    Pause,
    /// Halt its rollout. No further device gets the release.
    Halt,
    /// Do nothing: remove the guard.
    Off,
}

/// Figures from which on a release is unhealthy. Omitted ones have their defaults, also if the guard had
/// others before.
#[derive(Debug, Default, PartialEq, Eq, Args)]
struct GuardLimits {
    /// The chance of a false alarm, 0.001 to 0.1; 0.01 by default.
    #[arg(long, value_name = "CHANCE", value_parser = decimal(0.001..=0.1))]
    alpha: Option<Number>,
    /// How many times as often as before the release may fail, 1 to 10; 1.25 by default.
    #[arg(long, value_name = "NUMBER", value_parser = decimal(1.0..=10.0))]
    factor: Option<Number>,
    /// With fewer failing devices, nothing counts as evidence: 3 to 1,000; 5 by default.
    #[arg(long, value_name = "DEVICES", value_parser = clap::value_parser!(u32).range(3..=1000))]
    min_failing: Option<u32>,
    /// Failures per 1,000 devices and day that are healthy, 0.001 to 1,000. It replaces the comparison with
    /// the version before.
    #[arg(long, value_name = "NUMBER", value_parser = decimal(0.001..=1000.0))]
    max_per_1000: Option<Number>,
    /// The release is unhealthy once more devices than these have failed, 1 to 1,000,000. Small fleets need
    /// this.
    #[arg(long, value_name = "DEVICES", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    max_failing: Option<u32>,
}

/// Parses a number in a range. The service accepts up to three decimals.
fn decimal(range: RangeInclusive<f64>) -> impl Fn(&str) -> Result<Number, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number)).and_then(Number::from_f64);
        number.ok_or_else(|| format!("it is a number from {} to {}", range.start(), range.end()))
    }
}

impl RolloutGuardCommand {
    pub(super) async fn set(self, context: &Context) -> Result<(), CliError> {
        let guard = self.body()?;
        let RolloutChange { order: RolloutOrder { selection, reason }, if_revision } = self.change;
        let change = OfferChangeBody {
            guard: Some(guard.map(|guard| json!(guard))),
            channel: selection.channel.clone(),
            if_revision,
            reason,
            ..OfferChangeBody::default()
        };
        selection.change(context, "offer", &change, guard_sentence).await
    }

    /// The body of the request. `None`: removes the guard.
    fn body(&self) -> Result<Option<GuardBody>, CliError> {
        let on_unhealthy = match self.step {
            GuardStep::Pause => GuardActionName::Pause,
            GuardStep::Halt => GuardActionName::Halt,
            GuardStep::Off if self.limits == GuardLimits::default() => return Ok(None),
            GuardStep::Off => return Err(CliError::usage("`off` removes the guard: leave the limits out")),
        };
        let GuardLimits { alpha, factor, min_failing, max_per_1000, max_failing } = &self.limits;
        Ok(Some(GuardBody {
            on_unhealthy,
            alpha: alpha.clone(),
            factor: factor.clone(),
            min_failing: *min_failing,
            max_per_1000: max_per_1000.clone(),
            max_failing: *max_failing,
        }))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use serde_json::Value;

    use super::*;
    use crate::args::{Arguments, Command};
    use crate::commands::rollout::RolloutCommand;

    fn body(words: &str) -> Result<Value, String> {
        let words = format!("spindrift rollout guard 2.0 --app notes {words}");
        let arguments = Arguments::try_parse_from(words.split(' ')).map_err(|error| error.to_string())?;
        let Command::Rollout(RolloutCommand::Guard(guard)) = arguments.command else {
            panic!("another command: {words}");
        };
        guard.body().map(|body| json!(body)).map_err(|error| error.to_string())
    }

    #[test]
    fn flags_are_a_guard() {
        for (words, expected) in [
            ("off", Value::Null),
            ("off --reason quiet --if-revision 7", Value::Null),
            ("pause", json!({ "on_unhealthy": "pause" })),
            ("halt --max-failing 20", json!({ "on_unhealthy": "halt", "max_failing": 20 })),
            (
                "halt --alpha 0.007 --factor 2.5 --min-failing 3 --max-per-1000 0.5 --max-failing 1000000",
                json!({
                    "on_unhealthy": "halt", "alpha": 0.007, "factor": 2.5, "min_failing": 3, "max_per_1000": 0.5,
                    "max_failing": 1_000_000,
                }),
            ),
        ] {
            assert_eq!(body(words), Ok(expected), "{words}");
        }
    }

    #[test]
    fn wrong_guards_are_refused() {
        for (words, message) in [
            ("", "<STEP>"),
            ("stop", "[possible values: pause, halt, off]"),
            ("pause --alpha 0.2", "it is a number from 0.001 to 0.1"),
            ("pause --alpha NaN", "it is a number from 0.001 to 0.1"),
            ("pause --factor 0.9", "it is a number from 1 to 10"),
            ("pause --factor much", "it is a number from 1 to 10"),
            ("pause --min-failing 2", "3..=1000"),
            ("pause --max-per-1000 1001", "it is a number from 0.001 to 1000"),
            ("pause --max-failing 0", "1..=1000000"),
            ("off --alpha 0.01", "`off` removes the guard: leave the limits out"),
        ] {
            let error = body(words.trim_end()).unwrap_err();
            assert!(error.contains(message), "{words}: {error}");
        }
    }
}
