/**
 * A Responses request at the address of chat completions, as Cursor sends it for OpenAI's newer models
 * (github.com/gabrii/Cursor-Azure-GPT-5/issues/69): converted to the chat request that it stands for, so that all later steps read, hold
 * and charge a chat call. The answer is one of chat completions, which such clients expect.
 */
import { fieldOf } from "../../dialects/json/bytes.ts";
import { defined } from "../../dialects/json/fields.ts";
import { inOwnWords, ownName } from "../../dialects/neutral/field-names.ts";
import { type JsonObject, TranslationFault, type Warn } from "../../dialects/neutral/neutral.ts";
import { DIALECTS } from "../../dialects/registry.ts";
import type { Call } from "../call/call.ts";
import { RelayError } from "../call/relay-error.ts";
import { withBody } from "../request/accept.ts";
import { type Accepted, bodyFields } from "../request/accepted.ts";

const CHAT = DIALECTS["openai-chat"];
const RESPONSES = DIALECTS["openai-responses"];

const isResponsesAtChat = ({ operation, dialect, form, info: { top } }: Accepted): boolean =>
  operation === "chat" &&
  dialect === CHAT &&
  form === undefined &&
  fieldOf(top, "input") !== undefined &&
  fieldOf(top, "messages") === undefined;

function chatFields({ endpoint }: Accepted, fields: JsonObject, warn: Warn): JsonObject {
  const request = RESPONSES.decodeRequest(fields, endpoint);
  for (const name of request.unknownFields) warn(name, "has no place in chat completions");
  try {
    // Usage comes at the end of a stream where it was asked for, as in every chat call.
    return { ...CHAT.encodeRequest(request, warn), ...defined({ stream_options: fields["stream_options"] }) };
  } catch (fault) {
    throw inOwnWords(RESPONSES.fieldNames, fault);
  }
}

/**
 * The call with messages in place of its input; as it is where it has none. Rejects with RelayError 400 for what is malformed or has no place in chat
 * completions.
 */
export async function withMessages(call: Call, accepted: Accepted): Promise<Accepted> {
  if (!isResponsesAtChat(accepted)) return accepted;
  const warnings = new Set<string>();
  const warn: Warn = (field, reason) => void warnings.add(`${ownName(RESPONSES.fieldNames, field)}: ${reason}`);
  const fields = bodyFields(accepted);
  try {
    const bytes = accepted.body.length;
    const body = await call.context.largeWork.run(bytes, () =>
      Buffer.from(JSON.stringify(chatFields(accepted, fields, warn))),
    );
    if (body.length > bytes) call.requestMemory.take(body.length - bytes);
    return { ...withBody(call, accepted, body), warnings: [...warnings] };
  } catch (fault) {
    if (!(fault instanceof TranslationFault)) throw fault;
    const { message, param, details } = fault;
    throw new RelayError("not_translatable", { message, param, details });
  }
}
