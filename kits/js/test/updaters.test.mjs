// Attaching to updaters. The real electron-updater runs in the end-to-end suite.

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import test from "node:test";

import { spindrift } from "../index.mjs";
import { NOBODY, folder, options, reportOf, service } from "./helpers.mjs";

const BASE = "https://updates.example/update/acme/notes/stable/linux/amd64/1.0.0";

class Updater extends EventEmitter {
  feeds = [];

  setFeedURL(feed) {
    this.feeds.push(feed);
  }

  checkForUpdates() {}
}

/** It has a method that Electron's own does not have. */
class ElectronUpdater extends Updater {
  requestHeaders = null;

  downloadUpdate() {}
}

/** Pretends that this is another system, until the test ends. */
function pretendToBe(t, platform) {
  const before = Object.getOwnPropertyDescriptor(process, "platform");
  Object.defineProperty(process, "platform", { ...before, value: platform });
  t.after(() => Object.defineProperty(process, "platform", before));
}

function attached(t, updater, more) {
  const kit = spindrift(options("https://updates.example", folder(t), { reportKey: undefined, ...more }));
  t.after(() => kit.setEnabled(false));
  return kit.attach(updater);
}

test("electron-updater gets the feed", (t) => {
  const updater = new ElectronUpdater();
  attached(t, updater, { group: ["grp_a", "grp_b"], osVersion: "13.6.1 (22G313)" });
  const url = `${BASE};group=grp_a%2Cgrp_b;os_version=13.6.1/`;
  assert.deepEqual(updater.feeds, [{ provider: "generic", url, useMultipleRangeRequest: false }]);
});

test("names are encoded", (t) => {
  const updater = new ElectronUpdater();
  attached(t, updater, { owner: "a/b", app: "my notes", channel: undefined, version: "1.0.0+5;x" });
  assert.equal(updater.feeds[0].url, "https://updates.example/update/a%2Fb/my%20notes/default/linux/amd64/1.0.0%2B5%3Bx/");
});

test("the device id goes to the feed, and not to the storage", (t) => {
  for (const end of ["update-available", "update-not-available", "error"]) {
    for (const own of [null, { Authorization: "Bearer x" }]) {
      const updater = new ElectronUpdater();
      updater.requestHeaders = own;
      const { deviceId } = attached(t, updater);
      updater.emit("checking-for-update");
      assert.deepEqual(updater.requestHeaders, { ...own, "X-Device-ID": deviceId, "x-user-staging-id": deviceId });
      updater.emit(end, end === "error" ? new Error("x") : { version: "2.0.0" });
      assert.deepEqual(updater.requestHeaders, own);
    }
  }
});

test("an application can set the URL itself", (t) => {
  const updater = new ElectronUpdater();
  const kit = spindrift(options("https://updates.example", folder(t), { reportKey: undefined }));
  kit.attach(updater, { feed: false }).userAsked();
  updater.emit("checking-for-update");
  assert.deepEqual([updater.feeds, updater.requestHeaders["X-Device-ID"]], [[], kit.deviceId]);
  assert.equal(kit.feedUrl("electron-builder"), `${BASE};interactive=1/`);
  assert.equal(kit.feedUrl("squirrel_darwin"), `${BASE};interactive=1/squirrel.json`);
  kit.setEnabled(false);
});

test("what the user asked is said once", (t) => {
  const updater = new ElectronUpdater();
  attached(t, updater).userAsked();
  updater.emit("update-not-available", {});
  updater.emit("update-not-available", {});
  assert.deepEqual(updater.feeds.map(({ url }) => url), [`${BASE}/`, `${BASE};interactive=1/`, `${BASE}/`]);
});

test("Squirrel.Mac gets the feed and the header", (t) => {
  pretendToBe(t, "darwin");
  const updater = new Updater();
  const kit = attached(t, updater, { osVersion: "13.6" });
  const headers = { "X-Device-ID": kit.deviceId };
  assert.deepEqual(updater.feeds, [{ url: `${BASE};os_version=13.6/squirrel.json`, headers }]);
  // Another URL would end the download.
  kit.userAsked();
  updater.emit("update-available");
  assert.equal(updater.feeds.length, 2);
  updater.emit("update-downloaded");
  assert.equal(updater.feeds.at(-1).url, `${BASE};os_version=13.6/squirrel.json`);
});

test("Squirrel.Windows, which sends no headers, has the id in the query that it keeps", (t) => {
  pretendToBe(t, "win32");
  const updater = new Updater();
  const kit = attached(t, updater, { osVersion: "10.0.19045" });
  assert.equal(updater.feeds[0].url, `${BASE};os_version=10.0.19045?stagingId=${kit.deviceId}`);
  kit.resetDevice();
  assert.equal(updater.feeds[1].url, `${BASE};os_version=10.0.19045?stagingId=${kit.deviceId}`);
  kit.setEnabled(false);
  assert.equal(updater.feeds[2].url, BASE);
});

/** The reports about these events of an updater. */
async function reportsOf(t, updater, events) {
  const { url, requests } = await service(t);
  const kit = spindrift(options(url, folder(t))).attach(updater);
  for (const [event, argument] of events) updater.emit(event, argument);
  await kit.flush();
  await kit.flush();
  kit.exiting();
  return requests.map(reportOf);
}

const failure = (name, more) => Object.assign(new Error(`${name} at /home/ada`), more);

test("a failed update is reported with its phase, without texts that can name the user", async (t) => {
  const offer = ["update-available", { version: "2.0.0" }];
  const mismatch = ["error", failure("sha512", { code: "ERR_CHECKSUM_MISMATCH" })];
  assert.deepEqual(await reportsOf(t, new ElectronUpdater(), [["checking-for-update"], offer, mismatch]), [
    { version: "1.0.0", type: "update_failure", reason: "download.ERR_CHECKSUM_MISMATCH", details: { phase: "download", offered: "2.0.0" } },
  ]);
  const denied = ["error", failure("EACCES", { code: "EACCES" })];
  assert.deepEqual(await reportsOf(t, new ElectronUpdater(), [offer, ["update-downloaded"], denied]), [
    { version: "1.0.0", type: "install_failure", reason: "install.EACCES", details: { phase: "install", offered: "2.0.0" } },
  ]);
  const invalid = ["error", failure("feed", { code: "ERR_UPDATER_INVALID_UPDATE_INFO" })];
  assert.deepEqual(await reportsOf(t, new ElectronUpdater(), [["checking-for-update"], invalid]), [
    { version: "1.0.0", type: "update_failure", reason: "check.ERR_UPDATER_INVALID_UPDATE_INFO", details: { phase: "check" } },
  ]);
  const native = ["error", Object.assign(new Error("code signature"), { code: 4, domain: "SQRLCodeSignatureErrorDomain" })];
  const [report] = await reportsOf(t, new Updater(), [["update-available"], ["update-downloaded"], native]);
  assert.deepEqual([report.type, report.reason], ["install_failure", "install.SQRLCodeSignatureErrorDomain.4"]);
});

test("a device that is offline, or a service that has nothing, is not a failure", async (t) => {
  const offline = [
    { code: "ENOTFOUND" }, { code: "ECONNRESET" }, { code: "ETIMEDOUT" }, { code: "HTTP_ERROR_503" }, { message: "net::ERR_INTERNET_DISCONNECTED" },
    { message: "Error: net::ERR_NAME_NOT_RESOLVED" }, { code: -1009, domain: "NSURLErrorDomain" },
  ];
  const nothing = [{ code: "ERR_UPDATER_CHANNEL_FILE_NOT_FOUND" }, { code: "HTTP_ERROR_404" }];
  const check = [...offline, ...nothing].map((more) => ["error", failure("x", more)]);
  assert.deepEqual(await reportsOf(t, new ElectronUpdater(), [["checking-for-update"], ...check]), []);
  const download = offline.map((more) => ["error", failure("x", more)]);
  assert.deepEqual(await reportsOf(t, new ElectronUpdater(), [["update-available", { version: "2.0.0" }], ...download]), []);
  assert.deepEqual(await reportsOf(t, new Updater(), [["checking-for-update"], ["error", new Error("a translated text")]]), []);
  const missing = ["error", failure("x", { code: "HTTP_ERROR_404" })];
  const [{ reason }] = await reportsOf(t, new ElectronUpdater(), [["update-available", {}], missing]);
  assert.equal(reason, "download.HTTP_ERROR_404");
});

test("events with other arguments throw nothing into the updater", async (t) => {
  const odd = [undefined, null, "text", 5, {}].flatMap((argument) =>
    ["checking-for-update", "update-available", "update-not-available", "update-downloaded", "error"].map((event) => [event, argument]),
  );
  for (const updater of [new ElectronUpdater(), new Updater()]) {
    const reports = await reportsOf(t, updater, odd);
    assert.ok(reports.every(({ reason }) => /\.unknown$/.test(reason)), JSON.stringify(reports));
  }
});

test("an updater that cannot be changed still works", (t) => {
  const updater = new ElectronUpdater();
  const { length } = attached(t, updater).feedUrl("electron-builder");
  Object.freeze(updater);
  for (const event of ["checking-for-update", "update-available", "error"]) updater.emit(event, {});
  assert.deepEqual([updater.requestHeaders, length > 0], [null, true]);
});

test("anything that is not an updater is left alone", () => {
  for (const other of [undefined, null, {}, "autoUpdater", () => {}]) {
    const lines = [];
    const kit = spindrift(options(NOBODY, undefined, { reportKey: undefined, log: (line) => lines.push(line) })).attach(other);
    kit.setEnabled(false);
    assert.match(lines.join(), /not an autoUpdater/);
  }
  const broken = Object.assign(new Updater(), {
    setFeedURL() {
      throw new Error("broken");
    },
  });
  const kit = spindrift(options(NOBODY, undefined, { reportKey: undefined })).attach(broken);
  kit.userAsked();
  kit.setEnabled(false);
});
