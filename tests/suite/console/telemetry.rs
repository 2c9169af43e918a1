//! Figures on a page, and as files.

use serde_json::json;
use spindrift_tests::{Driver, on_hosts};

use super::session::{Session, unescaped};
use crate::reports::team_user;
use crate::telemetry::{LAST_DAY, a_week, counting};

on_hosts! {
    every: [],
    hosted: [a_week_is_shown_and_saved, adoption_is_shown_and_saved],
}

const WEEK: &str = "range=week&date=2026-01-10";

fn a_week_is_shown_and_saved(host: Driver) {
    let world = counting(host);
    let acme = a_week(&world);
    let session = Session::of(&world, &acme);

    let page = session.page(&format!("telemetry?{WEEK}"));
    for part in [
        "<dt>Devices</dt><dd>5</dd>",
        "<dt>Requests</dt><dd>11</dd>",
        "<dd>3 (60 %)</dd>",
        "<dd>2 (40 %)</dd>",
        "Devices by day: up to date, and outdated",
        "Requests by day",
        "aria-current=\"true\">7 days</a>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    for table in ["days", "versions", "channels", "platforms", "architectures"] {
        let file = format!("/console/telemetry.csv?table={table}&{WEEK}");
        assert!(unescaped(&page).contains(&file), "{file}: {page}");
        assert_eq!(session.get(&file["/console/".len()..]).status, 200);
    }
    let file = |query: &str| session.get(&format!("telemetry.csv?{WEEK}&{query}")).expect(200);
    let days = file("table=days");
    assert_eq!(days.header("content-type"), "text/csv; charset=utf-8");
    assert_eq!(days.header("content-disposition"), "attachment; filename=\"telemetry-days-2026-01-10.csv\"");
    assert_eq!(
        days.text(),
        "Day,Requests,Devices,Up to date,Outdated\r\n2026-01-04,3,2,1,1\r\n2026-01-05,0,0,0,0\r\n\
         2026-01-06,0,0,0,0\r\n2026-01-07,5,3,3,0\r\n2026-01-08,0,0,0,0\r\n2026-01-09,0,0,0,0\r\n\
         2026-01-10,3,2,0,2\r\n"
    );
    assert_eq!(file("table=versions").text(), "Version,Devices\r\n1.0.0,3\r\n0.9.1,1\r\n1.1.0,1\r\n");
    // Boxes of a form come one by one.
    let narrowed = "apps=notes&apps=papers&architectures=arm64";
    assert_eq!(
        file(&format!("table=architectures&{narrowed}")).text(),
        "Architecture,Devices\r\narm64,1\r\n"
    );
    assert!(session.page(&format!("telemetry?{WEEK}&{narrowed}")).contains("<strong>notes, papers</strong>"));

    assert!(
        session.page("telemetry?range=day&date=2026-01-05").contains("No devices were seen in this time.")
    );
    // Nobody was seen before that: those days are not kept, and not drawn.
    let month = session.page("telemetry?range=month&date=2026-01-10");
    assert!(month.contains("Figures are kept for 30 days"), "{month}");
    let days = session.get("telemetry.csv?range=month&date=2026-01-10&table=days").expect(200).text();
    assert!(days.starts_with("Day,Requests,Devices,Up to date,Outdated\r\n2026-01-03,1,"), "{days}");
    assert_eq!(session.get("telemetry.csv?table=secrets").status, 404);
    assert_eq!(session.get("telemetry?date=yesterday").status, 400);
    assert_eq!(world.get("/console/telemetry.csv?table=days").send().status, 303);
}

/// Devices of `notes` on the days of that week: all, then by version.
const ADOPTED: [&str; 7] =
    ["2,0,1,0,1", "0,0,0,0,0", "0,0,0,0,0", "1,0,0,1,0", "0,0,0,0,0", "0,0,0,0,0", "2,1,1,0,0"];

fn adoption_is_shown_and_saved(host: Driver) {
    let world = counting(host);
    let acme = a_week(&world);
    // The page of an application ends today, and so does the week now.
    let moved = "UPDATE telemetry SET day = day + unixepoch() / 86400 - ?1";
    world.database().execute(moved, [LAST_DAY]).unwrap();
    let session = Session::of(&world, &acme);

    let page = unescaped(&session.page("apps/notes?range=week"));
    let file = |path: &str| {
        assert!(page.contains(&format!("href=\"/console/{path}\" download")), "{path}: {page}");
        session.get(path).expect(200)
    };
    let adoption = file("apps/notes/adoption.csv?range=week");
    let days = acme.get("/telemetry/adoption?app=notes&range=week").ok()["days"].clone();
    let days: Vec<&str> = days.as_array().unwrap().iter().map(|day| day.as_str().unwrap()).collect();
    let rows = days.iter().zip(ADOPTED).map(|(day, devices)| format!("{day},{devices}\r\n"));
    let rows: String = rows.collect();
    assert_eq!(adoption.text(), format!("Day,Devices,0.9.1,1.0.0,1.1.0,1.2.0\r\n{rows}"));
    assert_eq!(adoption.header("content-type"), "text/csv; charset=utf-8");
    let name = format!("attachment; filename=\"adoption-notes-{}.csv\"", days[6]);
    assert_eq!(adoption.header("content-disposition"), name);
    let devices = |table: &str| file(&format!("telemetry.csv?table={table}&range=week&apps=notes")).text();
    assert_eq!(devices("platforms"), "Platform,Devices\r\nlinux,3\r\n");
    assert_eq!(devices("architectures"), "Architecture,Devices\r\namd64,2\r\narm64,1\r\n");

    let overview = session.page("");
    assert!(overview.contains("devices by day over 30 days: first 0, last 2, highest 2"), "{overview}");

    let lines = |query: &str| {
        let file = session.get(&format!("apps/notes/adoption.csv{query}")).expect(200);
        file.text().lines().count()
    };
    // Of 90 days, those are left out that are not kept any more.
    assert_eq!((lines(""), lines("?range=month"), lines("?range=quarter")), (31, 31, 32));
    assert_eq!(session.get("apps/notes/adoption.csv?range=year").status, 400);
    assert_eq!(session.get("apps/other/adoption.csv").status, 404);
    assert_eq!(world.get("/console/apps/notes/adoption.csv").send().status, 303);
    let stranger = team_user(&world, &acme, "stranger", json!({ "edit": true }));
    let refused = Session::of(&world, &stranger).get("apps/notes/adoption.csv");
    assert!(matches!(refused.status, 403 | 404), "{}", refused.status);
}
