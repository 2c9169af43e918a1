//! Trusted publishing from the command line: jobs need no token.

use serde_json::json;
use spindrift_tests::issuer::{Issuer, github_claims, gitlab_claims};
use spindrift_tests::{Driver, World, on_hosts};

use crate::shell::{Finished, PROGRAM, SCOPE, Shell};

on_hosts! {
    every: [
        a_job_on_github_needs_no_token,
        commands_of_a_job_on_gitlab_share_a_token,
        a_job_that_is_no_publisher_learns_why,
        publishers_are_listed_and_removed,
    ],
}

struct Scene {
    issuer: Issuer,
    world: World,
    ada: Shell,
}

impl Scene {
    fn new(driver: Driver) -> Self {
        let issuer = Issuer::start();
        let world = World::builder(driver)
            .with_variable("github_issuer", issuer.url())
            .with_variable("gitlab_issuer", issuer.url())
            .start();
        let ada = Shell::of_ada(&world);
        Self { issuer, world, ada }
    }

    fn job(&self) -> Shell {
        let job = Shell::new(&self.world.url());
        job.write("notes.deb", "one");
        job
    }
}

/// Runs a command in a job with these variables, which has no login.
fn run(job: &Shell, variables: &[(&str, String)], arguments: &[&str]) -> Finished {
    let mut command = job.start(PROGRAM);
    command.args(arguments).env("SPINDRIFT_OWNER", "ada").env("SPINDRIFT_TOKEN", "");
    command.envs(variables.iter().map(|(name, value)| (name, value.as_str())));
    Finished::from(command.output().unwrap())
}

fn publish(version: &str) -> Vec<&str> {
    [&["publish", "--version", version][..], &SCOPE, &["notes.deb"]].concat()
}

fn a_job_on_github_needs_no_token(driver: Driver) {
    let scene = Scene::new(driver);
    let added = ["publisher", "add", "github", "acme/notes", "--workflow", "release.yml", "--app", "notes"];
    assert!(scene.ada.ok(&added).stdout.contains("its jobs need no token any more"));
    let (job, github) = (scene.job(), scene.issuer.github_variables("production"));

    let tested = run(&job, &github, &["publisher", "test", "--app", "notes"]);
    let text = &tested.stdout;
    assert!(text.contains("accepts this job as acme/notes release.yml v2.0 run 812"), "{tested:?}");
    assert!(text.contains("it may upload in all channels"), "{tested:?}");
    for version in ["2.0.0", "2.1.0"] {
        let done = run(&job, &github, &publish(version));
        assert_eq!(done.code, Some(0), "{done:?}");
    }

    let shown = scene.ada.ok(&["release", "show", "2.0.0", "--app", "notes"]).stdout;
    assert!(shown.contains("acme/notes@1a2b3c4 by release.yml, run 812"), "{shown}");
    let log = scene.ada.ok(&["audit", "list", "--app", "notes"]).stdout;
    assert!(log.contains("the job acme/notes release.yml v2.0 run 812 uploaded notes 2.0.0"), "{log}");
    // A refusal names the right that the job lacks.
    let refused = run(&job, &github, &["release", "publish", "2.0.0", "--app", "notes"]);
    assert!(refused.error(4).contains("the token lacks the right publish or roll"), "{refused:?}");
}

fn commands_of_a_job_on_gitlab_share_a_token(driver: Driver) {
    let scene = Scene::new(driver);
    scene.ada.ok(&["publisher", "add", "gitlab", "acme/apps/notes", "--app", "notes", "--ref", "v*"]);
    let claims = scene.issuer.claims(gitlab_claims(&scene.world.url()), json!({}));
    let gitlab = [("SPINDRIFT_ID_TOKEN", scene.issuer.sign(&claims))];
    let job = scene.job();
    // The first command uses the identity token, and the others its token.
    let tested = run(&job, &gitlab, &["publisher", "test", "--app", "notes"]);
    assert_eq!(tested.code, Some(0), "{tested:?}");
    for version in ["2.0.0", "2.1.0"] {
        let done = run(&job, &gitlab, &publish(version));
        assert_eq!(done.code, Some(0), "{done:?}");
    }
    // The identity token is used up, and another machine has no token of it.
    let other = run(&scene.job(), &gitlab, &publish("2.2.0"));
    assert!(other.error(3).contains("this token was exchanged before"), "{other:?}");
}

fn a_job_that_is_no_publisher_learns_why(driver: Driver) {
    let scene = Scene::new(driver);
    let (job, github) = (scene.job(), scene.issuer.github_variables("production"));
    let refused = run(&job, &github, &publish("2.0.0"));
    let text = refused.error(4);
    assert!(
        text.contains("does not accept this CI job: the application has no publisher of this issuer"),
        "{text}"
    );
    scene.ada.ok(&["publisher", "add", "github", "acme/other", "--workflow", "ci.yml", "--app", "notes"]);
    let refused = run(&job, &github, &publish("2.0.0"));
    let text = refused.error(4);
    assert!(text.contains("repository must be \"acme/other\", and the token says \"acme/notes\""), "{text}");
    // Without an owner, the job cannot say for which application it asks.
    let mut command = job.start(PROGRAM);
    command.args(publish("2.0.0")).envs(github.iter().map(|(name, value)| (name, value.as_str())));
    let refused = Finished::from(command.output().unwrap());
    let text = refused.error(2);
    assert!(text.contains("set SPINDRIFT_OWNER and SPINDRIFT_APP"), "{text}");
    // A login or a token comes first.
    let claims = scene.issuer.claims(github_claims("elsewhere"), json!({}));
    let mut command = scene.ada.start(PROGRAM);
    let done =
        command.args(["whoami"]).env("SPINDRIFT_ID_TOKEN", scene.issuer.sign(&claims)).output().unwrap();
    assert_eq!(Finished::from(done).code, Some(0));
}

fn publishers_are_listed_and_removed(driver: Driver) {
    let scene = Scene::new(driver);
    let add = [
        "publisher",
        "add",
        "github",
        "acme/notes",
        "--workflow",
        "release.yml",
        "--environment",
        "production",
        "--channel",
        "stable",
        "--may",
        "upload,publish",
        "--app",
        "notes",
        "--json",
    ];
    let id = scene.ada.ok(&add).json()["id"].as_str().unwrap().to_owned();
    let listed = scene.ada.ok(&["publisher", "list", "--app", "notes"]).stdout;
    for text in ["acme/notes release.yml", "production", "upload, publish", "stable", &id] {
        assert!(listed.contains(text), "{text}: {listed}");
    }
    scene.ada.ok(&["publisher", "remove", &id]);
    assert_eq!(
        scene.ada.ok(&["publisher", "list", "--app", "notes", "--json"]).json()["publishers"],
        json!([])
    );
}
