//! The tables of the page, which can also be saved as files.

use spindrift_api::TelemetryBody;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    Days,
    Versions,
    Channels,
    Platforms,
    Architectures,
}

const ALL: [Table; 5] =
    [Table::Days, Table::Versions, Table::Channels, Table::Platforms, Table::Architectures];

impl Table {
    /// The table with this name in an address.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        ALL.into_iter().find(|table| table.name() == name)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Days => "days",
            Self::Versions => "versions",
            Self::Channels => "channels",
            Self::Platforms => "platforms",
            Self::Architectures => "architectures",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Days => "By day",
            Self::Versions => "Versions",
            Self::Channels => "Channels",
            Self::Platforms => "Platforms",
            Self::Architectures => "Architectures",
        }
    }

    /// The noun for what a row counts.
    pub(super) fn noun(self) -> &'static str {
        self.title().trim_start_matches("By ").trim_end_matches('s')
    }

    pub(super) fn head(self) -> &'static [&'static str] {
        match self {
            Self::Days => &["Day", "Requests", "Devices", "Up to date", "Outdated"],
            Self::Versions => &["Version", "Devices"],
            Self::Channels => &["Channel", "Devices"],
            Self::Platforms => &["Platform", "Devices"],
            Self::Architectures => &["Architecture", "Devices"],
        }
    }

    /// The distribution of devices, most frequent first. Empty for [`Table::Days`].
    pub(super) fn counts(self, figures: &TelemetryBody) -> Vec<(String, u64)> {
        match self {
            Self::Days => Vec::new(),
            Self::Versions => {
                figures.versions.usage.iter().map(|row| (row.version.clone(), row.client_count)).collect()
            }
            Self::Channels => {
                figures.channels.iter().map(|row| (row.channel.clone(), row.client_count)).collect()
            }
            Self::Platforms => {
                figures.platforms.iter().map(|row| (row.platform.clone(), row.client_count)).collect()
            }
            Self::Architectures => {
                figures.architectures.iter().map(|row| (row.arch.clone(), row.client_count)).collect()
            }
        }
    }

    pub(super) fn rows(self, figures: &TelemetryBody) -> Vec<Vec<String>> {
        if self != Self::Days {
            let counts = self.counts(figures).into_iter();
            return counts.map(|(name, number)| vec![name, number.to_string()]).collect();
        }
        let row = |day: &spindrift_api::DailyStats| {
            let numbers = [
                day.total_requests,
                day.unique_clients,
                day.clients_using_latest_version,
                day.clients_outdated,
            ];
            std::iter::once(day.date.clone()).chain(numbers.map(|number| number.to_string())).collect()
        };
        figures.daily_stats.iter().map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_names_of_their_own() {
        for table in ALL {
            assert_eq!(Table::from_name(table.name()), Some(table));
        }
        assert_eq!(Table::from_name("Days"), None);
        assert_eq!(Table::Architectures.noun(), "Architecture");
    }
}
