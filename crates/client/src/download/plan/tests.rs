use super::*;

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let pairs = pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
    pairs.collect::<HeaderMap>()
}

fn resume() -> Resume {
    Resume { offset: 10, tag: "\"a\"".into(), total: Some(100) }
}

#[test]
fn a_part_is_added_only_where_it_belongs() {
    let tag = ("etag", "\"a\"");
    let append = Plan::Append { total: Some(100) };
    for (pairs, expected) in [
        (vec![("content-range", "bytes 10-99/100"), tag], append.clone()),
        (vec![("content-range", "bytes 10-49/100"), tag], append.clone()),
        (vec![("content-range", "bytes 10-99/*"), tag], append),
        // Another position.
        (vec![("content-range", "bytes 0-99/100"), tag], Plan::Discard),
        (vec![("content-range", "bytes 11-99/100"), tag], Plan::Discard),
        // Another file.
        (vec![("content-range", "bytes 10-99/100"), ("etag", "\"b\"")], Plan::Discard),
        (vec![("content-range", "bytes 10-99/100"), ("etag", "W/\"a\"")], Plan::Discard),
        (vec![("content-range", "bytes 10-99/100")], Plan::Discard),
        (vec![("content-range", "bytes 10-100/101"), tag], Plan::Discard),
        // No position.
        (vec![tag], Plan::Discard),
        (vec![("content-type", "multipart/byteranges; boundary=x"), tag], Plan::Discard),
        (vec![("content-range", "bytes */100"), tag], Plan::Discard),
        (vec![("content-range", "bytes 10-100/100"), tag], Plan::Discard),
        (vec![("content-range", "bytes 10-9/100"), tag], Plan::Discard),
        (vec![("content-range", "lines 10-99/100"), tag], Plan::Discard),
    ] {
        assert_eq!(
            plan(Some(&resume()), StatusCode::PARTIAL_CONTENT, &headers(&pairs)),
            expected,
            "{pairs:?}"
        );
    }
}

#[test]
fn everything_comes_again_when_the_range_is_ignored() {
    let given = headers(&[("content-length", "100"), ("etag", "\"b\"")]);
    let start = Plan::Start { total: Some(100), tag: Some("\"b\"".into()) };
    assert_eq!(plan(Some(&resume()), StatusCode::OK, &given), start);
    assert_eq!(plan(None, StatusCode::OK, &given), start);
}

#[test]
fn only_a_strong_tag_is_kept() {
    for tag in ["W/\"b\"", "b", "\"\"", "\""] {
        let start = Plan::Start { total: None, tag: None };
        assert_eq!(plan(None, StatusCode::OK, &headers(&[("etag", tag)])), start, "{tag}");
    }
}

#[test]
fn other_statuses() {
    for (asked, status, expected) in [
        (Some(resume()), 416, Plan::Discard),
        (Some(resume()), 412, Plan::Discard),
        (None, 416, Plan::Refuse),
        (None, 206, Plan::Refuse),
        (None, 204, Plan::Refuse),
        (Some(resume()), 404, Plan::Refuse),
        (Some(resume()), 503, Plan::Refuse),
    ] {
        let status = StatusCode::from_u16(status).unwrap();
        assert_eq!(plan(asked.as_ref(), status, &HeaderMap::new()), expected, "{status}");
    }
}
