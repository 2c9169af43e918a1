// Digests of a file in a worker: one part in memory at a time, however large the file is.

/** What a module imports to report a panic. */
const system = new Proxy({}, { get: () => () => 0 });

let module;
/** The stream being read. Chromium collects a stream that only its own pending read leads to, and the read never ends. */
let reader = null;

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** A stream of the file that reads into a buffer of ours. `null`: this browser has none. */
function own(file) {
  try {
    return file.stream().getReader({ mode: "byob" });
  } catch {
    return null;
  }
}

/** The file in order, in one buffer. Slices of the file would be left to the garbage collector, which lets many gather. */
async function* parts(file, capacity) {
  reader = own(file);
  if (reader === null) {
    for (let at = 0; at < file.size; at += capacity) yield new Uint8Array(await file.slice(at, at + capacity).arrayBuffer());
    return;
  }
  let part = await reader.read(new Uint8Array(capacity));
  while (!part.done) {
    yield part.value;
    part = await reader.read(new Uint8Array(part.value.buffer));
  }
}

async function digests({ file, source }) {
  module ??= (await WebAssembly.instantiateStreaming(fetch(source), { wasi_snapshot_preview1: system })).instance.exports;
  const capacity = module.capacity();
  // The first call makes the buffer, and may move the memory.
  const begin = module.buffer();
  let [hashed, told] = [0, 0];
  for await (const part of parts(file, capacity)) {
    new Uint8Array(module.memory.buffer, begin, part.length).set(part);
    module.update(part.length);
    hashed += part.length;
    if (hashed - told >= capacity) {
      told = hashed;
      postMessage({ hashed });
    }
  }
  if (hashed !== file.size) throw new Error("it has changed");
  const length = module.finish();
  const all = new Uint8Array(module.memory.buffer, begin, length);
  return { md5: hex(all.slice(0, 16)), sha256: hex(all.slice(16, 48)), sha512: hex(all.slice(48)) };
}

addEventListener("message", async (event) => {
  try {
    postMessage({ digests: await digests(event.data) });
  } catch (error) {
    postMessage({ problem: `${event.data.file.name} cannot be read: ${error.message}` });
  }
});
