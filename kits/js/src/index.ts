// @spindrift/kit

import { Kit } from "./kit.js";
import type { Options } from "./options.js";

/** Makes the kit of an application. It never throws: see `problem`. */
export function spindrift(options: Options): Kit {
  return new Kit(options);
}

export { Kit } from "./kit.js";
export { CheckError, DigestError, EndpointError, KitError, RequestFailedError, ValidationError } from "./errors.js";
export type { CheckResult, Update } from "./check.js";
export type { Download } from "./download.js";
export type { FeedUpdater } from "./feeds.js";
export type { Options } from "./options.js";
export type { EventType, Failure } from "./report.js";
