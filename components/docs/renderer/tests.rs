//! Properties of the page.

use serde_json::Value;

use super::{read, render};

fn document() -> Value {
    serde_json::from_str(include_str!("../pages/openapi.json")).unwrap()
}

#[test]
fn the_page_has_every_call_and_every_body_and_nothing_from_elsewhere() {
    let document = document();
    let page = render(&document);
    let operations = read::operations(&document);
    assert!(operations.len() > 100, "{}", operations.len());
    for operation in operations {
        let id = operation.value["operationId"].as_str().unwrap();
        assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
    }
    let links = page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    for link in links {
        if let Some(anchor) = link.strip_prefix('#') {
            assert!(page.contains(&format!("id=\"{anchor}\"")), "{link}");
        }
    }
    for elsewhere in ["<script", "<style", "style=", "src=", "onclick", "@import", "url("] {
        assert!(!page.contains(elsewhere), "{elsewhere}");
    }
    let sheets = page.matches("rel=\"stylesheet\"").count();
    assert_eq!((sheets, page.contains("rel=\"stylesheet\" href=\"/docs/style.css\"")), (1, true));
}

#[test]
fn a_text_with_angle_brackets_is_no_markup() {
    let mut document = document();
    document["info"]["description"] = "a <script>alert(1)</script> b".into();
    document["paths"]["/login"]["post"]["summary"] = "<img src=x>".into();
    let page = render(&document);
    assert!(!page.contains("<script") && !page.contains("<img"));
}
