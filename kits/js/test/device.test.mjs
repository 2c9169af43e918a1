// The device id.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";

import { spindrift } from "../index.mjs";
import { NOBODY, folder, options } from "./helpers.mjs";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test("an id is random, kept, and readable only by its user", (t) => {
  const [one, other] = [folder(t), folder(t)];
  const { deviceId } = spindrift(options(NOBODY, one));
  assert.match(deviceId, UUID);
  assert.equal(spindrift(options(NOBODY, one)).deviceId, deviceId);
  assert.notEqual(spindrift(options(NOBODY, other)).deviceId, deviceId);
  const file = join(one, "spindrift", "device-id");
  assert.equal(readFileSync(file, "utf8"), deviceId);
  if (process.platform !== "win32") assert.equal(statSync(file).mode & 0o777, 0o600);
});

test("a reset makes another id, which is kept", (t) => {
  const dir = folder(t);
  const kit = spindrift(options(NOBODY, dir));
  const before = kit.deviceId;
  kit.resetDevice();
  assert.match(kit.deviceId, UUID);
  assert.notEqual(kit.deviceId, before);
  assert.equal(spindrift(options(NOBODY, dir)).deviceId, kit.deviceId);
});

test("a damaged file is replaced", (t) => {
  for (const content of ["", "x".repeat(100), "\0\0", "7f0c6a1e-2d43-4c55-9b1a-0d6a6f0e9c11\r\nX-Evil: 1", "é".repeat(18)]) {
    const dir = folder(t);
    mkdirSync(join(dir, "spindrift"));
    writeFileSync(join(dir, "spindrift", "device-id"), content);
    const { deviceId } = spindrift(options(NOBODY, dir));
    assert.match(deviceId, UUID);
    assert.equal(readFileSync(join(dir, "spindrift", "device-id"), "utf8"), deviceId);
  }
});

test("where nothing can be written, the id lasts for the run", (t) => {
  const dir = folder(t);
  writeFileSync(join(dir, "file"), "");
  for (const place of [join(dir, "file"), join(dir, "file", "below"), "\0", undefined]) {
    const kit = spindrift(options(NOBODY, place));
    assert.equal(kit.problem, null);
    assert.match(kit.deviceId, UUID);
    assert.equal(kit.deviceId, kit.deviceId);
  }
});

test("a folder in the place of the file leaves an id for the run", (t) => {
  const dir = folder(t);
  mkdirSync(join(dir, "spindrift", "device-id", "inside"), { recursive: true });
  const kit = spindrift(options(NOBODY, dir));
  assert.match(kit.deviceId, UUID);
  assert.equal(kit.deviceId, kit.deviceId);
  assert.deepEqual(readdirSync(join(dir, "spindrift")).filter((name) => name.endsWith(".tmp")), []);
});
