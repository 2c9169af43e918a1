// The script of every page: times in the reader's zone, copying, and staying fresh.

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const short = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "always" });
/** Units with their seconds, and up to how many of them they are used. */
const UNITS = [["second", 1, 60], ["minute", 60, 60], ["hour", 3600, 24], ["day", 86_400, 31], ["month", 2_629_746, 12]];

/** How long ago a moment is, or how far ahead: "2 minutes ago", "in 3 days". */
function fromNow(moment) {
  const seconds = (moment.getTime() - Date.now()) / 1000;
  for (const [unit, length, most] of UNITS) {
    const count = Math.trunc(seconds / length);
    if (Math.abs(count) < most) return relative.format(count, unit);
  }
  return relative.format(Math.trunc(seconds / 31_556_952), "year");
}

/** Shows moments in the reader's zone and from now, and exactly on hover. */
function localTimes(root) {
  for (const element of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(element.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    const part = (className, text) => Object.assign(document.createElement("span"), { className, textContent: text });
    const ago = part("ago", fromNow(moment));
    if (element.classList.contains("relative")) element.replaceChildren(ago);
    else element.replaceChildren(part("at", short.format(moment)), " ", ago);
    element.title = `${exact.format(moment)} (${element.dateTime})`;
  }
}

/** Updates relative times. Unchanged ones stay, so that a selection does too. */
function moveOn() {
  for (const ago of document.querySelectorAll("time[datetime] > .ago")) {
    const text = fromNow(new Date(ago.parentElement.dateTime));
    if (ago.textContent !== text) ago.textContent = text;
  }
}

/** A box that chooses all others of a name, in its form. */
document.addEventListener("change", (event) => {
  const name = event.target.dataset?.checks;
  if (!name) return;
  for (const box of event.target.form.querySelectorAll(`input[type="checkbox"][name="${name}"]`)) {
    box.checked = event.target.checked;
  }
});

/**
 * A form that changes something is sent once, however often its button is pressed until the answer is there. Nothing holds
 * up a button that stops something.
 */
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return;
  if (form.dataset.sent && !event.submitter?.hasAttribute("data-stop")) event.preventDefault();
  form.dataset.sent = "sent";
});
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

/** The links of a list, between which arrow keys move. */
const LISTED = "main tbody th a, main tbody tr > td:first-child a, main .cards h2 a, main .found a";

/** `/` goes to the search, and arrow keys from there and from a listed link to the next one. */
document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const find = document.querySelector("#find");
  const isFinding = event.target === find;
  const isTyping = event.target.matches?.("input:not([type=checkbox], [type=radio]), select, textarea");
  if (event.key === "/" && find && !isTyping) {
    event.preventDefault();
    find.focus();
    return;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const links = [...document.querySelectorAll(LISTED)];
  const at = links.indexOf(document.activeElement);
  const next = step && (at >= 0 || isFinding) ? (links[at + step] ?? (at === 0 && find)) : null;
  if (!next) return;
  event.preventDefault();
  next.focus();
});

/** Buttons that copy their text. */
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) return;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Copy it by hand";
  }
});

/** Ranges show their value. */
document.addEventListener("input", (event) => {
  const output = event.target.form?.querySelector(`output[for="${event.target.id}"]`);
  if (output) output.textContent = `${event.target.value} %`;
});

/** Whether another option is chosen than the page came with. */
function isChosenAnew(select) {
  const first = [...select.options].findIndex((option) => option.defaultSelected);
  return select.selectedIndex !== Math.max(0, first);
}

/** Whether the reader is in the middle of something in an element that a new one would take away. */
function isBusy(root) {
  const active = document.activeElement;
  const isInside = active !== root && root.contains(active);
  const selection = getSelection();
  const isSelecting = !(selection?.isCollapsed ?? true) && selection.containsNode(root, true);
  const isTyped = [...root.querySelectorAll("input, textarea")].some(
    (field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked,
  );
  const isChanged = isTyped || [...root.querySelectorAll("select")].some(isChosenAnew);
  return isInside || isSelecting || isChanged || root.querySelector("details[open]") !== null;
}

/** Puts new content in the place of what has changed. */
function replaceChanged(old, fresh) {
  if (old.outerHTML !== fresh.outerHTML) old.replaceWith(fresh);
}

/** Keeps a page fresh, and says so where it is not. */
class Freshness {
  constructor(main, seconds) {
    this.main = main;
    this.since = new Date();
    this.timer = setInterval(() => this.refresh(), seconds * 1000);
    document.addEventListener("visibilitychange", () => this.refresh());
  }

  async refresh() {
    if (document.hidden || this.isKept()) return;
    const headers = { accept: "text/html" };
    if (this.tag) headers["if-none-match"] = this.tag;
    try {
      const answer = await fetch(location.href, { headers });
      if (answer.redirected) {
        clearInterval(this.timer);
        this.say("your login has expired, load the page again");
      } else if (answer.status === 304) this.confirm();
      else if (answer.ok) this.show(await answer.text(), answer.headers.get("etag"));
      else this.say(`the service answered ${answer.status}`);
    } catch {
      this.say("the service cannot be reached");
    }
  }

  /** Whether the reader is busy, and nothing on the page changes around them. */
  isKept() {
    return isBusy(this.main) && !this.main.querySelector("[data-live]");
  }

  /** While the reader is busy, only the live parts change in which they are not. */
  show(text, tag) {
    const fresh = new DOMParser().parseFromString(text, "text/html").querySelector("main");
    if (!fresh || this.isKept()) return;
    localTimes(fresh);
    const isWhole = !isBusy(this.main);
    if (isWhole && fresh.innerHTML !== this.main.innerHTML) this.main.replaceChildren(...fresh.childNodes);
    for (const part of isWhole ? [] : this.main.querySelectorAll("[data-live]")) {
      const next = fresh.querySelector(`#${part.id}`);
      if (next && !isBusy(part)) replaceChanged(part, next);
    }
    this.tag = isWhole ? tag : null;
    this.confirm();
  }

  confirm() {
    this.since = new Date();
    document.querySelector("#freshness").textContent = "";
    document.querySelector("#checked").textContent = `Checked at ${clock.format(this.since)}.`;
  }

  say(problem) {
    document.querySelector("#checked").textContent = "";
    document.querySelector("#freshness").textContent = `Not fresh since ${short.format(this.since)}: ${problem}.`;
  }
}

const main = document.querySelector("main");
localTimes(document);
setInterval(moveOn, 10_000);
// The notice after a form is shown once, and not again after a reload.
const address = new URL(location.href);
if (address.searchParams.has("done")) {
  address.searchParams.delete("done");
  history.replaceState(null, "", address);
}
const seconds = Number(main?.dataset.refresh);
if (seconds > 0) new Freshness(main, seconds);
