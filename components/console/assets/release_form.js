// The fields of the form that publishes: what they say about the release, and where they are wrong.

/** A plan as people write it, "1:1d,20:12h,100 @ Mon-Thu 09:00-16:00 +01:00", as the service reads it. */
function planOf(text) {
  const [steps, hours] = text.split("@");
  const parsed = steps.split(",").map((step) => {
    const [percent, lasts] = step.trim().split(":");
    return { percent: percent === "" ? null : Number(percent), for: lasts };
  });
  if (hours === undefined) return parsed;
  const [days, times = "", offset] = hours.trim().split(/\s+/);
  const [from, to] = times.split("-");
  return { steps: parsed, begin: { days, from, to, offset } };
}

/** Refusals about a version that is taken. */
const ABOUT_VERSION = new Set(["version_exists", "artifact_exists", "already_exists"]);
/** What people call the fields that are read from names. */
const READ = { version: "version", platform: "platform", arch: "architecture" };

export class ReleaseForm {
  constructor(form) {
    this.form = form;
    this.fields = form.elements;
    this.problem = form.querySelector("#problem");
    this.place = document.createComment("problems without a field");
    this.problem.after(this.place);
    /** The values that the names of the files suggested, by field. */
    this.suggested = {};
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    form.querySelector("#zone").textContent = ` (${zone})`;
    form.addEventListener("input", (event) => this.follow(event.target));
    this.follow(null);
  }

  value(name) {
    return this.fields[name]?.value.trim() || undefined;
  }

  /** A field that belongs to a choice makes it, and only then has to be filled in. */
  follow(changed) {
    if (changed?.name === "publish_at") this.fields.when.value = "at";
    if (changed?.name === "rollout") this.fields.pace.value = "part";
    if (changed?.name === "plan") this.fields.pace.value = "own";
    this.fields.publish_at.required = this.fields.when.value === "at";
    this.fields.plan.required = this.fields.pace.value === "own";
  }

  /** Part of the metadata: who gets the release. */
  audience() {
    const pace = this.fields.pace.value;
    if (pace === "part") return { rollout: Number(this.fields.rollout.value) };
    const text = pace === "own" ? this.value("plan") : pace;
    return text === undefined || text === "100" ? { rollout: 100 } : { plan: planOf(text) };
  }

  /** The metadata of the release, as `POST /upload/init` wants it. `patches`: their entries. */
  data(patches) {
    const isOn = (name) => this.fields[name].checked;
    const when = this.fields.when.value;
    const at = this.value("publish_at");
    const action = this.value("on_unhealthy");
    return {
      app_name: this.form.dataset.app,
      version: this.value("version"),
      channel: this.value("channel"),
      platform: this.value("platform"),
      arch: this.value("arch"),
      updater: this.value("updater"),
      publish: when === "now",
      publish_at: when === "at" && at ? new Date(at).toISOString() : undefined,
      critical: isOn("critical"),
      intermediate: isOn("intermediate"),
      cures: (this.value("cures") ?? "").split(",").map((version) => version.trim()).filter(Boolean),
      ...this.audience(),
      guard: action && { on_unhealthy: action },
      changelog: this.fields.changelog.value,
      signature: this.value("signature"),
      patches,
    };
  }

  /** Fills in what the names of the files say. What somebody chose stays. */
  suggest(found) {
    const read = [];
    for (const [name, noun] of Object.entries(READ)) {
      const field = this.fields[name];
      const value = found[name];
      if (!field || !value) continue;
      if (!["", value, this.suggested[name]].includes(field.value)) continue;
      field.value = value;
      this.suggested[name] = value;
      read.push(`${noun} ${value}`);
      field.dispatchEvent(new Event("change", { bubbles: true }));
    }
    const hint = this.form.querySelector("#read");
    hint.hidden = read.length === 0;
    hint.textContent = `Read from the names of the files: ${read.join(", ")}.`;
  }

  /** The field that an error is about. */
  fieldOf(error) {
    if (ABOUT_VERSION.has(error.code)) return this.fields.version;
    const [, name] = error.message.match(/^(?:invalid|missing) (\w+)/) ?? [];
    const field = name && this.fields[name];
    return field instanceof HTMLElement ? field : null;
  }

  /** Shows an error at the field that it is about. */
  showProblem(error) {
    this.hideProblem();
    const field = this.fieldOf(error);
    if (field) {
      const label = field.closest("label");
      (label.closest(".row") ?? label).after(this.problem);
      const closed = field.closest("details");
      if (closed) closed.open = true;
      field.setAttribute("aria-invalid", "true");
      field.setAttribute("aria-describedby", "problem");
      field.focus();
      this.wrong = field;
    }
    this.problem.textContent = error.message;
    this.problem.hidden = false;
  }

  hideProblem() {
    this.problem.hidden = true;
    this.place.before(this.problem);
    this.wrong?.removeAttribute("aria-invalid");
    this.wrong?.removeAttribute("aria-describedby");
    this.wrong = null;
  }
}
