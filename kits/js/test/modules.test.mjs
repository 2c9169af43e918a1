// The package as applications load it.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";

import * as kit from "@spindrift/kit";
import * as faynosync from "@spindrift/kit/faynosync";

const require = createRequire(import.meta.url);
const here = (path) => new URL(path, import.meta.url);

test("both kinds of modules get the same objects", () => {
  for (const [imported, name] of [[kit, "@spindrift/kit"], [faynosync, "@spindrift/kit/faynosync"]]) {
    const required = require(name);
    assert.deepEqual(Object.keys(imported).sort(), Object.keys(required).sort());
    for (const key of Object.keys(required)) assert.equal(imported[key], required[key], key);
  }
});

test("nothing but Node is needed", () => {
  assert.equal(require("../package.json").dependencies, undefined);
  const files = readdirSync(here("../dist/")).filter((name) => name.endsWith(".js"));
  assert.deepEqual(files, ["faynosync.js", "index.js", "modules.js"]);
  for (const file of files) {
    // Bundlers follow calls with a constant name. Electron is asked for at run time, and only in Electron.
    const calls = [...readFileSync(here(`../dist/${file}`), "utf8").matchAll(/\b(?:require|import)\(([^)]*)\)/g)].map(([, name]) => name);
    assert.ok(calls.length > 0);
    assert.deepEqual(calls.filter((name) => !/^"(node:[a-z/]+|\.\/modules\.js)"$/.test(name)), [], file);
  }
});

test("in Electron, version and folder are those of the application", (t) => {
  const Module = require("node:module");
  const load = Module._load;
  const windows = [];
  const app = {
    getVersion: () => "3.2.1",
    getPath: (name) => `/nowhere/${name}`,
    on: (event, listener) => windows.push([event, listener]),
  };
  Object.defineProperty(process.versions, "electron", { value: "40.0.0", configurable: true });
  Module._load = (name, ...rest) => (name === "electron" ? { app } : load(name, ...rest));
  t.after(() => {
    Module._load = load;
    delete process.versions.electron;
  });
  const on = kit.spindrift({ url: "https://updates.example", owner: "acme", app: "notes", reportKey: `rpk_${"0".repeat(64)}` });
  t.after(() => on.setEnabled(false));
  assert.match(on.feedUrl("squirrel_darwin"), /\/3\.2\.1[;/]/);
  assert.equal(windows[0][0], "browser-window-created");
});
