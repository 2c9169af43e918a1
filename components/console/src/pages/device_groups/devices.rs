//! A group: the form that changes its list of devices, and links to everything else about it.

use http::Method;
use maud::{Markup, html};
use spindrift_api::{DeviceGroupDevicesBody, DeviceGroupSizeBody};
use spindrift_core::{DeviceId, MAX_GROUP_DEVICES};
use spindrift_web::{Query, Request, Response};

use super::requested_group::RequestedGroup;
use crate::{Context, MenuEntry, Notice, Problem, Result, parts, respond};

/// The value of the button that removes devices.
const REMOVE: &str = "remove";

/// The fields of the form.
#[derive(Default)]
struct DeviceListForm {
    /// One id on each line.
    devices: String,
    reason: String,
    is_removal: bool,
}

impl DeviceListForm {
    fn of(form: &Query) -> Self {
        let text = |name: &str| form.get(name).unwrap_or_default().to_owned();
        Self {
            devices: text("devices"),
            reason: text("reason"),
            is_removal: form.get("action") == Some(REMOVE),
        }
    }

    /// `Err`: the mistake, for people.
    fn body(&self) -> Result<DeviceGroupDevicesBody, String> {
        let lines = self.devices.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty());
        let device = |(i, line): (usize, &str)| match line.parse::<DeviceId>() {
            Ok(_) => Ok(line.to_owned()),
            Err(_) => Err(format!("line {} is not a device id: 1 to 128 printable ASCII characters", i + 1)),
        };
        let devices: Vec<String> = lines.map(device).collect::<Result<_, _>>()?;
        if devices.is_empty() {
            return Err("enter the ids of devices, one per line".to_owned());
        }
        let reason = Some(self.reason.trim().to_owned()).filter(|reason| !reason.is_empty());
        let (add, remove) = if self.is_removal { (None, Some(devices)) } else { (Some(devices), None) };
        Ok(DeviceGroupDevicesBody { add, remove, reason })
    }
}

/// `GET /console/apps/{app}/groups/{id}`.
pub(super) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    let found = RequestedGroup::of(context, request).await?;
    with_form(context, &found, &DeviceListForm::default(), None)
}

/// `POST /console/apps/{app}/groups/{id}`.
pub(super) async fn change(context: &Context<'_>, request: Request) -> Result<Response> {
    let found = RequestedGroup::of(context, &request).await?;
    let filled = DeviceListForm::of(&context.form(request).await?);
    let problem = match filled.body() {
        Err(text) => Problem::new(http::StatusCode::BAD_REQUEST, text),
        Ok(body) => {
            let call = found.call("devices");
            match context.service.send_json::<DeviceGroupSizeBody>(Method::POST, &call, &body).await {
                Ok(_) => return Ok(respond::see_other(&Notice::Saved.add_to(found.page()))),
                Err(error) => error.about_form()?,
            }
        }
    };
    with_form(context, &found, &filled, Some(problem))
}

/// `problem`: why the form was refused.
fn with_form(
    context: &Context<'_>,
    found: &RequestedGroup,
    filled: &DeviceListForm,
    problem: Option<Problem>,
) -> Result<Response> {
    found.require_edit(problem.as_ref())?;
    let group = &found.group;
    let content = html! {
        (parts::trail(&found.parent_pages(), &group.name))
        h1 { (group.name) }
        dl.pairs {
            dt { "Devices in the list" } dd { (parts::number(group.devices)) }
            dt { "Created" } dd { (parts::time(&group.created_at)) }
        }
        (form(found, filled, problem.as_ref(), &context.form_token()))
        section {
            h2 { "Key" }
            p.hint { "A device is also in the group if its user enters the key in the application. A key is \
                      shown only once." }
            p { a.button.plain href=(found.page().with_segment("key")) { "Replace the key" } }
        }
        section {
            h2 { "Delete" }
            p { a.button.danger href=(found.page().with_segment("delete")) { "Delete this group" } }
        }
    };
    let page = context.page(format!("{}: {}", group.app, group.name), &found.me, MenuEntry::Overview);
    Ok(page.with_problem(problem).show(&content))
}

fn form(found: &RequestedGroup, filled: &DeviceListForm, problem: Option<&Problem>, token: &str) -> Markup {
    html! {
        section {
            h2 { "List of devices" }
            p.hint {
                "The service keeps digests of the ids, so it cannot show the list. A list has room for "
                (parts::number(MAX_GROUP_DEVICES)) " devices."
            }
            @if let Some(problem) = problem { (parts::problem(&problem.text)) }
            (parts::form(&found.page(), token, &fields(filled, problem.is_some())))
        }
    }
}

fn fields(filled: &DeviceListForm, is_wrong: bool) -> Markup {
    html! {
        div.stack {
            label { "Device ids, one per line"
                textarea name="devices" required spellcheck="false" autocapitalize="off" autocomplete="off"
                    aria-invalid=[is_wrong.then_some("true")] autofocus[is_wrong] { (filled.devices) }
            }
            (parts::reason(&filled.reason))
            div.row {
                button type="submit" name="action" value="add" { "Add them" }
                button.plain type="submit" name="action" value=(REMOVE) { "Remove them" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn body(form: &str) -> Result<Value, String> {
        DeviceListForm::of(&Query::parse(form).unwrap())
            .body()
            .map(|body| serde_json::to_value(body).unwrap())
    }

    #[test]
    fn each_line_is_a_device() {
        for (form, expected) in [
            (
                "action=add&devices=+d1+%0D%0A%0D%0Ad+2&reason=+new+",
                json!({ "add": ["d1", "d 2"], "reason": "new" }),
            ),
            ("devices=d1", json!({ "add": ["d1"] })),
            ("action=remove&devices=d1%0D%0A", json!({ "remove": ["d1"] })),
        ] {
            assert_eq!(body(form), Ok(expected), "{form}");
        }
    }

    #[test]
    fn a_mistake_is_told_with_its_line() {
        let wrong = "line 3 is not a device id: 1 to 128 printable ASCII characters";
        assert_eq!(body("devices=d1%0D%0A%0D%0A%C3%BC"), Err(wrong.to_owned()));
        assert_eq!(
            body("action=add&devices=+%0D%0A"),
            Err("enter the ids of devices, one per line".to_owned())
        );
        let filled = DeviceListForm { devices: "<d>\n".to_owned(), ..DeviceListForm::default() };
        let shown = fields(&filled, true).into_string();
        assert!(shown.contains("aria-invalid=\"true\" autofocus>&lt;d&gt;\n</textarea>"), "{shown}");
    }
}
