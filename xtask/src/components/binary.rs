//! A built component.

use std::path::Path;

use wasmparser::{Parser, Payload};

use crate::error::Error;

/// A built component.
#[derive(Debug)]
pub(super) struct Binary {
    /// Its size.
    pub(super) bytes: usize,
    /// The interfaces that it imports, like `wasi:io/poll@0.2.0`.
    pub(super) imports: Vec<String>,
}

impl Binary {
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let binary = std::fs::read(path).map_err(Error::file(path))?;
        let imports = imports(&binary).map_err(|error| Error::invalid(path, &error))?;
        Ok(Self { bytes: binary.len(), imports })
    }

    /// Its size in KiB, rounded up.
    pub(super) const fn kib(&self) -> usize {
        self.bytes.div_ceil(1024)
    }
}

/// The imports of the component itself, not those of the modules in it.
fn imports(binary: &[u8]) -> wasmparser::Result<Vec<String>> {
    let (mut imports, mut depth) = (Vec::new(), 0_u32);
    for payload in Parser::new(0).parse_all(binary) {
        match payload? {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(section) if depth == 0 => {
                for import in section {
                    imports.push(import?.name.name.to_owned());
                }
            }
            _ => {}
        }
    }
    Ok(imports)
}
