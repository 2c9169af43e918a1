//! How many devices name no channel, platform or architecture.

use maud::{Markup, html};
use spindrift_api::TelemetryBody;

use super::kind::{SetupItem, SetupKind};
use crate::{Address, Context, parts};

/// Numbers of devices in the last month, in the order of [`SetupKind::ALL`].
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct UnnamedDevices([u64; 3]);

impl UnnamedDevices {
    /// Loads the figures. Without them there is no text.
    pub(super) async fn load(context: &Context<'_>) -> Self {
        let call = Address::call("/telemetry").with("range", "month");
        context
            .service
            .get::<TelemetryBody>(&call)
            .await
            .map(|figures| Self::of(&figures))
            .unwrap_or_default()
    }

    fn of(figures: &TelemetryBody) -> Self {
        let unnamed = |rows: &mut dyn Iterator<Item = (&String, u64)>| {
            rows.filter(|(name, _)| name.is_empty()).map(|(_, devices)| devices).sum()
        };
        Self([
            unnamed(&mut figures.channels.iter().map(|row| (&row.channel, row.client_count))),
            unnamed(&mut figures.platforms.iter().map(|row| (&row.platform, row.client_count))),
            unnamed(&mut figures.architectures.iter().map(|row| (&row.arch, row.client_count))),
        ])
    }

    /// The text about a kind. `items`: the items of the kind.
    pub(super) fn text(&self, kind: SetupKind, items: &[SetupItem]) -> Markup {
        let devices =
            SetupKind::ALL.into_iter().zip(self.0).find(|(of, _)| *of == kind).map_or(0, |(_, count)| count);
        let default = items.iter().find(|item| item.is_default);
        let named = format!("{} {} no {}", parts::count(devices, "device"), verb(devices), kind.noun());
        html! {
            @if devices > 0 {
                p.hint {
                    (named)
                    @match default {
                        Some(item) => { ". They get the releases of " strong { (item.name) } ", the default." },
                        None => {
                            ". They get the releases published without one. "
                            "To give them one of these, edit it and make it the default."
                        },
                    }
                }
            }
        }
    }
}

fn verb(devices: u64) -> &'static str {
    if devices == 1 { "names" } else { "name" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(devices: u64, default: Option<&str>) -> String {
        let item =
            |name: &str, is_default| SetupItem { name: name.to_owned(), is_default, ..SetupItem::default() };
        let mut items = vec![item("beta", false)];
        items.extend(default.map(|name| item(name, true)));
        UnnamedDevices([devices, 0, 0]).text(SetupKind::Channel, &items).into_string()
    }

    #[test]
    fn devices_are_told_where_there_are_some() {
        assert_eq!(text(0, None), "");
        assert!(text(1, None).contains("1 device names no channel"), "{}", text(1, None));
        assert!(text(2, None).contains("make it the default"));
        assert!(text(2, Some("stable")).contains("<strong>stable</strong>, the default"));
    }
}
