use super::*;

/// Made with Python's `cryptography`, like the ids and signatures below.
const P256: &str = "-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEn62Erq4Iu+9/AQAU2CzvagneKwz4
cbXODE8dE6WaWTQHy0V2nxBw4sJHD+Wxv+YxM8CwzcZOpL83kajsKgf9Tw==
-----END PUBLIC KEY-----
";
const P384: &str = "-----BEGIN PUBLIC KEY-----
MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEEd4kosJRx3dXPKxeoCXkZ/II5R2/+Y/F
T2Zhy+Vlg7A3iC9KHKKX5gq828ODbYS8j6aWx3RA+S0PWDfpCgDnxShLRHdU1d7o
jJhlM7aQGusxd2htCuj7MxhEFKvmwXE6
-----END PUBLIC KEY-----
";
/// The key whose seed is 32 bytes of value 7.
const ED25519: &str = "ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c";

fn ed25519_key() -> PublicKey {
    let bytes: [u8; 32] = lower::decode_vec(ED25519).unwrap().try_into().unwrap();
    PublicKey::from_ed25519(bytes).unwrap()
}

fn p256_key() -> PublicKey {
    PublicKey::from_p256_pem(P256).unwrap()
}

#[test]
fn id_vectors() {
    for (key, id) in [
        (ed25519_key(), "bfe1a83869e5bf574e3ff3acbb83f840de84a990d10059f3096f0bf4f2b90c10"),
        (p256_key(), "55445b6b43db73c0371eac481a6ca1d12d6a0fe792c4883ee7f8eccf960ebdd5"),
    ] {
        assert_eq!(key.id().as_str(), id);
        assert_eq!(PublicKey::read(key.to_json()), Ok(key));
    }
}

#[test]
fn signature_vectors() {
    let ed25519 = "4e28143ab4fa18dd314da0e21e1adf262bd9e0953658e19e6f2ccb7d0e69d0e1\
                   df91b8326fc0a77e11beca00d6106b9552dab6c3ef1c2edd9bf07375e5e1c305";
    let p256 = "304402201c066ef027dfab91f0f1f06d369786ecc69b6de225d0d548687e3befbcf4fbc4\
                022076cced71628945518e836e7bd5ef3d331af9a34eddd3569d93d9b4d0d1aff4a5";
    // The other signature that ECDSA has for the same message; hardware keys produce either.
    let p256_high = "304502201c066ef027dfab91f0f1f06d369786ecc69b6de225d0d548687e3befbcf4fbc4\
                     0221008933128d9d76baaf717c91842a10c2cca1ed575ec94447e75fe015f22ab330ac";
    for (key, hex) in [(ed25519_key(), ed25519), (p256_key(), p256), (p256_key(), p256_high)] {
        let signature = lower::decode_vec(hex).unwrap();
        assert!(key.verifies(b"hello\n", &signature), "{hex}");
        assert!(!key.verifies(b"hello", &signature));
        assert!(!key.verifies(b"hello\n", &signature[1..]));
        assert!(!key.verifies(b"hello\n", &[signature.clone(), vec![0]].concat()));
        assert!(!key.verifies(b"hello\n", &[]));
        let mut changed = signature.clone();
        changed[10] ^= 1;
        assert!(!key.verifies(b"hello\n", &changed));
    }
    assert!(!p256_key().verifies(b"hello\n", &lower::decode_vec(ed25519).unwrap()));
    assert_eq!(crate::test_world::key(7).sign(b"hello\n").bytes(), lower::decode_vec(ed25519).unwrap());
}

fn read(keytype: &str, scheme: &str, public: &str) -> Result<PublicKey, Fault> {
    PublicKey::read(Json::object([
        ("keytype", Json::text(keytype)),
        ("scheme", Json::text(scheme)),
        ("keyval", Json::object([("public", Json::text(public))])),
    ]))
}

#[test]
fn other_keys_are_refused() {
    let crlf = P256.replace('\n', "\r\n");
    let on_one_line = P256.replacen("Kwz4\n", "Kwz4", 1);
    for (keytype, scheme, public) in [
        ("ed25519", "ed25519", ED25519.to_uppercase().as_str()),
        ("ed25519", "ed25519", &ED25519[2..]),
        ("ed25519", "ed25519", ""),
        ("ed25519", "ed25519ph", ED25519),
        ("ed25519", "ed25519", P256),
        ("ecdsa", "ed25519", ED25519),
        ("ecdsa", "ecdsa-sha2-nistp256", ED25519),
        ("ecdsa", "ecdsa-sha2-nistp384", P256),
        ("ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256", P256),
        ("rsa", "rsassa-pss-sha256", P256),
        ("ecdsa", "ecdsa-sha2-nistp256", P384),
        ("ecdsa", "ecdsa-sha2-nistp256", P256.trim_end()),
        ("ecdsa", "ecdsa-sha2-nistp256", &format!("{P256}\n")),
        ("ecdsa", "ecdsa-sha2-nistp256", &format!(" {P256}")),
        ("ecdsa", "ecdsa-sha2-nistp256", &crlf),
        ("ecdsa", "ecdsa-sha2-nistp256", &on_one_line),
        // Points of small order, with which everything verifies, and one that is not in canonical form.
        ("ed25519", "ed25519", &"00".repeat(32)),
        ("ed25519", "ed25519", &format!("01{}", "00".repeat(31))),
        ("ed25519", "ed25519", &format!("ee{}7f", "ff".repeat(30))),
    ] {
        assert_eq!(read(keytype, scheme, public), Err("keys".into()), "{keytype} {scheme} {public}");
    }
    assert_eq!(read("ed25519", "ed25519", ED25519), Ok(ed25519_key()));
    assert_eq!(read("ecdsa", "ecdsa-sha2-nistp256", P256), Ok(p256_key()));
}

#[test]
fn keys_have_no_other_fields_and_no_other_ids() {
    let text = |json: &Json| String::from_utf8(crate::canonical::stored(json).unwrap()).unwrap();
    let keys = keys_json(&[(ed25519_key().id().clone(), ed25519_key())].into());
    let read =
        |text: &str| read_keys(FieldReader::of(Json::parse(text.as_bytes()).unwrap(), "keys").unwrap());
    let whole = text(&keys);
    assert_eq!(read(&whole).map(|keys| keys.into_values().collect()), Ok(vec![ed25519_key()]));
    let id = ed25519_key().id().to_string();
    for (from, to, fault) in [
        (r#""scheme":"#, r#""keyid_hash_algorithms":["sha256"],"scheme":"#, "unknown field"),
        (r#""public":"#, r#""private":"","public":"#, "unknown field"),
        (r#""keytype":"ed25519","#, "", "keytype"),
        (id.as_str(), &"0a".repeat(32), "key id"),
        (&id, &id.to_uppercase(), "key id"),
    ] {
        assert_eq!(read(&whole.replacen(from, to, 1)), Err(fault.into()), "{to}");
    }
}
