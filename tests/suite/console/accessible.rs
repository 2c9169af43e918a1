//! Nothing keeps people from using a page: [axe](https://github.com/dequelabs/axe-core) finds no violation.

use spindrift_tests::{ClientPackage, Driver, Scheme, on_hosts};

use super::visitor::Visitor;
use super::{pictures, seeds};

on_hosts! {
    every: [],
    hosted: [every_page_is_for_everybody],
}

static AXE: ClientPackage = ClientPackage::node("axe");
/// WCAG 2.2 AA, and the best practices of its authors.
const RULES: &str = "{ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }";
/// A phone in daylight, and a screen at night. Colours do not depend on the window.
const LOOKS: [((u32, u32), Scheme); 2] = [((390, 844), Scheme::Light), ((1280, 900), Scheme::Dark)];

fn every_page_is_for_everybody(host: Driver) {
    let Some(axe) = AXE.available() else { return };
    let Some(visitor) = Visitor::of_empty(host) else { return };
    let axe = axe.read("node_modules/axe-core/axe.min.js");
    let acme = seeds::fill(&visitor.world);
    let mut found = Vec::new();
    for path in ["login", "signup"] {
        found.extend(violations(&visitor, &axe, path));
    }
    visitor.log_in("acme");
    for (_, path) in pictures::pages(&acme) {
        found.extend(violations(&visitor, &axe, &path));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn violations(visitor: &Visitor, axe: &str, path: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (window, scheme) in LOOKS {
        visitor.browser.resize(window);
        visitor.browser.prefer(scheme);
        visitor.go(path);
        let _ = visitor.browser.evaluate(&format!("{axe}; true"));
        let short = "found => found.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html + ' ' + n.failureSummary).join(' | '))";
        let run = format!("axe.run(document, {RULES}).then({short})");
        let all = visitor.browser.evaluate(&run);
        let all = all.as_array().unwrap_or_else(|| panic!("{path}: {all}"));
        found
            .extend(all.iter().map(|one| format!("/console/{path} at {window:?}, {}: {one}", scheme.name())));
    }
    found
}
