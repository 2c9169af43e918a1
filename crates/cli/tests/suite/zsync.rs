//! `publish --zsync`, and downloads with zsync.

use spindrift_tests::native_clients::zsync::download;
use spindrift_tests::{Driver, World, on_hosts};

use crate::shell::Shell;

on_hosts! {
    every: [
        zsync_downloads_what_has_changed,
        update_information_is_checked,
    ],
}

/// An AppImage: an ELF program with a section for its update information.
fn image(version: &str, information: &str) -> Vec<u8> {
    let mut state = 1_u32;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    let mut program: Vec<u8> = std::iter::repeat_with(next).take(500_000).collect();
    program.splice(250_000..250_000, version.bytes());
    elf(&[(".upd_info", information.as_bytes()), (".program", &program)])
}

/// An ELF64 file with these sections.
fn elf(sections: &[(&str, &[u8])]) -> Vec<u8> {
    let mut names = b"\0.shstrtab\0".to_vec();
    let mut content = vec![0; 64];
    let mut headers = vec![[0_u64; 8]];
    for (name, bytes) in sections {
        headers.push([names.len() as u64 | 1 << 32, 0, 0, content.len() as u64, bytes.len() as u64, 0, 1, 0]);
        names.extend(name.bytes().chain([0]));
        content.extend_from_slice(bytes);
    }
    headers.push([1 | 3 << 32, 0, 0, content.len() as u64, names.len() as u64, 0, 1, 0]);
    content.extend_from_slice(&names);
    let at = content.len() as u64;
    let last = u16::try_from(headers.len()).unwrap() - 1;
    content.extend(headers.iter().flatten().flat_map(|field| field.to_le_bytes()));
    let mut header = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x3e\0\x01\0\0\0".to_vec();
    header.extend([0, 0, at].iter().flat_map(|field: &u64| field.to_le_bytes()));
    header.extend(0_u32.to_le_bytes());
    header.extend([64, 56, 0, 64, last + 1, last].iter().flat_map(|field: &u16| field.to_le_bytes()));
    content[..64].copy_from_slice(&header);
    content
}

fn url(world: &World) -> String {
    let query = "owner=ada&app_name=notes&channel=stable&platform=linux&arch=amd64&package=zsync";
    format!("{}/apps/latest?{query}", world.url())
}

fn zsync_downloads_what_has_changed(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    let information = format!("zsync|{}", url(&world));
    let publish = |version: &str| {
        let name = format!("Notes {version}.AppImage");
        shell.write(&name, image(version, &information));
        // A `.zsync` file of another tool, which would not find the stored file.
        shell.write(&format!("{name}.zsync"), "zsync: 0.6.2\nURL: Notes.AppImage\n\n");
        let done = shell.ok(&Shell::publish(version, &["--publish", "--zsync", "*.AppImage*"]));
        assert!(!done.stderr.contains("update information"), "{done:?}");
        std::fs::rename(shell.path(&name), shell.path(version)).unwrap();
        std::fs::remove_file(shell.path(&format!("{name}.zsync"))).unwrap();
    };
    // In the storage, the versions are 1.0.0 and 1.1.0.
    publish("v1.0.0");
    publish("v1.1.0");
    let Some(fetched) = download(&url(&world), &shell.path("v1.0.0"), &shell.path("new")) else { return };
    assert_eq!(std::fs::read(shell.path("new")).unwrap(), image("v1.1.0", &information));
    assert!(fetched.clone().unwrap() < 20_000, "{fetched:?}");
}

fn update_information_is_checked(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    let publish = |version: &str, content: &[u8]| {
        shell.write("Notes.AppImage", content);
        shell.ok(&Shell::publish(version, &["--publish", "--zsync", "Notes.AppImage"])).stderr
    };
    let expected = format!("zsync|{}", url(&world));
    let elsewhere = expected.replace("stable", "beta");
    let said = publish("1.0.0", &image("1.0.0", &elsewhere));
    let text =
        format!("Notes.AppImage: its update information is {elsewhere}; this release is found by {expected}");
    assert!(said.contains(&text), "{said}");
    let said = publish("1.1.0", &image("1.1.0", "\0\0\0"));
    assert!(said.contains(&format!("it has no update information; pack it with {expected}")), "{said}");
    let said = publish("1.2.0", b"no program");
    assert!(said.contains("its update information cannot be read"), "{said}");
    let words = Shell::publish("1.3.0", &["--publish", "--zsync", "notes.deb"]);
    let refused = shell.write("notes.deb", "deb").run(&words);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("there is no .AppImage among the files"), "{refused:?}");
}
