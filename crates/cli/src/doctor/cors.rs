//! Checks that a web page may call the service.

use reqwest::Method;

use super::finding::Finding;
use crate::service::Service;

const CORS: &str = "cors";

pub(super) async fn cors(service: &Service, origin: Option<&str>) -> Finding {
    let Some(origin) = origin else {
        return Finding::skipped(CORS, "pass --origin with the address of a web page that calls the service");
    };
    let asked = service.anonymous();
    let preflight = asked
        .call(Method::OPTIONS, "/login")
        .header("origin", origin)
        .header("access-control-request-method", "POST");
    match preflight.send().await {
        Ok(answer)
            if answer
                .headers()
                .get("access-control-allow-origin")
                .is_some_and(|allowed| allowed == origin) =>
        {
            Finding::good(CORS, format!("pages of {origin} may call the service"))
        }
        Ok(_) => {
            let text =
                format!("pages of {origin} may not call the service: add it to the setting allowed_cors");
            Finding::problem(CORS, text)
        }
        Err(error) => Finding::failed(CORS, &error),
    }
}
