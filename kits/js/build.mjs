// Compiles the sources into `dist`: declarations as they are, and the programs as one file, because each further file
// would delay the start of applications. Their bundlers see nothing but calls of `require` with names of Node's own
// modules.

import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** The modules that applications load. */
const ENTRIES = ["index", "faynosync"];

const here = fileURLToPath(new URL(".", import.meta.url));
const dist = join(here, "dist");
const { options, fileNames } = ts.parseJsonConfigFileContent(ts.readConfigFile(join(here, "tsconfig.json"), ts.sys.readFile).config, ts.sys, here);

function writeDeclarations() {
  const program = ts.createProgram(fileNames, { ...options, emitDeclarationOnly: true });
  const problems = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
  if (problems.length === 0) return;
  const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => here, getNewLine: () => "\n" };
  process.stderr.write(ts.formatDiagnostics(problems, host));
  process.exit(1);
}

/** A module as a function, which runs when it is asked for the first time. */
function compile(name) {
  const source = readFileSync(join(here, "src", name), "utf8");
  const compilerOptions = { ...options, module: ts.ModuleKind.CommonJS, moduleResolution: undefined, removeComments: true };
  const { outputText } = ts.transpileModule(source, { compilerOptions });
  const program = outputText.replace(/^"use strict";\n/, "").replace(/\brequire\("\.\/([a-z]+)\.js"\)/g, 'load("$1")');
  return `${basename(name, ".ts")}(exports) {\n${program}},\n`;
}

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
writeDeclarations();
const modules = readdirSync(join(here, "src")).map(compile).join("");
writeFileSync(
  join(dist, "modules.js"),
  `"use strict";
const loaded = {};
function load(name) {
  if (!(name in loaded)) modules[name]((loaded[name] = {}));
  return loaded[name];
}
const modules = {
${modules}};
module.exports = load;
`,
);
for (const entry of ENTRIES) writeFileSync(join(dist, `${entry}.js`), `"use strict";\nmodule.exports = require("./modules.js")("${entry}");\n`);
