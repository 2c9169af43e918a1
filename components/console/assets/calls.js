// Calls of the console by the script of its page.

/** A refusal, with the service's words. */
class Refusal extends Error {
  constructor(status, body) {
    super(body.error ?? `the service answered ${status}`);
    this.status = status;
    this.code = body.code;
    this.files = body.files ?? [];
  }
}

export class Calls {
  /** `token`: of the forms of this page. */
  constructor(token) {
    this.token = token;
  }

  json(address, body, signal) {
    return this.send(address, JSON.stringify(body), { "content-type": "application/json" }, signal);
  }

  /** A login that is newer than this page has another token: it is on the page as it would be shown now. */
  async send(address, body, headers, signal) {
    const answer = await this.once(address, body, headers, signal);
    const isRefused = answer.status === 401 || answer.status === 403;
    const last = isRefused && (await this.renew()) ? await this.once(address, body, headers, signal) : answer;
    const content = await last.json().catch(() => ({}));
    if (last.ok) return content;
    if (last.status === 401) content.error = "Your login has expired. Log in in another tab, then try again here.";
    throw new Refusal(last.status, content);
  }

  once(address, body, headers, signal) {
    return fetch(address, { method: "POST", body, headers: { ...headers, "x-form-token": this.token }, signal });
  }

  /** Whether there is another token. */
  async renew() {
    const answer = await fetch(location.href);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("form[data-token]")?.dataset.token;
    const isNew = fresh !== undefined && fresh !== this.token;
    if (isNew) this.token = fresh;
    return isNew;
  }
}
