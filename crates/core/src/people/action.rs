//! Actions of callers, and the kinds of items that they concern.

/// A kind of item with a list of allowed ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Resource {
    /// Applications, with their releases and artifacts.
    App,
    /// Channels.
    Channel,
    /// Platforms.
    Platform,
    /// Architectures.
    Arch,
}

/// An action that a caller wants to perform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Create an item. Needs no id.
    Create(Resource),
    /// See an item in lists and searches.
    View(Resource),
    /// Change an item; for an application, also its releases.
    Edit(Resource),
    /// Delete an item; for an application, also its releases and artifacts.
    Delete(Resource),
    /// Upload a release of the application.
    Upload,
    /// Download files of the private application.
    Download,
    /// See the application's signed metadata, and send lists of files that its publisher has
    /// signed.
    Sign,
    /// Publish a draft of the application, now or at a time.
    Publish,
    /// Cancel the schedule of a release of the application.
    Unschedule,
    /// Stop a release of the application, after which no client is offered more than before.
    Stop,
    /// Change how a release of the application is offered, in any other way.
    Roll,
    /// Change the status, the tags and the notes of the application's failures.
    Triage,
    /// Offer a release of the application in a further channel.
    Promote,
    /// Let the service check the health of the application's releases, and act on their guards.
    Guard,
    /// Reserved for the owner, such as managing users and tokens.
    Administer,
}

impl Resource {
    pub(super) const ALL: [Self; 4] = [Self::App, Self::Channel, Self::Platform, Self::Arch];
}

impl Action {
    /// The kind of item that the action concerns.
    pub(super) const fn resource(self) -> Resource {
        match self {
            Self::Create(resource) | Self::View(resource) | Self::Edit(resource) | Self::Delete(resource) => {
                resource
            }
            _ => Resource::App,
        }
    }

    /// Whether the action concerns an item that exists.
    pub(super) const fn needs_id(self) -> bool {
        !matches!(self, Self::Create(_) | Self::Administer)
    }

    /// Whether the right `stop` allows the action, to people and to CI tokens.
    pub const fn is_of_stop(self) -> bool {
        matches!(self, Self::Stop | Self::Unschedule)
    }

    /// All actions.
    #[cfg(test)]
    pub(super) fn all() -> Vec<Self> {
        let of_apps = [
            Self::Upload,
            Self::Download,
            Self::Sign,
            Self::Publish,
            Self::Unschedule,
            Self::Stop,
            Self::Roll,
            Self::Triage,
            Self::Promote,
            Self::Guard,
            Self::Administer,
        ];
        let of_kinds = [Self::Create, Self::View, Self::Edit, Self::Delete];
        let of_kinds = Resource::ALL.into_iter().flat_map(|kind| of_kinds.map(|action| action(kind)));
        of_apps.into_iter().chain(of_kinds).collect()
    }
}
