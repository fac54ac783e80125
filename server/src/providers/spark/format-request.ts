/** Neutral requests -> the message that Spark's WebSocket takes (xfyun.cn/doc/spark/Web.html). */
import { defined } from "../../dialects/json/fields.ts";
import { fittingUser } from "../../dialects/neutral/end-user.ts";
import {
  type JsonObject,
  type NeutralPart,
  type NeutralRequest,
  TranslationFault,
  type Warn,
} from "../../dialects/neutral/neutral.ts";
import { conversationOf, refuseImpossible, warnOfLeftOut, within, wordsOf } from "../../dialects/vendor-turns.ts";

export interface Addressee {
  appId: string;
  domain: string;
  hasSystem: boolean;
}

const MAX_USER_LENGTH = 32;

/** The vendor's WebSocket knows words alone; its tools are for keys of the compatible service. */
function said(parts: readonly NeutralPart[], warn: Warn): string {
  const other = parts.find(({ kind }) => kind !== "text" && kind !== "refusal" && kind !== "reasoning");
  if (other !== undefined) throw new TranslationFault("messages", `this model takes text only, no ${other.kind} parts`);
  if (parts.some(({ kind }) => kind === "reasoning"))
    warn("reasoning", "this model takes no thinking of earlier turns");
  return wordsOf(parts);
}

function messagesOf(request: NeutralRequest, hasSystem: boolean, warn: Warn): JsonObject[] {
  const { system, turns } = conversationOf(request, warn);
  const messages = turns.map(({ role, parts }) => ({ role, content: said(parts, warn) }));
  if (system === "") return messages;
  if (hasSystem) return [{ role: "system", content: system }, ...messages];
  const [first, ...rest] = messages;
  if (first?.role !== "user") return [{ role: "user", content: system }, ...messages];
  return [{ ...first, content: `${system}\n\n${first.content}` }, ...rest];
}

/** Throws TranslationFault where the API cannot do what was asked. */
export function encodeRequest(
  request: NeutralRequest,
  { appId, domain, hasSystem }: Addressee,
  warn: Warn,
): JsonObject {
  refuseImpossible(request, { takesTools: false, takesFormats: false }, warn);
  warnOfLeftOut(request, ["temperature", "maxTokens", "topK", "user"], warn);
  const chat = defined({
    domain,
    temperature: within(request.temperature, [0.01, 1], "temperature", warn),
    max_tokens: request.maxTokens,
    top_k: within(request.topK, [1, 6], "top_k", warn),
  });
  const uid = fittingUser(request.user, MAX_USER_LENGTH, warn);
  return {
    header: defined({ app_id: appId, uid }),
    parameter: { chat },
    payload: { message: { text: messagesOf(request, hasSystem, warn) } },
  };
}
