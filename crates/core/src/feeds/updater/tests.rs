use super::*;

fn platform(json: &str) -> PlatformUpdaters {
    serde_json::from_str(json).unwrap()
}

#[test]
fn texts_of_updaters() {
    for updater in Updater::ALL {
        assert_eq!(updater.as_str().parse(), Ok(updater));
        let json = serde_json::to_string(&updater).unwrap();
        assert_eq!(json, format!("\"{updater}\""));
        assert_eq!(serde_json::from_str::<Updater>(&json).unwrap(), updater);
    }
    for bad in ["", "Manual", "squirrel", "electron_builder", "manual "] {
        assert_eq!(bad.parse::<Updater>(), Err(UnsupportedUpdater), "{bad:?}");
    }
}

#[test]
fn lists_round_trip_and_are_checked() {
    let json = r#"[{"type":"squirrel_windows","default":true},{"type":"manual","default":false}]"#;
    assert_eq!(serde_json::to_string(&platform(json)).unwrap(), json);
    assert_eq!(platform("[]"), PlatformUpdaters::default());
    assert_eq!(platform(r#"[{"type":"tauri"}]"#).entries().len(), 1);

    for (bad, text) in [
        (r#"[{"type":"tauri"},{"type":"tauri","default":true}]"#, "duplicate updater"),
        (
            r#"[{"type":"tauri","default":true},{"type":"manual","default":true}]"#,
            "more than one default updater",
        ),
        (r#"[{"type":"squirrel"}]"#, "updater not supported"),
    ] {
        let error = serde_json::from_str::<PlatformUpdaters>(bad).unwrap_err().to_string();
        assert!(error.starts_with(text), "{error}");
    }
}

#[test]
fn defaults() {
    for (list, default) in [
        ("[]", Updater::Manual),
        (r#"[{"type":"tauri"},{"type":"sparkle","default":true}]"#, Updater::Sparkle),
        (r#"[{"type":"tauri"},{"type":"manual"}]"#, Updater::Manual),
        (r#"[{"type":"tauri"},{"type":"sparkle"}]"#, Updater::Tauri),
    ] {
        assert_eq!(platform(list).default_updater(), default, "{list}");
        assert_eq!(platform(list).resolve(None), Ok(default), "{list}");
        assert_eq!(platform(list).resolve(Some("")), Ok(default), "{list}");
    }
}

#[test]
fn requests_are_resolved() {
    let both = r#"[{"type":"squirrel_darwin"},{"type":"squirrel_windows","default":true}]"#;
    for (list, requested, expected) in [
        (r#"[{"type":"squirrel_darwin"}]"#, "squirrel", Ok(Updater::SquirrelDarwin)),
        (r#"[{"type":"manual"},{"type":"squirrel_windows"}]"#, "squirrel", Ok(Updater::SquirrelWindows)),
        (both, "squirrel", Ok(Updater::SquirrelWindows)),
        (both, "squirrel_darwin", Ok(Updater::SquirrelDarwin)),
        ("[]", "squirrel", Err(UnsupportedUpdater)),
        ("[]", "manual", Ok(Updater::Manual)),
        ("[]", "tauri", Err(UnsupportedUpdater)),
        ("[]", "nonsense", Err(UnsupportedUpdater)),
        (both, "manual", Err(UnsupportedUpdater)),
    ] {
        assert_eq!(platform(list).resolve(Some(requested)), expected, "{list} {requested}");
    }
}

#[test]
fn static_paths_have_answers_in_json_only() {
    let squirrels =
        r#"[{"type":"squirrel_darwin"},{"type":"squirrel_windows","default":true},{"type":"manual"}]"#;
    let sparkle = r#"[{"type":"sparkle"}]"#;
    let tauri = r#"[{"type":"tauri","default":true},{"type":"manual"},{"type":"velopack"}]"#;
    for (list, named, expected) in [
        ("[]", None, Some(Updater::Manual)),
        ("[]", Some("manual"), Some(Updater::Manual)),
        ("[]", Some("tauri"), None),
        (tauri, None, Some(Updater::Tauri)),
        (tauri, Some(""), Some(Updater::Tauri)),
        (tauri, Some("manual"), Some(Updater::Manual)),
        (tauri, Some("velopack"), None),
        (squirrels, None, Some(Updater::Manual)),
        (squirrels, Some("squirrel"), None),
        (squirrels, Some("squirrel_darwin"), Some(Updater::SquirrelDarwin)),
        (squirrels, Some("squirrel_windows"), None),
        (squirrels, Some("nonsense"), None),
        (sparkle, None, None),
        (sparkle, Some("sparkle"), None),
        (sparkle, Some("manual"), None),
    ] {
        assert_eq!(platform(list).resolve_static(named), expected, "{list} {named:?}");
    }
}

#[test]
fn updaters_are_added_and_removed() {
    let with = |list: &str, added: &str, removed: &[Updater]| {
        let added: Vec<PlatformUpdater> = serde_json::from_str(added).unwrap();
        let new = platform(list).with(&added, removed).map_err(|error| error.to_string())?;
        let shown = |e: &PlatformUpdater| format!("{}{}", e.updater, if e.default { "*" } else { "" });
        Ok::<_, String>(new.entries().iter().map(shown).collect::<Vec<_>>().join(" "))
    };
    let (manual, only_tauri) = (r#"[{"type":"manual","default":true}]"#, r#"[{"type":"tauri"}]"#);
    let tauri_as_default = r#"[{"type":"tauri","default":true}]"#;
    for (list, added, removed, expected) in [
        (manual, only_tauri, &[][..], Ok("manual* tauri")),
        (manual, tauri_as_default, &[], Ok("manual tauri*")),
        (manual, manual, &[], Ok("manual*")),
        (manual, only_tauri, &[Updater::Manual], Ok("tauri")),
        (manual, "[]", &[Updater::Sparkle], Ok("manual*")),
        (only_tauri, r#"[{"type":"manual"}]"#, &[], Ok("tauri* manual")),
        (manual, "[]", &[Updater::Manual], Err("a platform has at least one updater")),
        (
            manual,
            r#"[{"type":"tauri","default":true},{"type":"sparkle","default":true}]"#,
            &[],
            Err("more than one default updater"),
        ),
    ] {
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(with(list, added, removed), expected, "{list} + {added} - {removed:?}");
    }
}
