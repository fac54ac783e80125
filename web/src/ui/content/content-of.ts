/** The kind of an operator's text, and a short name for exactly this text. Pure. */
import { framedAddressOf } from "../../../../contract/src/address.ts";

export type Content =
  | { kind: "none" }
  | { kind: "frame"; address: URL }
  | { kind: "html"; text: string }
  | { kind: "markdown"; text: string };

const STARTS_WITH_TAG = /^\s*<(?:!doctype|!--|[a-z])/i;

/** An https address is framed, a text that begins with a tag is HTML, everything else Markdown. */
export function contentOf(text: string): Content {
  if (text.trim() === "") return { kind: "none" };
  const address = framedAddressOf(text);
  if (address !== undefined) return { kind: "frame", address };
  return { kind: STARTS_WITH_TAG.test(text) ? "html" : "markdown", text };
}

const SEED = 0x811c9dc5;
const PRIME = 0x01000193;

/** A number for the text in base 36 (FNV-1a, twice over different starts): a changed notice has another, the same one the same. */
export function hashOf(text: string): string {
  const over = (start: number): number => {
    let hash = start;
    for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), PRIME);
    return hash >>> 0;
  };
  return `${over(SEED).toString(36)}${over(SEED ^ text.length).toString(36)}`;
}
