// Runs electron-updater as an app of some platform would, without Electron, and prints what came of it as one line of JSON.
//
//   node check.mjs '{"library": "electron-updater", "updater": "NsisUpdater", "platform": "win32", "arch": "x64", "url": "http://...", "version": "1.0.0",
//                    "directory": "/an/empty/folder"}'
//
// library            electron-updater or electron-updater-oldest: the name in package.json
// updater            NsisUpdater, MacUpdater, AppImageUpdater, DebUpdater, RpmUpdater or PacmanUpdater
// platform, arch     as `process.platform` and `process.arch` are on that machine
// url                base address of the feed
// version            of the installed app
// directory          for the app's data and for what it downloads
// channel            optional: as in the app's configuration
// stagingUserId      optional: a UUID; the client makes one if there is none
// allowDowngrade     optional
// download           optional: false only checks
// installed          optional: path of the installed version's package; then the client tries to download differences
// multipleRanges     optional: false for servers that answer one range at a time, as S3 does
//
// The package is looked for in the working directory, where `npm ci` has put it.
//
// Answer: {available, version, files: [{url, sha512, size}], downloaded: {path, sha512, size} | null, native: {sha512, size} |
// null, requests: [{method, url, status, range, stagingId, received}], log: [...]}, or {error, code, requests, log}.
// `native` is what Squirrel.Mac got from electron-updater.

import childProcess from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { join } from "node:path";

import { autoUpdater, electron, requests } from "./electron.mjs";

const TIME_LIMIT_MS = 60_000;
const CACHE_NAME = "app-updater";
/** Where each updater looks for the package of the installed version. */
const INSTALLED = { NsisUpdater: "installer.exe", MacUpdater: "update.zip" };

const input = JSON.parse(process.argv[2]);
const log = [];

function finish(result) {
  process.stdout.write(`${JSON.stringify({ ...result, requests, log })}\n`, () => process.exit(0));
}

function pretendToBe({ platform, arch }) {
  Object.defineProperty(process, "platform", { value: platform });
  Object.defineProperty(process, "arch", { value: arch });
  // What a Mac says of its processor.
  const said = { sysctl: "sysctl.proc_translated: 0", uname: `Darwin ${arch === "arm64" ? "ARM64" : "X86_64"}` };
  childProcess.execFileSync = (program) => said[program];
  const load = Module._load;
  Module._load = (request, ...rest) => (request === "electron" ? electron : load(request, ...rest));
}

/** The app's folders as its installer leaves them; answers what electron-updater asks of an app. */
function installApp({ directory, updater, url, version, channel, stagingUserId, installed, multipleRanges }) {
  const [data, cache] = [join(directory, "data"), join(directory, "cache")];
  mkdirSync(data, { recursive: true });
  mkdirSync(join(cache, CACHE_NAME), { recursive: true });
  const config = { provider: "generic", url, channel, updaterCacheDirName: CACHE_NAME, useMultipleRangeRequest: multipleRanges };
  const configPath = join(directory, "app-update.yml");
  writeFileSync(configPath, JSON.stringify(config)); // JSON is YAML.
  if (stagingUserId != null) writeFileSync(join(data, ".updaterId"), stagingUserId);
  if (installed != null && updater in INSTALLED) copyFileSync(installed, join(cache, CACHE_NAME, INSTALLED[updater]));
  if (updater === "AppImageUpdater") process.env.APPIMAGE = installed ?? join(directory, "App.AppImage");
  return {
    version,
    name: "App",
    isPackaged: true,
    appUpdateConfigPath: configPath,
    userDataPath: data,
    baseCachePath: cache,
    whenReady: () => Promise.resolve(),
    relaunch() {},
    quit() {},
    onQuit() {},
  };
}

function makeUpdater(app) {
  const require = createRequire(join(process.cwd(), "package.json"));
  const { ElectronHttpExecutor } = require(`${input.library}/out/electronHttpExecutor.js`);
  const Updater = require(input.library)[input.updater];
  const updater = new Updater(null, app);
  updater.httpExecutor = new ElectronHttpExecutor();
  const write = (level) => (message) => log.push(`${level}: ${message?.stack ?? message}`);
  updater.logger = { info: write("info"), warn: write("warn"), error: write("error") };
  updater.autoDownload = false;
  updater.allowDowngrade = input.allowDowngrade === true;
  updater.disableDifferentialDownload = input.installed == null;
  return updater;
}

async function run() {
  pretendToBe(input);
  const updater = makeUpdater(installApp(input));
  const found = await updater.checkForUpdates();
  if (found == null) throw new Error("the updater is not active");
  const { version, files = [] } = found.updateInfo;
  // Old versions do not say so, but have a token for cancelling the download.
  const available = found.isUpdateAvailable ?? found.cancellationToken != null;
  const result = { available, version, files, downloaded: null, native: null };
  if (available && input.download !== false) {
    let path = null;
    updater.on("update-downloaded", (event) => (path = event.downloadedFile));
    await updater.downloadUpdate();
    const bytes = readFileSync(path);
    result.downloaded = { path, sha512: createHash("sha512").update(bytes).digest("base64"), size: bytes.length };
    result.native = autoUpdater.downloaded;
  }
  return result;
}

setTimeout(() => finish({ error: `not done within ${TIME_LIMIT_MS} ms`, code: "TIME_LIMIT" }), TIME_LIMIT_MS);
run().then(finish, (error) => finish({ error: String(error?.message ?? error), code: error?.code ?? null }));
