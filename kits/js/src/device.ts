// The device id: a random text that says nothing about the device or its user.

import { randomUUID } from "node:crypto";
import type { Folder } from "./folder.js";

const NAME = "device-id";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export class Device {
  #id: string | undefined;

  constructor(private readonly folder: Folder | undefined) {}

  /** The id. If the folder cannot be written, it lasts for this run. */
  get id(): string {
    if (this.#id === undefined) {
      const kept = this.folder?.read(NAME)?.trim();
      this.#id = kept !== undefined && UUID.test(kept) ? kept : this.reset();
    }
    return this.#id;
  }

  /** Makes another id. */
  reset(): string {
    this.#id = randomUUID();
    this.folder?.write(NAME, this.#id);
    return this.#id;
  }

  forget(): void {
    this.#id = undefined;
  }
}
