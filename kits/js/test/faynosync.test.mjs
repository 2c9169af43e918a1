// The names that applications with the library of faynoSync use.

import assert from "node:assert/strict";
import test from "node:test";

import { CheckError as KitCheckError, KitError } from "../index.mjs";
import * as library from "../faynosync.mjs";
import { NOBODY, REPORT_KEY, reportOf, service } from "./helpers.mjs";

const { CheckError, Client, EndpointError, FaynoSyncError, RequestFailedError, UnsupportedUpdaterError, ValidationError } = library;

const WHO = { owner: "acme", appName: "notes", version: "1.0.0", channel: "stable", platform: "darwin", arch: "arm64" };
const json = (value, status = 200) => ({ status, body: JSON.stringify(value) });

test("errors have the hierarchy of that library, and are those of the kit", () => {
  assert.equal(FaynoSyncError, KitError);
  assert.equal(CheckError, KitCheckError);
  for (const [derived, base] of [[ValidationError, FaynoSyncError], [RequestFailedError, FaynoSyncError], [EndpointError, RequestFailedError], [CheckError, RequestFailedError], [UnsupportedUpdaterError, ValidationError]]) {
    assert.ok(derived.prototype instanceof base, derived.name);
  }
  const singletons = Object.entries(library).filter(([name]) => name.startsWith("Err"));
  assert.equal(singletons.length, 13);
  for (const [, error] of singletons) assert.ok(error instanceof ValidationError);
});

test("missing and invalid options", async () => {
  const check = (config, options) => new Client(config).checkForUpdates(options).then(assert.fail, (error) => error);
  const base = { baseURL: NOBODY };
  assert.equal(await check({ baseURL: " " }, WHO), library.ErrMissingBaseURL);
  assert.equal(await check({ baseURL: "nowhere" }, WHO), library.ErrInvalidBaseURL);
  assert.equal(await check({ ...base, edgeURL: "nowhere" }, WHO), library.ErrInvalidEdgeURL);
  assert.equal(await check(base, { ...WHO, owner: "" }), library.ErrMissingOwner);
  assert.equal(await check(base, { ...WHO, appName: undefined }), library.ErrMissingAppName);
  assert.equal(await check(base, { ...WHO, version: "" }), library.ErrMissingVersion);
});

test("a check answers as there", async (t) => {
  const answer = { update_available: true, update_url_zip: "https://a.example/z", update_url_dmg: "https://a.example/d", critical: true, possible_rollback: true };
  const { url, requests } = await service(t, () => json(answer));
  assert.deepEqual(await new Client({ baseURL: url }).checkForUpdates({ ...WHO, deviceId: "device-1" }), {
    updateAvailable: true,
    updateUrl: "",
    changelog: "",
    critical: true,
    isIntermediateRequired: false,
    possibleRollback: true,
    packageUrls: [{ package: "dmg", url: "https://a.example/d" }, { package: "zip", url: "https://a.example/z" }],
    source: "api",
  });
  assert.deepEqual([requests[0].query.updater, requests[0].headers["x-device-id"]], ["manual", "device-1"]);
  await new Client({ baseURL: url }).checkForUpdates({ owner: "acme", appName: "notes", version: "1" });
  assert.deepEqual(Object.keys(requests[1].query), ["app_name", "version", "owner", "updater"]);
});

test("an edge is asked first, and the device is counted at the service", async (t) => {
  let edgeAnswer = json({ update_available: false });
  const edge = await service(t, () => edgeAnswer);
  const origin = await service(t, ({ path }) => (path === "/telemetry/beacon" ? { status: 204 } : json({ update_available: true })));
  const client = new Client({ baseURL: origin.url, edgeURL: edge.url });
  assert.equal((await client.checkForUpdates({ ...WHO, deviceId: "device-1" })).source, "edge");
  assert.equal(edge.requests[0].path, "/responses/acme/notes/stable/darwin/arm64/manual/1.0.0.json");
  const [beacon] = await origin.received(1);
  assert.deepEqual([beacon.path, beacon.headers["x-device-id"]], ["/telemetry/beacon", "device-1"]);
  edgeAnswer = { status: 404 };
  assert.equal((await client.checkForUpdates(WHO)).source, "api");
});

test("failed checks have both errors", async (t) => {
  const edge = await service(t, () => ({ status: 404 }));
  const { url } = await service(t, () => ({ status: 503 }));
  const error = await new Client({ baseURL: url, edgeURL: edge.url }).checkForUpdates(WHO).then(assert.fail, (reason) => reason);
  assert.ok(error instanceof CheckError);
  assert.deepEqual([error.edgeError.source, error.edgeError.statusCode, error.apiError.source, error.apiError.statusCode], ["edge", 404, "api", 503]);
});

test("reports", async (t) => {
  let answer = json({ status: "accepted", group_hash: "ab", stored_details: true }, 202);
  const { url, requests } = await service(t, () => answer);
  const client = new Client({ baseURL: url });
  const report = { reportKey: REPORT_KEY, deviceId: "device-1", ...WHO, event: { type: "crash", reason: "segv" }, details: { signal: 11 } };
  assert.deepEqual(await client.reportEvent(report), { status: "accepted", groupHash: "ab", storedDetails: true });
  assert.deepEqual(reportOf(requests[0]), { version: "1.0.0", type: "crash", reason: "segv", details: { signal: 11 } });
  for (const [change, expected] of [
    [{ reportKey: "" }, library.ErrMissingReportKey],
    [{ deviceId: "" }, library.ErrMissingDeviceId],
    [{ channel: "" }, library.ErrMissingChannel],
    [{ platform: "" }, library.ErrMissingPlatform],
    [{ arch: "" }, library.ErrMissingArch],
    [{ event: { type: "other", reason: "x" } }, library.ErrInvalidEventType],
    [{ event: { type: "crash", reason: "a b" } }, library.ErrInvalidReason],
  ]) {
    assert.equal(await client.reportEvent({ ...report, ...change }).then(assert.fail, (error) => error), expected);
  }
  for (const [given, status] of [[{ status: 429 }, 429], [{ status: 202, body: "no JSON" }, undefined]]) {
    answer = given;
    const error = await client.reportEvent(report).then(assert.fail, (reason) => reason);
    assert.deepEqual([error.source, error.statusCode], ["report", status]);
  }
});

test("feeds of native updaters", async (t) => {
  let answer = json({ url: "https://a.example/z" });
  const { url } = await service(t, () => answer);
  const client = new Client({ baseURL: url });
  const feedURL = `${url}/update/acme/notes/stable/darwin/arm64/1.0.0/squirrel.json`;
  assert.deepEqual(await client.resolveNativeFeed({ ...WHO, updater: "squirrel_darwin" }), { updateAvailable: true, feedURL, source: "api", url: "https://a.example/z" });
  answer = { status: 204 };
  assert.deepEqual(await client.resolveNativeFeed({ ...WHO, updater: "squirrel_darwin" }), { updateAvailable: false, feedURL, source: "api" });
  answer = { status: 500 };
  await assert.rejects(client.resolveNativeFeed({ ...WHO, updater: "squirrel_darwin" }), EndpointError);
  const windows = { ...WHO, platform: "windows", updater: "squirrel_windows" };
  assert.equal((await client.resolveNativeFeed(windows)).feedURL, `${url}/update/acme/notes/stable/windows/arm64/1.0.0`);
  assert.throws(() => client.buildNativeFeedURL({ ...WHO, updater: "other" }), UnsupportedUpdaterError);
});
