use super::*;
use crate::test_world::{public, reread, targets};
use crate::{TargetsRole, TrustError};

fn edited(from: &str, to: &str) -> Result<TargetsRole, TrustError> {
    reread(targets(1, &[], &["beta", "stable"]), from, to)
}

#[test]
fn delegations_are_read_as_written() {
    let read = edited("beta", "beta").unwrap();
    assert_eq!(read, targets(1, &[], &["beta", "stable"]));
    let delegations = read.delegations().unwrap();
    let channels: Vec<_> = delegations.channels().map(ChannelName::as_str).collect();
    assert_eq!(channels, ["beta", "stable"]);
    let signers = delegations.signers(&"beta".parse().unwrap()).unwrap();
    assert_eq!((signers.threshold(), signers.key(public(4).id())), (1, Some(&public(4))));
    assert!(delegations.signers(&"alpha".parse().unwrap()).is_none());
}

#[test]
fn other_delegations_are_refused() {
    let key = format!(r#"["{}"]"#, public(4).id());
    for (from, to, fault) in [
        (r#""channel-beta""#, r#""channel-stable""#, "paths"),
        (r#""channel-beta""#, r#""targets""#, "name"),
        (r#""channel-beta""#, r#""beta""#, "name"),
        (r#""*/*/beta/*/*/*""#, r#""*""#, "paths"),
        (r#""*/*/beta/*/*/*","#, "", "paths"),
        (r#""paths""#, r#""path_hash_prefixes":["0"],"paths""#, "unknown field"),
        (r#""terminating":true"#, r#""terminating":false"#, "terminating"),
        (r#""threshold":1"#, r#""threshold":0"#, "keyids or threshold"),
        (&key, r#"["x"]"#, "keyids"),
        (r#""roles":["#, r#""succinct_roles":{},"roles":["#, "unknown field"),
    ] {
        assert_eq!(edited(from, to), Err(TrustError::Targets(fault.into())), "{to}");
    }
}

#[test]
fn channels_differ_and_are_few() {
    let channel = |name: &str| (name.parse().unwrap(), NewSigners::new(vec![public(4)], 1));
    assert!(Delegations::new(vec![channel("a"), channel("a")]).is_none());
    let many = |count| (0..count).map(|n| channel(&format!("c{n}"))).collect();
    assert!(Delegations::new(many(30)).is_some());
    assert!(Delegations::new(many(31)).is_none());

    let (role, keys) = (RoleKeys::only(public(4).id().clone()), [(public(4).id().clone(), public(4))].into());
    let roles = |names: &[&str]| names.iter().map(|name| (name.parse().unwrap(), role.clone())).collect();
    let reread = |roles| {
        let json = Delegations { keys, roles }.to_json();
        Delegations::read(FieldReader::of(json, "delegations").unwrap())
    };
    assert_eq!(reread(roles(&["a", "b", "a"])), Err("a channel twice".into()));
}

#[test]
fn names_of_a_channel() {
    let beta = "beta".parse().unwrap();
    let patterns = patterns(&beta);
    assert_eq!(patterns.first().map(String::as_str), Some("*/*/beta/*/*/*"));
    assert_eq!(patterns.last().map(String::as_str), Some("*/*/*/*/beta/*/*/*/*"));
    for (name, is_of, may_be_of) in [
        ("ada/notes/beta/linux/amd64/notes-1.0.deb", true, true),
        ("ada/notes/beta/linux/amd64/notes-1.0/x.nupkg", true, true),
        ("ada/notes/beta/linux/amd64/notes-1.0/0190/x.nupkg", true, true),
        ("velopack/ada/notes/1.0/beta/linux/amd64/x.nupkg", true, true),
        ("velopack/ada/notes/1.0/beta/linux/amd64/0190/x.nupkg", true, true),
        ("ada/notes/stable/beta/beta/beta", false, false),
        ("beta/beta/x/beta/beta/beta", false, false),
        ("ada/notes/beta/linux/amd64", false, false),
        // Here the application is called like the channel.
        ("velopack/ada/beta/1.0/stable/linux/amd64/x.nupkg", true, true),
        ("velopack/ada/beta/1.0/stable/linux/amd64/0190/x.nupkg", false, true),
        // Here the platform is.
        ("ada/notes/stable/beta/amd64/notes-1.0/x.nupkg", false, true),
    ] {
        let name: TargetName = name.parse().unwrap();
        assert_eq!(
            (is_of_channel(&name, &beta), may_be_of_channel(&name, &beta)),
            (is_of, may_be_of),
            "{name}"
        );
    }
}
