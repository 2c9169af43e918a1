// Publishing: digests in a worker, files straight to the storage, and a state that outlives a cut.

import { Calls } from "./calls.js";
import { Chosen } from "./chosen.js";

/** Files that are sent at a time. */
const AT_ONCE = 3;
/** Milliseconds before the addresses expire in which no upload is begun with them. */
const EXPIRY_MARGIN = 60_000;

const form = document.querySelector("#publish");
const find = (css) => document.querySelector(css);

/** The publisher stopped. */
class Stopped extends Error {}

/** By name: a release has a name once. */
const chosen = new Map();
/** What the service granted: its id, when it expires, where files go, and what for. */
let upload = null;
/** What a stop ends. */
let running = null;
const calls = form && new Calls(form.dataset.token);

async function add(files) {
  hideProblem();
  const added = [...files];
  if (added.length === 0) return;
  try {
    const plan = await calls.json(form.dataset.plan, { names: added.map((file) => file.name) });
    const invalid = added.filter((_, i) => !plan.files[i].is_valid);
    if (invalid.length > 0) showProblem(`These cannot be published under their names: ${invalid.map((file) => file.name).join(", ")}`);
    added.forEach((file, i) => {
      if (plan.files[i].is_valid) addOne(file, plan.files[i].feed);
    });
  } catch (error) {
    showProblem(error.message);
  }
}

function addOne(file, feed) {
  chosen.get(file.name)?.row.remove();
  const item = new Chosen(file);
  item.isFeed = feed !== null;
  if (feed !== null) {
    item.say(`feed of ${feed}`, 0);
    const updater = form.elements.updater;
    if (updater && updater.value === "" && [...updater.options].some((option) => option.value === feed && !option.disabled)) updater.value = feed;
  }
  chosen.set(file.name, item);
  item.remove.addEventListener("click", () => {
    chosen.delete(file.name);
    item.row.remove();
    find("#drop .scroll").hidden = chosen.size === 0;
  });
  find("#chosen").append(item.row);
  find("#drop .scroll").hidden = false;
}

/** The metadata of the release, as `POST /upload/init` wants it. */
function data() {
  const value = (name) => form.elements[name]?.value.trim() || undefined;
  const isOn = (name) => form.elements[name].checked;
  return {
    app_name: form.dataset.app,
    version: value("version"),
    channel: value("channel"),
    platform: value("platform"),
    arch: value("arch"),
    updater: value("updater"),
    publish: isOn("publish"),
    critical: isOn("critical"),
    intermediate: isOn("intermediate"),
    rollout: Number(form.elements.rollout.value),
    changelog: form.elements.changelog.value,
    signature: value("signature"),
  };
}

const files = () => [...chosen.values()].filter((item) => !item.isFeed);
const feeds = () => [...chosen.values()].filter((item) => item.isFeed);

/** Computes what is not known yet, one file after the other: the disk is slower than the processor. */
async function hashAll() {
  const waiting = files().filter((item) => item.digests === null);
  if (waiting.length === 0) return;
  const worker = new Worker(form.dataset.worker);
  try {
    for (const item of waiting) item.digests = await hash(worker, item);
  } finally {
    worker.terminate();
  }
}

function hash(worker, item) {
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
    worker.postMessage({ file: item.file, source: form.dataset.module });
  });
}

/** Begins an upload, unless the last one is for the same and its addresses hold. */
async function begin() {
  const manifest = files().map((item) => ({ name: item.file.name, length: item.file.size, ...item.digests }));
  const inline = feeds().map(({ file }) => [file.name, file.size, file.lastModified]);
  const purpose = JSON.stringify([data(), manifest, inline]);
  if (upload?.purpose === purpose && upload.expires - EXPIRY_MARGIN > Date.now()) return;
  const body = new FormData();
  body.append("data", JSON.stringify(data()));
  body.append("files", JSON.stringify(manifest));
  for (const { file } of feeds()) body.append("file", file);
  const granted = await calls.send(form.dataset.init, body, {}, running.signal);
  for (const item of files()) item.isSent = false;
  upload = {
    id: granted.upload_id,
    expires: new Date(granted.expires_at).getTime(),
    places: new Map(granted.files.map((file) => [file.name, file])),
    purpose,
  };
}

/** Sends what the storage does not have yet. One failure does not stop the other files. */
async function sendAll() {
  const waiting = files().filter((item) => !item.isSent);
  const failures = [];
  const lane = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      try {
        await put(item, upload.places.get(item.file.name));
      } catch (error) {
        if (error instanceof Stopped) throw error;
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  if (failures.length > 0) throw failures[0];
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
    request.onerror = () => fail(new Error(`${item.file.name} was not sent: the storage cannot be reached from this browser.`));
    request.onload = () => {
      if (request.status < 200 || request.status >= 300) {
        fail(new Error(`${item.file.name} was not sent: the storage answered ${request.status}.`));
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
    if (error.code === "upload_expired" || error.status === 404) upload = null;
    for (const name of error.files ?? []) {
      const item = chosen.get(name);
      if (item) item.isSent = false;
    }
    throw error;
  }
}

async function publish() {
  hideProblem();
  if (chosen.size === 0) {
    showProblem("Choose at least one file.");
    return;
  }
  setRunning(new AbortController());
  try {
    say("Computing digests");
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
    const isStopped = error instanceof Stopped || error.name === "AbortError";
    setRunning(null);
    say(isStopped ? "Stopped. What was sent is kept." : "");
    if (!isStopped) showProblem(error.message);
    find("#send").textContent = "Try again";
  }
}

function setRunning(controller) {
  running = controller;
  const isRunning = controller !== null;
  find("#send").disabled = isRunning;
  find("#stop").hidden = !isRunning;
  find("#files").disabled = isRunning;
  for (const item of chosen.values()) item.remove.disabled = isRunning;
}

const say = (text) => {
  find("#state").textContent = text;
};

function showProblem(text) {
  find("#problem").textContent = text;
  find("#problem").hidden = false;
}

function hideProblem() {
  find("#problem").hidden = true;
}

/** Offers the updaters that the chosen platform has. */
function limitUpdaters() {
  const { platform, updater } = form.elements;
  if (!updater) return;
  const known = JSON.parse(form.dataset.updaters)[platform?.value];
  for (const option of updater.options) {
    option.disabled = option.hidden = option.value !== "" && known !== undefined && !known.includes(option.value);
  }
  if (updater.selectedOptions[0]?.disabled) updater.value = "";
}

if (form) {
  const drop = find("#drop");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (running === null) publish();
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
  form.elements.platform?.addEventListener("change", limitUpdaters);
  limitUpdaters();
  addEventListener("beforeunload", (event) => {
    if (running !== null) event.preventDefault();
  });
}
