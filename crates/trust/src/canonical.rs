//! The two texts of a value: the one that signatures cover, and the one that is stored.

use olpc_cjson::CanonicalFormatter;
use serde_json::ser::CompactFormatter;

use crate::TrustError;
use crate::json::Json;

/// The bytes that signatures and key ids cover: OLPC canonical JSON
/// ([TUF 1.0, section 4.2](https://theupdateframework.github.io/specification/latest/#metaformat)). It is not
/// valid JSON where a text contains a line feed, which is not escaped.
pub(crate) fn canonical(json: &Json) -> Result<Vec<u8>, TrustError> {
    json.write(CanonicalFormatter::new())
}

/// The bytes that are stored and sent: JSON with sorted keys and without white space.
pub(crate) fn stored(json: &Json) -> Result<Vec<u8>, TrustError> {
    json.write(CompactFormatter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        let json =
            Json::parse(br#"{"b": {"z": [true, 1], "A": "q\"\\/\n"}, "aa": 9007199254740991, "a": []}"#)
                .unwrap();
        assert_eq!(
            String::from_utf8(canonical(&json).unwrap()).unwrap(),
            "{\"a\":[],\"aa\":9007199254740991,\"b\":{\"A\":\"q\\\"\\\\/\n\",\"z\":[true,1]}}"
        );
        let stored = stored(&json).unwrap();
        assert_eq!(
            String::from_utf8(stored.clone()).unwrap(),
            r#"{"a":[],"aa":9007199254740991,"b":{"A":"q\"\\/\n","z":[true,1]}}"#
        );
        assert_eq!(Json::parse(&stored), Ok(json));
    }
}
