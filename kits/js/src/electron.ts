// The parts of Electron that the kit uses. There is no dependency on it: the module is asked for at run time.

import { createRequire } from "node:module";
import { join } from "node:path";

export interface ElectronApp {
  getVersion(): string;
  getPath(name: "userData"): string;
  on(event: "browser-window-created", listener: (event: unknown, window: ElectronWindow) => void): unknown;
}

export interface ElectronWindow {
  on(event: "session-end", listener: () => void): unknown;
}

/** The application, in the main process of Electron. */
export function electronApp(): ElectronApp | undefined {
  if (process.versions["electron"] === undefined) return undefined;
  try {
    // Electron answers this name itself, wherever it is asked for, so that bundlers need not know about it.
    const electron = createRequire(join(process.cwd(), "index.js"))("electron") as { app?: ElectronApp };
    return electron.app;
  } catch {
    return undefined;
  }
}
