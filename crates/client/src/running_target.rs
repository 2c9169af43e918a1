//! The platform and architecture of this program.

use std::env::consts;

/// An operating system and a processor, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunningTarget {
    /// `windows`, `darwin`, `linux`; otherwise Rust's name.
    pub platform: &'static str,
    /// `amd64`, `arm64`, `386`; otherwise Rust's name.
    pub arch: &'static str,
}

/// The operating system and the processor that this program was built for, by their usual names in update
/// services.
///
/// The library never applies it automatically: owners choose the names of their platforms and architectures,
/// and may use others.
///
/// ```
/// use spindrift_client::{CheckOptions, running_target};
///
/// let target = running_target();
/// let options = CheckOptions::new("acme", "notes", "1.2.0")
///     .with_target("stable", target.platform, target.arch);
/// # assert!(!options.platform.is_empty() && !options.arch.is_empty());
/// ```
pub const fn running_target() -> RunningTarget {
    RunningTarget { platform: platform(consts::OS), arch: arch(consts::ARCH) }
}

const fn platform(os: &'static str) -> &'static str {
    match os.as_bytes() {
        b"macos" => "darwin",
        _ => os,
    }
}

const fn arch(processor: &'static str) -> &'static str {
    match processor.as_bytes() {
        b"x86_64" => "amd64",
        b"aarch64" => "arm64",
        b"x86" => "386",
        _ => processor,
    }
}

#[cfg(test)]
mod tests {
    use super::{arch, platform};

    #[test]
    fn usual_names() {
        for (rust, usual) in
            [("macos", "darwin"), ("windows", "windows"), ("linux", "linux"), ("haiku", "haiku")]
        {
            assert_eq!(platform(rust), usual);
        }
        for (rust, usual) in
            [("x86_64", "amd64"), ("aarch64", "arm64"), ("x86", "386"), ("riscv64", "riscv64")]
        {
            assert_eq!(arch(rust), usual);
        }
    }
}
