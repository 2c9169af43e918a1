// Patches of the chosen files, from the files of older releases. They are published like chosen files.

/** Bytes of the largest file and base. A module has 4 GiB of memory: for both, and for what is compared at a time. */
const MAX_BYTES = 512 * 1024 * 1024;
/** Minutes after which no more patches are made. */
const MAX_MINUTES = 10;
/** Larger patches save too little: a percentage of the file. */
const MAX_PERCENT = 60;

/** A worker that makes patches of one file. */
class Maker {
  constructor(form, signal) {
    this.worker = new Worker(form.dataset.patcher);
    this.source = form.dataset.patchModule;
    this.signal = signal;
  }

  /** `told`: is called with the bytes that are done. */
  ask(message, told = () => {}) {
    return new Promise((resolve, reject) => {
      this.signal.addEventListener("abort", () => reject(this.signal.reason), { once: true });
      this.worker.onerror = () => reject(new Error("this browser cannot make patches"));
      this.worker.onmessage = ({ data }) => {
        if (data.done !== undefined) told(data.done);
        else if (data.problem === undefined) resolve(data);
        else reject(new Error(data.problem));
      };
      this.worker.postMessage(message);
    });
  }

  /** Whether the file is compressed: two versions have nothing in common then. */
  async open(file) {
    return (await this.ask({ file, source: this.source })).isCompressed;
  }

  /** `null`: there is no patch, because the files have too little in common. */
  async make(base, told) {
    return (await this.ask({ base }, told)).patch;
  }

  close() {
    this.worker.terminate();
  }
}

/** Downloads a base. */
async function fetched({ url, size, patch }, signal) {
  let answer;
  try {
    // The browser may have kept an answer to a link, which does not say that pages may read it.
    answer = await fetch(url, { signal, cache: "no-store" });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Error(
      `the file cannot be read. The storage needs a CORS rule that lets ${location.origin} GET files, see docs/operations.md`,
    );
  }
  if (!answer.ok) throw new Error(`the storage answered ${answer.status}`);
  const file = new File([await answer.blob()], patch.base_version);
  if (file.size !== size) throw new Error(`it has ${file.size} bytes in place of ${size}`);
  return file;
}

/** The patches of a file: each with its file, and what the upload says of it. `digests`: computes those of a file. */
export async function patchesOf(item, bases, { form, signal: stopped, digests }) {
  const { file } = item;
  const late = AbortSignal.timeout(MAX_MINUTES * 60_000);
  const signal = AbortSignal.any([stopped, late]);
  const usable = bases.filter(({ size }) => size > 0 && size <= MAX_BYTES);
  if (usable.length === 0 || file.size > MAX_BYTES) return [];
  const made = [];
  const maker = new Maker(form, signal);
  try {
    item.say("comparing", 0);
    if (await maker.open(file)) return [];
    for (const base of usable) {
      const { name, base_version: version } = base.patch;
      try {
        item.say(`fetching ${version}`, 0);
        const old = await fetched(base, signal);
        const { md5, sha256 } = await digests(old, item);
        if (md5 !== base.md5) throw new Error("the storage sent another file");
        item.say(`comparing with ${version}`, 0);
        const patch = await maker.make(old, (done) => item.progress(`comparing with ${version}`, done));
        if (patch === null || patch.length * 100 > file.size * MAX_PERCENT) continue;
        made.push({ file: new File([patch], name), entry: { ...base.patch, base_sha256: sha256 } });
      } catch (error) {
        if (stopped.aborted) throw error;
        const why = late.aborted ? `patches of this file take longer than ${MAX_MINUTES} minutes` : error.message;
        throw new Error(`${file.name}: no patch from ${version}: ${why}. Publish without patches, or try again.`);
      }
    }
  } finally {
    maker.close();
  }
  return made;
}
