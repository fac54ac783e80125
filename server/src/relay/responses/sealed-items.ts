/** Items of a Responses input that this gateway sealed: a compacted conversation goes to every upstream as a message. */
import { isObject, textOf } from "../../dialects/json/fields.ts";
import { patchTopLevel } from "../../dialects/json/patch.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import type { Caller } from "../admission/caller.ts";
import type { Call } from "../call/call.ts";
import { RelayError } from "../call/relay-error.ts";
import { withBody } from "../request/accept.ts";
import { type Accepted, bodyFields } from "../request/accepted.ts";

/** How what we sealed begins: no upstream's begins so. */
const MARK = "turnpike-compaction.";
const TYPES: ReadonlySet<unknown> = new Set(["compaction", "compaction_summary"]);
const BEFORE = "This is the conversation so far, in short form:\n\n";

/** The item that stands for a conversation in short form (platform.openai.com/docs/guides/conversation-state, compaction). */
export const sealedItem = ({ context, requestId }: Call, userId: number, text: string): JsonObject => ({
  id: `cmp_${requestId}`,
  type: "compaction",
  encrypted_content: MARK + context.compactions.seal(userId, text),
});

function opened({ context }: Call, item: unknown, place: number, userId: number): unknown {
  if (!isObject(item) || !TYPES.has(item["type"])) return item;
  const sealed = textOf(item["encrypted_content"]);
  if (!sealed.startsWith(MARK)) return item;
  const text = context.compactions.open(userId, sealed.slice(MARK.length));
  if (text === undefined)
    throw new RelayError("encrypted_content_invalid", { param: `input[${place}].encrypted_content` });
  return { type: "message", role: "user", content: [{ type: "input_text", text: BEFORE + text }] };
}

/** The call with what we sealed in plain words; as it is where there is none. Throws RelayError 400 for another user's. */
export function withOpenedItems(call: Call, accepted: Accepted, { user }: Caller): Accepted {
  if (!accepted.body.includes(MARK)) return accepted;
  const { input } = bodyFields(accepted);
  if (!Array.isArray(input)) return accepted;
  const items = input.map((item: unknown, place) => opened(call, item, place, user.id));
  if (items.every((item, place) => item === input[place])) return accepted;
  return withBody(
    call,
    accepted,
    patchTopLevel(accepted.body, accepted.info.top, new Map([["input", JSON.stringify(items)]])),
  );
}
