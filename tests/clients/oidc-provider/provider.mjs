// An OpenID provider with the one client `spindrift`. It asks nobody for a password: the account that was set signs in.
//
//   node provider.mjs http://127.0.0.1:3000/console/sso
//
// arguments   where the client may be sent back to
//
// Prints a line of JSON once it answers: {url, clientId, clientSecret}. It ends with its standard input.
//
//   POST /control/account   {sub, email, email_verified}: signs in from now on. A claim that is missing is not sent
//   POST /control/refuse    the next sign-in ends with access_denied
//
// The package is looked for in the working directory, where `npm ci` has put it.

import { generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const CLIENT_ID = process.argv[3] ?? "spindrift";
// With characters that a client has to encode in the header.
const CLIENT_SECRET = "secret+of/the=client%40";
const MINUTE = 60;

// The package prints hints for production, some of them to the standard output.
console.info = console.warn = () => {};

const require = createRequire(join(process.cwd(), "package.json"));
const { default: Provider } = await import(pathToFileURL(require.resolve("oidc-provider")));

// Signs in next.
let account = { sub: "ada", email: "ada@example.com", email_verified: true };
let isRefused = false;
// Accounts that have signed in, by their `sub`.
const accounts = new Map();

const server = createServer();
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const url = `http://127.0.0.1:${server.address().port}`;

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const key = { ...privateKey.export({ format: "jwk" }), kid: "provider-1", alg: "RS256", use: "sig" };

const provider = new Provider(url, {
  clients: [
    {
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      redirect_uris: [process.argv[2]],
      response_types: ["code"],
      grant_types: ["authorization_code"],
      token_endpoint_auth_method: "client_secret_basic",
      id_token_signed_response_alg: "RS256",
    },
  ],
  jwks: { keys: [key] },
  cookies: { keys: [randomBytes(32).toString("hex")] },
  pkce: { required: () => true },
  scopes: ["openid", "email"],
  claims: { openid: ["sub"], email: ["email", "email_verified"] },
  // Providers like Google have the address in the identity token.
  conformIdTokenClaims: false,
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  ttl: {
    AccessToken: 5 * MINUTE,
    AuthorizationCode: MINUTE,
    Grant: 10 * MINUTE,
    IdToken: 5 * MINUTE,
    Interaction: 10 * MINUTE,
    Session: 10 * MINUTE,
  },
  findAccount: (_, sub) => accounts.has(sub) && { accountId: sub, claims: () => accounts.get(sub) },
});

// Does at once a person's part on the pages of a provider: log in and agree, or refuse.
async function interact(request, response) {
  const { params } = await provider.interactionDetails(request, response);
  if (isRefused) {
    isRefused = false;
    const result = { error: "access_denied", error_description: "refused" };
    return await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }
  accounts.set(account.sub, account);
  const grant = new provider.Grant({ accountId: account.sub, clientId: params.client_id });
  grant.addOIDCScope("openid email");
  const result = { login: { accountId: account.sub }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

async function control(path, request, response) {
  if (path === "/control/account") account = await json(request);
  else if (path === "/control/refuse") isRefused = true;
  else response.statusCode = 404;
  response.end();
}

const answer = provider.callback();

// Without its session, a browser has to sign in each time, and may do so with another account.
function forgetSession({ headers }) {
  const kept = headers.cookie?.split("; ").filter((cookie) => !cookie.startsWith("_session"));
  if (kept?.length) headers.cookie = kept.join("; ");
  else delete headers.cookie;
}

server.on("request", async (request, response) => {
  try {
    forgetSession(request);
    const path = request.url.split("?")[0];
    if (path.startsWith("/interaction/")) await interact(request, response);
    else if (request.method === "POST" && path.startsWith("/control/")) await control(path, request, response);
    else await answer(request, response);
  } catch (error) {
    response.statusCode = 500;
    response.end(`${error}\n`);
  }
});

process.stdin.resume().on("end", () => process.exit(0));
process.stdout.write(`${JSON.stringify({ url, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET })}\n`);
