// Details of failures: unpacked here, indented, and shown as text and nothing else.

/** Deeper than this nothing is indented further: a megabyte of brackets stays a few. */
const MAX_INDENT = 32;
/** Longest text that is shown, in characters. */
const MAX_SHOWN = 4_000_000;

/** The unpacked bytes as text, if there are at most `limit`. */
async function unpack(packed, limit) {
  const reader = packed.pipeThrough(new DecompressionStream("gzip")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.length;
    if (length > limit) {
      await reader.cancel();
      throw new Error("they are longer than the service says");
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** JSON with a line for each value. Numbers, repeated keys and escapes stay as they were written. */
function indented(json) {
  const parts = [];
  let depth = 0;
  let length = 0;
  const line = () => `\n${"  ".repeat(Math.min(depth, MAX_INDENT))}`;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{[]\s*[}\]]|[{}[\]:,]|[^\s{}[\]:,"]+/gu)) {
    let part = token;
    if (token === "{" || token === "[") {
      depth += 1;
      part += line();
    } else if (token === "}" || token === "]") {
      depth -= 1;
      part = line() + token;
    } else if (token === ",") {
      part += line();
    } else if (token === ":") {
      part += " ";
    }
    parts.push(part);
    length += part.length;
    if (length > MAX_SHOWN) {
      parts.push("\n… and more: download it to read all.");
      break;
    }
  }
  return parts.join("");
}

async function show(details) {
  const text = details.querySelector("pre");
  if (details.dataset.shown) return;
  text.textContent = "Unpacking …";
  try {
    const answer = await fetch(details.dataset.packed);
    if (answer.redirected) throw new Error("your login has expired, load the page again");
    if (!answer.ok) throw new Error(`the service answered ${answer.status}`);
    text.textContent = indented(await unpack(answer.body, Number(details.dataset.bytes)));
    details.dataset.shown = "whole";
  } catch (error) {
    text.textContent = `These details cannot be shown: ${error.message}`;
  }
}

document.addEventListener(
  "toggle",
  (event) => {
    if (event.target.matches("details[data-packed][open]")) show(event.target);
  },
  true,
);
