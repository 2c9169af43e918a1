//! Reports how many devices name no channel, platform or architecture.

use spindrift_api::{ArchEntry, ChannelEntry, PlatformEntry, TelemetryBody};

use super::catalog::CatalogEntry;
use crate::context::Context;

/// A kind of item that clients may omit.
pub(crate) trait OmittableEntry: CatalogEntry {
    /// How many devices omit this item.
    fn devices(figures: &TelemetryBody) -> u64;
}

macro_rules! unnamed {
    ($entry:ident, $list:ident, $name:ident) => {
        impl OmittableEntry for $entry {
            fn devices(figures: &TelemetryBody) -> u64 {
                let unnamed = figures.$list.iter().filter(|row| row.$name.is_empty());
                unnamed.map(|row| row.client_count).sum()
            }
        }
    };
}

unnamed!(ChannelEntry, channels, channel);
unnamed!(PlatformEntry, platforms, platform);
unnamed!(ArchEntry, architectures, arch);

/// After `name` was created: reports how many devices omit such an item, and how they would get
/// this one. Failing to read the figures is not an error, because the item exists.
pub(crate) async fn report_devices<E: OmittableEntry>(context: &Context, name: &str) {
    let Ok(service) = context.authenticated() else { return };
    let figures = service.get("/telemetry").query(&[("range", "month")]).json::<TelemetryBody>().await;
    let devices = figures.map(|figures| E::devices(&figures)).unwrap_or_default();
    if devices > 0 {
        let (noun, path) = (E::NOUN, E::PATH);
        let devices =
            if devices == 1 { "1 device names".to_owned() } else { format!("{devices} devices name") };
        context.output.message(&format!(
            "{devices} no {noun}, and still get the releases published without one: \
             `spindrift {path} update {name} --default` gives them this one"
        ));
    }
}
