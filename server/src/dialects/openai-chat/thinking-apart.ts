/**
 * Rewrites answers whose content is a list of parts with thinking among them to one text and `reasoning_content`: clients of OpenAI's format know
 * content as text alone (platform.openai.com/docs/api-reference/chat/object), and join the pieces of a stream.
 */
import { parseExactObject } from "../json/exact.ts";
import { isObject, listOf, objectOf, textOf } from "../json/fields.ts";
import type { JsonObject } from "../neutral/neutral.ts";
import { PipeWrapper } from "../stream/pipe-wrapper.ts";
import { dataFrame, readEvent } from "../stream/sse-event.ts";
import type { FrameKind } from "../stream/stream.ts";
import { isThinking, thinkingInParts } from "./signature.ts";

const isText = (part: unknown): boolean => isObject(part) && typeof part["text"] === "string";

/** A message or a delta; unchanged if its content is no list of text and thinking. */
function saidApart(said: JsonObject): JsonObject {
  const { content } = said;
  if (!Array.isArray(content) || !content.every((part) => isThinking(part) || isText(part))) return said;
  const thoughts = thinkingInParts(content);
  const text = content.map((part) => textOf(objectOf(part)["text"])).join("");
  return { ...said, content: text, ...(thoughts === "" ? {} : { reasoning_content: thoughts }) };
}

function choiceApart(choice: unknown): unknown {
  if (!isObject(choice)) return choice;
  const [name] = ["message", "delta"].filter((each) => isObject(choice[each]));
  return name === undefined ? choice : { ...choice, [name]: saidApart(objectOf(choice[name])) };
}

/** A whole answer, or the object of an event. */
export const thinkingApart = (answer: JsonObject): JsonObject =>
  Array.isArray(answer["choices"]) ? { ...answer, choices: listOf(answer["choices"]).map(choiceApart) } : answer;

/** Most events have none, and pass through unchanged. */
const CONTENT_LIST = /"content"\s*:\s*\[/;

/** Hands a pass pipe the upstream's events with their content as text. */
export class ThinkingApartPipe extends PipeWrapper {
  push(bytes: Buffer, text: string): FrameKind {
    const fields = CONTENT_LIST.test(text) ? parseExactObject(readEvent(bytes, text).data) : undefined;
    const apart = fields === undefined ? bytes : Buffer.from(dataFrame(thinkingApart(fields)));
    const kind = this.inner.push(apart, fields === undefined ? text : apart.toString("latin1"));
    this.out = this.inner.out;
    return kind;
  }
}
