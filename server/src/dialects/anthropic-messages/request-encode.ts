/** Neutral requests -> the Messages API (platform.claude.com/docs/en/api/messages). */
import { encodeMessages, encodeSystem } from "./messages-encode.ts";
import { formatFor } from "./response-format.ts";
import { type ModelTraits, traitsOf } from "./models.ts";
import { thinkingFor } from "./reasoning.ts";
import { toolFields } from "./tools.ts";
import { fittingUser } from "../neutral/dropped-fields.ts";
import { defined, ownOf } from "../json/fields.ts";
import type { JsonObject, NeutralRequest, Warn } from "../neutral/neutral.ts";
import { TranslationFault } from "../neutral/neutral.ts";

/** `max_tokens` where neither the client nor the operator gave one. */
const DEFAULT_MAX_TOKENS = 8192;

/** Of metadata.user_id (platform.claude.com/docs/en/api/messages). */
const MAX_USER_LENGTH = 256;

/** Asked for and not to be had: the answer would be another. */
function refuseImpossible({ choices, hasLogprobs }: NeutralRequest): void {
  if (choices !== undefined && choices > 1) throw new TranslationFault("n", "this model gives one answer to a request");
  if (hasLogprobs === true) throw new TranslationFault("logprobs", "this model gives no log probabilities");
}

/** Fields of other vendors that this one has nothing for. */
function warnOfRest(request: NeutralRequest, warn: Warn): void {
  const unsupported: readonly (readonly [name: string, value: unknown])[] = [
    ["presence_penalty", request.presencePenalty],
    ["frequency_penalty", request.frequencyPenalty],
    ["seed", request.seed],
    ["logit_bias", request.logitBias],
    ["verbosity", request.verbosity],
    ["metadata", request.metadata],
  ];
  for (const [name, value] of unsupported)
    if (value !== undefined && value !== 0) warn(name, "this model has no such parameter");
}

/** Temperatures go to 1; newer models take one of the two parameters, the newest none, and none goes with thinking. */
function sampling(request: NeutralRequest, traits: ModelTraits, isThinking: boolean, warn: Warn): JsonObject {
  const { temperature, topP, topK } = request;
  const asked = defined({ temperature, top_p: topP, top_k: topK });
  if (!traits.hasSampling || isThinking) {
    const reason = isThinking
      ? "this model samples in its own way while it thinks"
      : "this model takes no sampling parameters";
    for (const [name, value] of Object.entries(asked)) if (value !== 1 || name === "top_k") warn(name, reason);
    return {};
  }
  const fields: Record<string, unknown> = { ...asked };
  if (temperature !== undefined && temperature > 1) {
    warn("temperature", "this model takes temperatures up to 1");
    fields["temperature"] = 1;
  }
  if (traits.hasOneSampling && temperature !== undefined && topP !== undefined) {
    if (topP !== 1) warn("top_p", "this model takes either temperature or top_p");
    delete fields["top_p"];
  }
  return fields;
}

/** Sequences of nothing but blanks are refused by the vendor. */
function stopSequences(stop: readonly string[] | undefined, warn: Warn): JsonObject {
  const taken = stop?.filter((text) => text.trim() !== "") ?? [];
  if (stop !== undefined && taken.length < stop.length)
    warn("stop", "stop sequences of nothing but blanks are not supported by this model");
  return taken.length === 0 ? {} : { stop_sequences: taken };
}

const TIERS: Readonly<Record<string, string>> = {
  auto: "auto",
  default: "standard_only",
  standard_only: "standard_only",
};

function serviceTier(tier: string | undefined, warn: Warn): JsonObject {
  if (tier === undefined) return {};
  const known = ownOf(TIERS, tier);
  if (known !== undefined) return { service_tier: known };
  warn("service_tier", `this model has no tier ${tier}`);
  return {};
}

/** Throws TranslationFault where the API cannot do what was asked. */
export function encodeRequest(request: NeutralRequest, warn: Warn): JsonObject {
  refuseImpossible(request);
  warnOfRest(request, warn);
  const traits = traitsOf(request.model);
  const { thinking, effort, maxTokens } = thinkingFor(
    request,
    traits,
    request.defaultMaxTokens ?? DEFAULT_MAX_TOKENS,
    warn,
  );
  const { format, instruction } = formatFor(request.responseFormat, traits, warn);
  const isThinking = thinking !== undefined && thinking["type"] !== "disabled";
  const config = defined({ effort, format });
  const user = fittingUser(request.user, MAX_USER_LENGTH, warn);
  return {
    model: request.model,
    max_tokens: maxTokens,
    ...(request.isStream ? { stream: true } : {}),
    ...encodeSystem(request, instruction, warn),
    messages: encodeMessages(request.messages, warn),
    ...toolFields(request, traits, warn),
    ...(thinking === undefined ? {} : { thinking }),
    ...(Object.keys(config).length === 0 ? {} : { output_config: config }),
    ...sampling(request, traits, isThinking, warn),
    ...stopSequences(request.stop, warn),
    ...serviceTier(request.serviceTier, warn),
    ...(user === undefined ? {} : { metadata: { user_id: user } }),
  };
}
