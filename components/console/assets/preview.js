// Who will get the release, shown before it is sent.

/** Milliseconds without a change before the service is asked. */
const PAUSE = 400;

export class Preview {
  /** `element` shows the receipt. `ask` returns what it is about, or null while the form is incomplete. */
  constructor(calls, element, ask) {
    Object.assign(this, { calls, element, ask });
    this.shown = "";
    this.timer = null;
    this.request = null;
  }

  /** Something in the form has changed. */
  changed() {
    clearTimeout(this.timer);
    this.element.ariaBusy = "true";
    this.timer = setTimeout(async () => {
      const timer = this.timer;
      await this.update();
      // A later change has a timer of its own.
      if (timer === this.timer) this.element.ariaBusy = "false";
    }, PAUSE);
  }

  async update() {
    const wanted = this.ask();
    const purpose = JSON.stringify(wanted);
    if (purpose === this.shown) return;
    this.shown = purpose;
    this.request?.abort();
    this.element.hidden = wanted === null;
    if (wanted === null) return;
    this.request = new AbortController();
    try {
      const { html } = await this.calls.json(this.element.dataset.receipt, wanted, this.request.signal);
      this.element.innerHTML = html;
    } catch (error) {
      if (error.name === "AbortError") return;
      this.shown = "";
      this.say(`Who gets it is not known yet: ${error.message.replace(/\.$/, "")}.`);
    }
  }

  say(text) {
    const hint = Object.assign(document.createElement("p"), { className: "hint", textContent: text });
    this.element.replaceChildren(hint);
  }
}
