/** Step 5: the request as the channel's upstream wants it: the client's own bytes where both speak one format, else decoded and encoded. */
import type { UpstreamFormat } from "../../dialects/dialect.ts";
import { TranslationFault } from "../../dialects/neutral/neutral.ts";
import { wholeEmbeddings } from "../../dialects/openai-chat/operations/embeddings.ts";
import { operationBridge } from "../../dialects/neutral/operation-codec.ts";
import { RelayError } from "../call/relay-error.ts";
import type { Target } from "../call/target.ts";
import { withModel } from "../request/multipart-form.ts";
import type { Accepted } from "../request/accepted.ts";
import { addedHeaders } from "./added-headers.ts";
import type { Attempt } from "./attempts.ts";
import { formatFor, formatsBeside, requestedModelOf, upstreamModelOf, vendorOperationOf } from "./formats.ts";
import { channelOverride, withOverride } from "./overridden.ts";
import { makesSearches, ownSearchesFor, type OwnSearches } from "./own-searches.ts";
import { passthroughBody } from "./passthrough-body.ts";
import { bridgedBody, neutralOf, translatedBody } from "./translated-body.ts";
import { contentType, endpointOf } from "./upstream-endpoint.ts";
import { vendorBody } from "./vendor-body.ts";
import { refuseInferenceGeo, refuseUnservedSearch } from "./withheld-fields.ts";

const VERBATIM = { isVerbatim: true } as const;

/** The request of a channel in one format. Throws and rejects as `translate` does. */
function translateTo(attempt: Attempt, dialect: UpstreamFormat): Target | Promise<Target> {
  const { attempts, channel, provider } = attempt;
  const { call, accepted } = attempts;
  const { form, body, operation } = accepted;
  const { options } = call.context.snapshot;
  const { ownSearches } = attempt;
  // A search that is made here changes the request, which is written anew.
  const isOwn = dialect === accepted.dialect && ownSearches === undefined;
  const passesBody = channel.setting.passesBody === true || options["global.pass_through_request_enabled"];
  const isUntouched = isOwn && passesBody;
  const upstreamModel = isUntouched ? requestedModelOf(accepted) : upstreamModelOf(attempt);
  const named = provider.modelName?.(upstreamModel, options) ?? upstreamModel;
  const { headers, isGateway, ...endpoint } = endpointOf(attempt, dialect, named);
  const added = addedHeaders(call, channel, { isOwnFormat: isOwn, isGateway });
  const base = { channel, provider, dialect, upstreamModel, ...endpoint, addedHeaders: added };
  const ofVendor = vendorOperationOf(attempt);
  if (ofVendor !== undefined) {
    const { contentType: type, ...rest } = vendorBody(
      accepted,
      ofVendor,
      madeForOpenAi(attempt, dialect, named),
      named,
    );
    const isJson = type === "application/json";
    return { ...base, headers: [...headers, "content-type", type], ...rest, ...(isJson ? {} : VERBATIM) };
  }
  const target = { ...base, headers: [...headers, ...contentType(attempts)] };
  if (isUntouched || operation === "realtime") return { ...target, body, warnings: [], ...VERBATIM };
  if (isOwn && form !== undefined)
    return { ...target, body: withModel(body, form, upstreamModel), warnings: [], ...VERBATIM };
  if (isOwn) {
    if (dialect.name === "openai-chat")
      refuseUnservedSearch(accepted, provider.manifest, upstreamModel, makesSearches(options));
    return { ...target, ...passthroughBody(attempt, upstreamModel) };
  }
  const bridge = operationBridge(operation, accepted.dialect, dialect);
  if (bridge !== undefined) return { ...target, ...bridgedBody(attempt, bridge, named) };
  if (operation !== "chat") throw notServed(accepted);
  const searches = ownSearches === undefined ? {} : { searches: ownSearches };
  return translatedBody(attempt, dialect, upstreamModel).then((rest) => ({ ...target, ...rest, ...searches }));
}

/** OpenAI's request of a call that the vendor has in a format of its own, which reads a form itself. */
function madeForOpenAi(attempt: Attempt, dialect: UpstreamFormat, model: string) {
  const { accepted } = attempt.attempts;
  if (accepted.form !== undefined) return { body: accepted.body, warnings: [] };
  if (dialect === accepted.dialect) return passthroughBody(attempt, model);
  const whole = { ...dialect, embeddings: wholeEmbeddings };
  const bridge = operationBridge(accepted.operation, accepted.dialect, whole);
  if (bridge === undefined) throw notServed(accepted);
  return bridgedBody(attempt, bridge, model);
}

const notServed = ({ operation }: Accepted): TranslationFault =>
  new TranslationFault("model", `no channel of this model serves ${operation} in this format`);

/** What one format of a channel cannot express another may; where none can, the first one's fault is the client's error. */
async function inAnotherFormat(attempt: Attempt, dialect: UpstreamFormat, fault: unknown): Promise<Target> {
  if (!(fault instanceof TranslationFault) || attempt.attempts.accepted.operation !== "chat") throw fault;
  for (const other of formatsBeside(attempt, dialect)) {
    try {
      // Each is tried only where those before it cannot.
      return await translateTo(attempt, other);
    } catch (second) {
      if (!(second instanceof TranslationFault)) throw second;
    }
  }
  throw fault;
}

/** The request in the first of the channel's formats that can express it. */
function inSomeFormat(attempt: Attempt): Target | Promise<Target> {
  const dialect = formatFor(attempt);
  const otherwise = (fault: unknown): Promise<Target> => inAnotherFormat(attempt, dialect, fault);
  try {
    const made = translateTo(attempt, dialect);
    return made instanceof Promise ? made.catch(otherwise) : made;
  } catch (fault) {
    return otherwise(fault);
  }
}

/** The search of a call that no format of its channel takes, where the operator has it made here; else undefined. */
function searchesInstead({ attempts, ownSearches }: Attempt, fault: unknown): OwnSearches | undefined {
  const { call, accepted } = attempts;
  const { options } = call.context.snapshot;
  if (!(fault instanceof TranslationFault) || ownSearches !== undefined || !makesSearches(options)) return undefined;
  if (accepted.operation !== "chat" || accepted.endpoint.compacts === true || attempts.isTest) return undefined;
  return ownSearchesFor(neutralOf(attempts), options);
}

/** The request in the first of the channel's formats that can express it, if need be with a search that is made here. */
function inSomeFormatOrSearched(attempt: Attempt): Target | Promise<Target> {
  const again = (fault: unknown): Target | Promise<Target> => {
    const searches = searchesInstead(attempt, fault);
    if (searches === undefined) throw fault;
    attempt.ownSearches = searches;
    return inSomeFormat(attempt);
  };
  try {
    const made = inSomeFormat(attempt);
    return made instanceof Promise ? made.catch(again) : made;
  } catch (fault) {
    return again(fault);
  }
}

/** The fault as a sentence that names the field: some formats' envelopes have no other place for it. */
function sentenceOf({ message, param }: TranslationFault): string {
  const text = message.includes(param) ? message : `${param}: ${message}`;
  return text.endsWith(".") ? text : `${text}.`;
}

/** Notes that a channel's format cannot express the request, which is no fault of the channel; throws other errors on. */
function skip({ attempts, channel }: Attempt, error: unknown): undefined {
  if (!(error instanceof TranslationFault)) throw error;
  const { param, details } = error;
  attempts.call.trace.skip(channel, { code: "untranslatable", values: { field: param } });
  attempts.untranslatable = new RelayError("not_translatable", { message: sentenceOf(error), param, details });
}

const withWarnings = (target: Target, { warnings = [] }: Accepted): Target =>
  warnings.length === 0 ? target : { ...target, warnings: [...warnings, ...target.warnings] };

/**
 * Makes the request for one channel, always from the untouched body; undefined where no format of it can express what was asked, or a
 * rule of its override refuses it there. Rejects with RelayError for a mapping in a circle, and where such a rule ends the call.
 */
export async function translate(attempt: Attempt): Promise<Target | undefined> {
  // Before anything reads it: one that cannot be read ends the call.
  channelOverride(attempt);
  let target: Target;
  try {
    refuseInferenceGeo(attempt.attempts.accepted, attempt.channel);
    const made = inSomeFormatOrSearched(attempt);
    target = withWarnings(made instanceof Promise ? await made : made, attempt.attempts.accepted);
  } catch (error) {
    return skip(attempt, error);
  }
  const overridden = withOverride(attempt, target);
  return overridden instanceof Promise ? await overridden : overridden;
}
