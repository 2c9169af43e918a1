//! A user that manages and publishes applications.

use std::ops::Deref;

use serde_json::{Value, json};
use spindrift_api::{
    AppsBody, ArchBody, ChannelBody, CompleteBody, LoginAnswer, LoginBody, PlatformBody, ReleaseEntry,
    ResultBody, SearchBody, SignupAnswer, SignupBody, TokenCreateBody, TokenCreatedBody, UpdaterBody,
    UploadedBody,
};
use spindrift_core::Id;

use crate::answer::Answer;
use crate::client::{Call, Client};
use crate::form::Multipart;
use crate::release::{Release, Upload};

/// The key for signing up in test worlds.
pub const API_KEY: &str = "the api key of the tests";
/// The password of every admin.
pub const PASSWORD: &str = "correct horse";

/// A logged-in user. Derefs to a [`Client`] that sends the user's token.
#[derive(Debug, Clone)]
pub struct Account {
    name: String,
    client: Client,
}

impl Deref for Account {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

pub(crate) fn sign_up(client: &Client, name: &str) {
    let text = |text: &str| Some(text.to_owned());
    let body = SignupBody { username: text(name), password: text(PASSWORD), api_key: text(API_KEY) };
    let _: SignupAnswer = client.post_json("/signup", body).read();
}

pub(crate) fn log_in(client: &Client, name: &str, password: &str) -> Account {
    let body = LoginBody { username: Some(name.to_owned()), password: Some(password.to_owned()) };
    let LoginAnswer { token } = client.post_json("/login", body).read();
    Account::new(name, client.with_token(&token))
}

impl Account {
    pub(crate) fn new(name: &str, client: Client) -> Self {
        Self { name: name.to_owned(), client }
    }

    /// The same user with another credential, such as a CI token.
    #[must_use]
    pub fn with_credential(&self, token: &str) -> Self {
        Self::new(&self.name, self.client.with_token(token))
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Creates an application. Returns its id.
    pub fn create_app(&self, name: &str) -> String {
        self.create_app_with(json!({ "app": name }))
    }

    /// Creates an application from a complete `data` field.
    #[expect(clippy::needless_pass_by_value, reason = "callers write the JSON in the call")]
    pub fn create_app_with(&self, data: Value) -> String {
        let form = Multipart::new().field("data", data.to_string());
        created(self.post_multipart("/app/create", form))
    }

    pub fn create_channel(&self, name: &str) -> String {
        let body = ChannelBody { channel: Some(name.to_owned()), ..ChannelBody::default() };
        created(self.post_json("/channel/create", body))
    }

    /// Creates a platform with only the updater `manual`.
    pub fn create_platform(&self, name: &str) -> String {
        let body = PlatformBody { platform: Some(name.to_owned()), ..PlatformBody::default() };
        created(self.post_json("/platform/create", body))
    }

    /// Creates a platform with these updaters; the first is the default.
    pub fn create_platform_with(&self, name: &str, updaters: &[&str]) -> String {
        let updater =
            |(i, name): (usize, &&str)| UpdaterBody { updater: (*name).to_owned(), default: i == 0 };
        let updaters = Some(updaters.iter().enumerate().map(updater).collect());
        let body = PlatformBody { platform: Some(name.to_owned()), updaters, ..PlatformBody::default() };
        created(self.post_json("/platform/create", body))
    }

    pub fn add_updater(&self, platform: &str, updater: &str) {
        let list = self.get("/platform/list").ok();
        let found = list["platforms"].as_array().into_iter().flatten();
        let found = found.filter(|entry| entry["PlatformName"] == platform).map(|entry| &entry["ID"]).next();
        let body = serde_json::json!({ "id": found, "add_updaters": [updater] });
        let _ = self.post_json("/platform/update", body).send().expect(200);
    }

    pub fn create_arch(&self, name: &str) -> String {
        let body = ArchBody { arch: Some(name.to_owned()), ..ArchBody::default() };
        created(self.post_json("/arch/create", body))
    }

    /// Creates the application `notes`, the channel `stable`, the platform `linux` and the architecture
    /// `amd64`: the default scope of a [`Release`].
    #[must_use]
    pub fn with_notes(self) -> Self {
        self.create_app("notes");
        self.create_channel("stable");
        self.create_platform("linux");
        self.create_arch("amd64");
        self
    }

    /// Creates a CI token for these applications, with a name of its own. Returns an account that uses it.
    #[must_use]
    pub fn ci_token(&self, apps: &[&str]) -> Self {
        let allowed_apps: Vec<Id> = apps.iter().map(|id| Id::from_text(*id)).collect();
        let create = |name: String| {
            let allowed_apps = Some(allowed_apps.clone());
            let body = TokenCreateBody { name: Some(name), allowed_apps, may: None, expires_at: None };
            self.post_json("/token/create", body).send()
        };
        let names = std::iter::once("ci".to_owned()).chain((2..).map(|number| format!("ci {number}")));
        let is_new = |answer: &Answer| answer.status != 409;
        let created: TokenCreatedBody =
            names.map(create).find(is_new).expect("a free name").expect(201).read();
        self.with_credential(&created.token)
    }

    /// Requests a presigned upload.
    pub fn init(&self, release: &Release) -> Answer {
        let (data, files) = (release.data().to_string(), release.manifest().to_string());
        if release.feeds().is_empty() {
            return self.post_form("/upload/init", &[("data", &data), ("files", &files)]).send();
        }
        let form = Multipart::new().field("data", data).field("files", files);
        let form = release.feeds().iter().fold(form, |form, (name, bytes)| form.file(name, bytes));
        self.post_multipart("/upload/init", form).send()
    }

    /// Begins a presigned upload without sending its files.
    pub fn begin(&self, release: &Release) -> Upload {
        Upload::new(release, self.init(release).expect(200).read())
    }

    /// Begins a presigned upload and sends its files, without completing it.
    pub fn stage(&self, release: &Release) -> Upload {
        let upload = self.begin(release);
        upload.send_all();
        upload
    }

    /// Requests new URLs for an upload.
    pub fn renew(&self, upload: &Upload) -> Answer {
        self.post_json("/upload/renew", CompleteBody { upload_id: upload.id.clone() }).send()
    }

    /// Requests the completion of an upload.
    pub fn complete(&self, upload: &Upload) -> Answer {
        self.post_json("/upload/complete", CompleteBody { upload_id: upload.id.clone() }).send()
    }

    /// Uploads and publishes a release. Returns its id.
    pub fn publish(&self, release: Release) -> String {
        self.upload(&release.published())
    }

    /// Uploads a release without changing it. Returns its id.
    pub fn upload(&self, release: &Release) -> String {
        let upload = self.stage(release);
        let done: UploadedBody = self.complete(&upload).expect(200).read();
        done.release.to_string()
    }

    /// Uploads a release through the service in one call.
    pub fn upload_in_one(&self, release: &Release) -> Answer {
        self.post_multipart("/upload", Self::form(release.data(), release)).send()
    }

    /// Changes a release.
    pub fn edit(&self, release: &str, change: Value) -> Answer {
        let mut data = change;
        data["id"] = json!(release);
        self.post_form("/apps/update", &[("data", &data.to_string())]).send()
    }

    /// Changes a release and adds the files of `added`, with its metadata, in one call.
    pub fn edit_with_files(&self, release: &str, added: &Release, change: &Value) -> Answer {
        let mut data = added.data().clone();
        data["id"] = json!(release);
        for (key, value) in change.as_object().expect("an object") {
            data[key] = value.clone();
        }
        self.post_multipart("/apps/update", Self::form(&data, added)).send()
    }

    fn form(data: &Value, release: &Release) -> Multipart {
        let form = Multipart::new().field("data", data.to_string());
        let files = release.feeds().iter().chain(release.files());
        files.fold(form, |form, (name, bytes)| form.file(name, bytes))
    }

    /// The answer to a check for `notes` on `stable`, `linux` and `amd64`.
    pub fn check(&self, version: &str) -> Value {
        Client::get(self, &self.check_path(version)).ok()
    }

    /// The URL path of that check.
    pub fn check_path(&self, version: &str) -> String {
        let owner = percent_encoding::utf8_percent_encode(&self.name, percent_encoding::NON_ALPHANUMERIC);
        format!(
            "/checkVersion?app_name=notes&version={version}&channel=stable&platform=linux&arch=amd64&owner={owner}"
        )
    }

    /// The answer to that check from a device.
    pub fn check_as(&self, device: &str, version: &str) -> Value {
        Client::get(self, &self.check_path(version)).header("x-device-id", device).ok()
    }

    /// All releases found by a search, newest version first.
    pub fn releases(&self) -> Vec<ReleaseEntry> {
        Client::get(self, "/search?limit=100").read::<SearchBody>().items
    }

    /// The id of an application, by name.
    pub fn app_id(&self, name: &str) -> String {
        let AppsBody { apps } = Client::get(self, "/app/list").read();
        let found = apps.into_iter().find(|app| app.app_name == name);
        found.unwrap_or_else(|| panic!("no application {name}")).id.to_string()
    }

    /// A release found by a search, by version.
    pub fn release(&self, version: &str) -> ReleaseEntry {
        let found = self.releases().into_iter().find(|release| release.version == version);
        found.unwrap_or_else(|| panic!("no release {version}"))
    }
}

/// The id of the item that a call creates.
fn created(call: Call<'_>) -> String {
    call.read::<ResultBody<Id>>().value.to_string()
}
