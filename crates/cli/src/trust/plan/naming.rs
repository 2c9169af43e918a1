//! The names that a file of a release may have. They are computed here, so that a service cannot
//! pass one file off as another.

use spindrift_core::{
    AppName, FileName, Package, Scope, Updater, UserName, artifact_path, decode_segment, distinct_path,
};
use spindrift_trust::{RepositoryName, TargetCustom, TargetName};

/// The names that the owner and the application have had: at the start of the repository, and after
/// renames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Naming {
    owners: Vec<UserName>,
    apps: Vec<AppName>,
    updaters: Vec<Updater>,
}

impl Naming {
    /// The names of a repository, for files of any updater.
    pub(crate) fn of(repository: &RepositoryName) -> Self {
        Self {
            owners: vec![repository.owner.clone()],
            apps: vec![repository.app.clone()],
            updaters: Updater::ALL.to_vec(),
        }
    }

    /// Adds names that the user gave.
    pub(crate) fn and(mut self, owner: Option<UserName>, app: Option<AppName>) -> Self {
        self.owners.extend(owner.filter(|owner| !self.owners.contains(owner)));
        self.apps.extend(app.filter(|app| !self.apps.contains(app)));
        self
    }

    /// Restricts the names to files of this updater.
    pub(crate) fn with_updater(self, updater: Option<Updater>) -> Self {
        let updaters = updater.map_or(self.updaters, |updater| vec![updater]);
        Self { updaters, ..self }
    }

    /// Whether `name` is a valid name of the local file `file` in the release that `custom`
    /// describes.
    pub(crate) fn is_name_of(&self, name: &TargetName, custom: &TargetCustom, file: &FileName) -> bool {
        let is_package = |own: &Package| {
            *own == custom.package || Package::from_uploader(custom.package.as_str(), file.as_str()).is_ok()
        };
        is_package(&file.package()) && self.keys(custom, file).any(|key| is_of_key(name, &key))
    }

    /// Whether `name` is a valid name of any file in the release that `custom` describes.
    pub(crate) fn fits(&self, name: &TargetName, custom: &TargetCustom) -> bool {
        let last = name.as_str().rsplit('/').next().and_then(decode_segment);
        let nameless = if custom.package.is_no_extension() {
            "file".to_owned()
        } else {
            format!("file.{}", custom.package)
        };
        let files = [last, Some(nameless)].into_iter().flatten().filter_map(|file| file.parse().ok());
        files.into_iter().any(|file| self.is_name_of(name, custom, &file))
    }

    /// The keys that the storage may use for the file.
    fn keys(&self, custom: &TargetCustom, file: &FileName) -> impl Iterator<Item = String> {
        let scopes = self.owners.iter().flat_map(|owner| self.apps.iter().map(move |app| (owner, app)));
        let scopes = scopes.map(|(owner, app)| Scope {
            owner: owner.clone(),
            app: app.clone(),
            channel: custom.channel.clone(),
            platform: custom.platform.clone(),
            arch: custom.arch.clone(),
        });
        scopes.flat_map(move |scope| {
            let key =
                |updater: &Updater| artifact_path(*updater, &scope, &custom.version, file, &custom.package);
            self.updaters.iter().map(key).collect::<Vec<_>>()
        })
    }
}

/// Whether the name belongs to this key, or to its unique form, which adds a folder named after the
/// upload.
fn is_of_key(name: &TargetName, key: &str) -> bool {
    let is_of = |key: &str| TargetName::of_key(key).is_some_and(|other| other == *name);
    is_of(key) || folder_of(name).is_some_and(|upload| is_of(&distinct_path(key, &upload)))
}

/// The last folder of a name, parsed as the id of an upload.
fn folder_of(name: &TargetName) -> Option<spindrift_core::Id> {
    let folder = name.as_str().rsplit('/').nth(1)?;
    let is_id = folder.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    is_id.then(|| spindrift_core::Id::from_text(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn custom(package: &str) -> TargetCustom {
        TargetCustom {
            repository: "ada/notes".parse().unwrap(),
            version: "1.2.0".parse().unwrap(),
            channel: Some("beta".parse().unwrap()),
            platform: Some("linux".parse().unwrap()),
            arch: None,
            package: package.parse().unwrap(),
        }
    }

    fn naming() -> Naming {
        Naming::of(&"ada/notes".parse().unwrap())
    }

    #[test]
    fn names_are_those_of_the_file() {
        let cases = [
            ("notes.deb", "deb", "ada/notes/beta/linux/default/notes-1.2.0.deb", true),
            ("notes.deb", "deb", "ada/notes/beta/linux/default/0197-a/notes-1.2.0.deb", true),
            ("notes.deb", "deb", "velopack/ada/notes/1.2.0/beta/linux/default/notes.deb", true),
            ("notes.deb", "deb", "velopack/ada/notes/1.2.0/beta/linux/default/u1/notes.deb", true),
            ("notes", "no-extension", "ada/notes/beta/linux/default/notes-1.2.0", true),
            // Another package, version, channel, platform, architecture, application, owner or
            // file.
            ("notes.deb", "rpm", "ada/notes/beta/linux/default/notes-1.2.0.deb", false),
            ("notes.deb", "deb", "ada/notes/beta/linux/default/notes-1.2.0.rpm", false),
            ("notes.deb", "deb", "ada/notes/beta/linux/default/notes-1.3.0.deb", false),
            ("notes.deb", "deb", "ada/notes/stable/linux/default/notes-1.2.0.deb", false),
            ("notes.deb", "deb", "ada/notes/beta/windows/default/notes-1.2.0.deb", false),
            ("notes.deb", "deb", "ada/notes/beta/linux/amd64/notes-1.2.0.deb", false),
            ("notes.deb", "deb", "ada/draw/beta/linux/default/draw-1.2.0.deb", false),
            ("notes.deb", "deb", "bob/notes/beta/linux/default/notes-1.2.0.deb", false),
            ("notes.deb", "deb", "velopack/ada/notes/1.2.0/beta/linux/default/other.deb", false),
            ("notes.deb", "deb", "ada/notes/beta/linux/default/a/b/notes-1.2.0.deb", false),
            ("notes.deb", "deb", "ada/notes/beta/linux/default/%2Ea/notes-1.2.0.deb", false),
        ];
        for (file, package, name, is_name) in cases {
            let (name, custom, file) = (name.parse().unwrap(), custom(package), file.parse().unwrap());
            assert_eq!(naming().is_name_of(&name, &custom, &file), is_name, "{name}");
        }
    }

    #[test]
    fn a_name_fits_what_it_says() {
        for (name, package, fits) in [
            ("ada/notes/beta/linux/default/notes-1.2.0.deb", "deb", true),
            ("velopack/ada/notes/1.2.0/beta/linux/default/any.deb", "deb", true),
            ("velopack/ada/notes/1.2.0/beta/linux/default/any.deb", "rpm", false),
            ("velopack/ada/notes/1.2.0/stable/linux/default/any.deb", "deb", false),
            ("ada/notes/beta/linux/default/notes-1.2.0", "no-extension", true),
            ("ada/notes/beta/linux/default/notes-1.2.0", "deb", false),
        ] {
            assert_eq!(naming().fits(&name.parse().unwrap(), &custom(package)), fits, "{name} {package}");
        }
    }

    #[test]
    fn renamed_owners_and_updaters() {
        let (owner, app) = ("eve".parse().ok(), "memo".parse().ok());
        let name = "eve/memo/beta/linux/default/memo-1.2.0.deb".parse().unwrap();
        assert!(!naming().fits(&name, &custom("deb")));
        assert!(naming().and(owner, app).fits(&name, &custom("deb")));
        let name = "velopack/ada/notes/1.2.0/beta/linux/default/a.deb".parse().unwrap();
        assert!(!naming().with_updater(Some(Updater::Manual)).fits(&name, &custom("deb")));
    }
}
