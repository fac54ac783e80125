/** Options that are rendered as Markdown, HTML or a framed page. Active content is refused when they are saved. */
import { type OptionDefinition, type OptionRules, textOption } from "./kinds.ts";
import { refuse } from "./refusals.ts";

/** Elements that run, load or collect something. A text with one of them is refused as a whole, never rewritten. */
const ACTIVE_ELEMENT =
  /<\s*\/?\s*(script|iframe|frame|frameset|object|embed|applet|base|meta|link|style|form|input|button|textarea|select|svg|math|template|noscript)(?![\w-])/i;
/** Searched anywhere after the first tag: the end of a tag depends on its quotes, and a wrong guess would let a handler through. */
const HANDLER = /[\s"'/\p{Cc}](on[a-z]{3,})\s*=/iu; // Browsers read NUL as a space there.
const FIRST_TAG = /<[a-z]/i;
const ACTIVE_ADDRESS =
  /(?:href|src|action|formaction|poster|background)\s*=\s*["']?\s*(javascript|vbscript|data:text)/i;
/** Markdown's links: in parentheses, by reference, in angle brackets. */
const ACTIVE_LINK = /(?:\]\(\s*<?|\]:\s*<?|<)\s*(javascript:|vbscript:|data:text)/i;
/** Spellings that a browser ignores or reads as another character inside the scheme of a URL. */
const HIDING = /(?![\t\r\n])\p{Cc}|&(?:tab|newline|colon);?/giu;
const NUMBERED = /&#(?:x([0-9a-f]{1,6})|(\d{1,7}));?/gi;

function characterOf(hexadecimal: string | undefined, decimal: string | undefined): string {
  const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
  return code > 0x20 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

/** The text as a browser reads the URLs in it. */
const readable = (text: string): string =>
  text
    .replace(HIDING, (found) => (/colon/i.test(found) ? ":" : ""))
    .replace(NUMBERED, (_, hexadecimal?: string, decimal?: string) => characterOf(hexadecimal, decimal));

/** Finds the scheme of an active URL, even with line breaks or tabs inside it. */
function schemeIn(text: string): string | undefined {
  const joined = text.replace(/[\t\r\n]/g, "");
  const found = [ACTIVE_ADDRESS, ACTIVE_LINK].map((pattern) => pattern.exec(text) ?? pattern.exec(joined));
  return found.find((match) => match !== null)?.[1];
}

/**
 * The active content in a text, such as "<script>", "onclick=" or "javascript:"; undefined where there is none.
 * The console sanitises again when it renders; this check keeps such texts out of the database for every other reader.
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

/** Markdown, HTML without active content, or an https URL that is shown in a frame. */
export function contentOption(rules: OptionRules): OptionDefinition<string> {
  const plain = textOption("", rules);
  return {
    ...plain,
    kind: "content",
    read(text) {
      const found = activePartOf(text);
      if (found !== undefined) refuse("active_content", { part: found });
      return plain.read(text);
    },
  };
}
