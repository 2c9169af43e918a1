// Forms that a passkey answers. The browser is asked when a person presses the button, and never by itself.

/** The function that reads the service's options, for each function of `navigator.credentials`. */
const READERS = { create: "parseCreationOptionsFromJSON", get: "parseRequestOptionsFromJSON" };
/** Bytes in an answer. */
const PARTS = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];
const PROBLEMS = {
  NotAllowedError: "You cancelled, or no passkey was found.",
  InvalidStateError: "This device already has a passkey for this account.",
};

/** The bytes of base64url. */
function bytes(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** Bytes as base64url without padding. */
function base64url(buffer) {
  const binary = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The options as the browser takes them. Older browsers cannot read JSON. */
function options(kind, json) {
  const reader = PublicKeyCredential[READERS[kind]];
  if (reader) return reader.call(PublicKeyCredential, json);
  const described = (credentials) => credentials?.map((one) => ({ ...one, id: bytes(one.id) }));
  return {
    ...json,
    challenge: bytes(json.challenge),
    user: json.user && { ...json.user, id: bytes(json.user.id) },
    excludeCredentials: described(json.excludeCredentials),
    allowCredentials: described(json.allowCredentials),
  };
}

/** The browser's answer as JSON, for browsers that do not write it. */
function jsonByHand(credential) {
  const { id, rawId, type, authenticatorAttachment, response } = credential;
  const sent = PARTS.filter((name) => response[name]).map((name) => [name, base64url(response[name])]);
  const transports = response.getTransports?.();
  return {
    id,
    rawId: base64url(rawId),
    type,
    authenticatorAttachment,
    clientExtensionResults: credential.getClientExtensionResults(),
    response: { ...Object.fromEntries(sent), transports },
  };
}

function json(credential) {
  try {
    return credential.toJSON();
  } catch {
    // Older browsers have no such function, and password managers may answer with one that fails.
    return jsonByHand(credential);
  }
}

async function ask(kind, question) {
  const asked = { publicKey: options(kind, question.publicKey ?? question) };
  // A conditional question waits for a field to be filled in, and a person has pressed the button.
  if (question.mediation && question.mediation !== "conditional") asked.mediation = question.mediation;
  const credential = await navigator.credentials[kind](asked);
  if (!credential) throw new Error("The browser gave no passkey.");
  return credential;
}

async function answer(form) {
  if (form.dataset.asking) return;
  form.dataset.asking = "asking";
  const problem = form.querySelector("[role=alert]");
  problem.hidden = true;
  try {
    const field = form.querySelector("[data-options]");
    const credential = await ask(form.dataset.passkey, JSON.parse(field.dataset.options));
    field.value = JSON.stringify(json(credential));
    form.requestSubmit();
  } catch (error) {
    problem.textContent = PROBLEMS[error.name] ?? error.message;
    problem.hidden = false;
  } finally {
    delete form.dataset.asking;
  }
}

for (const form of document.querySelectorAll("form[data-passkey]")) {
  const hint = form.querySelector("[data-unanswered]");
  if (window.PublicKeyCredential && navigator.credentials) {
    hint.hidden = true;
    const button = form.querySelector("[data-answer]");
    button.hidden = false;
    button.addEventListener("click", () => answer(form));
  } else {
    hint.textContent = "This browser cannot use passkeys here.";
  }
}
