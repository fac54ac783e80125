/** The body where client and upstream speak two formats: decoded to the neutral form and encoded from it. */
import { overrideOf } from "../../channels/overrides/override.ts";
import type { UpstreamFormat } from "../../dialects/dialect.ts";
import { checkRequest } from "../../dialects/neutral/check.ts";
import { inOwnWords, ownName } from "../../dialects/neutral/field-names.ts";
import type { JsonObject, NeutralRequest, Warn } from "../../dialects/neutral/neutral.ts";
import { withTakenSettings } from "../../dialects/neutral/openai-shared.ts";
import type { OperationBridge } from "../../dialects/neutral/operation-codec.ts";
import type { Target } from "../call/target.ts";
import { withoutSurcharge } from "../metering/surcharges.ts";
import { bodyFields } from "../request/accepted.ts";
import { withFetchedMedia } from "../request/fetched-media.ts";
import type { Attempt, Attempts } from "./attempts.ts";
import { withPrompt } from "./channel-prompt.ts";
import { makesSearches } from "./own-searches.ts";
import { type TargetBody, applyQuirks } from "./quirks.ts";
import { withheldFields } from "./withheld-fields.ts";

/** The request in neutral form. Throws TranslationFault for what is malformed. */
export function neutralOf(attempts: Attempts): NeutralRequest {
  if (attempts.neutral !== undefined) return attempts.neutral;
  const { accepted } = attempts;
  const { dialect, endpoint } = accepted;
  const request = dialect.decodeRequest(bodyFields(accepted), endpoint);
  try {
    checkRequest(request);
  } catch (fault) {
    throw inOwnWords(dialect.fieldNames, fault);
  }
  return (attempts.neutral = request);
}

/** The neutral request for a provider, with what the site's settings make of it. */
function prepared({ attempts, provider, ownSearches }: Attempt, upstreamModel: string): NeutralRequest {
  const { call, accepted } = attempts;
  const { options } = call.context.snapshot;
  const { cacheMarks, webSearch, thinkingBudget, servesAnyModel: hasPlainEfforts } = provider.manifest;
  const request = {
    ...(ownSearches?.applied(neutralOf(attempts)) ?? neutralOf(attempts)),
    isSearchMadeHere: makesSearches(options),
    model: upstreamModel,
    isStream: accepted.isStream,
    cacheMarks,
    webSearch,
    thinkingBudget,
    hasPlainEfforts,
  };
  const site = { options, requestedModel: accepted.model, isTranslated: true };
  return provider.prepare?.(request, site) ?? request;
}

/** The request in the upstream's format. Rejects with a TranslationFault in neutral words. */
async function encodedFor(
  dialect: UpstreamFormat,
  request: NeutralRequest,
  { attempts, provider }: Attempt,
  warn: Warn,
): Promise<JsonObject> {
  const kinds = [...dialect.fetchedMedia, ...(provider.manifest.fetchedMedia ?? [])];
  attempts.fetchedMedia ??= new Map();
  const ready =
    kinds.length === 0 ? request : await withFetchedMedia(request, kinds, attempts.call, attempts.fetchedMedia);
  return attempts.call.context.largeWork.run(attempts.accepted.body.length, () => dialect.encodeRequest(ready, warn));
}

/** The body of a chat call in the upstream's format. Rejects with a TranslationFault that names the client's own field. */
export async function translatedBody(
  attempt: Attempt,
  dialect: UpstreamFormat,
  upstreamModel: string,
): Promise<TargetBody> {
  const { attempts, channel, provider } = attempt;
  const { call, accepted } = attempts;
  // What is wrong with several messages is said once.
  const warnings = new Set<string>();
  const { fieldNames } = accepted.dialect;
  const warn = (field: string, reason: string): void => void warnings.add(`${ownName(fieldNames, field)}: ${reason}`);
  const bytes = accepted.body.length;
  const { largeWork, snapshot } = call.context;
  const { openAiSettings, defaultBaseUrl } = provider.manifest;
  const { request, tokens } = await largeWork.run(bytes, () => {
    const given = withoutSurcharge(prepared(attempt, upstreamModel), channel, warn);
    const taken = withTakenSettings(given, openAiSettings, channel.baseUrl || defaultBaseUrl, warn);
    const { prompt } = channel.setting;
    return prompt === undefined ? { request: taken, tokens: undefined } : withPrompt(taken, prompt);
  });
  if (attempt.ownSearches !== undefined) warn("tools", "this gateway searches the web, not the vendor of the model");
  for (const name of request.unknownFields)
    warnings.add(`${name}: has no place in the format of the upstream (${dialect.name})`);
  const streamed = accepted.isStream && dialect.name === "openai-chat" && provider.manifest.supportsStreamUsage;
  const encoded = await encodedFor(dialect, request, attempt, warn).catch((fault: unknown) => {
    throw inOwnWords(fieldNames, fault);
  });
  const withheld = withheldFields(channel, (name) => encoded[name]);
  for (const warning of withheld.warnings) warnings.add(warning);
  const fields = {
    ...encoded,
    ...Object.fromEntries(withheld.edits),
    ...provider.additions?.(encoded, upstreamModel, snapshot.options),
    ...(streamed ? { stream_options: { include_usage: true } } : {}),
    ...overrideOf(channel.paramOverride).plain,
  };
  const { warnings: changed, ...rest } = await largeWork.run(bytes, () =>
    applyQuirks(Buffer.from(JSON.stringify(fields)), attempt, dialect, upstreamModel),
  );
  const counted = tokens === undefined ? {} : { promptTokens: tokens };
  return { ...rest, ...counted, warnings: [...warnings, ...changed] };
}

/** The request of a call beside chat in the upstream's format, and how its answer becomes the client's. */
export function bridgedBody(
  { attempts, channel }: Attempt,
  bridge: OperationBridge,
  model: string,
): TargetBody & Pick<Target, "operationCall"> {
  const { accepted } = attempts;
  const warnings: string[] = [];
  const endpoint = { ...accepted.endpoint, isStream: accepted.isStream };
  const warn = (field: string, reason: string): void => void warnings.push(`${field}: ${reason}`);
  const operationCall = bridge.begin(bodyFields(accepted), endpoint, model, warn);
  const fields = { ...operationCall.fields, ...overrideOf(channel.paramOverride).plain };
  return { body: Buffer.from(JSON.stringify(fields)), warnings, operationCall };
}
