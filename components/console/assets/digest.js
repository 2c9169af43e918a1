// Digests of a file in a worker: one slice in memory at a time, however large the file is.

let module;

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

async function digests({ file, source }) {
  module ??= (await WebAssembly.instantiateStreaming(fetch(source))).instance.exports;
  const capacity = module.capacity();
  // The first call makes the buffer, and may move the memory.
  const begin = module.buffer();
  for (let at = 0; at < file.size; at += capacity) {
    const slice = new Uint8Array(await file.slice(at, at + capacity).arrayBuffer());
    new Uint8Array(module.memory.buffer, begin, slice.length).set(slice);
    module.update(slice.length);
    postMessage({ hashed: at + slice.length });
  }
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
