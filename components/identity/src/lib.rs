//! Proofs of identity: CI jobs get a token for one application, people log in with passkeys, and programs without
//! a browser get the login that a person allows. The reference is `docs/api/publishers.md` and
//! `docs/api/passkeys.md`.

#[cfg(not(target_family = "wasm"))]
mod describe;
mod device;
mod exchange;
mod issuer_keys;
mod issuers;
mod new_publisher;
mod passkeys;
mod publishers;
mod refusal;
mod sso;
mod sso_provider;

pub use passkeys::reset_passkeys;
use spindrift_service::{Failure, Ports, serve};
use spindrift_web::{Reply, Request, routes};

routes! {
    async fn answer<P: Ports>(ports: &P, request: Request) -> Result<Reply, Failure>;

    CreatePublisher: POST "/publishers" => publishers::create(ports, request).await, describe::create_publisher();
    ListPublishers: GET "/publishers" => publishers::list(ports, &request), describe::list_publishers();
    DeletePublisher: DELETE "/publishers" => publishers::delete(ports, &request), describe::delete_publisher();
    Exchange: POST "/tokens/exchange" => exchange::exchange(ports, request).await, describe::exchange();
    ListPasskeys: GET "/passkeys" => passkeys::list(ports, &request), describe::list_passkeys();
    AskForPasskey: POST "/passkeys/new" => passkeys::ask_for_new(ports, request).await, describe::ask_for_passkey();
    CreatePasskey: POST "/passkeys" => passkeys::create(ports, request).await, describe::create_passkey();
    DeletePasskey: DELETE "/passkeys" => passkeys::delete(ports, &request), describe::delete_passkey();
    NewRecoveryCodes: POST "/passkeys/recovery-codes" => passkeys::new_codes(ports, &request), describe::new_codes();
    RequirePasskeys: POST "/passkeys/requirement" => passkeys::set_requirement(ports, request).await, describe::require_passkeys();
    AskForPasskeyLogin: POST "/passkeys/login/new" => passkeys::ask_for_login(ports), describe::ask_for_login();
    PasskeyLogin: POST "/passkeys/login" => passkeys::log_in(ports, request).await, describe::passkey_login();
    AskForProof: POST "/passkeys/proof/new" => passkeys::ask_for_proof(ports, &request), describe::ask_for_proof();
    Prove: POST "/passkeys/proof" => passkeys::prove(ports, request).await, describe::prove();
    Recover: POST "/passkeys/recover" => passkeys::recover(ports, request).await, describe::recover();
    ShowSso: GET "/sso" => sso::show(ports), describe::show_sso();
    BeginSso: POST "/sso/begin" => sso::begin(ports, request).await, describe::begin_sso();
    FinishSso: POST "/sso/finish" => sso::finish(ports, request).await, describe::finish_sso();
    BindSso: POST "/sso/bind" => sso::bind(ports, request).await, describe::bind_sso();
    FinishBindSso: POST "/sso/bind/finish" => sso::finish_bind(ports, request).await, describe::finish_bind_sso();
    RequireSso: POST "/sso/requirement" => sso::set_requirement(ports, request).await, describe::require_sso();
    BeginDeviceLogin: POST "/device/code" => device::begin(ports, request).await, describe::begin_device_login();
    DeviceToken: POST "/device/token" => device::token(ports, request).await, describe::device_token();
    ShowDevice: GET "/device" => device::show(ports, &request), describe::show_device();
    AnswerDevice: POST "/device/answer" => device::answer(ports, request).await, describe::answer_device();
}

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |call, request| answer(&ports, call, request).await).await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
