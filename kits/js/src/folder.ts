// A folder of the kit. Nothing here throws, whatever the folder contains: other programs can write there too.

import { closeSync, constants, fstatSync, mkdirSync, openSync, opendirSync, readSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MAX_FOLDER_ENTRIES, MAX_KEPT_FILE_BYTES } from "./limits.js";

/** Without it, opening a pipe that somebody put here would wait forever. Windows does not have it. */
const WITHOUT_WAITING = constants.O_NONBLOCK ?? 0;

export class Folder {
  constructor(readonly path: string) {}

  /** A folder in this one. */
  folder(name: string): Folder {
    return new Folder(join(this.path, name));
  }

  /** The text of a small file. Anything else is `undefined`. */
  read(name: string): string | undefined {
    let file: number | undefined;
    try {
      file = openSync(join(this.path, name), constants.O_RDONLY | WITHOUT_WAITING);
      const { size } = fstatSync(file);
      if (!fstatSync(file).isFile() || size > MAX_KEPT_FILE_BYTES) return undefined;
      const bytes = Buffer.alloc(size);
      return bytes.toString("utf8", 0, readSync(file, bytes, 0, size, 0));
    } catch {
      return undefined;
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }

  /** The object in a JSON file. */
  readObject(name: string): Record<string, unknown> | undefined {
    try {
      const value: unknown = JSON.parse(this.read(name) ?? "");
      return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Writes a file as a whole or not at all, and answers whether it is there now. */
  write(name: string, text: string): boolean {
    const temporary = join(this.path, `.${randomName()}.tmp`);
    const write = (): void => {
      writeFileSync(temporary, text, { mode: 0o600 });
      renameSync(temporary, join(this.path, name));
    };
    try {
      try {
        write();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
        mkdirSync(this.path, { recursive: true });
        write();
      }
      return true;
    } catch {
      removeFile(temporary);
      return false;
    }
  }

  remove(name: string): void {
    removeFile(join(this.path, name));
  }

  /** Names that match, oldest first if their names begin with a time. */
  list(pattern: RegExp): string[] {
    const names: string[] = [];
    try {
      const folder = opendirSync(this.path);
      try {
        for (let seen = 0; seen < MAX_FOLDER_ENTRIES; seen += 1) {
          const entry = folder.readSync();
          if (entry === null) break;
          if (pattern.test(entry.name)) names.push(entry.name);
        }
      } finally {
        folder.closeSync();
      }
    } catch {
      // There is no such folder.
    }
    return names.sort();
  }

  /** Deletes the folder and everything in it. */
  delete(): void {
    removeFile(this.path);
  }
}

/** Eight digits that other processes hardly use at the same time. */
export function randomName(): string {
  return Math.floor(Math.random() * 16 ** 8).toString(16).padStart(8, "0");
}

/** A folder in the place of a file is removed too. */
function removeFile(path: string): void {
  try {
    rmSync(path, { force: true, recursive: true });
  } catch {
    // It stays, and is ignored.
  }
}
