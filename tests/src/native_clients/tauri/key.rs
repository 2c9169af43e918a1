//! Keys and signatures as `tauri signer` makes them.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minisign::KeyPair;

#[derive(Debug)]
pub struct SigningKey(KeyPair);

impl SigningKey {
    /// Generates a key pair.
    pub fn generate() -> Self {
        Self(KeyPair::generate_unencrypted_keypair().expect("a key pair"))
    }

    /// The public key for the app's configuration: the `.pub` file in base64.
    pub fn public_key(&self) -> String {
        STANDARD.encode(self.0.pk.to_box().expect("a public key").into_string())
    }

    /// The `.sig` file of an artifact in the form of newer tools: the trusted comment contains the version.
    pub fn sign(&self, bytes: &[u8], file_name: &str, version: &str) -> String {
        self.sign_with(bytes, &format!("timestamp:1700000000\tfile:{file_name}\tversion:{version}"))
    }

    /// The `.sig` file in the form of older tools.
    pub fn sign_without_version(&self, bytes: &[u8], file_name: &str) -> String {
        self.sign_with(bytes, &format!("timestamp:1700000000\tfile:{file_name}"))
    }

    fn sign_with(&self, bytes: &[u8], trusted_comment: &str) -> String {
        let untrusted = "signature from tauri secret key";
        let signature = minisign::sign(
            Some(&self.0.pk),
            &self.0.sk,
            Cursor::new(bytes),
            Some(trusted_comment),
            Some(untrusted),
        );
        STANDARD.encode(signature.expect("a signature").into_string())
    }
}

pub(super) fn from_base64(text: &str) -> Result<String, String> {
    let bytes = STANDARD.decode(text).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}
