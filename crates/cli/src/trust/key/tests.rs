//! Exchanges keys with other programs.

use std::path::Path;
use std::process::Command;

use spindrift_trust::PublicKey;

use super::*;
use crate::error::CliError;
use crate::secret::Secret;

const MESSAGE: &[u8] = b"what is signed";

fn known(passphrase: &str) -> Passphrase {
    Passphrase::known(Secret::new(passphrase))
}

fn open(path: &Path, passphrase: &str) -> Result<Signer, CliError> {
    KeySource::File(path.to_owned()).open(&mut known(passphrase))
}

/// Runs a program that must succeed. `None`: it is not installed, and a message reports that.
fn run(program: &str, arguments: &[&str]) -> Option<String> {
    match Command::new(program).args(arguments).output() {
        Ok(output) => {
            assert!(output.status.success(), "{program} {arguments:?}: {output:?}");
            Some(String::from_utf8(output.stdout).unwrap())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            println!("skipped: {program} is not installed");
            None
        }
        Err(error) => panic!("{program}: {error}"),
    }
}

fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn signs(signer: &Signer) -> bool {
    signer.public().verifies(MESSAGE, signer.sign(MESSAGE).unwrap().bytes())
}

#[test]
fn a_key_survives_in_its_file() {
    let folder = tempfile::tempdir().unwrap();
    for (name, passphrase) in [("plain.pem", None), ("encrypted.pem", Some(Secret::new("correct horse")))] {
        let path = folder.path().join(name);
        let made = KeySource::create(&path, passphrase.as_ref()).unwrap();
        let read = open(&path, "correct horse").unwrap();
        assert_eq!(read.public(), made.public());
        assert!(signs(&read));
        assert_eq!(format!("{read:?}"), format!("Signer({})", made.public().id()));
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.contains("ENCRYPTED"), passphrase.is_some());
        let again = KeySource::create(&path, None).unwrap_err();
        assert!(again.to_string().contains("not overwritten"), "{again}");
    }
    let wrong = open(&folder.path().join("encrypted.pem"), "wrong horse").unwrap_err().to_string();
    assert!(wrong.contains("the passphrase of") && !wrong.contains("horse"), "{wrong}");
}

#[cfg(unix)]
#[test]
fn a_file_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key.pem");
    KeySource::create(&path, None).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    for (mode, is_accepted) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o620, false)]
    {
        set_mode(&path, mode);
        let opened = open(&path, "");
        assert_eq!(opened.is_ok(), is_accepted, "{mode:o}");
        if let Err(error) = opened {
            assert!(error.to_string().contains("chmod 600"), "{error}");
        }
    }
}

#[test]
fn what_is_no_key_is_said_without_repeating_it() {
    for (text, told) in [
        ("", "no private key in PKCS#8"),
        ("a secret text", "no private key in PKCS#8"),
        ("-----BEGIN PRIVATE KEY-----\nMC4\n-----END PRIVATE KEY-----", "no private key"),
        ("-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----", "damaged"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nsecret\n-----END OPENSSH PRIVATE KEY-----", "ssh-agent"),
        ("-----BEGIN EC PRIVATE KEY-----\nsecret\n-----END EC PRIVATE KEY-----", "openssl pkcs8"),
        ("-----BEGIN PUBLIC KEY-----\nsecret\n-----END PUBLIC KEY-----", "public part only"),
    ] {
        let error = pem::from_pem(text, "k.pem", &mut known("x")).unwrap_err().to_string();
        assert!(error.contains(told) && !error.contains("secret"), "{text}: {error}");
    }
    let argument = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----";
    let source: KeySource = argument.parse().unwrap();
    let error = source.open(&mut known("x")).unwrap_err().to_string();
    assert!(error.contains("argument") && !error.contains("AAAA"), "{error}");
}

/// P-256 keys sign too; RSA keys do not.
#[test]
fn openssl_writes_keys_that_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (plain, encrypted, pbkdf2) = (path("plain"), path("encrypted"), path("pbkdf2"));
    for algorithm in [&["ed25519"][..], &["EC", "-pkeyopt", "ec_paramgen_curve:P-256"]] {
        if run("openssl", &[&["genpkey", "-out", &plain, "-algorithm"], algorithm].concat()).is_none() {
            return;
        }
        let scrypt = [
            "pkcs8",
            "-topk8",
            "-in",
            &plain,
            "-scrypt",
            "-v2",
            "aes-256-cbc",
            "-passout",
            "pass:open sesame",
            "-out",
            &encrypted,
        ];
        let _ = run("openssl", &scrypt);
        let rounds = [
            "pkcs8",
            "-topk8",
            "-in",
            &plain,
            "-v2",
            "aes-256-cbc",
            "-passout",
            "pass:open sesame",
            "-out",
            &pbkdf2,
        ];
        let _ = run("openssl", &rounds);
        let public = run("openssl", &["pkey", "-in", &plain, "-pubout"]).unwrap();
        for name in [&plain, &encrypted, &pbkdf2] {
            set_mode(Path::new(name), 0o600);
            let signer = open(Path::new(name), "open sesame").unwrap();
            assert_eq!(signer.public(), &read_public(&public).unwrap());
            assert!(signs(&signer), "{algorithm:?} {name}");
        }
    }
    let _ = run("openssl", &["genpkey", "-algorithm", "RSA", "-out", &plain]);
    assert!(open(Path::new(&plain), "").unwrap_err().to_string().contains("neither Ed25519 nor P-256"));
}

#[test]
fn openssl_reads_our_keys() {
    let folder = tempfile::tempdir().unwrap();
    for (name, passphrase) in [("plain.pem", None), ("encrypted.pem", Some(Secret::new("open sesame")))] {
        let path = folder.path().join(name);
        let signer = KeySource::create(&path, passphrase.as_ref()).unwrap();
        let arguments = ["pkey", "-in", path.to_str().unwrap(), "-passin", "pass:open sesame", "-pubout"];
        let Some(public) = run("openssl", &arguments) else { return };
        assert_eq!(PublicForms::of(signer.public()).unwrap().pem, public);
    }
}

const PYTHON: &str = r#"
import sys
try:
    from cryptography.hazmat.primitives import serialization as s
    from cryptography.hazmat.primitives.asymmetric import ed25519
except ImportError:
    print("absent")
    sys.exit()
ours, theirs, password = sys.argv[1:]
key = s.load_pem_private_key(open(ours, "rb").read(), password.encode())
print(key.public_key().public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo).decode(), end="")
key = ed25519.Ed25519PrivateKey.generate()
best = s.BestAvailableEncryption(password.encode())
open(theirs, "wb").write(key.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, best))
print(key.public_key().public_bytes(s.Encoding.OpenSSH, s.PublicFormat.OpenSSH).decode())
"#;

#[test]
fn python_cryptography_reads_our_keys_and_we_its() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, theirs) = (folder.path().join("ours"), folder.path().join("theirs"));
    let made = KeySource::create(&ours, Some(&Secret::new("open sesame"))).unwrap();
    let arguments = ["-c", PYTHON, ours.to_str().unwrap(), theirs.to_str().unwrap(), "open sesame"];
    let Some(said) = run("python3", &arguments) else { return };
    if said.trim() == "absent" {
        println!("skipped: Python has no package cryptography");
        return;
    }
    let (pem, line) = said.split_once("ssh-ed25519 ").unwrap();
    assert_eq!(PublicForms::of(made.public()).unwrap().pem, pem);
    set_mode(&theirs, 0o600);
    let read = open(&theirs, "open sesame").unwrap();
    assert_eq!(read.public(), &read_public(&format!("ssh-ed25519 {line}")).unwrap());
}

fn all_forms(key: &PublicKey) {
    let folder = tempfile::tempdir().unwrap();
    let forms = PublicForms::of(key).unwrap();
    let json = serde_json::to_string(&forms).unwrap();
    for form in [&json, &forms.pem, &forms.openssh, &format!("{} ada@laptop\n", forms.openssh)] {
        assert_eq!(&read_public(form).unwrap(), key, "{form}");
        let path = folder.path().join("public");
        std::fs::write(&path, form).unwrap();
        assert_eq!(&read_public(path.to_str().unwrap()).unwrap(), key, "{form}");
    }
    assert!(json.contains(key.id().as_str()) && forms.fingerprint.starts_with("SHA256:"));
    let wrong = json.replace(key.id().as_str(), &"0a".repeat(32));
    assert!(read_public(&wrong).unwrap_err().to_string().contains("keyid"));
}

#[test]
fn public_parts_have_three_forms() {
    all_forms(Signer::generate().unwrap().0.public());
    let secret = p256::SecretKey::from_slice(&[7; 32]).unwrap();
    all_forms(Signer::of_p256(&secret).unwrap().public());
}

#[test]
fn keys_of_other_kinds_are_refused() {
    let blob = "AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29tAAAAICFo/k5LU8863u66YC9eUO2170QduohPURkQnbLa/dczAAAABHNzaDo=";
    for (given, told) in [
        (format!("sk-ssh-ed25519@openssh.com {blob} x"), "sk-"),
        ("ssh-ed25519 AAAA x".to_owned(), "not a public key"),
        ("{}".to_owned(), "not a TUF key"),
        (
            "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----".to_owned(),
            "not a public key of Ed25519",
        ),
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----".to_owned(), "private key"),
    ] {
        let error = read_public(&given).unwrap_err().to_string();
        assert!(error.contains(told), "{given}: {error}");
    }
}
