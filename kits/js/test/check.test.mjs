// The check of applications that install updates themselves.

import assert from "node:assert/strict";
import test from "node:test";

import { CheckError, EndpointError, spindrift } from "../index.mjs";
import { NOBODY, endless, folder, options, service } from "./helpers.mjs";

const UPDATE = {
  update_available: true,
  version: "2.0.0",
  update_url_deb: "https://a.example/2.0.0.deb",
  update_url_rpm: "https://a.example/2.0.0.rpm",
  critical: true,
  changelog: "Better",
  signature: "c2ln",
  is_intermediate_required: true,
};

const json = (value) => ({ body: JSON.stringify(value) });

function kitOf(t, url, more) {
  const kit = spindrift(options(url, folder(t), { reportKey: undefined, beacon: false, ...more }));
  t.after(() => kit.setEnabled(false));
  return kit;
}

test("an update has links, notes and flags", async (t) => {
  const { url, requests } = await service(t, () => json(UPDATE));
  const kit = kitOf(t, url, { group: "grp_a", osVersion: "22.04" });
  assert.deepEqual(await kit.check({ interactive: true }), {
    update: {
      version: "2.0.0",
      url: undefined,
      packages: { deb: "https://a.example/2.0.0.deb", rpm: "https://a.example/2.0.0.rpm" },
      critical: true,
      changelog: "Better",
      signature: "c2ln",
      isIntermediateRequired: true,
    },
    withdrawn: null,
    shutOff: false,
    source: "api",
  });
  const [{ path, query, headers }] = requests;
  assert.equal(path, "/checkVersion");
  assert.deepEqual(query, {
    app_name: "notes", version: "1.0.0", channel: "stable", platform: "linux", arch: "amd64", owner: "acme", updater: "manual",
    group: "grp_a", os_version: "22.04", interactive: "1",
  });
  assert.equal(headers["x-device-id"], kit.deviceId);
});

test("no update, a withdrawn version, and updates that are shut off", async (t) => {
  let answer;
  const { url } = await service(t, () => json(answer));
  const kit = kitOf(t, url);
  answer = { update_available: false, withdrawn: { reason: "Loses notes" } };
  assert.deepEqual(await kit.check(), { update: null, withdrawn: "Loses notes", shutOff: false, source: "api" });
  answer = { update_available: false, shut_off: true };
  assert.deepEqual(await kit.check(), { update: null, withdrawn: null, shutOff: true, source: "api" });
  answer = { update_available: "yes", update_url_deb: 5, version: [] };
  assert.equal((await kit.check()).update, null);
});

test("hostile answers are errors with the URL, and without what it says", async (t) => {
  let answer;
  const { url, requests } = await service(t, () => answer);
  const other = await service(t);
  const kit = kitOf(t, url, { group: "grp_secret" });
  for (const [given, status, message = /request failed/] of [
    [{ body: "no JSON" }, undefined],
    [{ body: "[]" }, undefined],
    [{ body: "null" }, undefined],
    [{ body: "" }, undefined],
    [endless, undefined, /more than 1048576 bytes/],
    [(response) => response.destroy(), undefined],
    [{ status: 500, body: "{}" }, 500],
    [{ status: 404, body: "{}" }, 404],
    [{ status: 302, headers: { location: other.url } }, 302],
  ]) {
    answer = given;
    const error = await kit.check().then(assert.fail, (reason) => reason);
    assert.ok(error instanceof CheckError && error.apiError instanceof EndpointError, error.stack);
    assert.deepEqual([error.apiError.statusCode, error.apiError.endpointUrl], [status, `${url}/checkVersion`]);
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /grp_secret/);
  }
  assert.deepEqual([requests.length, other.requests.length], [9, 0]);
});

test("a check can be cancelled", async (t) => {
  const { url, received } = await service(t, () => () => undefined);
  const cancel = new AbortController();
  const check = kitOf(t, url).check({ signal: cancel.signal });
  // The service has the request, and does not answer.
  await Promise.race([received(1).then(() => cancel.abort()), check.catch(() => undefined)]);
  await assert.rejects(check, CheckError);
});

test("the edge is asked first, without an identifier", async (t) => {
  const edge = await service(t, () => json({ update_available: false }));
  const origin = await service(t, () => json(UPDATE));
  const kit = kitOf(t, origin.url, { edgeUrl: edge.url });
  assert.deepEqual((await kit.check()).source, "edge");
  const [{ path, headers }] = edge.requests;
  assert.equal(path, "/responses/acme/notes/stable/linux/amd64/manual/1.0.0.json");
  assert.equal("x-device-id" in headers, false);
  assert.deepEqual(origin.requests, []);
});

test("the service is asked where the edge cannot decide, or fails", async (t) => {
  let answer;
  const edge = await service(t, () => answer);
  const origin = await service(t, () => json({ update_available: false }));
  for (const [given, more, interactive] of [
    [json({ ...UPDATE, rollout: { percent: 50 } }), {}, false],
    [json({ ...UPDATE, varies_with: ["group"] }), { group: "grp_a" }, false],
    [json({ ...UPDATE, varies_with: ["os_version"] }), { osVersion: "22.04" }, false],
    [json(UPDATE), {}, true],
    [{ status: 404 }, {}, false],
    [{ body: "no JSON" }, {}, false],
  ]) {
    answer = given;
    const kit = kitOf(t, origin.url, { edgeUrl: edge.url, ...more });
    assert.deepEqual(await kit.check({ interactive }), { update: null, withdrawn: null, shutOff: false, source: "api" });
  }
  answer = json({ ...UPDATE, varies_with: ["group"] });
  assert.equal((await kitOf(t, origin.url, { edgeUrl: edge.url }).check()).source, "edge");
});

test("if both fail, the error has both", async (t) => {
  const edge = await service(t, () => ({ status: 503 }));
  const error = await kitOf(t, NOBODY, { edgeUrl: edge.url }).check().then(assert.fail, (reason) => reason);
  assert.deepEqual([error.edgeError.statusCode, error.apiError.statusCode], [503, undefined]);
});
