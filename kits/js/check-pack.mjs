// Compares the files that a publication would contain with the expected ones, and its size with a limit.

import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const MAX_PACKED_BYTES = 30 * 1024;

const here = fileURLToPath(new URL(".", import.meta.url));
const declarations = readdirSync(new URL("src", import.meta.url)).map((name) => `dist/${name.replace(/\.ts$/, ".d.ts")}`);
const programs = ["faynosync", "index", "modules"].map((name) => `dist/${name}.js`);
const others = ["README.md", "faynosync.d.mts", "faynosync.mjs", "index.d.mts", "index.mjs", "package.json"];
const expected = [...declarations, ...programs, ...others].sort();

const output = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json"], { cwd: here, encoding: "utf8" }));
// Newer versions of npm answer an object with the packages by name.
const [{ files, size }] = Object.values(output);
const packed = files.map(({ path }) => path).sort();
const missing = expected.filter((path) => !packed.includes(path));
const unexpected = packed.filter((path) => !expected.includes(path));
console.log(`${packed.length} files, ${size} bytes`);
if (missing.length > 0) console.error(`missing: ${missing.join(", ")}`);
if (unexpected.length > 0) console.error(`not expected: ${unexpected.join(", ")}`);
if (size > MAX_PACKED_BYTES) console.error(`more than ${MAX_PACKED_BYTES} bytes`);
process.exitCode = missing.length + unexpected.length > 0 || size > MAX_PACKED_BYTES ? 1 : 0;
