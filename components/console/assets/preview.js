// Who will get the release, shown before it is sent.

/** Milliseconds without a change before the service is asked. */
const PAUSE = 400;

export class Preview {
  /** `element` shows the receipt. `ask` returns what it is about, or null while the form is incomplete. */
  constructor(calls, element, ask) {
    Object.assign(this, { calls, element, ask });
    /** What the service was asked about last. */
    this.asked = "null";
    /** What is shown is about this. */
    this.shown = "null";
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

  /** Returns whether the receipt of the form as it is now was shown already. If not, shows it. */
  async isShown() {
    if (JSON.stringify(this.ask()) === this.shown) return true;
    clearTimeout(this.timer);
    await this.update();
    return false;
  }

  async update() {
    const wanted = this.ask();
    const purpose = JSON.stringify(wanted);
    if (purpose !== this.asked) {
      this.asked = purpose;
      this.request?.abort();
      this.request = new AbortController();
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
        // The next change asks for it again.
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
