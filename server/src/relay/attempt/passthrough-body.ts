/** The body where client and upstream speak one format: the client's own bytes, but for a few top-level fields. */
import { overrideOf } from "../../channels/overrides/override.ts";
import { JsonFault } from "../../dialects/json/bytes.ts";
import { patchTopLevel } from "../../dialects/json/patch.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { SIGNATURE_MARKS } from "../../dialects/neutral/signature.ts";
import { forcedStreamOptions } from "../../dialects/openai-chat/request-info.ts";
import { DIALECTS } from "../../dialects/registry.ts";
import type { Provider } from "../../providers/provider.ts";
import { surchargeWarning, surchargedFields } from "../metering/surcharges.ts";
import { type Accepted, bodyFields, requestField } from "../request/accepted.ts";
import { OPERATIONS } from "../request/operations.ts";
import type { Attempt } from "./attempts.ts";
import { promptEdit } from "./channel-prompt.ts";
import { type TargetBody, applyQuirks } from "./quirks.ts";
import { withheldFields } from "./withheld-fields.ts";

const takesStreamOptions = ({ isStream, operation, dialect }: Accepted, { manifest }: Provider): boolean =>
  isStream &&
  OPERATIONS[operation].takesStreamOptions === true &&
  dialect === DIALECTS["openai-chat"] &&
  manifest.supportsStreamUsage;

/** What is sent in place of the client's stream options. Throws RelayError 400 where those are no JSON inside. */
function streamOptions(accepted: Accepted): string | undefined {
  try {
    return forcedStreamOptions(accepted.body, accepted.info);
  } catch (fault) {
    if (fault instanceof JsonFault) bodyFields(accepted);
    throw fault;
  }
}

/** The few top-level fields that may differ where the client's own bytes are sent. */
function editsFor(
  attempt: Attempt,
  upstreamModel: string,
): { edits: Map<string, string | null>; promptTokens: number | undefined } {
  const { attempts, channel, provider } = attempt;
  const { accepted } = attempts;
  const { body, dialect, endpoint, info } = accepted;
  const edits = new Map<string, string | null>();
  if (endpoint.dialect !== "gemini" && upstreamModel !== info.model) edits.set("model", JSON.stringify(upstreamModel));
  if (takesStreamOptions(accepted, provider)) {
    const options = streamOptions(accepted);
    if (options !== undefined) edits.set("stream_options", options);
  }
  const hasProofs = dialect.withoutForeignProofs !== undefined && SIGNATURE_MARKS.some((mark) => body.includes(mark));
  const replaced = hasProofs ? (dialect.withoutForeignProofs?.(bodyFields(accepted)) ?? {}) : {};
  for (const [name, value] of Object.entries(replaced)) edits.set(name, JSON.stringify(value));
  const prompt = promptOf(attempt, replaced);
  if (prompt !== undefined) edits.set(prompt.name, JSON.stringify(prompt.value));
  for (const [name, text] of overrideOf(channel.paramOverride).plainTexts) edits.set(name, text);
  return { edits, promptTokens: prompt?.tokens };
}

/** What the channel's own instructions change in a conversation, with the fields that are replaced already. */
function promptOf({ attempts: { accepted }, channel }: Attempt, replaced: JsonObject) {
  const { prompt } = channel.setting;
  if (prompt === undefined || accepted.operation !== "chat") return undefined;
  return promptEdit(prompt, accepted.dialect.name, { ...bodyFields(accepted), ...replaced });
}

/** The client's bytes with the upstream's model, the channel's parameters and the provider's quirks. Throws RelayError 400 for bytes that are no JSON inside. */
export function passthroughBody(attempt: Attempt, upstreamModel: string): TargetBody {
  const { body, info, dialect } = attempt.attempts.accepted;
  const left = surchargedFields(body, info.top, dialect.name, attempt.channel, attempt.provider.manifest);
  const { edits, promptTokens } = editsFor(attempt, upstreamModel);
  const withheld = withheldFields(attempt.channel, (name) =>
    name === "stream_options" && edits.has(name)
      ? JSON.parse(edits.get(name) ?? "null")
      : requestField(attempt.attempts.accepted, name),
  );
  const overridden = overrideOf(attempt.channel.paramOverride).plainTexts;
  // What the channel itself sets is the operator's own wish.
  for (const field of left) if (!edits.has(field)) edits.set(field, null);
  for (const [name, value] of withheld.edits)
    if (!overridden.has(name)) edits.set(name, value === undefined ? null : JSON.stringify(value));
  const { warnings, ...rest } = applyQuirks(patchTopLevel(body, info.top, edits), attempt, dialect, upstreamModel);
  const all = [...left.map(surchargeWarning), ...withheld.warnings, ...warnings];
  return { ...rest, warnings: all, ...(promptTokens === undefined ? {} : { promptTokens }) };
}
