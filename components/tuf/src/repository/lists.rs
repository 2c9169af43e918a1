//! The current lists, for the moment before their listing is applied to the artifacts.

use spindrift_trust::{AskedTarget, Delegations, RoleName, Signed, TargetsRole, TrustError};

/// The lists that clients ask: targets, and those of the channels that it delegates.
pub(crate) struct Lists(Vec<Signed<TargetsRole>>);

impl Lists {
    /// Reads lists by the names of their roles. Those of channels that have no signers any more do not count.
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

    /// Whether what is asked for is listed.
    pub(crate) fn contain(&self, asked: &AskedTarget) -> bool {
        let files = self.0.iter().filter_map(|list| list.role().targets().get(&asked.name));
        files.into_iter().any(|file| asked.is_met_by(file))
    }
}
