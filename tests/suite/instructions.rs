//! The cost of answers to installed copies, in instructions of WebAssembly: neither the speed of the machine nor
//! other work on it changes them.

use std::time::Duration;

use spindrift_tests::{Build, Driver, Release, World, until};

use crate::telemetry::BEACON;

/// How often each request is sent. One of them may have more to do, such as renewing a record.
const TIMES: usize = 5;
/// How long an instance may work after its answer.
const SOON: Duration = Duration::from_secs(10);

/// The most instructions of each answer, for an application without plans, conditions, freezes or cures. They are
/// 5 % above what a build without optimisation at link time takes.
const BUDGETS: [(&str, &str, Option<&str>, u64); 4] = [
    ("check", "", None, 67_600),
    ("check", "", Some("device-1"), 132_500),
    ("latest", "/apps/latest?app_name=notes&owner=acme", None, 40_500),
    ("telemetry", BEACON, Some("device-1"), 118_400),
];

mod embedded {
    #[test]
    fn answers_have_a_budget_of_instructions() {
        super::answers_have_a_budget_of_instructions();
    }
}

fn answers_have_a_budget_of_instructions() {
    let world = World::builder(Driver::Embedded)
        .with_build(Build::Counted)
        .without_database()
        .with_variable("telemetry_gathered", "true")
        .with_variable("device_hash_key", "a key of the tests")
        .start();
    let acme = world.admin("acme").with_notes();
    for version in ["1.0.0", "1.1.0", "1.2.0"] {
        acme.publish(Release::new(version));
    }
    let check = acme.check_path("1.0.0");
    let mut over = Vec::new();
    for (component, path, device, budget) in BUDGETS {
        let path = if path.is_empty() { &check } else { path };
        let least = (0..TIMES).map(|_| instructions(&world, (component, path, device))).min().unwrap();
        println!("{component} {}: {least} instructions of {budget}", device.unwrap_or("without a device"));
        if least > budget {
            over.push((component, device, least, budget));
        }
    }
    assert!(over.is_empty(), "more instructions than budgeted: {over:?}");
}

/// The instructions of one answer, with the work after it.
fn instructions(world: &World, (component, path, device): (&str, &str, Option<&str>)) -> u64 {
    let before = world.instructions(component);
    let call = world.get(path);
    let answer = match device {
        Some(device) => call.header("x-device-id", device).send(),
        None => call.send(),
    };
    assert!(answer.status < 400, "{path}: {}", answer.status);
    until("the instance has ended", SOON, || Some(world.instructions(component)).filter(|now| *now > before))
        - before
}
