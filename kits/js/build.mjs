// Compiles the sources into `dist`, without what an earlier build left there. Programs are written without comments,
// which editors show from the declarations.

import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const here = fileURLToPath(new URL(".", import.meta.url));
const dist = join(here, "dist");
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);

const config = ts.parseJsonConfigFileContent(ts.readConfigFile(join(here, "tsconfig.json"), ts.sys.readFile).config, ts.sys, here);
const program = ts.createProgram(config.fileNames, { ...config.options, emitDeclarationOnly: true });
const problems = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
if (problems.length > 0) {
  const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => here, getNewLine: () => "\n" };
  process.stderr.write(ts.formatDiagnostics(problems, host));
  process.exit(1);
}
for (const name of readdirSync(join(here, "src"))) {
  const source = readFileSync(join(here, "src", name), "utf8");
  const compilerOptions = { ...config.options, module: ts.ModuleKind.CommonJS, moduleResolution: undefined, removeComments: true };
  writeFileSync(join(dist, `${basename(name, ".ts")}.js`), ts.transpileModule(source, { compilerOptions }).outputText);
}
