use super::*;

fn custom(channel: &str, version: &str, package: &str) -> TargetDescription {
    TargetDescription {
        repository: "acme/notes".to_owned(),
        version: version.parse().unwrap(),
        channel: Some(channel.to_owned()),
        platform: Some("linux".to_owned()),
        arch: None,
        package: package.parse().unwrap(),
    }
}

fn listed(name: &str, custom: TargetDescription) -> ListedTarget {
    let (sha256, sha512) = ("0a".repeat(32).parse().unwrap(), "0a".repeat(64).parse().unwrap());
    ListedTarget { name: name.to_owned(), custom, length: 1, sha256, sha512 }
}

fn scope(channels: &[&str]) -> TargetScope {
    TargetScope {
        repository: "acme/notes".to_owned(),
        channels: channels.iter().map(|name| Some((*name).to_owned())).collect(),
        platform: Some("linux".to_owned()),
        arch: None,
    }
}

/// The names of the targets chosen for version 1.1 and this package.
fn chosen(listed: &[ListedTarget], scope: &TargetScope, package: &str) -> Result<Vec<String>, TrustError> {
    let chosen = choose(listed, scope, &"1.1".parse().unwrap(), &package.parse().unwrap())?;
    Ok(chosen.into_iter().map(|listed| listed.name.clone()).collect())
}

#[test]
fn one_target_is_meant() {
    let right = custom("stable", "1.1.0", "deb");
    let other_scope = || Err(TrustError::OtherScope { version: "1.1".to_owned(), package: "deb".to_owned() });
    let cases = [
        (right.clone(), Ok(vec!["x".to_owned()])),
        (custom("stable", "1.2", "deb"), Err(TrustError::NotListed { version: "1.1".to_owned() })),
        (custom("beta", "1.1", "deb"), other_scope()),
        (custom("stable", "1.1", "rpm"), other_scope()),
        (TargetDescription { repository: "acme/other".to_owned(), ..right.clone() }, other_scope()),
        (TargetDescription { channel: None, ..right.clone() }, other_scope()),
        (TargetDescription { platform: Some("windows".to_owned()), ..right.clone() }, other_scope()),
        (TargetDescription { platform: None, ..right.clone() }, other_scope()),
        (TargetDescription { arch: Some("amd64".to_owned()), ..right.clone() }, other_scope()),
    ];
    for (custom, expected) in cases {
        let listed = [listed("x", custom.clone())];
        assert_eq!(chosen(&listed, &scope(&["stable"]), "deb"), expected, "{custom:?}");
    }
}

#[test]
fn two_are_refused_but_for_packages_that_repeat() {
    for (package, is_one) in [("deb", false), ("nupkg", true)] {
        let (a, b) = (custom("stable", "1.1", package), custom("stable", "1.1.0", package));
        let listed = [listed("a", a), listed("b", b)];
        let chosen = chosen(&listed, &scope(&["stable"]), package);
        assert_eq!(chosen.is_ok_and(|names| names == ["a", "b"]), is_one, "{package}");
    }
    let two = [listed("a", custom("s", "1.1", "deb")), listed("b", custom("s", "1.1", "deb"))];
    let (version, package) = ("1.1".parse().unwrap(), "deb".parse().unwrap());
    assert!(matches!(
        only_target(&[&two[0], &two[1]], &version, &package),
        Err(TrustError::Ambiguous { .. })
    ));
    assert_eq!(only_target(&[&two[0]], &version, &package), Ok(&two[0]));
}

#[test]
fn the_own_channel_comes_before_accepted_ones() {
    let [beta, stable] = ["beta", "stable"].map(|channel| listed(channel, custom(channel, "1.1", "deb")));
    let both = [stable.clone(), beta.clone()];
    let first = |listed: &[ListedTarget], channels: &[&str]| chosen(listed, &scope(channels), "deb").ok();
    assert_eq!(first(&both, &["beta", "stable"]), Some(vec!["beta".to_owned()]));
    assert_eq!(first(std::slice::from_ref(&stable), &["beta", "stable"]), Some(vec!["stable".to_owned()]));
    assert_eq!(first(&[stable], &["beta"]), None);
}
