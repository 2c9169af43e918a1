// URLs of feeds. Facts about the copy stand in the path, because not all updaters keep a query, and those that do add
// it to the URLs of files too.

import type { Settings } from "./options.js";

export type FeedUpdater = "electron-builder" | "squirrel_darwin" | "squirrel_windows";

/** Facts about this copy, as requests name them. Empty values are left out. */
export interface Facts {
  group: string;
  os_version: string;
  interactive: string;
}

export function feedUrl(settings: Settings, updater: FeedUpdater, facts: Facts, deviceId: string): string {
  const { url, owner, app, channel, platform, arch, version } = settings;
  const folders = [owner, app, channel, platform, arch, version].map(encodeURIComponent).join("/");
  const pairs = Object.entries(facts).map(([name, value]) => (value === "" ? "" : `;${name}=${encodeURIComponent(value)}`));
  const base = `${url}/update/${folders}${pairs.join("")}`;
  if (updater === "electron-builder") return `${base}/`;
  if (updater === "squirrel_darwin") return `${base}/squirrel.json`;
  // Electron gives Squirrel.Windows no headers. Its query is kept in the request of `RELEASES`, and not in those of files.
  return deviceId === "" ? base : `${base}?stagingId=${encodeURIComponent(deviceId)}`;
}
