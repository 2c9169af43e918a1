//! Applications, channels, platforms and architectures.

pub mod apps;
pub mod channel_includes;
pub mod cut_off;
pub mod dimensions;
pub mod known_names;
pub mod search;
