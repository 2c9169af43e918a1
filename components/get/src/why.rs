//! `GET /get/{owner}/{app}/why`: why a device gets no newer version.

use http::header;
use spindrift_core::explain::{DeviceExplanation, ExplainedClient, explain_to_device};
use spindrift_core::{ClientAddress, DeviceId, RawClientFacts, Scope, TextRule, Version, Window};
use spindrift_service::rate_limits::{OnCounterFailure, RateLimit, admit};
use spindrift_service::records::explanation;
use spindrift_service::requests::client_address;
use spindrift_service::{Failure, Ports, ServiceError};
use spindrift_web::{Query, Request, Response, response};

use crate::address::AppAddress;
use crate::{current, why_page};

/// Questions from one network address in a minute. An answer reads the database, which one of a check seldom
/// does.
const PER_ADDRESS_PER_MINUTE: u64 = 30;
/// The subject for all requests without an address from the host.
const NO_ADDRESS: &str = "unknown";

/// The fields of the form, as sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WhyForm {
    pub(crate) device: String,
    pub(crate) version: String,
    pub(crate) channel: String,
    pub(crate) platform: String,
    pub(crate) arch: String,
    pub(crate) os_version: String,
}

/// A question that was read from the form.
struct WhyQuestion {
    device: DeviceId,
    version: Version,
    scope: Scope,
    facts: RawClientFacts,
}

pub(crate) fn why<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let address = AppAddress::of(request)?;
    let query = request.query()?;
    let form = WhyForm::of(&query);
    let is_question = !form.device.is_empty() || !form.version.is_empty();
    if is_question {
        count(ports, request)?;
    }
    let conn = spindrift_db::open(ports, ports.now())?;
    let app = current::app(&conn, request, &address)?;
    let view = why_page::WhyView { address: &address, app: &app, form: &form };
    let mut answer = if is_question {
        match form.read(&address) {
            Ok(question) => explain(ports, &conn, &question, &view)?,
            Err(problem) => view.problem(ports, &problem)?,
        }
    } else {
        view.form(ports)?
    };
    answer.headers_mut().insert(header::CACHE_CONTROL, response::CACHE_PRIVATE);
    Ok(answer)
}

/// 429 if the address has asked too often. If the counter fails, the question is answered: that reads only
/// the database.
fn count<P: Ports>(ports: &P, request: &Request) -> Result<(), Failure> {
    let address = client_address(ports, request)?;
    let subject = address.map_or_else(|| NO_ADDRESS.to_owned(), ClientAddress::subject);
    let limit =
        RateLimit { kind: 'w', subject, window: Window::MINUTE, max: PER_ADDRESS_PER_MINUTE, refund: false };
    admit(ports, &[limit], ports.now(), OnCounterFailure::Admit)?;
    Ok(())
}

fn explain<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    question: &WhyQuestion,
    view: &why_page::WhyView<'_>,
) -> Result<Response, Failure> {
    let at = ports.now();
    let data = match explanation::load(ports, conn, &question.scope, None, at) {
        Err(ServiceError::UnknownName(kind)) => {
            return view.problem(ports, &format!("There is no {kind} of this name."));
        }
        Err(ServiceError::NameRequired(kind)) => {
            return view.problem(ports, &format!("Please fill in the {kind}."));
        }
        loaded => loaded?,
    };
    let facts = match question.facts.read(&data.record, at) {
        Err(_) => {
            return view
                .problem(ports, "The version of the operating system is not valid. Use a form like 13.6.");
        }
        Ok(facts) => facts,
    };
    let client = ExplainedClient {
        version: &question.version,
        updater: data.updater,
        device: Some(question.device.expose()),
        facts: &facts,
    };
    let explanation: DeviceExplanation<'_> = explain_to_device(&data.record, &client, at);
    view.answer(ports, &question.version, &explanation)
}

impl WhyForm {
    fn of(query: &Query) -> Self {
        let text = |name| query.get(name).unwrap_or_default().trim().to_owned();
        Self {
            device: text("device"),
            version: query.get_unspaced("version").unwrap_or_default(),
            channel: text("channel"),
            platform: text("platform"),
            arch: text("arch"),
            os_version: text("os_version"),
        }
    }

    /// The question, or what is wrong with the form.
    fn read(&self, address: &AppAddress) -> Result<WhyQuestion, String> {
        if self.device.is_empty() || self.version.is_empty() {
            return Err("Please fill in the device id and the version.".to_owned());
        }
        let device = self
            .device
            .parse()
            .map_err(|_| format!("This is not a device id. It has {}.", <DeviceId as TextRule>::RULE))?;
        let version = self
            .version
            .parse()
            .map_err(|_| "This is not a version. Versions look like 1.4.0 or 2.0.0-beta.1.".to_owned())?;
        let name_of = |kind: &str| format!("There is no {kind} of this name.");
        let scope = Scope {
            owner: address.owner.clone(),
            app: address.app.clone(),
            channel: optional(&self.channel).map_err(|()| name_of("channel"))?,
            platform: optional(&self.platform).map_err(|()| name_of("platform"))?,
            arch: optional(&self.arch).map_err(|()| name_of("architecture"))?,
        };
        let os_version = Some(self.os_version.clone()).filter(|text| !text.is_empty());
        let facts = RawClientFacts { os_version, ..RawClientFacts::default() };
        Ok(WhyQuestion { device, version, scope, facts })
    }
}

/// The parsed text; `None` if it is empty.
fn optional<T: std::str::FromStr>(text: &str) -> Result<Option<T>, ()> {
    if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(|_| ()) }
}
