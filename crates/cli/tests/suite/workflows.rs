//! The workflows of `docs/ci-workflows.md`, with builds that stand in for those of the tools, and real
//! clients.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use spindrift_tests::issuer::Issuer;
use spindrift_tests::native_clients::electron::{
    ElectronApp, ElectronRelease, Platform, client, release_tools,
};
use spindrift_tests::native_clients::tauri::{SigningKey, TauriApp};
use spindrift_tests::{Driver, World, on_hosts, sha512_base64};

use crate::shell::{Finished, PROGRAM, Shell};

on_hosts! {
    every: [
        a_workflow_publishes_an_electron_application,
        a_workflow_publishes_a_tauri_application,
        a_workflow_publishes_a_program,
    ],
}

/// Values of expressions, such as `matrix.platform`.
type Values = BTreeMap<String, String>;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The blocks of a language in a section of the page.
fn blocks(section: &str, language: &str) -> Vec<String> {
    let page = std::fs::read_to_string(repository().join("docs/ci-workflows.md")).unwrap();
    let (_, text) = page.split_once(&format!("\n## {section}\n")).unwrap();
    let text = text.split("\n## ").next().unwrap();
    let fence = format!("```{language}\n");
    let blocks = text.split(&fence).skip(1);
    blocks.map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Replaces each `${{ name }}`.
fn filled_in(text: &str, values: &Values) -> String {
    let mut parts = text.split("${{");
    let mut all = parts.next().unwrap().to_owned();
    for part in parts {
        let (name, rest) = part.split_once("}}").unwrap();
        let value = values.get(name.trim());
        assert!(value.is_some(), "nothing is known about {name}");
        all += value.unwrap();
        all += rest;
    }
    all
}

/// A repository with a workflow.
struct Pipeline {
    issuer: Issuer,
    world: World,
    shell: Shell,
    jobs: Value,
}

impl Pipeline {
    /// Prepares the service as the page says.
    fn new(driver: Driver, section: &str) -> Self {
        let issuer = Issuer::start();
        let world = World::builder(driver).with_variable("github_issuer", issuer.url()).start();
        let shell = Shell::new(&world.url());
        shell.ok(&["signup", "--username", "ada"]);
        let commands =
            ["Before the first run", section].map(|section| blocks(section, "bash").concat()).concat();
        for line in commands.lines() {
            shell.ok(&line.split(' ').skip(1).collect::<Vec<_>>());
        }
        let workflow: Value = serde_saphyr::from_str(&blocks(section, "yaml")[0]).unwrap();
        assert_eq!(workflow["permissions"]["id-token"], "write");
        Self { issuer, world, shell, jobs: workflow["jobs"].clone() }
    }

    /// Runs the jobs for a version. `build`: puts what the tools would make into the folder, for a platform.
    fn run(&self, version: &str, build: impl Fn(&Shell, &str)) {
        for row in self.jobs["build"]["strategy"]["matrix"]["include"].as_array().unwrap() {
            let mut values = values(version);
            for (name, value) in row.as_object().unwrap() {
                values.insert(format!("matrix.{name}"), text(value));
            }
            build(&self.shell, row["platform"].as_str().unwrap());
            self.run_job("build", values);
        }
        assert_eq!(self.jobs["release"]["needs"], "build");
        self.run_job("release", values(version));
    }

    /// Runs the steps of a job that use the action, and those whose outputs such a step reads.
    fn run_job(&self, job: &str, mut values: Values) {
        for step in self.jobs[job]["steps"].as_array().unwrap() {
            if let Some(id) = step["id"].as_str() {
                let outputs = self.outputs(&filled_in(step["run"].as_str().unwrap(), &values));
                values.extend(
                    outputs.into_iter().map(|(name, value)| (format!("steps.{id}.outputs.{name}"), value)),
                );
            }
            if step["uses"] == "<owner>/spindrift@<tag>" {
                let environment = self.jobs[job]["environment"].as_str().unwrap_or_default();
                self.publish(&step["with"], &values, environment);
            }
        }
    }

    fn outputs(&self, script: &str) -> Values {
        self.shell.write("output", "");
        let mut bash = self.shell.start("bash");
        let done = Finished::from(
            bash.args(["-e", "-c", script]).env("GITHUB_OUTPUT", self.shell.path("output")).output().unwrap(),
        );
        assert_eq!(done.code, Some(0), "{script}: {done:?}");
        let written = std::fs::read_to_string(self.shell.path("output")).unwrap();
        written
            .lines()
            .map(|line| line.split_once('=').unwrap())
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    /// The last step of the action, with its inputs, in a job with this environment.
    fn publish(&self, with: &Value, values: &Values, environment: &str) {
        let action = std::fs::read_to_string(repository().join("action.yml")).unwrap();
        let action: Value = serde_saphyr::from_str(&action).unwrap();
        let mut command = self.shell.start(repository().join("deploy/ci/publish.sh"));
        command.env("INPUT_SPINDRIFT", PROGRAM).env("SPINDRIFT_CONFIG_DIR", self.shell.path("job"));
        command.envs(self.issuer.github_variables(environment));
        for (name, input) in action["inputs"].as_object().unwrap() {
            let value = with
                .get(name)
                .map_or_else(|| text(&input["default"]), |given| filled_in(&text(given), values));
            match name.as_str() {
                // The address of the page is not that of the test.
                "url" | "spindrift" => {}
                "token" => drop(command.env("SPINDRIFT_TOKEN", value)),
                "owner" => drop(command.env("SPINDRIFT_OWNER", value)),
                name => drop(command.env(format!("INPUT_{}", name.to_uppercase().replace('-', "_")), value)),
            }
        }
        for name in with.as_object().unwrap().keys() {
            assert!(action["inputs"].get(name).is_some(), "the action has no input {name}");
        }
        let done = Finished::from(command.output().unwrap());
        assert_eq!(done.code, Some(0), "{with}: {done:?}");
    }
}

fn values(version: &str) -> Values {
    Values::from([("github.ref_name".to_owned(), format!("v{version}"))])
}

/// Bytes of a build, 200 kB and mostly the same in each version.
fn bytes(name: &str, version: &str) -> Vec<u8> {
    let mut bytes = format!("{name} {version}\n").into_bytes();
    bytes.extend((0..200_000_u32).flat_map(|number| [number.wrapping_mul(2_654_435_761).to_le_bytes()[3]]));
    bytes
}

fn a_workflow_publishes_an_electron_application(driver: Driver) {
    let (Some(client), Some(tools)) = (client(), release_tools()) else { return };
    let pipeline = Pipeline::new(driver, "Electron");
    let names = |platform: &str, version: &str| match platform {
        "linux" => [format!("Notes-{version}.AppImage"), format!("Notes-{version}-arm64.AppImage")],
        "windows" => [format!("Notes-Setup-{version}-x64.exe"), format!("Notes-Setup-{version}-arm64.exe")],
        _ => [format!("Notes-{version}-mac.zip"), format!("Notes-{version}-arm64-mac.zip")],
    };
    let kind = |platform: &str| match platform {
        "linux" => Platform::AppImage,
        "windows" => Platform::Nsis,
        _ => Platform::Mac,
    };
    for version in ["1.0.0", "1.1.0"] {
        pipeline.run(version, |shell, platform| {
            let _ = std::fs::remove_dir_all(shell.path("dist"));
            let [x64, arm64] = names(platform, version);
            let built = ElectronRelease::new(kind(platform), version)
                .with_package(&x64, Some("x64"), &bytes(&x64, version))
                .with_package(&arm64, Some("arm64"), &bytes(&arm64, version))
                .build(tools);
            for (name, bytes) in built.files() {
                shell.write(&format!("dist/{name}"), bytes);
            }
        });
        pipeline.shell.ok(&["rollout", "complete", version, "--app", "notes"]);
    }
    for platform in ["linux", "windows", "darwin"] {
        for (arch, process_arch, place) in [("amd64", "x64", 0), ("arm64", "arm64", 1)] {
            let base = format!("{}/update/ada/notes/stable/{platform}/{arch}/1.0.0/", pipeline.world.url());
            let checked = ElectronApp::new(&base, kind(platform), process_arch, "1.0.0").check(client);
            assert!(checked.is_ok(), "{platform} {arch}: {checked:?}");
            let checked = checked.unwrap();
            assert!(checked.available, "{platform} {arch}: {checked:?}");
            let name = &names(platform, "1.1.0")[place];
            let downloaded = &checked.downloaded.as_ref().unwrap().sha512;
            if platform == "linux" {
                // The block map is in the AppImage, so its digest is the feed's.
                assert!(checked.files.iter().any(|file| file.sha512 == *downloaded), "{checked:?}");
            } else {
                assert_eq!(*downloaded, *sha512_base64(&bytes(name, "1.1.0")), "{platform} {arch}");
            }
        }
    }
}

fn a_workflow_publishes_a_tauri_application(driver: Driver) {
    let pipeline = Pipeline::new(driver, "Tauri");
    let key = SigningKey::generate();
    let file = |platform: &str, version: &str| match platform {
        "linux" => format!("appimage/Notes_{version}_amd64.AppImage"),
        "windows" => format!("nsis/Notes_{version}_x64-setup.exe"),
        _ => "macos/Notes.app.tar.gz".to_owned(),
    };
    for version in ["1.0.0", "1.1.0"] {
        pipeline.run(version, |shell, platform| {
            let _ = std::fs::remove_dir_all(shell.path("src-tauri"));
            let file = file(platform, version);
            let (path, bytes) = (format!("src-tauri/target/release/bundle/{file}"), bytes(&file, version));
            shell.write(&format!("{path}.sig"), key.sign(&bytes, &file, version)).write(&path, bytes);
        });
        pipeline.shell.ok(&["rollout", "complete", version, "--app", "notes"]);
    }
    for (target, arch, bundle) in
        [("linux", "x86_64", "appimage"), ("windows", "x86_64", "nsis"), ("darwin", "aarch64", "app")]
    {
        let endpoint = format!(
            "{}/update/ada/notes/stable/{{{{target}}}}/{{{{arch}}}}/{{{{current_version}}}}/tauri.json?bundle_type={{{{bundle_type}}}}",
            pipeline.world.url()
        );
        let app = TauriApp {
            target: target.to_owned(),
            arch: arch.to_owned(),
            bundle: bundle.to_owned(),
            ..TauriApp::new(&endpoint, "1.0.0", &key.public_key())
        };
        let offer = app.check().unwrap().unwrap();
        assert_eq!(offer.version.to_string(), "1.1.0", "{target}");
        assert_eq!(app.download(&offer).unwrap(), bytes(&file(target, "1.1.0"), "1.1.0"), "{target}");
    }
}

fn a_workflow_publishes_a_program(driver: Driver) {
    let pipeline = Pipeline::new(driver, "A program in Rust or Go");
    for version in ["1.0.0", "1.1.0"] {
        pipeline.run(version, |shell, platform| {
            let name = if platform == "windows" { "notes.exe" } else { "notes" };
            shell.write(&format!("target/release/{name}"), bytes(platform, version));
        });
        pipeline.shell.ok(&["rollout", "complete", version, "--app", "notes"]);
    }
    for (platform, arch) in [("linux", "amd64"), ("windows", "amd64"), ("darwin", "arm64")] {
        let words = [
            "check",
            "1.0.0",
            "--owner",
            "ada",
            "--app",
            "notes",
            "--channel",
            "stable",
            "--download",
            "update",
        ];
        pipeline.shell.ok(&[&words[..], &["--platform", platform, "--arch", arch]].concat());
        assert_eq!(
            std::fs::read(pipeline.shell.path("update")).unwrap(),
            bytes(platform, "1.1.0"),
            "{platform}"
        );
        std::fs::remove_file(pipeline.shell.path("update")).unwrap();
    }
}
