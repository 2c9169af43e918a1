use super::*;
use crate::test_world::file;

fn reread(file: &TargetFile, from: &str, to: &str) -> Result<TargetFile, Fault> {
    let text = String::from_utf8(crate::canonical::stored(&file.to_json()).unwrap()).unwrap();
    assert!(text.contains(from), "{from} is not in {text}");
    TargetFile::read(Json::parse(text.replacen(from, to, 1).as_bytes()).unwrap())
}

#[test]
fn a_file_is_read_as_written() {
    let used = file("beta");
    assert_eq!(reread(&used, "beta", "beta"), Ok(used.clone()));
    let custom = TargetCustom { channel: None, platform: None, arch: None, ..used.custom().clone() };
    let unused = TargetFile { custom, ..used };
    assert_eq!(reread(&unused, "custom", "custom"), Ok(unused));
}

#[test]
fn other_files_are_refused() {
    for (from, to, fault) in [
        (r#""length":7"#, r#""length":"7""#, "length"),
        (r#""length":7"#, r#""length":7,"x":1"#, "unknown field"),
        ("0a0a", "0A0a", "sha256"),
        ("0b0b", "0b", "sha512"),
        (r#""sha256""#, r#""md5":"","sha256""#, "unknown field"),
        (r#""sha256""#, r#""sha224""#, "sha256"),
        (r#""version":"1.2.3""#, r#""version":"v1.2.3""#, "version"),
        (r#""version":"1.2.3""#, r#""version":"1.2.03""#, "version"),
        (r#""channel":"beta""#, r#""channel":"""#, "channel"),
        (r#""channel":"beta""#, r#""channel":"a/b""#, "channel"),
        (r#""package":"deb""#, r#""package":"DEB""#, "package"),
        (r#""ada/notes""#, r#""ada""#, "repository"),
        (r#""ada/notes""#, r#""ada/notes/x""#, "repository"),
        (r#""custom":{"#, r#""custom":{"force":true,"#, "unknown field"),
    ] {
        assert_eq!(reread(&file("beta"), from, to), Err(fault.into()), "{to}");
    }
}

#[test]
fn custom_is_under_a_kibibyte() {
    let longest = |c: &str| c.repeat(64);
    let custom = TargetCustom {
        repository: format!("{}/{}", longest("o"), longest("a")).parse().unwrap(),
        version: format!("1.0.0-{}", "x".repeat(58)).parse().unwrap(),
        channel: longest("c").parse().ok(),
        platform: longest("p").parse().ok(),
        arch: longest("r").parse().ok(),
        package: longest("d").parse().unwrap(),
    };
    assert!(custom.channel.is_some() && custom.platform.is_some() && custom.arch.is_some());
    assert!(crate::canonical::stored(&custom.to_json()).unwrap().len() <= 1024);
}
