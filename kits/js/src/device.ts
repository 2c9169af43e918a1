// The device id: a random text that says nothing about the device or its user.

import type { Folder } from "./folder.js";

const NAME = "device-id";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export class Device {
  #id: string | undefined;
  #isKept = false;

  constructor(private readonly folder: Folder | undefined) {}

  /** The id. If the folder cannot be written, it lasts for this run. */
  get id(): string {
    if (this.#id === undefined) {
      const kept = this.folder?.read(NAME)?.trim();
      this.#isKept = kept !== undefined && UUID.test(kept);
      this.#id = this.#isKept ? kept : this.reset();
    }
    return this.#id ?? "";
  }

  /** Whether the next run will have the same id. */
  get isKept(): boolean {
    return this.id !== "" && this.#isKept;
  }

  /** Makes another id. */
  reset(): string {
    // Loading it takes longer than everything else, and it is not needed for each start.
    const { randomUUID } = require("node:crypto") as typeof import("node:crypto");
    this.#id = randomUUID();
    this.#isKept = this.folder?.write(NAME, this.#id) === true;
    return this.#id;
  }

  forget(): void {
    this.#id = undefined;
  }
}
