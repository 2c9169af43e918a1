//! The form for creating and changing applications.

use spindrift_api::{AppData, Switch};
use spindrift_core::{App, AppFlags, GetPage, Id, Timestamp};
use spindrift_db::apps::AppChange;
use spindrift_service::Failure;
use spindrift_service::cut_off::is_forced;
use spindrift_service::requests::management::MAX_JSON_BYTES;
use spindrift_web::{ApiError, Form, FormFile, FormLimits, Request, parse_json, parse_parameter, required};

use crate::logo::{Logo, MAX_LOGO_BYTES};

/// Longest description, in characters.
const MAX_DESCRIPTION_CHARS: usize = 10_000;
/// Largest form, in bytes: JSON, logo and multipart overhead. The parts have their own limits.
const MAX_FORM_BYTES: usize = MAX_JSON_BYTES + MAX_LOGO_BYTES + 64 * 1024;
const FORM_LIMITS: FormLimits =
    FormLimits { body: MAX_FORM_BYTES, field: MAX_FORM_BYTES, file: MAX_FORM_BYTES };

/// The fields to set.
pub(crate) struct AppForm {
    id: Option<String>,
    /// All fields except the logo.
    pub(crate) change: AppChange,
    pub(crate) logo: Option<Logo>,
    /// Whether the call forces its change.
    pub(crate) is_forced: bool,
}

impl AppForm {
    pub(crate) async fn read(request: Request) -> Result<Self, Failure> {
        let in_query = is_forced(&request)?;
        let form = Form::read(request, FORM_LIMITS).await?;
        let data = form.required("data")?;
        if data.len() > MAX_JSON_BYTES {
            let text = format!("data is larger than {MAX_JSON_BYTES} bytes");
            return Err(ApiError::TooLarge(text.into()).into());
        }
        let in_form = form.field("force").map(|text| parse_parameter("force", text)).transpose()?;
        let (id, change, in_data) = parse_data(data)?;
        let is_forced = in_query || in_form.or(in_data).unwrap_or_default();
        Ok(Self { id, change, logo: parse_logo(form.files)?, is_forced })
    }

    /// The id of the application to change; 400 without one.
    pub(crate) fn target(&self) -> Result<Id, ApiError> {
        required(self.id.clone(), "id").map(Id::from_text)
    }

    /// A new application, still without a stored logo; 400 without a name.
    pub(crate) fn new_app(&self, id: Id, now: Timestamp) -> Result<App, ApiError> {
        let change = self.change.clone();
        let name = change.name.ok_or_else(|| ApiError::missing("app"))?;
        let flags = AppFlags {
            private: change.private.unwrap_or_default(),
            tuf: change.tuf.unwrap_or_default(),
            reports: change.reports.unwrap_or_default(),
            cdn: change.cdn.unwrap_or_default(),
        };
        let get_page = GetPage {
            is_on: change.get_page.unwrap_or_default(),
            color: change.get_page_color.unwrap_or_default(),
        };
        Ok(App {
            id,
            name,
            description: change.description.unwrap_or_default(),
            logo_key: String::new(),
            flags,
            download_mode: change.download_mode,
            get_page,
            require_publisher: change.require_publisher.unwrap_or_default(),
            updated_at: now,
        })
    }
}

/// The id, the change, and whether the call forces it.
fn parse_data(json: &str) -> Result<(Option<String>, AppChange, Option<bool>), ApiError> {
    let data: AppData = parse_json(json.as_bytes())?;
    let name = data.app.map(|name| parse_parameter("app", &required(Some(name), "app")?)).transpose()?;
    if data.description.as_ref().is_some_and(|text| text.chars().count() > MAX_DESCRIPTION_CHARS) {
        let rule = format!("at most {MAX_DESCRIPTION_CHARS} characters");
        return Err(ApiError::invalid("description", &rule, None));
    }
    let download_mode = data.download_mode.map(|mode| parse_parameter("download_mode", &mode)).transpose()?;
    let color = data.get_page_color.map(|text| Some(text).filter(|text| !text.is_empty()));
    let get_page_color = color
        .map(|text| text.map(|text| parse_parameter("get_page_color", &text)).transpose())
        .transpose()?;
    let on = |switch: Option<Switch>| switch.map(|Switch(on)| on);
    let change = AppChange {
        name,
        description: data.description,
        logo_key: None,
        private: on(data.private),
        tuf: on(data.tuf),
        reports: on(data.reports),
        cdn: on(data.cdn),
        download_mode,
        get_page: on(data.get_page),
        get_page_color,
        require_publisher: on(data.require_publisher),
    };
    Ok((data.id, change, on(data.force)))
}

/// Browsers send an empty part if no file was chosen.
fn parse_logo(files: Vec<FormFile>) -> Result<Option<Logo>, ApiError> {
    let mut files = files.into_iter().filter(|file| !file.bytes.is_empty());
    match (files.next(), files.next()) {
        (None, _) => Ok(None),
        (Some(file), None) => Logo::parse(file.bytes).map(Some),
        (Some(_), Some(_)) => Err(ApiError::bad_request("only one file is possible")),
    }
}

#[cfg(test)]
mod tests {
    use spindrift_core::DownloadMode;

    use super::*;

    #[test]
    fn omitted_fields_do_not_change() {
        let (id, change, _) = parse_data(r#"{"id":"1","tuf":"true","description":""}"#).unwrap();
        assert_eq!(id.as_deref(), Some("1"));
        let expected =
            AppChange { tuf: Some(true), description: Some(String::new()), ..AppChange::default() };
        assert_eq!(change, expected);
    }

    #[test]
    fn invalid_data() {
        for (json, text) in [
            (r#"{"app":""}"#, "missing app"),
            (r#"{"app":"a/b"}"#, "invalid app parameter"),
            (r#"{"app":"a","download_mode":""}"#, "invalid download_mode parameter"),
            (r#"{"app":"a","get_page_color":"red"}"#, "invalid get_page_color parameter"),
            (
                &format!(r#"{{"app":"a","description":"{}"}}"#, "x".repeat(10_001)),
                "invalid description parameter",
            ),
        ] {
            let message = parse_data(json).unwrap_err().to_string();
            assert_eq!(message.split(": ").next(), Some(text));
        }
        for json in ["", "[]", r#"["1","a"]"#, r#"{"app":"a","app":"b"}"#, r#"{"private":"yes"}"#] {
            assert!(parse_data(json).unwrap_err().to_string().starts_with("invalid JSON: "), "{json}");
        }
    }

    #[test]
    fn new_apps_need_a_name() {
        let form = |json| {
            let (id, change, force) = parse_data(json).unwrap();
            AppForm { id, change, logo: None, is_forced: force.unwrap_or_default() }
        };
        let new_app = |json| form(json).new_app(Id::from_text("2"), Timestamp::from_millis(0));
        assert_eq!(new_app("{}").unwrap_err().to_string(), "missing app");
        let app = new_app(r#"{"id":"1","app":"a"}"#).unwrap();
        assert_eq!(app.id.as_str(), "2", "a new application gets its own identifier");
        let json = r#"{"app":"a","private":true,"download_mode":"token"}"#;
        let app = new_app(json).unwrap();
        let texts = (app.name.as_str(), app.description.as_str(), app.download_mode);
        assert_eq!(texts, ("a", "", Some(DownloadMode::Token)));
        assert_eq!(app.flags, AppFlags { private: true, ..AppFlags::default() });
        assert_eq!(app.get_page, GetPage::default(), "nobody gets a page without asking for one");
    }

    #[test]
    fn an_empty_color_is_that_of_the_service() {
        let color = |json| parse_data(json).unwrap().1.get_page_color;
        assert_eq!(color(r#"{"app":"a"}"#), None);
        assert_eq!(color(r#"{"app":"a","get_page_color":""}"#), Some(None));
        let chosen = color(r##"{"app":"a","get_page_color":"#FFD400"}"##);
        assert_eq!(chosen.flatten().unwrap().as_str(), "#ffd400");
    }

    #[test]
    fn one_logo() {
        let file = |bytes: &'static [u8]| FormFile { name: "x".into(), bytes: bytes.into() };
        assert_eq!(parse_logo(vec![]).unwrap(), None);
        assert_eq!(parse_logo(vec![file(b"")]).unwrap(), None);
        assert!(parse_logo(vec![file(b"GIF89a")]).unwrap().is_some());
        assert!(parse_logo(vec![file(b"GIF89a"), file(b"GIF89a")]).is_err());
    }
}
