// Compiles the sources into `dist`, without what an earlier build left there.

import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
rmSync(new URL("dist", import.meta.url), { recursive: true, force: true });
const compiler = createRequire(import.meta.url).resolve("typescript/lib/tsc.js");
execFileSync(process.execPath, [compiler, "--project", here], { stdio: "inherit" });
