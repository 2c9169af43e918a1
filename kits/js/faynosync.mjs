// One copy of the kit for both kinds of modules.
import kit from "./dist/faynosync.js";

export const {
  CheckError,
  Client,
  EndpointError,
  ErrInvalidBaseURL,
  ErrInvalidEdgeURL,
  ErrInvalidEventType,
  ErrInvalidReason,
  ErrMissingAppName,
  ErrMissingArch,
  ErrMissingBaseURL,
  ErrMissingChannel,
  ErrMissingDeviceId,
  ErrMissingOwner,
  ErrMissingPlatform,
  ErrMissingReportKey,
  ErrMissingVersion,
  FaynoSyncError,
  NATIVE_UPDATERS,
  RequestFailedError,
  UnsupportedUpdaterError,
  ValidationError,
  systemArch,
  systemPlatform,
} = kit;
