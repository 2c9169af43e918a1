//! Handling that many requests share: the frame of all of them, authentication, and answers from memory.

mod client_address;
mod login_attempt;
pub mod management;
mod new_login;
pub mod operator;
mod password_check;
pub mod principal;
pub mod private_files;
mod serve;
mod session;
mod shared_answer;
mod token_use;

pub use client_address::client_address;
pub use login_attempt::LoginAttempt;
pub use new_login::issue_login;
pub use password_check::by_password;
pub use serve::{serve, serve_logged_by};
pub use session::Session;
pub use shared_answer::shared_answer;
