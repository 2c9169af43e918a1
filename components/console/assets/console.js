// What every page does: times in the reader's zone, copying, and staying fresh.

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const short = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** Shows moments in the reader's zone, and exactly on hover. */
function localTimes(root) {
  for (const element of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(element.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    element.textContent = short.format(moment);
    element.title = `${exact.format(moment)} (${element.dateTime})`;
  }
}

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

/** Ranges say their value, and what it means. */
document.addEventListener("input", (event) => {
  const output = event.target.form?.querySelector(`output[for="${event.target.id}"]`);
  if (!output) return;
  const devices = Number(output.dataset.devices ?? Number.NaN);
  const percent = Number(event.target.value);
  const meaning = Number.isNaN(devices) ? "" : `, about ${Math.round((devices * percent) / 100).toLocaleString()} devices`;
  output.textContent = `${percent} %${meaning}`;
});

/** Whether the reader is in the middle of something that a new page would take away. */
function isBusy(main) {
  const active = document.activeElement;
  const isTyping = main.contains(active) && active.matches("input, select, textarea");
  const isSelecting = !(getSelection()?.isCollapsed ?? true);
  const isChanged = [...main.querySelectorAll("input, textarea")].some(
    (field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked,
  );
  return document.hidden || isTyping || isSelecting || isChanged || main.querySelector("details[open], dialog[open]");
}

async function refresh(main) {
  if (isBusy(main)) return;
  const answer = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.querySelector("main");
  if (!fresh || isBusy(main)) return;
  localTimes(fresh);
  if (fresh.innerHTML !== main.innerHTML) main.replaceChildren(...fresh.childNodes);
}

const main = document.querySelector("main");
localTimes(document);
const seconds = Number(main?.dataset.refresh);
if (seconds > 0) setInterval(() => refresh(main).catch(() => {}), seconds * 1000);
