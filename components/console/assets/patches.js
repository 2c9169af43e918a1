// Patches of the chosen files, from the files of older releases. They are published like chosen files.

/** Bytes of the largest file and base. A module has 4 GiB of memory, and a patch takes six times the file. */
const MAX_BYTES = 512 * 1024 * 1024;
/** Larger patches save too little: a percentage of the file. */
const MAX_PERCENT = 60;

/** A worker that makes patches of one file. */
class Maker {
  constructor(form, signal) {
    this.worker = new Worker(form.dataset.patcher);
    this.source = form.dataset.patchModule;
    this.signal = signal;
  }

  ask(message) {
    return new Promise((resolve, reject) => {
      this.signal.addEventListener("abort", () => reject(this.signal.reason), { once: true });
      this.worker.onerror = () => reject(new Error("this browser cannot make patches"));
      this.worker.onmessage = ({ data }) => (data.problem === undefined ? resolve(data) : reject(new Error(data.problem)));
      this.worker.postMessage(message);
    });
  }

  /** Whether the file is compressed: two versions have nothing in common then. */
  async open(file) {
    return (await this.ask({ file, source: this.source })).isCompressed;
  }

  async make(base) {
    return (await this.ask({ base })).patch;
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
export async function patchesOf(item, bases, { form, signal, digests }) {
  const { file } = item;
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
        const patch = await maker.make(old);
        if (patch.length * 100 > file.size * MAX_PERCENT) continue;
        made.push({ file: new File([patch], name), entry: { ...base.patch, base_sha256: sha256 } });
      } catch (error) {
        if (signal.aborted) throw error;
        throw new Error(`${file.name}: no patch from ${version}: ${error.message}. Publish without patches, or try again.`);
      }
    }
  } finally {
    maker.close();
  }
  return made;
}
