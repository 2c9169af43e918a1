// Patches of one file, in a worker: they take many times the memory of the file, and it goes with the worker.

/** What the module imports: a clock, on which nothing depends, and what reports a panic. */
const system = new Proxy({}, { get: () => () => 0 });

let module;
/** Bytes of the file that are in the patch so far. */
let made = 0;

/** What the module calls while it works. */
const page = {
  done(bytes) {
    made += bytes;
    postMessage({ done: made });
  },
};

/** The stream being read. Chromium collects a stream that only its own pending read leads to, and the read never ends. */
let reader = null;

/** Copies a file to a place that the module makes for it. */
async function copy(file, place) {
  let at = place(file.size) >>> 0;
  reader = file.stream().getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    new Uint8Array(module.memory.buffer, at, part.value.length).set(part.value);
    at += part.value.length;
  }
}

/** The file that patches make. */
async function open({ file, source }) {
  module = (await WebAssembly.instantiateStreaming(fetch(source), { wasi_snapshot_preview1: system, page })).instance.exports;
  await copy(file, module.new);
  return { isCompressed: module.is_compressed() === 1 };
}

/** A patch from a base. */
async function make({ base }) {
  await copy(base, module.base);
  made = 0;
  const length = module.make();
  if (length === 0) return { patch: null };
  return { patch: new Uint8Array(module.memory.buffer, module.patch() >>> 0, length).slice() };
}

addEventListener("message", async ({ data }) => {
  try {
    postMessage(await (data.file ? open(data) : make(data)));
  } catch (error) {
    const isTooLarge = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
    postMessage({ problem: isTooLarge ? "this browser has too little memory" : error.message });
  }
});
