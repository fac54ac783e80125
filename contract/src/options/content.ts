/** Options that are drawn as Markdown, HTML or a framed page: what could run in them is refused when they are written. */
import { type OptionDefinition, type OptionRules, refuse, textOption } from "./kinds.ts";

/** Elements that run, load or collect something; a text with one of them is refused as a whole, never cut into something else. */
const ACTIVE_ELEMENT =
  /<\s*\/?\s*(script|iframe|frame|frameset|object|embed|applet|base|meta|link|style|form|input|button|textarea|select|svg|math|template|noscript)(?![\w-])/i;
/** Anywhere behind a first tag: where a tag ends depends on its quotes, and guessing that wrong would let a handler through. */
const HANDLER = /[\s"'/\p{Cc}](on[a-z]{3,})\s*=/iu; // a browser takes NUL for a space there
const FIRST_TAG = /<[a-z]/i;
const ACTIVE_ADDRESS =
  /(?:href|src|action|formaction|poster|background)\s*=\s*["']?\s*(javascript|vbscript|data:text)/i;
/** Markdown's links: in parentheses, by reference, in angle brackets. */
const ACTIVE_LINK = /(?:\]\(\s*<?|\]:\s*<?|<)\s*(javascript:|vbscript:|data:text)/i;
/** Spellings that a browser reads as nothing or as another character inside an address's scheme. */
const HIDING = /(?![\t\r\n])\p{Cc}|&(?:tab|newline|colon);?/giu;
const NUMBERED = /&#(?:x([0-9a-f]{1,6})|(\d{1,7}));?/gi;

function characterOf(hexadecimal: string | undefined, decimal: string | undefined): string {
  const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
  return code > 0x20 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

/** The text as a browser reads addresses in it. */
const readable = (text: string): string =>
  text
    .replace(HIDING, (found) => (/colon/i.test(found) ? ":" : ""))
    .replace(NUMBERED, (_, hexadecimal?: string, decimal?: string) => characterOf(hexadecimal, decimal));

/** The scheme of an address that runs, found although line breaks or tabs stand in it. */
function schemeIn(text: string): string | undefined {
  const joined = text.replace(/[\t\r\n]/g, "");
  const found = [ACTIVE_ADDRESS, ACTIVE_LINK].map((pattern) => pattern.exec(text) ?? pattern.exec(joined));
  return found.find((match) => match !== null)?.[1];
}

/**
 * What in a text a browser could run or be led astray by: "<script>", "onclick=", "javascript:"; undefined where there is nothing.
 * The console sanitises again when it draws; this keeps such texts out of the database for every other reader.
 */
export function activePartOf(text: string): string | undefined {
  const element = ACTIVE_ELEMENT.exec(text)?.[1];
  if (element !== undefined) return `<${element.toLowerCase()}>`;
  const firstTag = text.search(FIRST_TAG);
  const handler = firstTag === -1 ? undefined : HANDLER.exec(text.slice(firstTag))?.[1];
  if (handler !== undefined) return `${handler.toLowerCase()}=`;
  const scheme = schemeIn(readable(text));
  return scheme === undefined ? undefined : `${scheme.toLowerCase().replace(/:.*/, "")}:`;
}

/** Markdown, HTML without anything active, or an https address to be framed. */
export function contentOption(rules: OptionRules): OptionDefinition<string> {
  const plain = textOption("", rules);
  return {
    ...plain,
    read(text) {
      const found = activePartOf(text);
      if (found !== undefined) refuse(`Please remove ${found}: texts of this site must not run anything`);
      return plain.read(text);
    },
  };
}

/** The page to be framed where the whole text is one https address; undefined where it is a text. */
export function framedAddressOf(text: string): URL | undefined {
  const trimmed = text.trim();
  if (!/^https:\/\/\S+$/i.test(trimmed)) return undefined;
  return URL.parse(trimmed) ?? undefined;
}
