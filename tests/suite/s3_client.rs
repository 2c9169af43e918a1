//! A real S3 client reads uploaded files.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use spindrift_tests::{Driver, PUBLIC_BUCKET, Release, World, on_hosts};

on_hosts! {
    every: [boto3_reads_what_was_uploaded],
}

/// Prints the keys of a bucket and, for each, its length, entity tag and content.
const READ: &str = r"
import sys, boto3
from botocore.config import Config
endpoint, access, secret, bucket = sys.argv[1:5]
s3 = boto3.client('s3', endpoint_url=endpoint, aws_access_key_id=access, aws_secret_access_key=secret,
    region_name='us-east-1', config=Config(s3={'addressing_style': 'path'}, retries={'max_attempts': 1}))
for item in s3.list_objects_v2(Bucket=bucket).get('Contents', []):
    got = s3.get_object(Bucket=bucket, Key=item['Key'])
    print(item['Key'], item['Size'], got['ETag'], got['Body'].read().decode(), sep='|')
";

/// A Python that has boto3: the system's, or one in a virtual environment under the target folder.
fn python() -> Option<&'static Path> {
    static PYTHON: OnceLock<Option<PathBuf>> = OnceLock::new();
    PYTHON.get_or_init(find_python).as_deref()
}

fn find_python() -> Option<PathBuf> {
    let system = PathBuf::from("python3");
    if has_boto3(&system) {
        return Some(system);
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("boto3");
    let python = folder.join("bin/python3");
    if !has_boto3(&python) {
        succeeds(Command::new(&system).args(["-m", "venv"]).arg(&folder)).then_some(())?;
        succeeds(Command::new(&python).args(["-m", "pip", "install", "--quiet", "boto3"])).then_some(())?;
    }
    has_boto3(&python).then_some(python)
}

fn has_boto3(python: &Path) -> bool {
    succeeds(Command::new(python).args(["-c", "import boto3"]))
}

fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
}

fn boto3_reads_what_was_uploaded(host: Driver) {
    let Some(python) = python() else {
        println!("skipped: there is no boto3, and it could not be installed");
        return;
    };
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::empty("1.0.0").file("Übersicht.deb", "the deb").file("n.rpm", "the rpm"));

    let (access, secret) = world.store().credentials();
    let arguments = [world.store().url(), access, secret, PUBLIC_BUCKET];
    let output = Command::new(python).args(["-c", READ]).args(arguments).output().unwrap();

    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let line = |file: &str, content: &str| {
        let md5 = spindrift_tests::md5_hex(content.as_bytes());
        format!("acme/notes/stable/linux/amd64/{file}|{}|\"{md5}\"|{content}\n", content.len())
    };
    let expected = line("notes-1.0.0.deb", "the deb") + &line("notes-1.0.0.rpm", "the rpm");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}
