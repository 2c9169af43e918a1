// Publishing: digests in a worker, files straight to the storage, and a state that outlives a cut.

import { Calls } from "./calls.js";
import { Chosen } from "./chosen.js";
import { patchesOf } from "./patches.js";
import { Preview } from "./preview.js";
import { ReleaseForm } from "./release_form.js";

/** Files that are sent at a time. */
const AT_ONCE = 3;
/** Milliseconds before the addresses end in which no file is begun with them. One that has begun goes on. */
const EXPIRY_MARGIN = 60_000;

const form = document.querySelector("#publish");
const find = (css) => document.querySelector(css);

/** The publisher stopped. */
class Stopped extends Error {}

/** By name: a release has a name once. */
const chosen = new Map();
/** What the patches among them were made for. */
let patched = "";
/** What the service granted: its id, when its addresses end by the reader's clock, and the address and purpose of each file. */
let upload = null;
/** The work that a stop ends. */
let running = null;
/** The updater that the feed files are for, or why they do not say it. */
let suggestion = { updater: null, problem: null };
/** Ends when all files that were chosen are listed. */
let adding = Promise.resolve();
const calls = form && new Calls(form.dataset.token);
const fields = form && new ReleaseForm(form);
const preview = form && new Preview(calls, find("#preview"), receiptAsk);

/** What the receipt is about, once there are files and a release to put them in. */
function receiptAsk() {
  if (chosen.size === 0 || !form.checkValidity()) return null;
  return { data: fields.data([]), files: [...chosen.values()].filter((item) => !item.patch).map((item) => item.file.name) };
}

function add(files) {
  adding = adding.then(() => addAll(files));
  return adding;
}

async function addAll(files) {
  fields.hideProblem();
  const added = [...files];
  if (added.length === 0) return;
  try {
    // All names: together they say which updater the release is for.
    const names = [...added.map((file) => file.name), ...chosen.keys()];
    const options = (name) => [...(form.elements[name]?.options ?? [])].map((option) => option.value);
    const plan = await calls.json(form.dataset.plan, { names, platforms: options("platform"), archs: options("arch") });
    const invalid = added.filter((_, i) => !plan.files[i].is_valid);
    if (invalid.length > 0) {
      fields.showProblem(new Error(`These cannot be published under their names: ${invalid.map((file) => file.name).join(", ")}`));
    }
    added.forEach((file, i) => {
      if (plan.files[i].is_valid) addOne(file, plan.files[i].feed);
    });
    suggestion = plan;
    fields.suggest(plan);
    suggestUpdater();
    preview.changed();
  } catch (error) {
    fields.showProblem(error);
  }
}

function addOne(file, feed) {
  chosen.get(file.name)?.row.remove();
  const item = new Chosen(file);
  item.isFeed = feed !== null;
  if (feed !== null) item.say(`feed of ${feed}`, 0);
  item.remove.disabled = running !== null;
  chosen.set(file.name, item);
  item.remove.addEventListener("click", () => {
    forget(item);
    find("#drop .scroll").hidden = chosen.size === 0;
    preview.changed();
  });
  find("#chosen").append(item.row);
  find("#drop .scroll").hidden = false;
}

/** Selects the updater that the feed files are for, if the platform has it and no other is selected. */
function suggestUpdater() {
  const { updater } = form.elements;
  const isOffered = (option) => option.value === suggestion.updater && !option.disabled;
  if (updater && updater.value === "" && [...updater.options].some(isOffered)) updater.value = suggestion.updater;
}

/** Clients of an updater never see a release that was published for another one. */
function requireUpdater() {
  suggestUpdater();
  const { platform, updater } = form.elements;
  if (!updater || updater.value !== "" || feeds().length === 0) return;
  if (suggestion.problem) throw new Error(`${suggestion.problem}.`);
  if (suggestion.updater) {
    throw new Error(
      `The feed files are for the updater ${suggestion.updater}, which the platform ${platform?.value} does not have. Add it in Setup, or with ` +
        `"spindrift platform update ${platform?.value} --add-updater ${suggestion.updater}".`,
    );
  }
}

const data = () => fields.data(files().flatMap((item) => item.patch ?? []));

const files = () => [...chosen.values()].filter((item) => !item.isFeed);
const feeds = () => [...chosen.values()].filter((item) => item.isFeed);

/** Computes missing digests, one file after the other: the disk is slower than the processor. */
async function hashAll() {
  const waiting = files().filter((item) => item.digests === null);
  if (waiting.length === 0) return;
  const worker = new Worker(form.dataset.worker);
  try {
    for (const item of waiting) item.digests = await hash(worker, item.file, item);
  } finally {
    worker.terminate();
  }
}

/** The digests of a file. The row of `item` shows how far they are. */
function hash(worker, file, item) {
  item.say("hashing", 0);
  return new Promise((resolve, reject) => {
    running.signal.addEventListener("abort", () => reject(new Stopped()), { once: true });
    worker.onerror = () => reject(new Error("Digests cannot be computed in this browser."));
    worker.onmessage = ({ data: { hashed, digests, problem } }) => {
      if (problem !== undefined) reject(new Error(problem));
      else if (digests === undefined) item.progress("hashing", hashed);
      else {
        item.say("hashed", item.file.size);
        resolve(digests);
      }
    };
    worker.postMessage({ file, source: form.dataset.module });
  });
}

/** Makes the patches that the form asks for. Those of the last try stay if they are for the same. */
async function makePatches() {
  const items = files().filter((item) => item.patch === undefined);
  const { version, channel, platform, arch, updater } = data();
  const wanted = { version, channel, platform, arch, updater, patches: Number(form.elements.patches.value) };
  const purpose = JSON.stringify([wanted, items.map(({ file, digests }) => [file.name, digests])]);
  if (purpose === patched) return;
  for (const item of files()) if (item.patch !== undefined) forget(item);
  if (wanted.patches > 0) {
    const worker = new Worker(form.dataset.worker);
    const tools = { form, signal: running.signal, digests: (file, item) => hash(worker, file, item) };
    try {
      for (const item of items) {
        // Asked for each file: addresses of private bases end, and the files before it may have taken long.
        const { bases } = await calls.json(form.dataset.bases, { ...wanted, name: item.file.name }, running.signal);
        (await patchesOf(item, bases, tools)).forEach(addPatch);
      }
    } finally {
      worker.terminate();
    }
  }
  patched = purpose;
}

function addPatch({ file, entry }) {
  const item = new Chosen(file);
  item.patch = entry;
  item.remove.remove();
  chosen.set(file.name, item);
  find("#chosen").append(item.row);
}

function forget(item) {
  chosen.delete(item.file.name);
  item.row.remove();
}

/** Begins an upload, unless the last one is for the same: its sent files are kept, and its addresses can be renewed. */
async function begin() {
  const manifest = files().map((item) => ({ name: item.file.name, length: item.file.size, ...item.digests }));
  const inline = feeds().map(({ file }) => [file.name, file.size, file.lastModified]);
  const purpose = JSON.stringify([data(), manifest, inline]);
  if (upload?.purpose === purpose) return;
  const body = new FormData();
  body.append("data", JSON.stringify(data()));
  body.append("files", JSON.stringify(manifest));
  for (const { file } of feeds()) body.append("file", file);
  const granted = await calls.send(form.dataset.init, body, {}, running.signal);
  for (const item of files()) item.isSent = false;
  upload = { id: granted.upload_id, purpose, ...addresses(granted) };
}

const addresses = (granted) => ({
  ends: Date.now() + granted.valid_seconds * 1000,
  places: new Map(granted.files.map((file) => [file.name, file])),
});

/** New addresses for files that are not sent yet. */
async function renew(upload) {
  try {
    Object.assign(upload, addresses(await calls.json(form.dataset.renew, { upload_id: upload.id }, running.signal)));
  } catch (error) {
    forgetIfGone(error);
    throw error;
  } finally {
    upload.renewal = null;
  }
}

/** The target of a file, with a valid address. The files that are sent at a time renew them once. */
async function place(upload, item) {
  if (upload.ends - EXPIRY_MARGIN < Date.now()) await (upload.renewal ??= renew(upload));
  return upload.places.get(item.file.name);
}

/** Without it, the next try starts over. */
function forgetIfGone(error) {
  if (error.code === "upload_expired" || error.status === 404) upload = null;
}

/** Sends the files that the storage does not have yet. One failure does not stop the other files. */
async function sendAll() {
  const current = upload;
  const waiting = files().filter((item) => !item.isSent);
  const failures = [];
  const lane = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      try {
        await put(item, await place(current, item));
      } catch (error) {
        if (isStop(error)) throw error;
        failures.push(error);
        // An address that the storage refuses is not used again.
        if (error.status === 403) current.ends = 0;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  if (failures.length > 0) throw failures[0];
}

/** The reason for no answer: a browser does not tell a page. But it tells if the file cannot be read any more. */
async function unsent({ file }) {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch {
    return new Error(`${file.name} has changed since it was chosen: choose it again.`);
  }
  return new Error(
    `${file.name} was not sent. Either the connection was cut, or the storage does not allow this page: its bucket for private ` +
      `files needs a CORS rule for ${location.origin}, see docs/operations.md.`,
  );
}

function put(item, place) {
  item.say("sending", 0);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const fail = (error) => {
      item.say(error instanceof Stopped ? "stopped" : "not sent", 0);
      reject(error);
    };
    running.signal.addEventListener("abort", () => request.abort(), { once: true });
    request.upload.onprogress = ({ loaded }) => item.progress("sending", Math.min(loaded, item.file.size));
    request.onabort = () => fail(new Stopped());
    request.onerror = () => unsent(item).then(fail);
    request.onload = () => {
      if (request.status < 200 || request.status >= 300) {
        const error = new Error(`${item.file.name} was not sent: the storage answered ${request.status}.`);
        fail(Object.assign(error, { status: request.status }));
        return;
      }
      item.isSent = true;
      item.say("sent", item.file.size);
      resolve();
    };
    request.open(place.method, place.url);
    // The length is a header that only the browser may set. It sets the same.
    for (const [name, value] of Object.entries(place.headers)) {
      if (name.toLowerCase() !== "content-length") request.setRequestHeader(name, value);
    }
    // A slice has no type, so that no header is sent that is not signed.
    request.send(item.file.slice());
  });
}

async function finish() {
  try {
    const { release } = await calls.json(form.dataset.complete, { upload_id: upload.id }, running.signal);
    return release;
  } catch (error) {
    forgetIfGone(error);
    for (const name of error.files ?? []) {
      const item = chosen.get(name);
      if (item) item.isSent = false;
    }
    throw error;
  }
}

/** Publishes what the receipt is about. A form that was sent before its receipt was there has to be sent once more. */
async function submit() {
  fields.hideProblem();
  await adding;
  suggestUpdater();
  try {
    const isShown = await preview.isShown();
    if (running !== null) return;
    if (isShown) return publish();
    say("Check who gets the release, then publish.");
    preview.element.scrollIntoView({ block: "center" });
  } catch (error) {
    fields.showProblem(error);
  }
}

async function publish() {
  setRunning(new AbortController());
  try {
    if (chosen.size === 0) throw new Error("Choose at least one file.");
    requireUpdater();
    say("Computing digests");
    await hashAll();
    say("Making patches");
    await makePatches();
    await hashAll();
    say("Asking where to send the files");
    await begin();
    say("Sending");
    await sendAll();
    say("Checking and recording");
    const release = await finish();
    say("Published");
    setRunning(null);
    location.assign(release);
  } catch (error) {
    setRunning(null);
    say(isStop(error) ? "Stopped. Files that were sent are kept." : "");
    if (!isStop(error)) fields.showProblem(error);
    if (chosen.size > 0) find("#send").textContent = "Try again";
  }
}

const isStop = (error) => error instanceof Stopped || error.name === "AbortError";

/** The release is published as filled in at the beginning: nothing can be changed meanwhile. */
function setRunning(controller) {
  running = controller;
  const isRunning = controller !== null;
  const stop = find("#stop");
  for (const field of form.elements) field.disabled = isRunning && field !== stop;
  stop.hidden = !isRunning;
  (isRunning ? stop : find("#send")).focus();
}

const say = (text) => {
  find("#state").textContent = text;
};

/** Offers the updaters that the chosen platform has. */
function limitUpdaters() {
  const { platform, updater } = form.elements;
  if (!updater) return;
  const known = JSON.parse(form.dataset.updaters)[platform?.value];
  for (const option of updater.options) {
    option.disabled = option.hidden = option.value !== "" && known !== undefined && !known.includes(option.value);
  }
  if (updater.selectedOptions[0]?.disabled) updater.value = "";
  suggestUpdater();
}

if (form) {
  const drop = find("#drop");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  find("#stop").addEventListener("click", () => running?.abort());
  find("#files").addEventListener("change", (event) => {
    add(event.target.files).then(() => {
      event.target.value = "";
    });
  });
  for (const [name, isOver] of [["dragenter", true], ["dragover", true], ["dragleave", false], ["drop", false]]) {
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", isOver);
      if (name === "drop" && running === null) add(event.dataTransfer.files);
    });
  }
  // Dropped beside the field, a file would be opened in place of the form.
  for (const name of ["dragover", "drop"]) {
    addEventListener(name, (event) => {
      if (event.dataTransfer.types.includes("Files")) event.preventDefault();
    });
  }
  form.addEventListener("input", () => preview.changed());
  form.elements.platform?.addEventListener("change", limitUpdaters);
  limitUpdaters();
  addEventListener("beforeunload", (event) => {
    if (running !== null) event.preventDefault();
  });
}
