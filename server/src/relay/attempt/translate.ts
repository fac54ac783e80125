/** Step 5: the request as the channel's upstream wants it: the client's own bytes where both speak one format, else decoded and encoded. */
import type { Dialect } from "../../dialects/dialect.ts";
import { TranslationFault } from "../../dialects/neutral/neutral.ts";
import { operationBridge } from "../../dialects/neutral/operation-codec.ts";
import { RelayError } from "../call/relay-error.ts";
import type { Target } from "../call/target.ts";
import { withModel } from "../request/multipart-form.ts";
import type { Attempt } from "./attempts.ts";
import { formatAfter, formatFor } from "./formats.ts";
import { mapModel } from "./map-model.ts";
import { ownBytes } from "./own-bytes.ts";
import { bridgedBody, translatedBody } from "./translated-body.ts";
import { contentType, endpointOf } from "./upstream-endpoint.ts";

/** The request of a channel in one format. Throws and rejects as `translate` does. */
function translateTo(attempt: Attempt, dialect: Dialect): Target | Promise<Target> {
  const { attempts, channel, provider } = attempt;
  const { call, accepted } = attempts;
  const { form, body, operation, endpoint: requested } = accepted;
  const { options } = call.context.snapshot;
  const requestedModel = requested.model || accepted.info.model || accepted.model;
  const isOwn = dialect === accepted.dialect;
  const isUntouched = isOwn && options["global.pass_through_request_enabled"];
  const upstreamModel = isUntouched ? requestedModel : mapModel(channel.modelMapping, requestedModel);
  const named = provider.modelName?.(upstreamModel, options) ?? upstreamModel;
  const { url, headers } = endpointOf(attempt, dialect, named);
  const target = { channel, provider, dialect, upstreamModel, url, headers: [...headers, ...contentType(attempts)] };
  if (isUntouched || operation === "realtime") return { ...target, body, warnings: [] };
  if (isOwn && form !== undefined) return { ...target, body: withModel(body, form, upstreamModel), warnings: [] };
  if (isOwn) return { ...target, ...ownBytes(attempt, upstreamModel) };
  const bridge = operationBridge(operation, accepted.dialect, dialect);
  if (bridge !== undefined) return { ...target, ...bridgedBody(attempt, bridge, named) };
  if (operation !== "chat")
    throw new TranslationFault("model", `no channel of this model serves ${operation} in this format`);
  return translatedBody(attempt, dialect, upstreamModel).then((rest) => ({ ...target, ...rest }));
}

/** What one format of a channel cannot express another may; where none can, the first one's fault is the one to tell. */
async function orInNextFormat(made: Promise<Target>, attempt: Attempt, dialect: Dialect): Promise<Target> {
  try {
    return await made;
  } catch (fault) {
    const next = fault instanceof TranslationFault ? formatAfter(attempt, dialect) : undefined;
    if (next === undefined) throw fault;
    try {
      return await translateTo(attempt, next);
    } catch (second) {
      throw second instanceof TranslationFault ? fault : second;
    }
  }
}

/** The fault as a sentence that names the field: some formats' envelopes have no other place for it. */
function sentenceOf({ message, param }: TranslationFault): string {
  const text = message.includes(param) ? message : `${param}: ${message}`;
  return text.endsWith(".") ? text : `${text}.`;
}

/** Notes that a channel's format cannot express the request, which is no fault of the channel; throws other errors on. */
function passOver({ attempts, channel }: Attempt, error: unknown): undefined {
  if (!(error instanceof TranslationFault)) throw error;
  const { param } = error;
  attempts.call.trace.passOver(channel, { code: "untranslatable", values: { field: param } });
  attempts.untranslatable = new RelayError("not_translatable", { message: sentenceOf(error), param });
}

/**
 * Makes the request for one channel, always from the untouched body; undefined where no format of it can express what was asked.
 * Rejects with RelayError for a mapping in a circle.
 */
export async function translate(attempt: Attempt): Promise<Target | undefined> {
  try {
    const dialect = formatFor(attempt);
    const made = translateTo(attempt, dialect);
    return made instanceof Promise ? await orInNextFormat(made, attempt, dialect) : made;
  } catch (error) {
    return passOver(attempt, error);
  }
}
