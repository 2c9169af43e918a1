//! Lines for standard error.

use std::io::Write as _;
use std::sync::OnceLock;

/// Formats a line of the log. The first argument is the component that wrote the text, or `None` for the
/// program itself. If the result is `None`, the line is left out.
pub type LogFormat = dyn Fn(Option<&str>, &str) -> Option<String> + Send + Sync;

/// The format of all lines of this process, because they all go to its standard error.
static FORMAT: OnceLock<Box<LogFormat>> = OnceLock::new();

/// Sets the format of all further lines. Only the first call in a process has an effect.
pub fn set_log_format(format: Box<LogFormat>) {
    let _ = FORMAT.set(format);
}

/// Writes a line on behalf of the program.
pub fn log_line(text: &str) {
    write(None, text);
}

/// Writes a line on behalf of a component.
pub fn log_of_component(component: &str, text: &str) {
    write(Some(component), text);
}

/// A line that cannot be written, for example because it goes to a file on a full disk, is dropped:
/// `eprintln!` would panic, and the task's result would never arrive.
fn write(component: Option<&str>, text: &str) {
    let line = match FORMAT.get() {
        Some(format) => format(component, text),
        None => Some(component.map_or_else(|| text.to_owned(), |component| format!("[{component}] {text}"))),
    };
    if let Some(line) = line {
        let _ = std::io::stderr().lock().write_all(format!("{line}\n").as_bytes());
    }
}

/// A path without the parameters of its segments, as in `/a;key=secret/b`, which may be credentials. A `%3B`
/// can also start parameters.
pub fn without_parameters(path: &str) -> String {
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
