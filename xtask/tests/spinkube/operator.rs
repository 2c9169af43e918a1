//! The kinds of the Spin operator. The tables have the fields that our manifests use or are likely to use
//! next. They were compared by hand with the CRDs `spinapps` and `spinappexecutors`
//! (core.spinkube.dev/v1alpha1) of spin-operator v0.6.1 of July 2025, the newest release in April 2026. The
//! main branch of then has the same fields in `spec`.

use serde_json::{Value, json};

use crate::fields::{Field, Shape, differences, optional, required};
use crate::manifests;

const METADATA: Shape = Shape::Object(&[
    required("name", Shape::Text),
    optional("labels", Shape::Map(&Shape::Text)),
    optional("annotations", Shape::Map(&Shape::Text)),
]);

const KEY: Shape = Shape::Object(&[
    required("name", Shape::Text),
    required("key", Shape::Text),
    optional("optional", Shape::Switch),
]);

const VARIABLE: Shape = Shape::Object(&[
    required("name", Shape::Text),
    optional("value", Shape::Text),
    optional("valueFrom", Shape::Object(&[optional("secretKeyRef", KEY), optional("configMapKeyRef", KEY)])),
]);

const PROBE: Shape = Shape::Object(&[
    optional("httpGet", Shape::Object(&[required("path", Shape::Text)])),
    optional("initialDelaySeconds", Shape::Number),
    optional("periodSeconds", Shape::Number),
    optional("timeoutSeconds", Shape::Number),
    optional("successThreshold", Shape::Number),
    optional("failureThreshold", Shape::Number),
]);

/// Quantities may be numbers too; ours are texts.
const QUANTITIES: Shape = Shape::Map(&Shape::Text);

const APPLICATION: &[Field] = &[
    required("image", Shape::Text),
    required("executor", Shape::Text),
    optional("replicas", Shape::Number),
    optional("enableAutoscaling", Shape::Switch),
    optional("resources", Shape::Object(&[optional("requests", QUANTITIES), optional("limits", QUANTITIES)])),
    optional("checks", Shape::Object(&[optional("readiness", PROBE), optional("liveness", PROBE)])),
    optional("runtimeConfig", Shape::Object(&[optional("loadFromSecret", Shape::Text)])),
    optional("variables", Shape::List(&VARIABLE)),
    optional("imagePullSecrets", Shape::List(&Shape::Object(&[optional("name", Shape::Text)]))),
    optional("components", Shape::List(&Shape::Text)),
    optional("serviceAccountName", Shape::Text),
    optional("invocationLimits", Shape::Map(&Shape::Text)),
    optional("serviceAnnotations", Shape::Map(&Shape::Text)),
    optional("deploymentAnnotations", Shape::Map(&Shape::Text)),
    optional("podAnnotations", Shape::Map(&Shape::Text)),
    optional("podLabels", Shape::Map(&Shape::Text)),
];

const DEPLOYMENT: Shape = Shape::Object(&[
    optional("runtimeClassName", Shape::Text),
    optional("spinImage", Shape::Text),
    optional("caCertSecret", Shape::Text),
    optional("installDefaultCACerts", Shape::Switch),
]);

const EXECUTOR: &[Field] =
    &[required("createDeployment", Shape::Switch), optional("deploymentConfig", DEPLOYMENT)];

/// The parts that the operator would refuse in a manifest of one of its kinds.
fn problems(manifest: &Value) -> Vec<String> {
    let spec = match manifest["kind"].as_str() {
        Some("SpinApp") => Shape::Object(APPLICATION),
        Some("SpinAppExecutor") => Shape::Object(EXECUTOR),
        _ => return vec!["the operator has no such kind".to_owned()],
    };
    let mut found = differences(&METADATA, &manifest["metadata"], "metadata");
    found.extend(differences(&spec, &manifest["spec"], "spec"));
    if manifest["apiVersion"] != "core.spinkube.dev/v1alpha1" {
        found.push("apiVersion is another one".to_owned());
    }
    // The operator's webhook has these two rules.
    let is_scaled = manifest["spec"]["enableAutoscaling"] == true;
    if manifest["kind"] == "SpinApp" && is_scaled == (manifest["spec"]["replicas"].as_i64() >= Some(1)) {
        found.push("spec.replicas and spec.enableAutoscaling: one of them".to_owned());
    }
    found
}

#[test]
fn the_operator_knows_every_field() {
    for kind in ["SpinApp", "SpinAppExecutor"] {
        let manifests = manifests::of_kind(kind);
        assert!(!manifests.is_empty(), "{kind}");
        for manifest in manifests {
            assert_eq!(problems(&manifest), Vec::<String>::new(), "{kind} {}", manifest["metadata"]["name"]);
        }
    }
}

#[test]
fn mistakes_are_found() {
    type Change = fn(&mut Value);
    let cases: [(Change, &str); 6] = [
        (|app| app["spec"]["imagee"] = json!("x"), "spec.imagee is not a field"),
        (|app| drop(app["spec"].as_object_mut().unwrap().remove("image")), "spec.image is missing"),
        (
            |app| app["spec"]["checks"]["liveness"]["periodSeconds"] = json!("20"),
            "spec.checks.liveness.periodSeconds has another type",
        ),
        (|app| app["spec"]["variables"][0] = json!({ "value": "x" }), "spec.variables.0.name is missing"),
        (|app| app["spec"]["replicas"] = json!(2), "spec.replicas and spec.enableAutoscaling: one of them"),
        (|app| app["apiVersion"] = json!("core.spinkube.dev/v1"), "apiVersion is another one"),
    ];
    for (change, problem) in cases {
        let mut application = manifests::named("SpinApp", "spindrift");
        change(&mut application);
        assert_eq!(problems(&application), [problem]);
    }
}
