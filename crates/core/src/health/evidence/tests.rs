use super::*;
use crate::health::guard::GuardAction;

const GUARD: Guard = Guard::new(GuardAction::Pause);

fn baseline(failing: u64, device_days: u64) -> Baseline {
    Baseline { failing, device_days, spread: 1.0 }
}

#[test]
fn vectors() {
    for (k, n, k0, n0, expected) in
        [(5, 50, 10, 1000, 3.7128), (8, 400, 10, 1000, -1.1074), (0, 1000, 10, 1000, -3.7212)]
    {
        let evidence = Evidence::of(Exposure::new(k, n), Some(baseline(k0, n0)), &GUARD, None);
        let ln_e = evidence.ln_e.unwrap();
        assert!((ln_e - expected).abs() < 5e-5, "{k} of {n}, {k0} of {n0}: {ln_e}");
    }
    for (k, n, expected) in [(5, 50, 5.6396), (12, 300, 5.8120)] {
        let ln_e = Evidence::of(Exposure::new(k, n), None, &GUARD, Some(10.0)).ln_e.unwrap();
        assert!((ln_e - expected).abs() < 5e-5, "{k} of {n}: {ln_e}");
    }
}

#[test]
fn the_needed_evidence_follows_from_alpha() {
    let evidence = Evidence::of(Exposure::new(5, 50), Some(baseline(10, 1000)), &GUARD, None);
    assert!((evidence.needed - 200_f64.ln()).abs() < 1e-12);
    assert!(!evidence.is_enough());
    assert!(Evidence::of(Exposure::new(30, 100), Some(baseline(10, 1000)), &GUARD, None).is_enough());
    let nothing = Evidence::of(Exposure::new(30, 100), None, &GUARD, None);
    assert_eq!((nothing.ln_e, nothing.is_enough()), (None, false));
}

#[test]
fn a_device_that_fails_every_day_says_less() {
    let of = |spread| {
        let baseline = Baseline { failing: 10, device_days: 1000, spread };
        Evidence::of(Exposure::new(8, 100), Some(baseline), &GUARD, None).ln_e.unwrap()
    };
    assert!(of(1.0) > of(3.0) && of(3.0) > of(7.0));
}

#[test]
fn large_numbers_stay_finite() {
    for (exposure, baseline_) in [
        (Exposure::new(0, 0), baseline(0, 1)),
        (Exposure::new(65_536, 100_000_000), baseline(1_000_000, 700_000_000)),
        (Exposure::new(65_536, 65_536), baseline(0, 200)),
        (Exposure::new(0, 100_000_000), baseline(0, 200)),
    ] {
        let ln_e = Evidence::of(exposure, Some(baseline_), &GUARD, None).ln_e.unwrap();
        assert!(ln_e.is_finite(), "{exposure:?} {baseline_:?}: {ln_e}");
    }
}

#[test]
fn nothing_is_compared_with_no_devices() {
    assert_eq!(Evidence::of(Exposure::new(9, 9), Some(baseline(0, 0)), &GUARD, None).ln_e, None);
}

#[test]
fn rates() {
    assert_eq!(Exposure::new(0, 0).rate(), None);
    assert_eq!(Exposure::new(3, 1).device_days, 3, "a device that failed was there");
    assert_eq!(Exposure::new(1, 4).rate(), Some(0.25));
    assert_eq!(baseline(0, 0).rate(), None);
    assert_eq!(baseline(1, 8).rate(), Some(0.125));
}
