//! Lines for standard error.

use std::io::Write as _;

/// Writes a line. One that cannot be written, for example because it goes to a file on a full disk, is lost: `eprintln!`
/// would panic, and whoever waits for the task would wait for ever.
pub fn log_line(line: &str) {
    let _ = std::io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}

/// A path without the parameters of its segments, as in `/a;key=secret/b`, which may be credentials. `%3B` may begin them
/// too.
pub(crate) fn without_parameters(path: &str) -> String {
    let shown = |segment: &str| {
        let encoded = segment.to_ascii_lowercase();
        let end = [";", "%3b"].into_iter().filter_map(|start| encoded.find(start)).min();
        end.and_then(|end| segment.get(..end)).unwrap_or(segment).to_owned()
    };
    path.split('/').map(shown).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::without_parameters;

    #[test]
    fn parameters_are_left_out() {
        for (path, shown) in
            [("/a/b", "/a/b"), ("/a;k=v/b", "/a/b"), ("/a%3Bk=v;x", "/a"), ("/%20;", "/%20"), ("", "")]
        {
            assert_eq!(without_parameters(path), shown);
        }
    }
}
