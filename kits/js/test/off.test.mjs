// Switched off: nothing is written, nothing is sent.

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";

import { spindrift } from "../index.mjs";
import { folder, options, service } from "./helpers.mjs";

/** Does what an application can do. */
async function useAll(kit) {
  kit.started();
  kit.report({ type: "crash", reason: "x" });
  kit.resetDevice();
  kit.userAsked();
  await kit.flush();
  kit.exiting();
  await new Promise(setImmediate);
}

test("a kit that is off from the start writes and sends nothing", async (t) => {
  const [dir, { url, requests }] = [folder(t), await service(t)];
  const kit = spindrift(options(url, dir, { enabled: false, startTimeoutMs: 1 }));
  await useAll(kit);
  assert.deepEqual([kit.enabled, kit.deviceId, kit.problem], [false, null, null]);
  assert.deepEqual([readdirSync(dir), requests], [[], []]);
});

test("a kit that is turned off ends at once, and forgets on request", async (t) => {
  const [dir, { url, requests }] = [folder(t), await service(t)];
  const kit = spindrift(options(url, dir));
  const first = kit.deviceId;
  kit.setEnabled(false);
  const written = readdirSync(join(dir, "spindrift"));
  await useAll(kit);
  assert.deepEqual([written, readdirSync(join(dir, "spindrift"))], [["device-id"], ["device-id"]]);
  kit.forget();
  assert.equal(existsSync(join(dir, "spindrift")), false);
  kit.setEnabled(true);
  assert.notEqual(kit.deviceId, first);
  assert.deepEqual(requests, []);
});

test("an updater still checks, without an identifier", async (t) => {
  const kit = spindrift(options("https://updates.example", folder(t), { enabled: false, group: "grp_x", osVersion: "13.6" }));
  const updater = Object.assign(new EventEmitter(), {
    requestHeaders: { "x-user-staging-id": "made by electron-updater" },
    setFeedURL: (feed) => (updater.feed = feed),
    checkForUpdates() {},
    downloadUpdate() {},
  });
  kit.attach(updater).userAsked();
  updater.emit("checking-for-update");
  assert.equal(updater.feed.url, "https://updates.example/update/acme/notes/stable/linux/amd64/1.0.0/");
  assert.deepEqual(updater.requestHeaders, { "X-Device-ID": "", "x-user-staging-id": "" });
});

test("a check without an identifier takes what is offered to everybody", async (t) => {
  const fallback = { version: "1.1.0", update_url_deb: "https://a.example/1.1.0.deb" };
  const answer = { update_available: true, version: "2.0.0", update_url_deb: "https://a.example/2.0.0.deb", rollout: { percent: 1 } };
  let next = { ...answer, fallback };
  const { url, requests } = await service(t, () => ({ body: JSON.stringify(next) }));
  const kit = spindrift(options(url, folder(t), { enabled: false, group: "grp_x" }));
  assert.equal((await kit.check({ interactive: true })).update.version, "1.1.0");
  next = answer;
  assert.equal((await kit.check()).update, null);
  assert.equal("x-device-id" in requests[0].headers, false);
  assert.deepEqual(Object.keys(requests[0].query), ["app_name", "version", "channel", "platform", "arch", "owner", "updater"]);
});

test("invalid options turn the kit off, and say why", async (t) => {
  const dir = folder(t);
  for (const [change, problem] of [
    [{ url: "not a URL" }, /Invalid URL/],
    [{ url: "ftp://a.example" }, /url is invalid/],
    [{ owner: "" }, /owner is missing/],
    [{ app: undefined }, /app is missing/],
    [{ version: undefined }, /version is missing/],
  ]) {
    const lines = [];
    const kit = spindrift(options("https://a.example", dir, { ...change, log: (line) => lines.push(line) }));
    await useAll(kit.attach({}));
    assert.match(kit.problem, problem);
    assert.match(lines[0], problem);
    assert.deepEqual([kit.enabled, kit.deviceId, kit.feedUrl("electron-builder")], [false, null, ""]);
    await assert.rejects(kit.check(), { name: "ValidationError" });
  }
  assert.deepEqual(readdirSync(dir), []);
  for (const broken of [undefined, null, 1, { log: 5 }]) assert.equal(typeof spindrift(broken).problem, "string");
});

test("an invalid report key turns off reports only", async (t) => {
  const { url, requests } = await service(t, () => ({ body: "{}" }));
  for (const reportKey of ["rpk_short", "", 5]) {
    const kit = spindrift(options(url, folder(t), { reportKey }));
    await useAll(kit);
    assert.deepEqual([kit.problem, kit.enabled, requests], ["reportKey is invalid", true, []]);
    assert.match(kit.feedUrl("electron-builder"), /\/update\/acme\/notes\//);
    kit.setEnabled(false);
  }
});

test("a log that fails is ignored", () => {
  const log = () => {
    throw new Error("the log is full");
  };
  assert.match(spindrift({ log }).problem, /missing|Invalid/);
});
