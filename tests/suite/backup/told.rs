//! The answers to installed copies and publishers, each link followed to its file.

use spindrift_tests::{Account, Answer, Client, HostProcess, full_package};

use super::publishers::{Publishers, Shop, version};

/// The number of the newest version of each owner. Everything that the service answers agrees about it, and every file
/// that it names is there.
pub(super) fn told(host: &HostProcess, shops: &Publishers) -> [usize; 3] {
    let acme = newest_by_check(host, &shops.acme);
    let path = "/responses/acme/notes/stable/linux/amd64/0.1.json";
    let stands = host.client().get(path).ok();
    assert_eq!(stands["version"], version(acme));
    let globex = newest_by_feed(host, &shops.globex);
    [acme, globex, newest_by_check(host, &shops.initech)]
}

/// How many versions a search finds. They are the first ones, without the deleted ones.
pub(super) fn visible(shop: &Shop) -> usize {
    let found = shop.account.get("/search?limit=100").ok();
    let versions: Vec<&str> =
        found["items"].as_array().unwrap().iter().map(|item| item["Version"].as_str().unwrap()).collect();
    let newest = (0..shop.published().len()).rev().find(|n| versions.contains(&&*version(*n))).unwrap();
    let missing = (0..newest).filter(|n| !versions.contains(&&*version(*n))).count();
    assert!(missing <= shop.deletions(), "{versions:?}");
    newest + 1
}

fn newest_by_check(host: &HostProcess, shop: &Shop) -> usize {
    let check = shop.account.check("0.1");
    let newest = (0..visible(shop)).find(|n| check["version"] == version(*n)).unwrap();
    // Of a release that is recorded and not listed yet, only its publisher is told.
    let waiting = visible(shop) - 1 - newest;
    assert!(waiting <= usize::from(shop.repository.is_some()), "{check}");
    let content = format!("notes {}", version(newest));
    let link = check["update_url_deb"].as_str().unwrap();
    assert_eq!(file(host, &shop.account, link).text(), content);

    let latest = latest(shop, "platform=linux&package=deb");
    assert_eq!(file(host, &shop.account, &latest).text(), content);
    newest
}

fn newest_by_feed(host: &HostProcess, shop: &Shop) -> usize {
    let newest = visible(shop) - 1;
    let base = "/update/globex/notes/stable/windows/amd64/0.1";
    let feed = host.client().get(&format!("{base}/releases.win.json")).ok();
    let name = full_package(&version(newest));
    for asset in feed["Assets"].as_array().unwrap() {
        let named = asset["FileName"].as_str().unwrap();
        let moved = host.client().get(&format!("{base}/{named}")).send().expect(302);
        assert_eq!(file(host, &shop.account, moved.header("location")).text(), named);
    }
    assert!(feed["Assets"][0]["FileName"].as_str().unwrap().ends_with(&name), "{feed}");
    let again = host.client().get(&format!("{base}/{name}")).send().expect(302);
    assert_eq!(file(host, &shop.account, again.header("location")).text(), name);
    let latest = latest(shop, "platform=windows&package=nupkg");
    assert_eq!(file(host, &shop.account, &latest).text(), name);
    newest
}

fn latest(shop: &Shop, more: &str) -> String {
    let owner = shop.account.name();
    let path = format!("/apps/latest?app_name=notes&owner={owner}&channel=stable&arch=amd64&{more}");
    shop.account.get(&path).send().expect(302).header("location").to_owned()
}

/// The target of a link. Links of the service are followed with the account.
fn file(host: &HostProcess, account: &Account, link: &str) -> Answer {
    let Some(path) = link.strip_prefix(&host.url) else {
        return Client::new("").get(link).send().expect(200);
    };
    let signed = account.get(path).send().expect(302);
    Client::new("").get(signed.header("location")).send().expect(200)
}
