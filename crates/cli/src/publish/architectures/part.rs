//! A part of a build: the files for one architecture.

use spindrift_core::{ArchName, Processor};

use crate::publish::files::ReleaseFiles;

/// The architecture of a file, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::publish) enum FileArch {
    /// The name, from the command line.
    Named(ArchName),
    /// The processor in the file names. The owner's architecture may have another name.
    Of(Processor),
}

/// The files of a build for one architecture.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::publish) struct ArchPart {
    pub(in crate::publish) arch: FileArch,
    pub(in crate::publish) files: ReleaseFiles,
}
