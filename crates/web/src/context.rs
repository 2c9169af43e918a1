//! The state of a request while it is answered.

use std::cell::{Cell, RefCell};

use spindrift_core::{Id, Timestamp, UserName};

/// Facts about a request that are learned while it is answered, for its log line and for the work after the
/// response. They belong to the request, because an instance answers several requests at once on one thread.
#[derive(Debug, Default)]
pub struct RequestContext {
    id: RefCell<String>,
    owner: RefCell<Option<UserName>>,
    token_use: RefCell<Option<TokenUse>>,
    has_login: Cell<bool>,
}

/// The use of a CI token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenUse {
    pub token: Id,
    pub hour: Timestamp,
}

impl RequestContext {
    /// Sets the id of the request.
    pub fn identify(&self, id: String) {
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
    pub fn about(&self, owner: &UserName) {
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

    /// Remembers a use that is not recorded yet.
    pub fn note_token_use(&self, token_use: Option<TokenUse>) {
        self.token_use.replace(token_use);
    }

    /// Removes and returns the use that is not recorded yet.
    pub fn take_token_use(&self) -> Option<TokenUse> {
        self.token_use.take()
    }
}
