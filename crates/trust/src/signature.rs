//! Signatures.

use base16ct::lower;

use crate::KeyId;
use crate::error::Fault;
use crate::field_reader::{FieldReader, are_distinct};
use crate::json::Json;

/// Longest signature, in bytes: DER for P-256 takes up to 72.
const MAX_SIGNATURE_BYTES: usize = 128;

/// Maximum number of signatures of one file: the thresholds of two roles with 16 keys each, twice.
const MAX_SIGNATURES: usize = 64;

/// A signature over the canonical form of `signed`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    keyid: KeyId,
    bytes: Vec<u8>,
}

impl Signature {
    /// A signature made elsewhere, in lower-case hexadecimal digits. `None` if it is malformed or of an
    /// impossible length.
    pub fn from_hex(keyid: KeyId, hex: &str) -> Option<Self> {
        let bytes = lower::decode_vec(hex).ok()?;
        (1..=MAX_SIGNATURE_BYTES).contains(&bytes.len()).then_some(Self { keyid, bytes })
    }

    pub(crate) fn by_ed25519(keyid: KeyId, bytes: &[u8; 64]) -> Self {
        Self { keyid, bytes: bytes.to_vec() }
    }

    /// The key that is claimed to have made it.
    pub const fn keyid(&self) -> &KeyId {
        &self.keyid
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn read(json: Json) -> Result<Self, Fault> {
        let mut fields = FieldReader::of(json, "signatures")?;
        let keyid = fields.text("keyid")?;
        let sig: String = fields.text("sig")?;
        fields.done()?;
        Self::from_hex(keyid, &sig).ok_or_else(|| "sig".into())
    }
}

/// Reads `signatures`. No two may be of the same key.
pub(crate) fn read_signatures(items: Vec<Json>) -> Result<Vec<Signature>, Fault> {
    if items.len() > MAX_SIGNATURES {
        return Err("too many signatures".into());
    }
    let signatures = items.into_iter().map(Signature::read).collect::<Result<Vec<_>, _>>()?;
    if are_distinct(signatures.iter().map(|signature| &signature.keyid)) {
        Ok(signatures)
    } else {
        Err("two signatures of one key".into())
    }
}

/// `signatures` as JSON.
pub(crate) fn signatures_json(signatures: &[Signature]) -> Json {
    let one = |signature: &Signature| {
        let sig = lower::encode_string(&signature.bytes);
        Json::object([("keyid", Json::text(&signature.keyid)), ("sig", Json::Text(sig))])
    };
    Json::List(signatures.iter().map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Vec<Signature>, Fault> {
        match Json::parse(json.replace("ID", &"0a".repeat(32)).as_bytes()) {
            Ok(Json::List(items)) => read_signatures(items),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn signatures_are_read_as_written() {
        let signatures = read(r#"[{"keyid": "ID", "sig": "00ff"}]"#).unwrap();
        assert_eq!(signatures[0].bytes(), [0, 255]);
        let Json::List(items) = signatures_json(&signatures) else { panic!("no list") };
        assert_eq!(read_signatures(items), Ok(signatures));
        assert_eq!(read("[]"), Ok(vec![]));
    }

    #[test]
    fn faults() {
        for (json, fault) in [
            (r#"[{"keyid":"ID","sig":""}]"#, "sig"),
            (r#"[{"keyid":"ID","sig":"0"}]"#, "sig"),
            (r#"[{"keyid":"ID","sig":"FF"}]"#, "sig"),
            (r#"[{"keyid":"ID","sig":1}]"#, "sig"),
            (r#"[{"keyid":"0A","sig":"00"}]"#, "keyid"),
            (r#"[{"sig":"00"}]"#, "keyid"),
            (r#"["ID"]"#, "signatures"),
            (r#"[{"keyid":"ID","sig":"00","method":"x"}]"#, "unknown field"),
            (r#"[{"keyid":"ID","sig":"00"},{"keyid":"ID","sig":"01"}]"#, "two signatures of one key"),
        ] {
            assert_eq!(read(json), Err(fault.into()), "{json}");
        }
        assert_eq!(read(&format!("[{}1]", "1,".repeat(64))), Err("too many signatures".into()));
        let long = format!(r#"[{{"keyid":"ID","sig":"{}"}}]"#, "00".repeat(129));
        assert_eq!(read(&long), Err("sig".into()));
    }
}
