use super::*;

const START: Timestamp = Timestamp::from_millis(1_795_225_422_000);

fn fixed(basis_points: u16, seed: &str) -> Rollout {
    Rollout::fixed(BasisPoints::new(basis_points).unwrap(), seed.into())
}

/// Computed with `printf 'device-1:seed' | sha256sum`: h is the first 16 hex digits.
#[test]
fn position_vectors() {
    for (device, seed, expected) in [("device-1", "seed", 7888), ("device-2", "seed", 2782), ("", "", 6843)] {
        assert_eq!(position(device, seed), expected, "{device}:{seed}");
    }
}

#[test]
fn zero_is_nobody_and_a_hundred_is_everybody() {
    for n in 0..500 {
        let device = format!("d{n}");
        assert!(!fixed(0, "s").admits(&device, START));
        assert!(fixed(10_000, "s").admits(&device, START));
        assert!(!Rollout { is_halted: true, ..fixed(10_000, "s") }.admits(&device, START));
    }
}

/// Seeds and devices are fixed, so that the test does not depend on chance.
#[test]
fn of_many_devices_the_share_that_was_set_is_inside() {
    let share = |basis_points: u16, seed: &str| {
        let rollout = fixed(basis_points, seed);
        (0..200_000_u32).filter(|n| rollout.admits(&format!("device-{n}"), START)).count()
    };
    for (basis_points, seed, range) in
        [(10, "a", 160..=240), (100, "b", 1_900..=2_100), (5_000, "c", 99_400..=100_600)]
    {
        let inside = share(basis_points, seed);
        println!("{basis_points} basis points: {inside} of 200,000 devices");
        assert!(range.contains(&inside), "{basis_points}: {inside}");
    }
}

#[test]
fn raising_only_adds() {
    for n in 0..100 {
        let device = format!("d{n}");
        let admitted: Vec<bool> = (0..=10_000).map(|bp| fixed(bp, "s").admits(&device, START)).collect();
        assert!(admitted.windows(2).all(|w| w[0] <= w[1]));
    }
}

#[test]
fn steps_begin_at_their_time() {
    let to = |bp| BasisPoints::new(bp).unwrap();
    let later = vec![
        Widening { at: START.plus_seconds(60), to: to(2_800) },
        Widening { at: START.plus_seconds(120), to: BasisPoints::ALL },
    ];
    let rollout = Rollout { later, ..fixed(10, "seed") };
    for (seconds, basis_points, device_2, device_1, next) in [
        (0, 10, false, false, Some(60)),
        (59, 10, false, false, Some(60)),
        (60, 2_800, true, false, Some(120)),
        (119, 2_800, true, false, Some(120)),
        (120, 10_000, true, true, None),
        (999_999, 10_000, true, true, None),
    ] {
        let at = START.plus_seconds(seconds);
        assert_eq!(rollout.basis_points(at), to(basis_points), "{seconds}");
        assert_eq!(
            (rollout.admits("device-2", at), rollout.admits("device-1", at)),
            (device_2, device_1),
            "{seconds}"
        );
        assert_eq!(rollout.next_change(at), next.map(|next| START.plus_seconds(next)), "{seconds}");
        assert_eq!(rollout.is_full(at), seconds >= 120);
    }
    let halted = Rollout { is_halted: true, ..rollout };
    assert_eq!(halted.next_change(START), None);
    assert!(!halted.is_full(START.plus_seconds(120)));
}
