//! The series that are watched.

use crate::EventType;

/// A kind of failures, which is compared with its earlier rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Series {
    /// The version does not run, among the devices seen with it.
    Running,
    /// Copies fail to update to the version, among the devices that were offered an update. Such a
    /// report names the version that runs.
    Updating,
}

impl Series {
    /// Both series.
    pub const ALL: [Self; 2] = [Self::Running, Self::Updating];

    /// The series that a failure belongs to.
    pub const fn of(event: EventType) -> Self {
        match event {
            EventType::Crash | EventType::StartupFailure => Self::Running,
            EventType::UpdateFailure | EventType::InstallFailure | EventType::RollbackFailure => {
                Self::Updating
            }
        }
    }

    /// The failures that belong to it.
    pub const fn events(self) -> &'static [EventType] {
        match self {
            Self::Running => &[EventType::Crash, EventType::StartupFailure],
            Self::Updating => {
                &[EventType::UpdateFailure, EventType::InstallFailure, EventType::RollbackFailure]
            }
        }
    }

    /// The name in keys and answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Updating => "updating",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failure_belongs_to_one_series() {
        for series in Series::ALL {
            assert!(series.events().iter().all(|event| Series::of(*event) == series));
        }
        assert_eq!(Series::ALL.iter().map(|series| series.events().len()).sum::<usize>(), 5);
    }
}
