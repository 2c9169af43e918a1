//! A call as a command of `curl`.

use crate::describe::{Body, Files, Parameter, Place, Route, Who};

/// The command. Values that the reader has to fill in are shell variables, or in braces.
pub(crate) fn curl(route: &Route) -> String {
    let call = &route.call;
    let mut parts = vec![format!("curl '{{SPINDRIFT_URL}}{}{}'", route.template(), query(route))];
    if route.method != "GET" {
        parts.push(format!("-X {}", route.method));
    }
    match call.who {
        Who::Anyone | Who::Reader => {}
        Who::Reporter => parts.push("-H 'Authorization: Bearer {REPORT_KEY}'".to_owned()),
        _ => parts.push("-H 'Authorization: Bearer {TOKEN}'".to_owned()),
    }
    let needed = |parameter: &&Parameter| parameter.place == Place::Header && parameter.is_required;
    parts.extend(
        call.parameters.iter().filter(needed).map(|header| format!("-H '{0}: {{{0}}}'", header.name)),
    );
    match &call.body {
        Some(Body::Json { example, is_required: true, .. }) => {
            parts.push("-H 'Content-Type: application/json'".to_owned());
            parts.push(format!("-d '{example}'"));
        }
        Some(Body::Form { fields, files }) => {
            parts.extend(fields.iter().map(|(name, _, example)| format!("-F '{name}={example}'")));
            if *files == Files::Required {
                parts.push("-F 'file=@{FILE}'".to_owned());
            }
        }
        _ => {}
    }
    parts.join(" \\\n  ")
}

/// The parameters that must be there. Of a deletion that takes its id there or in the body, the id.
fn query(route: &Route) -> String {
    let call = &route.call;
    let takes_either = matches!(&call.body, Some(Body::Json { is_required: false, .. }));
    let shown = call.parameters.iter().filter(|parameter| parameter.place == Place::Query);
    let shown = shown.filter(|parameter| parameter.is_required || (takes_either && parameter.name == "id"));
    let pairs: Vec<_> = shown.map(|parameter| format!("{0}={{{0}}}", parameter.name)).collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}
