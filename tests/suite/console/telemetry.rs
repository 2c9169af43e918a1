//! Figures on a page, and as files.

use spindrift_tests::{Driver, on_hosts};

use super::session::{Session, unescaped};
use crate::telemetry::{a_week, counting};

on_hosts! {
    every: [],
    hosted: [a_week_is_shown_and_saved],
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
        "Devices by day: on the latest version, and outdated",
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
        "Day,Requests,Devices,On the latest,Outdated\r\n2026-01-04,3,2,1,1\r\n2026-01-05,0,0,0,0\r\n\
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
    assert!(days.starts_with("Day,Requests,Devices,On the latest,Outdated\r\n2026-01-03,1,"), "{days}");
    assert_eq!(session.get("telemetry.csv?table=secrets").status, 404);
    assert_eq!(session.get("telemetry?date=yesterday").status, 400);
    assert_eq!(world.get("/console/telemetry.csv?table=days").send().status, 303);
}
