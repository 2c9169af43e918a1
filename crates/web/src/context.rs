//! The state of a request while it is answered.

use std::cell::{Cell, RefCell};

use spindrift_core::UserName;

use crate::deferred::DeferredWork;

/// Facts about a request that are learned while it is answered, for its log line and for the work after the
/// response. They belong to the request, because an instance answers several requests at once on one thread.
#[derive(Default)]
pub struct RequestContext {
    id: RefCell<String>,
    owner: RefCell<Option<UserName>>,
    after: RefCell<Option<DeferredWork>>,
    has_login: Cell<bool>,
}

impl RequestContext {
    /// Sets the id of the request.
    pub fn set_id(&self, id: String) {
        self.id.replace(id);
    }

    /// Removes and returns the id, when it is no longer needed.
    pub fn take_id(&self) -> String {
        self.id.take()
    }

    /// The id of the request; empty before it is known.
    pub fn id(&self) -> String {
        self.id.borrow().clone()
    }

    /// Remembers the owner whose data the request is about.
    pub fn set_owner(&self, owner: &UserName) {
        self.owner.replace(Some(owner.clone()));
    }

    /// The owner whose data the request is about, once known.
    pub fn owner(&self) -> Option<UserName> {
        self.owner.borrow().clone()
    }

    /// Remembers that the caller has a valid login or CI token.
    pub fn note_login(&self) {
        self.has_login.set(true);
    }

    /// Whether the caller is known to have a valid login or CI token.
    pub fn has_login(&self) -> bool {
        self.has_login.get()
    }

    /// Sets work for after the response, besides that of the handler. It replaces work that was set before.
    pub fn defer(&self, work: DeferredWork) {
        self.after.replace(Some(work));
    }

    /// Removes and returns the work for after the response.
    pub fn take_deferred(&self) -> Option<DeferredWork> {
        self.after.take()
    }
}
