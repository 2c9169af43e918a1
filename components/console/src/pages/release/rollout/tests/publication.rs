//! Schedules, withdrawals and shut-offs.

use super::*;

#[test]
fn a_schedule_is_changed_where_it_is_shown() {
    let page = shown(&release("scheduled", "running", 100, Some((PLAN, 0))));
    for part in [
        "The plan begins then: 1 % of devices may have it, about 12 devices.",
        "type=\"datetime-local\" name=\"publish_at\" value=\"2026-12-01T09:00\"",
        "Publish at (UTC)",
        ">Change the time</button>",
        "formnovalidate data-stop>Take the schedule back</button>",
        "From the time on when clients see it.",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let entered = EnteredValues {
        publish_at: "2027-01-01T00:00".to_owned(),
        reason: "later".to_owned(),
        part: FormPart::Publication,
        ..EnteredValues::default()
    };
    for state in ["draft", "scheduled"] {
        let page = shown_with(&release(state, "fixed", 500, None), &entered, true);
        assert!(page.contains("name=\"publish_at\" value=\"2027-01-01T00:00\""), "{page}");
        assert_eq!(page.matches("value=\"later\"").count(), 1, "in its own form: {page}");
    }
}

#[test]
fn a_withdrawn_release_is_restored_before_anything_else() {
    let page = shown(&release("withdrawn", "running", 100, Some((PLAN, 0))));
    assert_eq!(buttons(&page), ["!=", "="], "{page}");
    for part in [
        "action=\"/console/apps/notes/releases/1/restore\"",
        ">Restore</button>",
        "Clients with the updater manual that run it are told this reason; others are not told.",
        "href=\"/console/apps/notes/releases/1/withdraw\">Change the reason</a>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    for absent in ["<fieldset", "id=\"plan\"", "class=\"steps\""] {
        assert!(!page.contains(absent), "{absent}: {page}");
    }
}

/// No client can run a release that was never visible.
#[test]
fn a_release_that_was_seen_can_be_withdrawn() {
    let can_be = |release: &ReleaseBody| shown(release).contains("releases/1/withdraw\">Withdraw it…</a>");
    let mut draft = release("draft", "fixed", 500, None);
    assert!(!can_be(&draft) && can_be(&release("published", "halted", 500, None)));
    draft.offers[0].offered_at = Some(AT.to_owned());
    assert!(can_be(&draft));
}

#[test]
fn a_shut_off_is_told_above_the_rollout() {
    let mut release = release("published", "fixed", 500, None);
    assert!(!shown(&release).contains("shut off"));
    release.shut_off = true;
    let page = shown(&release);
    assert!(page.contains("Updates are shut off") && page.contains("href=\"/console/apps/notes\""), "{page}");
}
