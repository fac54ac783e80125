/** Compaction of a conversation where no upstream makes it: the same model writes a summary, in a call of its own, which its client gets sealed. */
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import { isObject, listOf, objectOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import type { Caller } from "../admission/caller.ts";
import type { Call } from "../call/call.ts";
import { RelayError } from "../call/relay-error.ts";
import { writeJson } from "../call/respond.ts";
import { type Group, routableChannels } from "../call/target.ts";
import { type Accepted, bodyFields } from "../request/accepted.ts";
import { RESPONSES } from "../request/paths.ts";
import { compactsItself } from "../routing/eligibility.ts";
import { type Refused, type RunCall, innerCallOf, writeRefusal } from "./inner-call.ts";
import { sealedItem } from "./sealed-items.ts";

// The wire form: openai/openai-python, src/openai/types/responses/compacted_response.py and response_compact_params.py.

const ASK =
  "Write a summary of this conversation for an assistant that goes on with it and sees nothing else of it. Name the aim, the decisions and their reasons, " +
  "what was done and found (files, commands, numbers, names and identifiers exactly), what is open, and the next step. Write the summary alone.";

/** Fields of the request that the call for the summary has too. */
const KEPT_FIELDS = ["model", "instructions", "previous_response_id", "tools", "prompt_cache_key", "service_tier"];

/** True where channels offer the model and none of them makes a conversation shorter itself. */
export function isCompactedHere(
  { context: { snapshot, providers } }: Call,
  { endpoint, model }: Accepted,
  { pinnedChannelId }: Caller,
  group: Group,
): boolean {
  if (endpoint.compacts !== true) return false;
  const routes = { tiers: snapshot.tiersFor(group.name, model), pinnedChannelId };
  const channels = routableChannels(snapshot, routes).filter(({ status }) => status === CHANNEL_STATUS.enabled);
  return (
    channels.length > 0 &&
    !channels.some((channel) => {
      const provider = providers.byType(channel.type);
      return provider !== undefined && compactsItself(provider, channel, model);
    })
  );
}

const message = (text: string): JsonObject => ({
  type: "message",
  role: "user",
  content: [{ type: "input_text", text }],
});

/** The conversation so far, as items. */
const itemsOf = ({ input }: JsonObject): readonly unknown[] =>
  typeof input === "string" ? [message(input)] : listOf(input);

/** The body of the call for a summary. */
function summaryBody(fields: JsonObject): Buffer {
  const kept = Object.fromEntries(
    KEPT_FIELDS.filter((name) => (fields[name] ?? null) !== null).map((name) => [name, fields[name]]),
  );
  // Upstreams want the tools whose calls a conversation has; none is to be called now.
  const choice = kept["tools"] === undefined ? {} : { tool_choice: "none" };
  return Buffer.from(JSON.stringify({ ...kept, ...choice, store: false, input: [...itemsOf(fields), message(ASK)] }));
}

/** What the user said, which a client sends again in front of the short form. */
function userMessages({ requestId }: Call, fields: JsonObject): JsonObject[] {
  const said = itemsOf(fields).filter(
    (item): item is JsonObject =>
      isObject(item) && item["role"] === "user" && (item["type"] === undefined || item["type"] === "message"),
  );
  return said.map((item, place) => {
    const { content } = item;
    const parts = typeof content === "string" ? [{ type: "input_text", text: content }] : content;
    return { id: `msg_${requestId}_${place}`, status: "completed", ...item, type: "message", content: parts };
  });
}

/** The result of the call for a summary. */
type Summary = { response: JsonObject } | { refused: Refused };

/** Makes the call: it is admitted, held, metered, charged and logged like one over HTTP. Its client's departure ends it. */
async function summaryOf(call: Call, fields: JsonObject, runCall: RunCall): Promise<Summary | undefined> {
  let summary: Summary | undefined;
  const sink = {
    event(data: string, sent?: () => void) {
      const { response } = parseObject(data) ?? {};
      if (isObject(response)) summary = { response };
      sent?.();
    },
    refused: (status: number, error: JsonObject, headers: JsonObject) =>
      void (summary = { refused: { status, error, headers } }),
  };
  const { inner, response, written } = innerCallOf(call, summaryBody(fields), sink);
  const leave = (): void => void response.destroy();
  call.listener = { clientGone: leave, serverStops: () => inner.stop() };
  if (call.isClientGone) leave();
  await runCall(inner, RESPONSES);
  await written;
  call.listener = undefined;
  return summary;
}

/** The words of an answer. */
const wordsOf = ({ output }: JsonObject): string =>
  listOf(output)
    .flatMap((item) => listOf(objectOf(item)["content"]))
    .map((part) => textOf(objectOf(part)["text"]))
    .join("");

/**
 * Answers with the conversation in short form. `runCall` is the pipeline. Throws RelayError 502 where the model wrote nothing, which is charged all
 * the same.
 */
export async function compactHere(call: Call, accepted: Accepted, { user }: Caller, runCall: RunCall): Promise<void> {
  const fields = bodyFields(accepted);
  const summary = await summaryOf(call, fields, runCall);
  if (call.isClientGone) return;
  if (summary !== undefined && "refused" in summary) return writeRefusal(call, summary.refused);
  const text = summary === undefined ? "" : wordsOf(summary.response);
  if (summary === undefined || text === "")
    throw new RelayError("upstream_failed", { message: "The model wrote no summary of the conversation." });
  call.status = 200;
  writeJson(call.response, call.requestId, {
    id: `resp_${call.requestId}`,
    object: "response.compaction",
    created_at: call.createdAt,
    output: [...userMessages(call, fields), sealedItem(call, user.id, text)],
    usage: summary.response["usage"] ?? null,
  });
}
