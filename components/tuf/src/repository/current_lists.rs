//! The current lists, used until their listing has been applied to the artifacts.

use spindrift_trust::{Delegations, RequestedTarget, RoleName, Signed, TargetsRole, TrustError};

/// The lists that clients use: targets, and those of the channels that it delegates.
pub(crate) struct CurrentLists(Vec<Signed<TargetsRole>>);

impl CurrentLists {
    /// Reads lists by the names of their roles. Ignores those of channels that no longer have signers.
    pub(crate) fn read(files: &[(String, String)]) -> Result<Self, TrustError> {
        let of = |role: &RoleName| {
            let content =
                files.iter().find(|(name, _)| *name == role.to_string()).map(|(_, content)| content);
            content.map(|content| Signed::<TargetsRole>::read(content.as_bytes())).transpose()
        };
        let Some(targets) = of(&RoleName::Targets)? else { return Ok(Self(Vec::new())) };
        let channels = targets.role().delegations().map(Delegations::channels).into_iter().flatten();
        let channels = channels.map(|channel| of(&RoleName::Channel(channel.clone())));
        let channels = channels.filter_map(Result::transpose).collect::<Result<Vec<_>, _>>()?;
        Ok(Self([targets].into_iter().chain(channels).collect()))
    }

    /// Whether the requested target is listed.
    pub(crate) fn contain(&self, asked: &RequestedTarget) -> bool {
        let files = self.0.iter().filter_map(|list| list.role().targets().get(&asked.name));
        files.into_iter().any(|file| asked.is_met_by(file))
    }
}
