//! The application: the routes of `spin.toml`, and its components with their grants.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::Instant;

use bytes::Bytes;
use futures::StreamExt as _;
use http::{Request, Response};
use spindrift_http::Tasks;
use spindrift_manifest::{Manifest, Routes};
use spindrift_native::{Chain, ChainAnswer, Grants, NativePlatform};
use spindrift_storage::{ByteStream, SendError};
use spindrift_web::{Reply, ResponseBody};

use crate::answer::{ComponentRequest, answer};
use crate::components::{COMPONENTS, Component};
use crate::error::ServerError;
use crate::logins::{KnownLogins, bearer_token};

/// The only composition of the service, as of the build of this program.
pub const MANIFEST: &str = include_str!("../../../spin.toml");

/// The client address of requests that a component sends to another one, as on Spin.
const COMPONENT_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);

/// The components of this program on one platform. Clones share it.
#[derive(Clone)]
pub struct Application(Arc<ApplicationState>);

pub(crate) struct ApplicationState {
    platform: NativePlatform,
    routes: Routes,
    /// The components of routes without variable parts. Most requests find their component here.
    plain_routes: HashMap<String, usize>,
    components: Vec<LinkedComponent>,
    pub(crate) logins: KnownLogins,
    /// Everything that runs for the application.
    pub(crate) tasks: Tasks,
}

/// A component with its grants.
pub(crate) struct LinkedComponent {
    pub(crate) component: Component,
    grants: Arc<Grants>,
}

impl Application {
    /// Composes the service. Its variables must have been set.
    ///
    /// # Errors
    /// See [`Application::from_manifest`].
    pub fn new(platform: NativePlatform) -> Result<Self, ServerError> {
        Self::from_manifest(&Manifest::parse(Path::new("spin.toml"), MANIFEST)?, platform)
    }

    /// Composes what a manifest describes.
    ///
    /// # Errors
    /// A route is not valid, or names a component that is not part of this program.
    pub fn from_manifest(manifest: &Manifest, platform: NativePlatform) -> Result<Self, ServerError> {
        Self::with_components(manifest, platform, COMPONENTS)
    }

    pub(crate) fn with_components(
        manifest: &Manifest,
        platform: NativePlatform,
        all: &[Component],
    ) -> Result<Self, ServerError> {
        let (mut components, mut plain_routes) = (Vec::new(), HashMap::new());
        for (route, id) in &manifest.routes {
            let known = components.iter().position(|linked: &LinkedComponent| linked.component.id == id);
            let at = known.unwrap_or(components.len());
            if known.is_none() {
                let component = all.iter().find(|component| component.id == id);
                let component = *component.ok_or_else(|| ServerError::NotLinked(id.clone()))?;
                components.push(LinkedComponent { component, grants: Arc::new(grants(manifest, id)) });
            }
            if !route.contains(':') && !route.ends_with("...") {
                plain_routes.insert(route.clone(), at);
            }
        }
        let routes = Routes::new(&manifest.routes).map_err(ServerError::Routes)?;
        let platform = platform.with_memory();
        let logins = KnownLogins::default();
        let inner =
            ApplicationState { platform, routes, plain_routes, components, logins, tasks: Tasks::default() };
        let inner = Arc::new(inner);
        inner.platform.set_chain(Box::new(InternalChain(Arc::downgrade(&inner))));
        Ok(Self(inner))
    }

    /// The platform of the components.
    pub fn platform(&self) -> &NativePlatform {
        &self.0.platform
    }

    /// The component that answers a path.
    pub(crate) fn find(&self, path: &str) -> Option<&LinkedComponent> {
        self.0.find(path)
    }

    pub(crate) fn inner(&self) -> &ApplicationState {
        &self.0
    }
}

impl ApplicationState {
    fn find(&self, path: &str) -> Option<&LinkedComponent> {
        if let Some(at) = self.plain_routes.get(path) {
            return self.components.get(*at);
        }
        let found = self.routes.find(path)?;
        self.by_id(found.component())
    }

    fn by_id(&self, id: &str) -> Option<&LinkedComponent> {
        self.components.iter().find(|linked| linked.component.id == id)
    }

    /// The platform, restricted to the grants of the component.
    pub(crate) fn restricted_platform(&self, linked: &LinkedComponent) -> NativePlatform {
        self.platform.with_grants(linked.grants.clone())
    }
}

/// The grants of a component in a manifest.
fn grants(manifest: &Manifest, id: &str) -> Grants {
    let Some(section) = manifest.components.get(id) else { return Grants::default() };
    Grants {
        component: id.to_owned(),
        variables: section.variables.clone(),
        parts: section.granted_keys().map(str::to_owned).collect(),
        outbound_hosts: section.allowed_outbound_hosts.clone(),
    }
}

/// The application as its own components reach it. A weak reference, because the application owns the
/// platform.
#[derive(Debug)]
struct InternalChain(Weak<ApplicationState>);

impl std::fmt::Debug for ApplicationState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Application").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Application {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Chain for InternalChain {
    fn ask(&self, component: &str, request: Request<Bytes>) -> ChainAnswer {
        let (application, component) = (self.0.upgrade(), component.to_owned());
        Box::pin(async move {
            let no_component = || SendError::Unreachable(format!("there is no component `{component}`"));
            let application = application.ok_or_else(no_component)?;
            let linked = application.by_id(&component).ok_or_else(no_component)?;
            let (head, body) = request.into_parts();
            let body: ByteStream = Box::pin(futures::stream::once(std::future::ready(Ok(body))));
            let token = bearer_token(&head.headers);
            let request = ComponentRequest { head, body, client: COMPONENT_ADDRESS };
            let answered = answer(linked.component, application.restricted_platform(linked), request).await;
            if let Some(token) = token.filter(|_| answered.has_login) {
                application.logins.note(token, Instant::now());
            }
            let Reply { response, after } = answered.reply;
            if let Some(after) = after {
                tokio::task::spawn_local(application.tasks.track(after));
            }
            Ok(streamed(response))
        })
    }
}

fn streamed(response: spindrift_web::Response) -> Response<ByteStream> {
    response.map(|body| match body {
        ResponseBody::Full(bytes) => {
            Box::pin(futures::stream::once(std::future::ready(Ok(bytes)))) as ByteStream
        }
        ResponseBody::Stream(stream, _) => stream.boxed_local(),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn manifest() -> Manifest {
        Manifest::parse(Path::new("spin.toml"), MANIFEST).unwrap()
    }

    #[test]
    fn every_component_of_the_manifest_is_part_of_the_program_and_the_other_way_round() {
        let application = Application::new(NativePlatform::new("unused")).unwrap();
        let linked: BTreeSet<_> = application.0.components.iter().map(|linked| linked.component.id).collect();
        assert_eq!(linked, COMPONENTS.iter().map(|component| component.id).collect());
        assert_eq!(linked, manifest().components.keys().map(String::as_str).collect());
    }

    #[test]
    fn a_route_without_its_component_is_refused() {
        let mut manifest = manifest();
        manifest.routes.push(("/new".to_owned(), "new".to_owned()));
        let error = Application::from_manifest(&manifest, NativePlatform::new("unused")).unwrap_err();
        assert!(error.to_string().contains("`new`"), "{error}");
    }

    #[test]
    fn paths_find_their_components() {
        let application = Application::new(NativePlatform::new("unused")).unwrap();
        for (path, id) in [
            ("/checkVersion", "check"),
            ("/checkVersion/", "check"),
            ("/health", "health"),
            ("/nothing/here", "health"),
            ("/console/apps", "console"),
            ("/login", "accounts"),
        ] {
            assert_eq!(application.find(path).unwrap().component.id, id, "{path}");
        }
    }
}
