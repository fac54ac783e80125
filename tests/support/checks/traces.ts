/** Searches texts and bytes for secrets: plain and in every usual encoding, whole or without their first and last letters. */

export interface Secret {
  name: string;
  value: string;
}

/** What the console may show of a key: its first 6 and last 4 characters. */
const SHOWN_FIRST = 6;
const SHOWN_LAST = 4;

/** Base64 of a text that stands somewhere inside a longer one: three ways, by where it begins, without the characters that neighbours share. */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const start = Math.ceil((offset * 8) / 6);
    return text.slice(start, text.length - 1);
  });
}

/** Every way in which a secret might stand somewhere, by name. */
export function encodingsOf(value: string): Map<string, string> {
  const core = value.slice(SHOWN_FIRST, -SHOWN_LAST);
  const bytes = Buffer.from(core);
  const found = new Map([
    ["plain", core],
    ["hex", bytes.toString("hex")],
    ["HEX", bytes.toString("hex").toUpperCase()],
    ["URL", encodeURIComponent(core)],
    ["form", encodeURIComponent(core).replaceAll("%20", "+")],
    ["JSON", JSON.stringify(core).slice(1, -1)],
    ["JSON twice", JSON.stringify(JSON.stringify(core)).slice(3, -3)],
    ["JSON in ASCII", [...core].map(asciiJson).join("")],
    ["backwards", [...core].toReversed().join("")],
  ]);
  for (const [index, text] of base64Cores(bytes).entries()) {
    found.set(`base64 at ${index}`, text);
    found.set(`base64url at ${index}`, text.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return found;
}

/** As JSON writers do that keep to ASCII: each half of a surrogate pair on its own. */
function asciiJson(character: string): string {
  const escaped = JSON.stringify(character).slice(1, -1);
  const units = Array.from({ length: escaped.length }, (_, index) => escaped.charCodeAt(index));
  return units
    .map((unit) => (unit < 127 ? String.fromCharCode(unit) : `\\u${unit.toString(16).padStart(4, "0")}`))
    .join("");
}

/** Names of the secrets that the bytes contain, with the encoding. */
export function tracesIn(bytes: Buffer, secrets: readonly Secret[]): string[] {
  return secrets.flatMap(({ name, value }) =>
    [...encodingsOf(value)].flatMap(([encoding, text]) => (bytes.includes(text) ? [`${name} (${encoding})`] : [])),
  );
}
