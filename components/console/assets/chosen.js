// A file that is to be published, and its row in the table.

const size = (bytes) => {
  const units = ["B", "KB", "MB", "GB"];
  let unit = 0;
  for (; bytes >= 1000 && unit < units.length - 1; unit += 1) bytes /= 1000;
  return `${unit === 0 || bytes >= 100 ? Math.round(bytes) : bytes.toFixed(1)} ${units[unit]}`;
};

const duration = (seconds) => {
  const whole = Math.max(1, Math.ceil(seconds));
  return whole < 90 ? `${whole} s left` : `${Math.ceil(whole / 60)} min left`;
};

/** A chosen file and its row. All text is set as text. */
export class Chosen {
  constructor(file) {
    this.file = file;
    this.isFeed = false;
    this.digests = null;
    this.isSent = false;
    this.row = document.createElement("tr");
    const cell = (tag, className) => {
      const cell = document.createElement(tag);
      if (className) cell.className = className;
      return this.row.appendChild(cell);
    };
    const name = cell("th");
    name.scope = "row";
    name.textContent = file.name;
    cell("td", "value").textContent = size(file.size);
    this.state = cell("td", "state");
    this.meter = cell("td").appendChild(document.createElement("meter"));
    this.meter.max = Math.max(1, file.size);
    this.meter.setAttribute("aria-label", `progress of ${file.name}`);
    this.remove = cell("td").appendChild(document.createElement("button"));
    Object.assign(this.remove, { type: "button", className: "plain", textContent: "Remove" });
    this.say("chosen", 0);
  }

  say(state, done) {
    this.state.textContent = state;
    this.meter.value = done;
    if (done === 0) this.begun = performance.now();
  }

  /** Shows how far the work is, and how long the rest takes at this speed. */
  progress(work, done) {
    const seconds = (performance.now() - this.begun) / 1000;
    const left = done > 0 ? ((this.file.size - done) * seconds) / done : Number.NaN;
    const hint = seconds > 1 && done < this.file.size ? `, ${duration(left)}` : "";
    const percent = this.file.size === 0 ? 100 : Math.floor((done * 100) / this.file.size);
    this.state.textContent = `${work} ${percent} %${hint}`;
    this.meter.value = done;
  }
}
