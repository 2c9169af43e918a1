//! The configuration of clients and kits.

use std::str::FromStr;

use spindrift_client::{CheckOptions, InvalidSecret, TrustConfig};

use crate::raw::CallerText;
use crate::status::CallFailure;

/// The service and the application. Set all bytes to 0, then `size`, and then the fields that you need: NULL
/// stands for a field that is not used. You keep the struct and its texts, which may be freed after the call.
#[repr(C)]
pub struct Config<'a> {
    /// `sizeof(spindrift_config)`. Later versions of the struct are longer.
    pub size: usize,
    /// The service's URL, such as `https://updates.example`. Required for a client.
    pub base_url: CallerText<'a>,
    /// The URL of an edge, which is asked before the service.
    pub edge_url: CallerText<'a>,
    /// The publisher of the application. Required.
    pub owner: CallerText<'a>,
    /// The application. Required.
    pub app_name: CallerText<'a>,
    /// The installed version. Required.
    pub version: CallerText<'a>,
    /// The release channel. Reports need it, and the next two fields.
    pub channel: CallerText<'a>,
    /// The operating system, by the name that the publisher gave it.
    pub platform: CallerText<'a>,
    /// The processor, by the name that the publisher gave it.
    pub arch: CallerText<'a>,
    /// The updater to check for. NULL: `manual`, which is meant for this library.
    pub updater: CallerText<'a>,
    /// The version of the operating system, such as `13.6`: 1 to 4 numbers.
    pub os_version: CallerText<'a>,
    /// Keys of groups of testers, at most 4, with commas between them.
    pub groups: CallerText<'a>,
    /// A random identifier of this installed copy, 1 to 128 printable ASCII characters. A kit makes and keeps
    /// one, which then counts instead.
    pub device_id: CallerText<'a>,
    /// The report key of the application. Without it, nothing is reported.
    pub report_key: CallerText<'a>,
    /// A login, for downloads of a private application.
    pub token: CallerText<'a>,
    /// A download token, for a private application that requires one.
    pub download_token: CallerText<'a>,
    /// The text of the `root.json` that the application was built with. With it, `spindrift_download` accepts
    /// only files that were signed for this installed copy. The next two fields are then required.
    pub trust_root: CallerText<'a>,
    /// The name of the signed repository, such as `acme/notes`.
    pub trust_repository: CallerText<'a>,
    /// The path of a folder that outlives updates, and to which only the application can write.
    pub trust_folder: CallerText<'a>,
    /// The public URL of the bucket, which is asked for signed metadata after the service.
    pub trust_bucket_url: CallerText<'a>,
    /// Further channels whose files may be installed, with commas between them, the preferred one first.
    pub trust_channels: CallerText<'a>,
}

impl Config<'_> {
    /// The application and its place.
    pub(crate) fn options(&self) -> Result<CheckOptions, CallFailure> {
        let text = |text: CallerText<'_>, what| text.or_empty(what).map(str::to_owned);
        let optional =
            |text: CallerText<'_>, what| Ok::<_, CallFailure>(text.optional(what)?.map(str::to_owned));
        let groups = list(self.groups.or_empty("groups")?).map(str::parse);
        Ok(CheckOptions {
            owner: self.owner.required("owner")?.to_owned(),
            app_name: self.app_name.required("app_name")?.to_owned(),
            version: self.version.required("version")?.to_owned(),
            channel: text(self.channel, "channel")?,
            platform: text(self.platform, "platform")?,
            arch: text(self.arch, "arch")?,
            updater: text(self.updater, "updater")?,
            device_id: optional(self.device_id, "device_id")?,
            groups: groups.collect::<Result<_, InvalidSecret>>()?,
            os_version: optional(self.os_version, "os_version")?,
            interactive: false,
        })
    }

    /// The signed metadata. `None`: no field of it is set. A root that is missing, because a file could not be
    /// read, must not turn verification off.
    pub(crate) fn trust(&self) -> Result<Option<TrustConfig>, CallFailure> {
        let root = self.trust_root.optional("trust_root")?;
        let repository = self.trust_repository.optional("trust_repository")?;
        let folder = self.trust_folder.optional("trust_folder")?;
        let bucket = self.trust_bucket_url.optional("trust_bucket_url")?;
        let channels = self.trust_channels.optional("trust_channels")?;
        if [root, repository, folder, bucket, channels].iter().all(Option::is_none) {
            return Ok(None);
        }
        let root = root.ok_or_else(|| CallFailure::null("trust_root"))?;
        let repository = repository.ok_or_else(|| CallFailure::null("trust_repository"))?;
        let folder = folder.ok_or_else(|| CallFailure::null("trust_folder"))?;
        let mut config = TrustConfig::new(root, repository, folder);
        config.bucket_url = bucket.map(str::to_owned);
        config.accept_channels = list(channels.unwrap_or_default()).map(str::to_owned).collect();
        config.token = secret(self.token, "token")?;
        config.app_token = secret(self.download_token, "download_token")?;
        Ok(Some(config))
    }
}

/// A configuration that must not be null, and that this version of the library knows.
pub(crate) fn known<'a>(config: Option<&'a Config<'a>>) -> Result<&'a Config<'a>, CallFailure> {
    let config = config.ok_or_else(|| CallFailure::null("config"))?;
    check_size(config.size, size_of::<Config<'_>>(), "config")?;
    Ok(config)
}

/// Refuses a struct of another version, and one without its size.
pub(crate) fn check_size(size: usize, expected: usize, what: &str) -> Result<(), CallFailure> {
    if size == expected {
        return Ok(());
    }
    Err(CallFailure::invalid(format!(
        "{what}.size is {size}; in this version of the library it is {expected}"
    )))
}

/// A key or token, if it is set.
pub(crate) fn secret<S: FromStr<Err = InvalidSecret>>(
    text: CallerText<'_>,
    what: &str,
) -> Result<Option<S>, CallFailure> {
    Ok(text.optional(what)?.map(str::parse).transpose()?)
}

/// The items of a list with commas between them.
fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty())
}
