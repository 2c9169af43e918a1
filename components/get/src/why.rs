//! `GET /get/{owner}/{app}/why`: why a device gets no newer version.

use http::header;
use spindrift_core::explain::{DeviceExplanation, ExplainedClient, explain_to_device};
use spindrift_core::{ClientAddress, Window};
use spindrift_service::rate_limits::{OnCounterFailure, RateLimit, admit};
use spindrift_service::records::explanation;
use spindrift_service::requests::client_address;
use spindrift_service::{Failure, Ports, ServiceError};
use spindrift_web::{Request, Response, response};

use crate::address::AppAddress;
use crate::current;
use crate::why_form::{WhyForm, WhyQuestion};
use crate::why_page::WhyView;

/// Questions from one network address in a minute. An answer reads the database, which one of a check seldom
/// does.
const PER_ADDRESS_PER_MINUTE: u64 = 30;
/// The subject for all requests without an address from the host.
const NO_ADDRESS: &str = "unknown";

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
    let view = WhyView { address: &address, app: &app, form: &form };
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
    view: &WhyView<'_>,
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
    let Ok(facts) = question.facts.read(&data.record, at) else {
        let problem = "The version of the operating system is not valid. Use a form like 13.6.";
        return view.problem(ports, problem);
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
