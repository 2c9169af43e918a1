//! The updater plugin of Tauri 2, and releases as `tauri signer` makes them.

mod key;
mod release;

pub use key::SigningKey;
pub use release::{Offer, RemoteRelease};

use minisign_verify::{PublicKey, Signature};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use semver::Version;

use self::key::from_base64;
use crate::fetch::fetch;

const VERSION_ENCODED: &AsciiSet = &CONTROLS.add(b'+');

#[derive(Debug, Clone)]
pub struct TauriApp {
    /// URLs to try in turn, with `{{current_version}}`, `{{target}}`, `{{arch}}` and `{{bundle_type}}`.
    pub endpoints: Vec<String>,
    pub version: String,
    /// `linux`, `windows` or `darwin`.
    pub target: String,
    /// `x86_64`, `i686`, `aarch64`, `armv7` or `riscv64`.
    pub arch: String,
    /// `appimage`, `deb`, `rpm`, `app`, `msi`, `nsis` or `unknown`.
    pub bundle: String,
    /// The public key in the app's configuration: the `.pub` file in base64.
    pub public_key: String,
    /// Whether the app installs every version that differs from its own. The plugin leaves this to the app.
    pub allow_downgrade: bool,
    /// Whether a signature must contain its version.
    pub require_signed_version: bool,
}

impl TauriApp {
    /// An app for Linux, as an `AppImage` with one endpoint.
    pub fn new(endpoint: &str, version: &str, public_key: &str) -> Self {
        Self {
            endpoints: vec![endpoint.to_owned()],
            version: version.to_owned(),
            target: "linux".to_owned(),
            arch: "x86_64".to_owned(),
            bundle: "appimage".to_owned(),
            public_key: public_key.to_owned(),
            allow_downgrade: false,
            require_signed_version: false,
        }
    }

    /// Requests the endpoints in turn. `None`: there is no update.
    pub fn check(&self) -> Result<Option<Offer>, String> {
        let mut last_error = None;
        for endpoint in &self.endpoints {
            match fetch(&self.filled_in(endpoint), &[("accept", "application/json")]) {
                Ok(answer) if answer.status == 204 => return Ok(None),
                Ok(answer) if (200..300).contains(&answer.status) => {
                    // A body that is not JSON ends the check; JSON of another form does not.
                    let json: serde_json::Value =
                        serde_json::from_slice(&answer.body).map_err(|error| error.to_string())?;
                    match serde_json::from_value::<RemoteRelease>(json) {
                        Ok(release) => return self.decide(release),
                        Err(error) => last_error = Some(error.to_string()),
                    }
                }
                Ok(_) => {}
                Err(error) => last_error = Some(error),
            }
        }
        Err(last_error.unwrap_or_else(|| "Could not fetch a valid release JSON from the remote".to_owned()))
    }

    fn filled_in(&self, endpoint: &str) -> String {
        let version = utf8_percent_encode(&self.version, VERSION_ENCODED).to_string();
        endpoint
            .replace("{{current_version}}", &version)
            .replace("{{target}}", &self.target)
            .replace("{{arch}}", &self.arch)
            .replace("{{bundle_type}}", &self.bundle)
    }

    fn decide(&self, release: RemoteRelease) -> Result<Option<Offer>, String> {
        let installed = Version::parse(&self.version).map_err(|error| error.to_string())?;
        let wanted =
            if self.allow_downgrade { release.version != installed } else { release.version > installed };
        if !wanted {
            return Ok(None);
        }
        let keys = [
            format!("{}-{}-{}", self.target, self.arch, self.bundle),
            format!("{}-{}", self.target, self.arch),
        ];
        release.offer_for(&keys).map(Some)
    }

    /// Downloads the artifact, and checks its signature and the version in the signature.
    pub fn download(&self, offer: &Offer) -> Result<Vec<u8>, String> {
        let bytes = fetch(offer.url.as_str(), &[("accept", "application/octet-stream")])?.with_status(200)?;
        self.verify(offer, &bytes)?;
        Ok(bytes)
    }

    fn verify(&self, offer: &Offer, bytes: &[u8]) -> Result<(), String> {
        let wrong = |error: minisign_verify::Error| error.to_string();
        let key = PublicKey::decode(&from_base64(&self.public_key)?).map_err(wrong)?;
        let signature = Signature::decode(&from_base64(&offer.signature)?).map_err(wrong)?;
        key.verify(bytes, &signature, true).map_err(wrong)?;
        let mut fields = signature.trusted_comment().split('\t');
        let Some(signed) = fields.find_map(|field| field.strip_prefix("version:")) else {
            let missing = "the signature names no version".to_owned();
            return if self.require_signed_version { Err(missing) } else { Ok(()) };
        };
        let same = Version::parse(signed.trim_start_matches('v'))
            .map_or_else(|_| signed == offer.version.to_string(), |signed| signed == offer.version);
        if same { Ok(()) } else { Err(format!("signed for {signed}, announced as {}", offer.version)) }
    }
}

#[cfg(test)]
mod tests;
