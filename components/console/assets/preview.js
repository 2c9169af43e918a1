// Who will get the release, shown before it is sent.

/** Milliseconds without a change before the service is asked. */
const PAUSE = 400;

export class Preview {
  /** `element` shows the receipt. `ask` returns what it is about, or null while the form is incomplete. */
  constructor(calls, element, ask) {
    Object.assign(this, { calls, element, ask });
    /** What the service was asked about last. */
    this.asked = "null";
    /** What is shown is about this: a receipt, or why there is none. */
    this.shown = "null";
    this.failure = null;
    this.answer = Promise.resolve();
    this.timer = null;
    this.request = null;
  }

  /** Something in the form has changed. */
  changed() {
    clearTimeout(this.timer);
    this.element.ariaBusy = "true";
    this.timer = setTimeout(() => this.update(), PAUSE);
  }

  /** Returns whether the receipt of the form as it is now was shown already, if it is complete. If not, shows it, or fails. */
  async isShown() {
    const wanted = this.ask();
    if (wanted === null || (this.failure === null && JSON.stringify(wanted) === this.shown)) return true;
    clearTimeout(this.timer);
    await this.update();
    if (this.failure !== null) throw this.failure;
    return false;
  }

  async update() {
    const wanted = this.ask();
    const purpose = JSON.stringify(wanted);
    if (purpose !== this.asked) {
      this.asked = purpose;
      this.request?.abort();
      this.request = new AbortController();
      this.failure = null;
      this.answer = this.show(wanted, purpose, this.request.signal);
    }
    await this.answer;
    if (purpose === this.shown) this.element.ariaBusy = "false";
  }

  async show(wanted, purpose, signal) {
    if (wanted !== null) {
      try {
        const { html } = await this.calls.json(this.element.dataset.receipt, wanted, signal);
        this.element.innerHTML = html;
      } catch (error) {
        if (signal.aborted) return;
        this.failure = error;
        // The next change or attempt to publish asks for it again.
        this.asked = "";
        this.say(`Who gets it is not known yet: ${error.message.replace(/\.$/, "")}.`);
      }
    }
    this.element.hidden = wanted === null;
    this.shown = purpose;
  }

  say(text) {
    const hint = Object.assign(document.createElement("p"), { className: "hint", textContent: text });
    this.element.replaceChildren(hint);
  }
}
