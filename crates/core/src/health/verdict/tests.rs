use super::*;
use crate::health::{GuardAction, Thousandths};

const GUARD: Guard = Guard::new(GuardAction::Pause);

fn measured(k: u64, n: u64, baseline: Option<(u64, u64)>) -> Measurement {
    let baseline = baseline.map(|(failing, device_days)| Baseline { failing, device_days, spread: 1.0 });
    Measurement { exposure: Exposure::new(k, n), baseline }
}

fn findings(running: Measurement, devices: u64) -> Findings {
    Findings {
        running,
        updating: measured(0, 0, None),
        devices,
        no_data: None,
        is_partial: false,
        are_refused: false,
    }
}

const BEFORE: Option<(u64, u64)> = Some((10, 1000));

#[test]
fn verdicts_by_the_version_before() {
    for (k, n, devices, verdict, why) in [
        (5, 50, 50, Verdict::Unknown, VerdictReason::FewDevices(50)),
        (8, 400, 200, Verdict::Unknown, VerdictReason::NotSure),
        (4, 1000, 200, Verdict::Healthy, VerdictReason::AsBefore),
        (4, 1000, 199, Verdict::Unknown, VerdictReason::FewDevices(199)),
        (5, 400, 200, Verdict::Healthy, VerdictReason::AsBefore),
    ] {
        let assessment = assess(&GUARD, &findings(measured(k, n, BEFORE), devices));
        assert_eq!((assessment.verdict, assessment.why), (verdict, why), "{k} of {n}");
    }
    let bad = assess(&GUARD, &findings(measured(30, 100, BEFORE), 100));
    assert_eq!(bad.verdict, Verdict::Unhealthy, "no number of devices is needed for evidence");
    assert_eq!(bad.why.to_string(), "30 devices failed in 100 device-days; 10 in 1000 before.");
}

#[test]
fn while_reports_are_refused_a_release_is_never_healthy() {
    for (running, devices, verdict) in [
        (measured(4, 1000, BEFORE), 200, Verdict::Unknown),
        (measured(0, 0, None), 0, Verdict::Unknown),
        (measured(30, 100, BEFORE), 100, Verdict::Unhealthy),
    ] {
        let findings = Findings { are_refused: true, ..findings(running, devices) };
        let assessment = assess(&GUARD, &findings);
        assert_eq!(assessment.verdict, verdict, "{running:?}");
        assert_eq!(assessment.why == VerdictReason::Refused, verdict == Verdict::Unknown);
    }
}

#[test]
fn a_failing_release_is_seen_without_evidence() {
    let off = |no_data| Findings { no_data: Some(no_data), ..findings(measured(30, 30, None), 0) };
    for (findings, expected, case) in [
        (findings(measured(30, 90, None), 90), true, "30 of 90 devices, and nothing to compare with"),
        (findings(measured(4, 4, None), 4), false, "fewer devices than a comparison needs"),
        (findings(measured(5, 1000, None), 1000), false, "5 of 1,000 are usual"),
        (findings(measured(8, 400, BEFORE), 200), true, "more than before, but maybe by chance"),
        (findings(measured(12, 1000, BEFORE), 200), false, "as before"),
        (findings(measured(5, 10_000, Some((0, 2000))), 200), false, "none before, and few now"),
        (findings(measured(5, 90, Some((0, 2000))), 90), true, "none before"),
        (off(NoDataReason::TelemetryOff), false, "devices are not counted"),
        (off(NoDataReason::NoDevices), true, "devices fail before they ask for updates"),
    ] {
        assert_eq!(assess(&GUARD, &findings).is_failing, expected, "{case}");
    }
    let updating = Findings { updating: measured(30, 300, None), ..findings(measured(0, 300, BEFORE), 300) };
    assert!(assess(&GUARD, &updating).is_failing, "copies fail to update to it");
    let strict = Guard { max_failing: Some(3), ..GUARD };
    assert!(assess(&strict, &findings(measured(4, 1000, BEFORE), 200)).is_failing, "unhealthy releases fail");
}

#[test]
fn a_few_failures_are_no_evidence() {
    let findings = findings(measured(4, 4, BEFORE), 4);
    assert_eq!(assess(&GUARD, &findings).verdict, Verdict::Unknown);
    let bold = Guard { min_failing: 3, ..GUARD };
    assert_eq!(assess(&bold, &findings).verdict, Verdict::Unhealthy);
}

#[test]
fn a_maximum_replaces_the_comparison() {
    let guard = Guard { max_per_1000: Some(Thousandths::new(10_000)), ..GUARD };
    let of = |k, n| assess(&guard, &findings(measured(k, n, None), 300));
    assert_eq!(of(12, 300).verdict, Verdict::Unhealthy);
    assert_eq!(
        of(12, 300).why.to_string(),
        "12 devices failed in 300 device-days. The guard allows 10 in 1000."
    );
    assert_eq!((of(3, 300).verdict, of(4, 300).verdict), (Verdict::Healthy, Verdict::Unknown));
    let none = assess(&GUARD, &findings(measured(12, 300, None), 300));
    assert_eq!((none.verdict, none.why), (Verdict::Unknown, VerdictReason::NothingBefore));
}

#[test]
fn failed_updates_are_a_series_of_their_own() {
    let running = measured(0, 100, BEFORE);
    let findings = Findings { updating: measured(30, 100, Some((5, 5000))), ..findings(running, 100) };
    let assessment = assess(&GUARD, &findings);
    assert_eq!(assessment.verdict, Verdict::Unhealthy);
    assert!(assessment.updating.is_enough() && !assessment.running.is_enough());
    assert!(assessment.why.to_string().starts_with("30 devices failed to update in 100 device-days; "));
}

#[test]
fn without_figures_only_a_number_of_devices_counts() {
    let guard = Guard { max_failing: Some(20), max_per_1000: Some(Thousandths::new(1)), ..GUARD };
    for no_data in [
        NoDataReason::ReportsOff,
        NoDataReason::TelemetryOff,
        NoDataReason::NoDevices,
        NoDataReason::Forgotten,
    ] {
        let of = |k| Findings { no_data: Some(no_data), ..findings(measured(k, k, BEFORE), 500) };
        let few = assess(&guard, &of(20));
        assert_eq!((few.verdict, few.why), (Verdict::Unknown, VerdictReason::NoData(no_data)));
        assert_eq!(few.running.ln_e, None);
        let many = assess(&guard, &of(21));
        assert_eq!((many.verdict, many.why), (Verdict::Unhealthy, VerdictReason::TooManyFailing(21, 20)));
    }
}

#[test]
fn few_failures_mean_nothing_if_some_are_missing() {
    let of = |k| Findings { is_partial: true, ..findings(measured(k, 1000, BEFORE), 500) };
    let few = assess(&GUARD, &of(4));
    assert_eq!((few.verdict, few.why), (Verdict::Unknown, VerdictReason::NotAll));
    assert_eq!(assess(&GUARD, &of(100)).verdict, Verdict::Unhealthy, "what is there is evidence");
}
