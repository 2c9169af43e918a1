//! The state of one repository, as the service reports it.

use std::collections::BTreeSet;

use maud::Markup;
use spindrift_api::{
    BootstrapBody, BootstrapState, ListingState, RepositoryConfig, RepositoryConfigBody, RootBody,
    StagedBody, TargetEntry, TargetsBody, TargetsPageBody, Waiting,
};

use super::advice::RepositoryFacts;
use super::metadata::Metadata;
use super::perhaps;
use crate::{Address, Context, Result, parts};

/// Prefix of the current metadata that accompanies staged metadata.
const TRUSTED: &str = "trusted_";
/// How many of the newest files are considered.
const NEWEST: u32 = 100;

/// The current state of a repository.
pub(super) struct RepositoryState {
    pub(super) bootstrap_state: BootstrapState,
    pub(super) config: Option<RepositoryConfig>,
    pub(super) root: Option<Metadata>,
    pub(super) targets: Option<Metadata>,
    /// Staged metadata by role, which lacks signatures.
    pub(super) staged: Vec<(String, Metadata)>,
    /// Number of published files that are newer than the listed ones of their channel, platform and
    /// architecture.
    pub(super) unlisted: u64,
}

impl RepositoryState {
    /// `None`: the visitor may not see the repository.
    pub(super) async fn load(context: &Context<'_>, app: &str) -> Result<Option<Self>> {
        let call = |path| Address::call(path).with("appName", app);
        let bootstrap_state: Option<BootstrapBody> = perhaps(context, &call("/tuf/v1/bootstrap")).await?;
        let Some(bootstrap_state) = bootstrap_state.map(|body| body.data) else { return Ok(None) };
        if !bootstrap_state.bootstrap {
            return Ok(Some(Self {
                bootstrap_state,
                config: None,
                root: None,
                targets: None,
                staged: Vec::new(),
                unlisted: 0,
            }));
        }
        let [config, root, targets, staged] =
            ["/tuf/v1/config", "/tuf/v1/metadata/root", "/tuf/v1/metadata/targets", "/tuf/v1/metadata/sign"]
                .map(call);
        let newest =
            call("/tuf/v1/artifacts").with("state", "unlisted").with("also", "listed").with("limit", NEWEST);
        let (config, root, targets, staged, newest) = futures::join!(
            perhaps::<RepositoryConfigBody>(context, &config),
            perhaps::<RootBody>(context, &root),
            perhaps::<TargetsBody>(context, &targets),
            perhaps::<StagedBody>(context, &staged),
            perhaps::<TargetsPageBody>(context, &newest),
        );
        let metadata = staged?.and_then(|body| body.data).map(|staged| staged.metadata).unwrap_or_default();
        let staged = metadata.iter().filter(|(role, _)| !role.starts_with(TRUSTED));
        Ok(Some(Self {
            bootstrap_state,
            config: config?.map(|body| body.data),
            root: root?.and_then(|body| body.data.trusted_root).as_ref().and_then(Metadata::read),
            targets: targets?.and_then(|body| body.data.trusted_targets).as_ref().and_then(Metadata::read),
            staged: staged.filter_map(|(role, file)| Some((role.clone(), Metadata::read(file)?))).collect(),
            unlisted: newest?.map_or(0, |page| unsigned(&page.items)),
        }))
    }
}

impl RepositoryState {
    /// The facts for the advice.
    pub(super) fn facts<'a>(&'a self, app: &'a str, waiting: &'a [String]) -> RepositoryFacts<'a> {
        let ends =
            |of: &'a Option<Metadata>| of.as_ref().map_or("", |metadata| metadata.signed.expires.as_str());
        RepositoryFacts {
            app,
            is_begun: self.bootstrap_state.bootstrap,
            state: self.bootstrap_state.state,
            waiting,
            unlisted: self.unlisted,
            root_ends: ends(&self.root),
            targets_end: ends(&self.targets),
            is_signed_by_service: self.config.as_ref().is_some_and(|config| config.targets_online_key),
        }
    }

    /// The roles that lack signatures.
    pub(super) fn waiting(&self) -> Vec<String> {
        self.staged.iter().map(|(role, _)| role.clone()).collect()
    }

    pub(super) fn badge(&self) -> Markup {
        let problems = self.config.as_ref().map_or(0, |config| config.problems.len());
        match (self.bootstrap_state.bootstrap, self.bootstrap_state.state) {
            (false, _) => parts::badge("warn", "not begun"),
            (true, Some(Waiting::Signing)) => parts::badge("warn", "the root lacks signatures"),
            (true, Some(Waiting::Waiting)) => parts::badge("warn", "no list yet"),
            (true, None) if !self.staged.is_empty() => parts::badge("warn", "waits for signatures"),
            (true, None) if problems > 0 => parts::badge("bad", &parts::count(problems as u64, "problem")),
            (true, None) => parts::badge("good", "signed"),
        }
    }
}

/// Counts published files that are newer than every listed one of the same scope. Older files are
/// superseded.
fn unsigned(newest_first: &[TargetEntry]) -> u64 {
    let mut passed = BTreeSet::new();
    let mut number = 0;
    for file in newest_first {
        let scope = (&file.channel, &file.platform, &file.arch);
        match file.state {
            ListingState::Listed => drop(passed.insert(scope)),
            _ if file.published && !passed.contains(&scope) => number += 1,
            _ => {}
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(version: &str, channel: &str, state: ListingState, published: bool) -> TargetEntry {
        TargetEntry {
            name: format!("{channel}/{version}"),
            version: version.to_owned(),
            channel: Some(channel.to_owned()),
            platform: None,
            arch: None,
            package: "deb".to_owned(),
            length: 1,
            hashes: std::collections::BTreeMap::new(),
            state,
            published,
            needed: false,
        }
    }

    #[test]
    fn files_older_than_a_listed_one_need_no_signature() {
        let files = [
            file("3", "stable", ListingState::Unlisted, true),
            file("3", "beta", ListingState::Unlisted, false),
            file("2", "stable", ListingState::Listed, true),
            file("1", "stable", ListingState::Unlisted, true),
            file("1", "beta", ListingState::Unlisted, true),
        ];
        assert_eq!(unsigned(&files), 2);
    }
}
