// Every limit of the kit. Names end with their unit.

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Time limit of a call to the service. */
export const CALL_TIMEOUT_MS = 15 * SECOND_MS;
/** A download that receives nothing for so long is interrupted. */
export const STALL_TIMEOUT_MS = 30 * SECOND_MS;
/** Longest answer to a check. */
export const MAX_ANSWER_BYTES = 1024 * 1024;
/** Largest file that is downloaded. */
export const MAX_FILE_BYTES = 5 * 1024 ** 3;
/** Redirects that one download follows. */
export const MAX_REDIRECTS = 5;
/** Attempts in a row that bring no new bytes, before a download fails. */
export const MAX_IDLE_ATTEMPTS = 3;

/** Reports that wait to be sent. Further ones are dropped. */
export const MAX_WAITING_REPORTS = 20;
/** Size of a file of the kit; larger ones are not read. */
export const MAX_KEPT_FILE_BYTES = 16 * 1024;
/** Details of a report, as JSON; larger ones are left out. */
export const MAX_DETAILS_BYTES = 8 * 1024;
/** Reports that are older are deleted unsent. */
export const MAX_REPORT_AGE_MS = 14 * DAY_MS;
/** Names of a folder that are looked at. */
export const MAX_FOLDER_ENTRIES = 200;

/** Pause after reports could not be sent. It doubles up to the maximum. */
export const FIRST_RETRY_MS = MINUTE_MS;
export const MAX_RETRY_MS = 6 * HOUR_MS;
/** Longest pause that the service may ask for with `Retry-After`. */
export const MAX_RETRY_AFTER_MS = DAY_MS;

/** Time after the start in which the updater may check, so that no beacon is needed. */
export const BEACON_DELAY_MS = MINUTE_MS;
/** How often a running application looks whether today's beacon is due. */
export const BEACON_INTERVAL_MS = HOUR_MS;

/** Keys of groups that a device may have. */
export const MAX_GROUP_KEYS = 4;
/** Longest text that becomes a reason. */
export const MAX_REASON_CHARS = 128;
