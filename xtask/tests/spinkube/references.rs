//! References of the manifests to each other, and to the applications whose settings they set.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::manifests::{files, named, of_kind, read, root};

/// The label that the operator gives the pods of an application.
const APPLICATION_LABEL: &str = "core.spinkube.dev/app-name";
/// Each application with its Spin manifest.
const APPLICATIONS: [(&str, &str); 2] =
    [("spindrift", "spin.toml"), ("spindrift-edge", "deploy/edge/spin.toml")];
/// Files that are applied on their own.
const APART: [&str; 3] = ["edge.yaml", "kustomization.yaml", "secrets.example.yaml"];
/// Settings that have a default in `spin.toml`, with which a service in a cluster cannot work.
const NEEDED: [&str; 7] = [
    "api_url",
    "s3_api_endpoint",
    "s3_public_url",
    "s3_access_key",
    "s3_secret_key",
    "jwt_secret",
    "api_key",
];

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[test]
fn variables_are_settings_of_the_application() {
    for (name, file) in APPLICATIONS {
        let spin: toml::Table = toml::from_str(&std::fs::read_to_string(root().join(file)).unwrap()).unwrap();
        let settings = spin["variables"].as_table().unwrap();
        let application = named("SpinApp", name);
        let variables = list(&application["spec"]["variables"]);
        let set: BTreeSet<&str> = variables.iter().map(|variable| text(&variable["name"])).collect();
        assert_eq!(set.len(), variables.len(), "{name} sets a variable twice");
        for variable in variables {
            let setting = settings.get(text(&variable["name"]));
            let setting = setting.unwrap_or_else(|| panic!("{file} has no variable {}", variable["name"]));
            let is_secret = setting.get("secret").and_then(toml::Value::as_bool) == Some(true);
            assert_eq!(variable["valueFrom"]["secretKeyRef"].is_object(), is_secret, "{}", variable["name"]);
            assert_eq!(variable["value"].is_string(), !is_secret, "{}", variable["name"]);
        }
        let is_needed = |(setting, value): &(&String, &toml::Value)| {
            value.get("required").is_some() || NEEDED.contains(&setting.as_str())
        };
        for (needed, _) in settings.iter().filter(is_needed) {
            assert!(set.contains(needed.as_str()), "{name} does not set {needed}");
        }
    }
}

#[test]
fn secrets_have_the_keys_that_are_used() {
    let mut used = Vec::new();
    for application in of_kind("SpinApp") {
        let variables = list(&application["spec"]["variables"]);
        used.extend(variables.iter().map(|variable| variable["valueFrom"]["secretKeyRef"].clone()));
    }
    let job = named("CronJob", "spindrift-maintenance");
    let pod = &job["spec"]["jobTemplate"]["spec"]["template"]["spec"];
    used.extend(
        list(&pod["containers"][0]["env"]).iter().map(|env| env["valueFrom"]["secretKeyRef"].clone()),
    );
    used.retain(Value::is_object);
    assert!(used.len() > 1);
    for reference in used {
        let secret = named("Secret", text(&reference["name"]));
        assert!(secret["stringData"][text(&reference["key"])].is_string(), "{reference}");
    }
}

/// The runtime configuration that the secret holds.
fn runtime_configuration() -> toml::Table {
    let application = named("SpinApp", "spindrift");
    let secret = named("Secret", text(&application["spec"]["runtimeConfig"]["loadFromSecret"]));
    let keys: Vec<&String> = secret["stringData"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["runtime-config.toml"]);
    toml::from_str(text(&secret["stringData"]["runtime-config.toml"])).unwrap()
}

#[test]
fn the_runtime_configuration_has_both_stores() {
    let stores = runtime_configuration();
    assert_eq!(stores["key_value_store"]["default"]["type"].as_str(), Some("redis"));
    assert_eq!(stores["sqlite_database"]["default"]["type"].as_str(), Some("libsql"));
    for (store, service) in [("key_value_store", "redis"), ("sqlite_database", "sqld")] {
        let port = named("Service", service)["spec"]["ports"][0]["port"].clone();
        let url = stores[store]["default"]["url"].as_str().unwrap();
        assert!(url.ends_with(&format!("://{service}.spindrift.svc.cluster.local:{port}")), "{url}");
    }
    let file = std::fs::read_to_string(root().join("deploy/runtime-config.redis-libsql.toml")).unwrap();
    assert_eq!(stores, toml::from_str(&file).unwrap(), "the file without Kubernetes is another one");
}

#[test]
fn the_runtime_configuration_sets_the_remaining_settings() {
    let spin: toml::Table =
        toml::from_str(&std::fs::read_to_string(root().join("spin.toml")).unwrap()).unwrap();
    let application = named("SpinApp", "spindrift");
    let variables = list(&application["spec"]["variables"]);
    let provider = runtime_configuration()["variables_provider"][0].clone();
    assert_eq!(provider["type"].as_str(), Some("static"));
    for (name, value) in provider["values"].as_table().unwrap() {
        assert!(value.is_str(), "{name}");
        let setting = spin["variables"].get(name).unwrap_or_else(|| panic!("{name} is not a setting"));
        assert!(setting.get("secret").is_none(), "{name} is a secret");
        assert!(variables.iter().all(|variable| variable["name"] != **name), "{name} is set twice");
    }
}

#[test]
fn the_manifests_mean_the_same_pods() {
    let executors: Vec<Value> =
        of_kind("SpinAppExecutor").iter().map(|executor| executor["metadata"]["name"].clone()).collect();
    for application in of_kind("SpinApp") {
        assert!(executors.contains(&application["spec"]["executor"]), "{}", application["metadata"]["name"]);
    }
    let scaled = named("HorizontalPodAutoscaler", "spindrift");
    assert_eq!(scaled["spec"]["scaleTargetRef"]["name"], "spindrift");
    assert!(scaled["spec"]["minReplicas"].as_i64() >= Some(2), "one pod must be able to go");
    let requests = &named("SpinApp", "spindrift")["spec"]["resources"]["requests"];
    assert!(requests["cpu"].is_string(), "the autoscaler compares with it");
    let budget = named("PodDisruptionBudget", "spindrift");
    assert_eq!(budget["spec"]["selector"]["matchLabels"][APPLICATION_LABEL], "spindrift");
    let policy = named("NetworkPolicy", "spindrift");
    assert_eq!(policy["spec"]["podSelector"]["matchLabels"][APPLICATION_LABEL], "spindrift");
    let job = named("CronJob", "spindrift-maintenance");
    let labels = &job["spec"]["jobTemplate"]["spec"]["template"]["metadata"]["labels"];
    assert_eq!(list(&policy["spec"]["ingress"][0]["from"])[1]["podSelector"]["matchLabels"], *labels);
    let ingress = named("Ingress", "spindrift");
    let backend = &ingress["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"];
    assert_eq!((&backend["name"], &backend["port"]["number"]), (&"spindrift".into(), &80.into()));
    let hosts = &ingress["spec"]["tls"][0]["hosts"];
    assert_eq!(hosts[0], ingress["spec"]["rules"][0]["host"]);
}

#[test]
fn all_files_are_applied_or_named_as_apart() {
    let kustomization = read("kustomization.yaml").remove(0);
    let applied = list(&kustomization["resources"]).iter().map(|file| text(file).to_owned());
    let mut expected: BTreeSet<String> = applied.collect();
    assert!(APART.iter().all(|file| !expected.contains(*file)), "{expected:?}");
    expected.extend(APART.map(str::to_owned));
    assert_eq!(files().into_iter().collect::<BTreeSet<_>>(), expected);
    assert_eq!(kustomization["namespace"], named("Namespace", "spindrift")["metadata"]["name"]);
}
