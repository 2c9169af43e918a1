// One copy of the kit for both kinds of modules.
import kit from "./dist/index.js";

export const { CheckError, DigestError, EndpointError, Kit, KitError, RequestFailedError, ValidationError, spindrift } = kit;
