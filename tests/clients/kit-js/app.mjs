// One run of an application with the JavaScript kit and electron-updater, without Electron.
//
//   node app.mjs '{"kit": "/path/of/the/compiled/kit/index.js", "url": "http://...", "owner": "acme", "app": "notes",
//                  "reportKey": "rpk_...", "directory": "/folder/of/the/device", "version": "1.0.0", "end": "crash"}'
//
// end   crash: the process kills itself. exit: it sends its reports, and exits as it should
//
// Answer: {offered, deviceId, staging}: the version on offer or null, and the identifiers. Packages are looked for in
// the working directory.

import { mkdirSync, writeFileSync, writeSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { join } from "node:path";

import { electron, requests } from "../electron/electron.mjs";

const STANDARD_OUTPUT = 1;

const input = JSON.parse(process.argv[2]);
Object.defineProperty(process, "platform", { value: "linux" });
Object.defineProperty(process, "arch", { value: "x64" });
const load = Module._load;
Module._load = (request, ...rest) => (request === "electron" ? electron : load(request, ...rest));

const require = createRequire(join(process.cwd(), "package.json"));
const { AppImageUpdater } = require("electron-updater");
const { ElectronHttpExecutor } = require("electron-updater/out/electronHttpExecutor.js");
const { spindrift } = require(input.kit);

function makeUpdater() {
  const config = join(input.directory, "app-update.yml");
  mkdirSync(input.directory, { recursive: true });
  writeFileSync(config, JSON.stringify({ provider: "generic", url: "http://127.0.0.1:1/", updaterCacheDirName: "notes" }));
  process.env.APPIMAGE = join(input.directory, "Notes.AppImage");
  const updater = new AppImageUpdater(null, {
    version: input.version,
    name: "Notes",
    isPackaged: true,
    appUpdateConfigPath: config,
    userDataPath: input.directory,
    baseCachePath: input.directory,
    whenReady: () => Promise.resolve(),
    relaunch() {},
    quit() {},
    onQuit() {},
  });
  updater.httpExecutor = new ElectronHttpExecutor();
  updater.logger = null;
  updater.autoDownload = false;
  return updater;
}

const { url, owner, app, reportKey, directory, version } = input;
const kit = spindrift({ url, owner, app, channel: "stable", version, dir: directory, reportKey });
const updater = makeUpdater();
kit.attach(updater);
const found = await updater.checkForUpdates();
const offered = found.isUpdateAvailable ? found.updateInfo.version : null;
if (input.end === "exit") await kit.flush();
const staging = requests.map((request) => request.stagingId);
// A process that is killed does not write what is still in its buffers.
writeSync(STANDARD_OUTPUT, `${JSON.stringify({ offered, deviceId: kit.deviceId, staging })}\n`);
if (input.end === "crash") process.kill(process.pid, "SIGKILL");
else process.exit(0);
