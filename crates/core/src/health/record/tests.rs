use super::*;
use crate::Id;
use crate::audit::ActorType;
use crate::health::Round;

const NOW: Timestamp = Timestamp::from_millis(1_795_225_422_000);

/// The findings about the round that began so many seconds after [`NOW`].
fn health(since: i64, is_failing: bool) -> ReleaseHealth {
    let since = NOW.plus_seconds(since);
    let subject = GuardedRelease {
        version: "2.0".parse().unwrap(),
        unreached: Vec::new(),
        offered_at: NOW,
        round: Round { release: Id::from_text("r"), since },
    };
    let before = Baselines { version: None, running: None, updating: None };
    let health = ReleaseHealth::assess(&HealthCounts::default(), &subject, &before, None, None, since);
    ReleaseHealth { is_failing, ..health }
}

fn ada() -> AuditActor {
    AuditActor { actor_type: ActorType::User, id: None, name: Some("ada".to_owned()) }
}

#[test]
fn the_last_failing_round_is_kept() {
    let first = health(0, true).ended(ada(), Some("fixed".to_owned()));
    let now = |seconds| NOW.plus_seconds(seconds);
    assert_eq!(first.failing_round_before(now(0)), None, "its own round is not over");
    assert_eq!(first.failing_round_before(now(10)), Some(&first));

    let second = health(10, false).after(Some(&first));
    let third = health(20, false).after(Some(&second));
    for (later, since) in [(&second, 10), (&third, 20), (&third, 30)] {
        assert_eq!(later.failing_round_before(now(since)), Some(&first), "{since}");
    }
    let again = health(30, true).after(Some(&third));
    assert_eq!(again.failing_round_before(now(30)), Some(&first), "the present round is another one");
    let last = health(40, false).after(Some(&again));
    assert_eq!(last.failing_round.as_deref().map(|round| round.since), Some(now(30)));
    assert_eq!(last.failing_round.unwrap().failing_round, None, "only one is kept");
    assert_eq!(health(40, false).after(Some(&health(10, false))).failing_round, None);
}

#[test]
fn findings_are_stored_with_their_rounds() {
    let stored = health(10, false).after(Some(&health(0, true).ended(ada(), None)));
    let text = serde_json::to_string(&stored).unwrap();
    assert_eq!(serde_json::from_str::<ReleaseHealth>(&text).unwrap(), stored);
}
