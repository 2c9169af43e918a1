//! The console's styles and scripts, which are built into the component.

use http::{HeaderValue, StatusCode, header};
use spindrift_web::{Request, Response, response};

use crate::{Address, ConsoleError, Result};

struct ConsoleAsset {
    name: &'static str,
    content_type: &'static str,
    bytes: &'static [u8],
    /// How the bytes are compressed, if at all. Every browser that runs WebAssembly supports it.
    encoding: Option<&'static str>,
    /// A hash of the content, which gives a new version a new address.
    version: u64,
}

const fn asset(name: &'static str, content_type: &'static str, bytes: &'static [u8]) -> ConsoleAsset {
    ConsoleAsset { name, content_type, bytes, encoding: None, version: hash(bytes) }
}

/// A module built by `cargo xtask modules`. Hashing it at compile time takes long, so its version
/// is the end of the gzip file: a checksum and the length ([RFC
/// 1952](https://www.rfc-editor.org/rfc/rfc1952)).
const fn module(name: &'static str, bytes: &'static [u8]) -> ConsoleAsset {
    let version = match bytes.last_chunk() {
        Some(end) => u64::from_le_bytes(*end),
        None => 0,
    };
    ConsoleAsset { name, content_type: "application/wasm", bytes, encoding: Some("gzip"), version }
}

/// The policy of the worker's script, which may run the WebAssembly served here.
const WORKER_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; frame-ancestors 'none'",
);

const SCRIPT: &str = "text/javascript; charset=utf-8";

const ASSETS: &[ConsoleAsset] = &[
    asset("calls.js", SCRIPT, include_bytes!("../assets/calls.js")),
    asset("chosen.js", SCRIPT, include_bytes!("../assets/chosen.js")),
    asset("console.css", "text/css; charset=utf-8", include_bytes!("../assets/console.css")),
    asset("console.js", SCRIPT, include_bytes!("../assets/console.js")),
    asset("details.js", SCRIPT, include_bytes!("../assets/details.js")),
    asset("digest.js", SCRIPT, include_bytes!("../assets/digest.js")),
    module("digest.wasm", include_bytes!("../assets/digest.wasm.gz")),
    asset("passkey.js", SCRIPT, include_bytes!("../assets/passkey.js")),
    asset("patch.js", SCRIPT, include_bytes!("../assets/patch.js")),
    module("patch.wasm", include_bytes!("../assets/patch.wasm.gz")),
    asset("patches.js", SCRIPT, include_bytes!("../assets/patches.js")),
    asset("preview.js", SCRIPT, include_bytes!("../assets/preview.js")),
    asset("publish.js", SCRIPT, include_bytes!("../assets/publish.js")),
    asset("release_form.js", SCRIPT, include_bytes!("../assets/release_form.js")),
    asset("icon.svg", "image/svg+xml", include_bytes!("../assets/icon.svg")),
];

/// [FNV-1a](https://www.rfc-editor.org/rfc/rfc9923), which is easy to compute at compile time.
const fn hash(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0100_0000_01b3);
        i += 1;
    }
    hash
}

/// The address of the current version of a file. Browsers may cache it forever.
pub(crate) fn address(name: &'static str) -> Address {
    let version = ASSETS.iter().find(|asset| asset.name == name).map(|asset| asset.version);
    Address::page(["assets", name])
        .with("v", version.map(|version| format!("{version:x}")).unwrap_or_default())
}

/// `GET /console/assets/{name}`.
pub(crate) fn serve(request: &Request) -> Result<Response> {
    let name = request.path().rsplit('/').next().unwrap_or_default();
    let asset = ASSETS.iter().find(|asset| asset.name == name).ok_or(ConsoleError::NoPage)?;
    let content_type = HeaderValue::from_static(asset.content_type);
    let mut answer = response::respond(StatusCode::OK, content_type, asset.bytes);
    let is_this_version =
        request.query()?.get("v").is_some_and(|sent| u64::from_str_radix(sent, 16) == Ok(asset.version));
    let cache = if is_this_version { "public, max-age=31536000, immutable" } else { "no-cache" };
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    let headers = answer.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Some(encoding) = asset.encoding {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    // The policy of a worker is the one in its own response.
    headers.insert(header::CONTENT_SECURITY_POLICY, WORKER_POLICY);
    Ok(answer)
}
