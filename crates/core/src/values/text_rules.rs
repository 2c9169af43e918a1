//! The rules of the types that are parsed from text.

use crate::{
    AccentColor, AppName, ArchName, BasisPoints, ChannelName, Day, DeviceGroupName, DeviceId, DownloadMode,
    DownloadWay, EventType, FileName, GroupHash, GroupStatus, Listing, Md5Digest, OsVersion, Package,
    PatchFormat, PlatformName, Reason, Sha256Hex, TextRule, Timestamp, UserName, Version,
};

macro_rules! rules {
    ($($type:ty: $rule:expr;)+) => {
        $(impl TextRule for $type {
            const RULE: &'static str = $rule;
        })+
    };
}

const NAME: &str = "1 to 64 letters, digits, `.`, `_` or `-`, the first a letter or digit, without `..`";
const NUMBER: &str = "a whole number";

rules! {
    AccentColor: "a color like #0a5f86";
    AppName: "1 to 64 letters, digits, spaces, `.`, `_` or `-`, the first and last a letter or digit, without `..`";
    ChannelName: NAME;
    PlatformName: NAME;
    ArchName: NAME;
    DeviceGroupName: NAME;
    UserName: "1 to 64 letters, digits, `.`, `_`, `-` or `@`, the first not a `.`, without `..`";
    FileName: "1 to 255 bytes on one line, without `/` and `\\`, without a space at either end, and not `.` or `..`";
    Version: "a version like 1.4.0 or 2.0.0-beta.1 (docs/versions.md has all forms)";
    OsVersion: "1 to 4 numbers with dots, like 13.6 or 10.0.19045";
    BasisPoints: "0 to 100, with up to two decimals";
    DownloadMode: "login, token or unlisted";
    DownloadWay: "patch, whole or fallback";
    Day: "a day like 2026-11-27";
    Timestamp: "a time like 2026-11-27T20:00:00Z";
    Package: "a package like deb or tar.gz, in at most 64 characters";
    Listing: "listed, unlisted or legacy";
    EventType: "crash, startup_failure, update_failure, install_failure or rollback_failure";
    Reason: "1 to 128 letters, digits, `.`, `_` or `-`";
    GroupStatus: "open, resolved or muted";
    GroupHash: "64 hexadecimal digits in lower case";
    Md5Digest: "32 hexadecimal digits";
    Sha256Hex: "64 hexadecimal digits";
    PatchFormat: "bidiff+brotli or binary-delta";
    bool: "true or false";
    u8: NUMBER;
    u32: NUMBER;
    u64: NUMBER;
    i64: NUMBER;
}

impl TextRule for DeviceId {
    const RULE: &'static str = "1 to 128 printable ASCII characters";
    const IS_SHOWN: bool = false;
}
