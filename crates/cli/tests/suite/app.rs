//! Settings of applications.

use spindrift_tests::{Driver, World, on_hosts};

use crate::shell::Shell;

on_hosts! {
    every: [a_download_page_is_turned_on_and_off],
}

fn a_download_page_is_turned_on_and_off(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    let page = || world.get("/get/ada/notes/why").send();
    assert_eq!(page().status, 404);

    shell.ok(&["app", "update", "notes", "--get-page", "--get-page-color", "#FFD400"]);
    assert!(page().expect(200).text().contains("--accent:#ffd400;--on-accent:#000000"));
    let wrong = shell.run(&["app", "update", "notes", "--get-page-color", "yellow"]);
    assert!(wrong.error(2).contains("a color like #0a5f86"), "{wrong:?}");
    shell.ok(&["app", "update", "notes", "--get-page-color", ""]);
    assert!(!page().expect(200).text().contains("--accent:#"));

    shell.ok(&["app", "update", "notes", "--get-page", "false"]);
    assert_eq!(page().status, 404);
}
