use super::*;

fn options() -> CheckOptions {
    CheckOptions::new("a@b", "My App", "1.0").with_target("beta", "linux", "amd64")
}

#[test]
fn checks_keep_the_path_of_the_base() {
    for (base, expected) in [
        ("https://u.example", "https://u.example/checkVersion"),
        ("https://u.example/", "https://u.example/checkVersion"),
        ("https://u.example:8443/a/b//", "https://u.example:8443/a/b/checkVersion"),
    ] {
        let url = check(&super::parse_base_url(base, "base url").unwrap(), &options());
        let query =
            "app_name=My+App&version=1.0&channel=beta&platform=linux&arch=amd64&owner=a%40b&updater=manual";
        assert_eq!(url.as_str(), format!("{expected}?{query}"));
    }
}

#[test]
fn only_a_check_names_the_updater() {
    let base: Url = "https://u.example".parse().unwrap();
    let mut options = CheckOptions::new("o", "a", "1");
    assert_eq!(check(&base, &options).query(), Some("app_name=a&version=1&owner=o&updater=manual"));
    options.updater = "tauri".into();
    assert_eq!(check(&base, &options).query(), Some("app_name=a&version=1&owner=o&updater=tauri"));
    let unnamed = "app_name=a&version=1&channel=default&platform=default&arch=default&owner=o";
    assert_eq!(beacon(&base, &options, &[]).query(), Some(unnamed));
}

#[test]
fn only_a_check_says_conditions() {
    let base: Url = "https://u.example".parse().unwrap();
    let key = |digit: &str| format!("grp_{}", digit.repeat(32));
    let groups = ["1", "2"].map(|digit| key(digit).parse::<GroupKey>().unwrap());
    let said =
        CheckOptions::new("o", "a", "1").with_groups(groups).with_os_version("13.6").with_interactive(true);
    let expected = format!(
        "app_name=a&version=1&owner=o&updater=manual&group={}%2C{}&os_version=13.6&interactive=1",
        key("1"),
        key("2")
    );
    assert_eq!(check(&base, &said).query(), Some(expected.as_str()));
    for shown in [check(&base, &said.without_groups()), beacon(&base, &said, &[])] {
        assert!(!shown.as_str().contains("grp_"), "{shown}");
    }
    assert!(!beacon(&base, &said, &[]).as_str().contains("13.6"));
    let nothing =
        CheckOptions::new("o", "a", "1").with_groups([]).with_os_version("").with_interactive(false);
    assert_eq!(check(&base, &nothing).query(), Some("app_name=a&version=1&owner=o&updater=manual"));
}

#[test]
fn static_answers() {
    let edge: Url = "https://e.example/x".parse().unwrap();
    let path = |options: &CheckOptions| static_answer(&edge, options, "").map(|url| url.path().to_owned());
    let full = "/x/responses/a%40b/My%20App/beta/linux/amd64/1.0.json";
    assert_eq!(path(&options()).as_deref(), Some(full));
    let of_manual = static_answer(&edge, &options(), "manual").unwrap();
    assert_eq!(of_manual.path(), "/x/responses/a%40b/My%20App/beta/linux/amd64/manual/1.0.json");
    let unused = CheckOptions::new("o", "a", "1/2");
    assert_eq!(path(&unused).as_deref(), Some("/x/responses/o/a/default/default/default/1%2F2.json"));
    for dots in [".", ".."] {
        assert_eq!(path(&CheckOptions { owner: dots.into(), ..options() }), None);
        assert_eq!(path(&CheckOptions { arch: dots.into(), ..options() }), None);
    }
}

#[test]
fn errors_show_no_secrets() {
    let url: Url = "https://user:pass@d.example/app.deb?sig=secret#x".parse().unwrap();
    assert_eq!(redact(&url), "https://d.example/app.deb");
}
