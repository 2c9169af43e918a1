//! Values with a rule for their form, and the texts that quote them.

mod accent_color;
mod client_address;
mod days;
mod id;
mod names;
mod plain_text;
mod processor;
mod rate_limit;
mod segments;
mod sent;
mod text_rule;
mod text_rules;
mod time;
mod version;

pub use accent_color::{AccentColor, InvalidColor};
pub use client_address::{ClientAddress, InvalidNetwork, TrustedProxies};
pub use days::{Day, Days, InvalidDay};
pub use id::Id;
pub use names::{
    AppName, ArchName, ChannelName, DeviceGroupName, InvalidName, MAX_NAME_LENGTH, PlatformName, UserName,
};
pub use plain_text::{DeceptiveChar, check_plain, is_deceptive, one_line};
pub use processor::Processor;
pub use rate_limit::{Window, subject_of};
pub use segments::{decode_segment, encode_segments, path_for_logs};
pub(crate) use sent::shortened;
pub use sent::{InvalidValue, quoted, quoted_json};
pub use text_rule::TextRule;
pub use time::{InvalidTime, Timestamp};
pub use version::{InvalidVersion, MAX_VERSION_LENGTH, Version};
