//! The first application, with everything that its releases need, in one form.

mod build_kind;

use http::Method;
use maud::{Markup, html};
use spindrift_api::{AppData, UpdaterBody};
use spindrift_web::{Request, Response};

use self::build_kind::{BuildKind, SYSTEMS, TargetSystem};
use super::kind::{SetupItem, SetupKind};
use crate::{
    Address, Catalog, ConsoleError, Context, FormFields, MenuEntry, Notice, Problem, Result, multipart,
    parts, respond,
};

/// The channels to choose from.
const CHANNELS: [&str; 2] = ["stable", "beta"];

/// The answers in the form.
#[derive(Debug, Clone, PartialEq, Eq)]
struct StartForm {
    app: String,
    channels: Vec<&'static str>,
    systems: Vec<TargetSystem>,
    /// For 64-bit x86, and for 64-bit ARM.
    processors: [bool; 2],
    built: BuildKind,
}

/// Empty, with the usual choices.
impl Default for StartForm {
    fn default() -> Self {
        Self {
            app: String::new(),
            channels: vec![CHANNELS[0]],
            systems: Vec::new(),
            processors: [true, false],
            built: BuildKind::Plain,
        }
    }
}

impl StartForm {
    fn read(sent: &FormFields) -> Self {
        let is_sent = |field: &str, word: &str| sent.all(field).any(|value| value == word);
        Self {
            app: sent.one("app").trim().to_owned(),
            channels: CHANNELS.into_iter().filter(|name| is_sent("channel", name)).collect(),
            systems: SYSTEMS.into_iter().filter(|system| is_sent("system", system.name)).collect(),
            processors: ["x64", "arm64"].map(|word| is_sent("processor", word)),
            built: BuildKind::of_word(sent.one("built")),
        }
    }

    /// The question that has no answer.
    fn problem(&self) -> Option<&'static str> {
        if self.systems.is_empty() {
            Some("choose at least one system that the application runs on")
        } else if self.channels.is_empty() {
            Some("choose at least one channel")
        } else if self.processors == [false, false] {
            Some("choose at least one kind of processor")
        } else {
            None
        }
    }

    /// The channels, platforms and architectures that are missing. An existing platform that lacks
    /// the updater gets it.
    fn missing(&self, catalog: &Catalog) -> Vec<(SetupKind, SetupItem)> {
        let mut missing = Vec::new();
        let new = |name: &str| SetupItem { name: name.to_owned(), ..SetupItem::default() };
        let of_kind =
            |kind: SetupKind, name: &str| kind.items(catalog).into_iter().find(|item| item.name == name);
        for name in &self.channels {
            if of_kind(SetupKind::Channel, name).is_none() {
                missing.push((SetupKind::Channel, new(name)));
            }
        }
        for system in &self.systems {
            let updater = self.built.updater(*system).as_str().to_owned();
            let item = of_kind(SetupKind::Platform, system.name);
            let mut item = item.unwrap_or_else(|| new(system.name));
            if item.updaters.iter().all(|entry| entry.updater != updater) {
                item.updaters.push(UpdaterBody { updater, default: item.updaters.is_empty() });
                missing.push((SetupKind::Platform, item));
            }
        }
        for (name, _) in self.built.archs().iter().zip(self.processors).filter(|(_, wanted)| *wanted) {
            if of_kind(SetupKind::Arch, name).is_none() {
                missing.push((SetupKind::Arch, new(name)));
            }
        }
        missing
    }
}

/// `GET /console/setup/start`.
pub(super) async fn show(context: &Context<'_>) -> Result<Response> {
    form(context, &StartForm::default(), None).await
}

/// `POST /console/setup/start`. If it fails half-way, sending it again creates the rest.
pub(super) async fn create(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = StartForm::read(&context.form(request).await?.into());
    if let Some(problem) = sent.problem() {
        let problem = Problem::new(http::StatusCode::BAD_REQUEST, problem.to_owned());
        return form(context, &sent, Some(problem)).await;
    }
    match save(context, &sent).await {
        Ok(()) => {
            let guide = Address::page(["setup", "snippets"]).with("app", &sent.app);
            Ok(respond::see_other(&Notice::Created.add_to(guide)))
        }
        Err(error) => form(context, &sent, Some(error.about_form()?)).await,
    }
}

async fn save(context: &Context<'_>, sent: &StartForm) -> Result<()> {
    let catalog = Catalog::load(context).await?;
    if catalog.app_named(&sent.app).is_err() {
        let data = AppData { app: Some(sent.app.clone()), ..AppData::default() };
        let data = serde_json::to_string(&data).map_err(ConsoleError::no_answer)?;
        let body = multipart::form(context.host, ("data", &data), None);
        context.service.send(Method::POST, &Address::call("/app/create"), Some(body)).await?;
    }
    for (kind, item) in sent.missing(&catalog) {
        kind.save(context, item, false).await?;
    }
    Ok(())
}

async fn form(context: &Context<'_>, filled: &StartForm, problem: Option<Problem>) -> Result<Response> {
    let me = context.me().await?;
    if !me.is_admin {
        return Err(ConsoleError::of_forbidden_form(problem));
    }
    let fields = html! {
        div.stack {
            label { "Name of the application"
                input type="text" name="app" value=(filled.app) required autocomplete="off" autofocus
                    aria-describedby="name-hint";
            }
            p.hint #name-hint { "It is part of every address that installed copies ask." }
            (choices(filled))
            div.row { button type="submit" { "Create" } a href=(Address::page(["setup"])) { "Set up by hand instead" } }
        }
    };
    let content = html! {
        p { "Answer four questions. You can change everything later, in the setup." }
        (parts::form(&Address::page(["setup", "start"]), &context.form_token(), &fields))
    };
    let page = context.page("Your first application", &me, MenuEntry::Setup).with_problem(problem);
    Ok(page.show_titled(&content))
}

fn choices(filled: &StartForm) -> Markup {
    html! {
        fieldset {
            legend { "Which systems does it run on?" }
            @for system in SYSTEMS {
                (parts::check("system", system.name, system.title, filled.systems.contains(&system)))
            }
        }
        fieldset {
            legend { "For which processors?" }
            (parts::check("processor", "x64", "64-bit Intel and AMD", filled.processors[0]))
            (parts::check("processor", "arm64", "64-bit ARM, such as Apple silicon", filled.processors[1]))
        }
        (parts::select("built", "How is it built?", filled.built.word(), BuildKind::choices()))
        fieldset {
            legend { "Which channels do you publish to?" }
            @for name in CHANNELS {
                (parts::check("channel", name, name, filled.channels.contains(&name)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use spindrift_web::Query;

    use super::*;

    fn sent(form: &str) -> StartForm {
        StartForm::read(&Query::parse(form).unwrap().into())
    }

    #[test]
    fn everything_that_is_missing_is_created() {
        let form = sent(
            "app=notes&system=darwin&system=linux&processor=arm64&built=tauri&channel=stable&channel=beta",
        );
        let platform = json!({
            "ID": "1", "PlatformName": "linux", "Default": false, "Updaters": [{ "type": "manual", "default": true }],
            "Owner": "acme", "Updated_at": "t",
        });
        let platform = serde_json::from_value(platform).unwrap();
        let catalog = Catalog { platforms: vec![platform], ..Catalog::default() };
        let missing: Vec<_> = form.missing(&catalog).into_iter().map(|(_, item)| item).collect();
        let names: Vec<_> = missing.iter().map(|item| item.name.as_str()).collect();
        assert_eq!(names, ["stable", "beta", "darwin", "linux", "aarch64"]);
        assert_eq!(missing[2].updaters, [UpdaterBody { updater: "tauri".to_owned(), default: true }]);
        let linux: Vec<_> =
            missing[3].updaters.iter().map(|entry| (&*entry.updater, entry.default)).collect();
        assert_eq!((missing[3].id.is_some(), linux), (true, vec![("manual", true), ("tauri", false)]));
        assert_eq!(form.problem(), None);
    }

    #[test]
    fn what_is_not_answered_is_asked_for() {
        for (form, asked) in [
            ("app=notes&channel=stable&processor=x64", "system"),
            ("app=notes&system=linux&processor=x64", "channel"),
            ("app=notes&system=linux&channel=stable", "processor"),
        ] {
            assert!(sent(form).problem().unwrap().contains(asked), "{form}");
        }
    }
}
