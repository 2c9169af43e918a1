// Makes of packages what electron-builder publishes with them: block maps, and the latest*.yml, by its own code.
//
//   node build.mjs '{"directory": "...", "platform": "win32", "version": "1.0.0", "files": [{"name": "App Setup 1.0.0.exe",
//                    "arch": "x64"}]}'
//
// directory     where the packages are and where the rest goes
// platform      win32, darwin or linux
// channel       optional: `latest` if there is none
// releaseInfo   optional: {releaseNotes, releaseName, stagingPercentage, ...}
// files         arch is optional: a package without one is for all
//
// The block map of an AppImage goes into the package itself; installers and zips get one beside them; a .deb gets none.
// Prints the names of the files of the release as one line of JSON.
//
// The package is looked for in the working directory, where `npm ci` has put it.

import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.cwd(), "package.json"));
const { buildBlockMap } = require("app-builder-lib/out/targets/blockmap/blockmap.js");
const { createUpdateInfoTasks, writeUpdateInfoFiles } = require("app-builder-lib/out/publish/updateInfoBuilder.js");
const { Arch, Platform } = require("app-builder-lib");

const PLATFORMS = { win32: Platform.WINDOWS, darwin: Platform.MAC, linux: Platform.LINUX };

async function blockMap(file) {
  if (file.endsWith(".AppImage")) return await buildBlockMap(file, "deflate");
  if (/\.(exe|zip)$/.test(file)) return await buildBlockMap(file, "gzip", `${file}.blockmap`);
  return null;
}

async function build({ directory, platform, version, channel, releaseInfo, files }) {
  const packager = {
    platform: PLATFORMS[platform],
    appInfo: { version },
    config: { releaseInfo },
    metadata: { dependencies: { "electron-updater": "6.0.0" } },
    platformSpecificBuildOptions: {},
    info: { metadata: {} },
    getResource: async () => null,
    emitArtifactCreated: async () => {},
  };
  const publish = [{ provider: "generic", url: "http://unset.invalid/", channel }];
  const tasks = [];
  for (const { name, arch } of files) {
    const file = join(directory, name);
    const updateInfo = await blockMap(file);
    const event = { file, updateInfo, arch: arch == null ? null : Arch[arch], packager, target: { outDir: directory } };
    tasks.push(...(await createUpdateInfoTasks(event, publish)));
  }
  await writeUpdateInfoFiles(tasks, packager);
  return readdirSync(directory).sort();
}

process.stdout.write(`${JSON.stringify(await build(JSON.parse(process.argv[2])))}\n`);
