//! The format for clients without a feed.

use crate::Upload;
use crate::feeds::format::{FeedFormat, FormatFacts, Installs, NoFeed};
use crate::feeds::{CheckAnswer, NativeAnswer, NativeQuestion, Offer};

pub(in crate::feeds) enum Manual {}

/// See [`FeedFormat::Kept`].
pub(in crate::feeds) type Kept = NoFeed;

impl FeedFormat for Manual {
    type Kept = Kept;

    const FACTS: FormatFacts = FormatFacts {
        alias: None,
        installs: Installs::Artifact(|_, _| true),
        signature: None,
        can_stage: true,
        answers_in_json: true,
        sends_device: true,
        works_for_private_apps: true,
        is_asked_by: |_| false,
    };

    fn missing(_: &Upload<'_>) -> Option<&'static str> {
        None
    }

    fn answer(_: &Offer<'_, NoFeed>, _: &NativeQuestion<'_>) -> NativeAnswer {
        NativeAnswer::Nothing
    }

    /// Never called: the service answers these clients from all releases of the scope.
    fn check_answer(_: &Offer<'_, NoFeed>, _: &NativeQuestion<'_>) -> CheckAnswer {
        CheckAnswer::Own(NativeAnswer::Nothing)
    }
}
