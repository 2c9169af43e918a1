//! The few XML documents of S3 that the service reads and writes. Namespaces are ignored: some servers omit
//! them.

use quick_xml::Reader;
use quick_xml::events::Event;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::StorageError;

/// Maximum length of an error code that is passed on, in characters.
const MAX_CODE_LENGTH: usize = 64;

/// Reads a document whose root element is `root`.
pub(crate) fn document<T: DeserializeOwned>(text: &str, root: &'static str) -> Result<T, StorageError> {
    if root_name(text).as_deref() != Some(root) {
        return Err(StorageError::Malformed(root));
    }
    quick_xml::de::from_str(text).map_err(|_| StorageError::Malformed(root))
}

/// Whether `text` is an `<Error>` document.
pub(crate) fn is_error(text: &str) -> bool {
    root_name(text).as_deref() == Some("Error")
}

/// The `<Code>` of an `<Error>` document. Also `None` if the code is too long or contains unexpected
/// characters.
pub(crate) fn error_code(text: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct ErrorDocument {
        #[serde(rename = "Code")]
        code: Option<String>,
    }
    if !is_error(text) {
        return None;
    }
    let error: ErrorDocument = quick_xml::de::from_str(text).ok()?;
    error.code.filter(|code| is_code(code))
}

/// The local name of the root element.
fn root_name(text: &str) -> Option<String> {
    let mut reader = Reader::from_str(text);
    loop {
        match reader.read_event().ok()? {
            Event::Start(tag) | Event::Empty(tag) => {
                return Some(String::from_utf8_lossy(tag.local_name().as_ref()).into_owned());
            }
            Event::Eof => return None,
            _ => {}
        }
    }
}

fn is_code(code: &str) -> bool {
    (1..=MAX_CODE_LENGTH).contains(&code.len())
        && code.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::{error_code, is_error};

    #[test]
    fn finds_the_code_of_an_error() {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>NoSuchKey</Code>\
                    <Message>no</Message><Resource>/b/k</Resource></Error>";
        assert_eq!(error_code(text).as_deref(), Some("NoSuchKey"));
        let spaced =
            "<?xml version=\"1.0\"?>   \n  <Error xmlns=\"urn:x\"><Code>InternalError</Code></Error>";
        assert_eq!(error_code(spaced).as_deref(), Some("InternalError"));
    }

    #[test]
    fn other_texts_are_no_errors() {
        for text in ["", "busy", "<html><body>502</body></html>", "<CopyObjectResult/>", "{\"Code\":1}"] {
            assert!(!is_error(text), "{text}");
            assert_eq!(error_code(text), None, "{text}");
        }
    }

    #[test]
    fn a_strange_code_is_not_passed_on() {
        for code in ["", "http://s3/?X-Amz", "a b", &"a".repeat(65)] {
            let text = format!("<Error><Code>{code}</Code></Error>");
            assert!(is_error(&text) && error_code(&text).is_none(), "{code}");
        }
        assert!(is_error("<Error/>") && error_code("<Error/>").is_none());
    }
}
