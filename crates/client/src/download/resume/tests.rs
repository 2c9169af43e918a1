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
    let append = ResumeDecision::Append { total: Some(100) };
    for (pairs, expected) in [
        (vec![("content-range", "bytes 10-99/100"), tag], append.clone()),
        (vec![("content-range", "bytes 10-49/100"), tag], append.clone()),
        (vec![("content-range", "bytes 10-99/*"), tag], append),
        // Another position.
        (vec![("content-range", "bytes 0-99/100"), tag], ResumeDecision::Discard),
        (vec![("content-range", "bytes 11-99/100"), tag], ResumeDecision::Discard),
        // Another file.
        (vec![("content-range", "bytes 10-99/100"), ("etag", "\"b\"")], ResumeDecision::Discard),
        (vec![("content-range", "bytes 10-99/100"), ("etag", "W/\"a\"")], ResumeDecision::Discard),
        (vec![("content-range", "bytes 10-99/100")], ResumeDecision::Discard),
        (vec![("content-range", "bytes 10-100/101"), tag], ResumeDecision::Discard),
        // No position.
        (vec![tag], ResumeDecision::Discard),
        (vec![("content-type", "multipart/byteranges; boundary=x"), tag], ResumeDecision::Discard),
        (vec![("content-range", "bytes */100"), tag], ResumeDecision::Discard),
        (vec![("content-range", "bytes 10-100/100"), tag], ResumeDecision::Discard),
        (vec![("content-range", "bytes 10-9/100"), tag], ResumeDecision::Discard),
        (vec![("content-range", "lines 10-99/100"), tag], ResumeDecision::Discard),
    ] {
        assert_eq!(
            decide_resume(Some(&resume()), StatusCode::PARTIAL_CONTENT, &headers(&pairs)),
            expected,
            "{pairs:?}"
        );
    }
}

#[test]
fn everything_comes_again_when_the_range_is_ignored() {
    let given = headers(&[("content-length", "100"), ("etag", "\"b\"")]);
    let start = ResumeDecision::Start { total: Some(100), tag: Some("\"b\"".into()) };
    assert_eq!(decide_resume(Some(&resume()), StatusCode::OK, &given), start);
    assert_eq!(decide_resume(None, StatusCode::OK, &given), start);
}

#[test]
fn only_a_strong_tag_is_kept() {
    for tag in ["W/\"b\"", "b", "\"\"", "\""] {
        let start = ResumeDecision::Start { total: None, tag: None };
        assert_eq!(decide_resume(None, StatusCode::OK, &headers(&[("etag", tag)])), start, "{tag}");
    }
}

#[test]
fn other_statuses() {
    for (asked, status, expected) in [
        (Some(resume()), 416, ResumeDecision::Discard),
        (Some(resume()), 412, ResumeDecision::Discard),
        (None, 416, ResumeDecision::Refuse),
        (None, 206, ResumeDecision::Refuse),
        (None, 204, ResumeDecision::Refuse),
        (Some(resume()), 404, ResumeDecision::Refuse),
        (Some(resume()), 503, ResumeDecision::Refuse),
    ] {
        let status = StatusCode::from_u16(status).unwrap();
        assert_eq!(decide_resume(asked.as_ref(), status, &HeaderMap::new()), expected, "{status}");
    }
}
