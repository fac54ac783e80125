/** Step 5: the request as the channel's upstream wants it: the client's own bytes where both speak one format, else decoded and encoded. */
import type { OptionValues } from "../../../contract/src/options.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { parseExact } from "../dialects/exact-json.ts";
import { inOwnWords, ownName } from "../dialects/field-names.ts";
import { JsonFault, readTopLevel, patchTopLevel } from "../dialects/json-bytes.ts";
import { ownOf } from "../dialects/json-fields.ts";
import { type JsonObject, type NeutralRequest, TranslationFault, type Warn } from "../dialects/neutral.ts";
import { checkRequest } from "../dialects/neutral-check.ts";
import { SIGNATURE_MARKS } from "../dialects/neutral-signature.ts";
import { type OperationBridge, operationBridge } from "../dialects/operation-codec.ts";
import { forcedStreamOptions } from "../dialects/openai-chat/read.ts";
import { DIALECTS } from "../dialects/registry.ts";
import type { Provider, ProviderRequest } from "../providers/provider.ts";
import type { SnapshotChannel } from "../snapshot/snapshot.ts";
import { bodyFields } from "./body-fields.ts";
import { type Exchange, type Target, known } from "./exchange.ts";
import { withFetchedMedia } from "./fetched-media.ts";
import { withModel } from "./form.ts";
import { formatAfter, formatFor } from "./formats.ts";
import { OPERATIONS } from "./operations.ts";
import { pathForModel } from "./paths.ts";
import { premiumFields, premiumWarning, withoutPremium } from "./premium.ts";
import { realtimePath } from "./realtime-path.ts";
import { Refusal } from "./refusal.ts";

/** Follows a mapping to its end; a name mapped to itself ends it. Throws Refusal where it leads in a circle. */
export function mapModel(mapping: Readonly<Record<string, string>>, model: string): string {
  let current = model;
  const passed: string[] = [];
  for (;;) {
    const next = ownOf(mapping, current);
    if (next === undefined || next === "" || next === current) return current;
    passed.push(current);
    if (passed.includes(next)) throw new Refusal("model_mapping_contains_cycle");
    current = next;
  }
}

/** Overridden parameters as JSON texts, made once for each channel of a snapshot. */
const overrides = new WeakMap<SnapshotChannel, ReadonlyMap<string, string>>();

function overridesOf(channel: SnapshotChannel): ReadonlyMap<string, string> {
  let texts = overrides.get(channel);
  if (texts === undefined) {
    texts = new Map(Object.entries(channel.paramOverride).map(([name, value]) => [name, JSON.stringify(value)]));
    overrides.set(channel, texts);
  }
  return texts;
}

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});

/** The client's headers that the provider wants to see. */
function forwardedHeaders({ request }: Exchange, { manifest }: Provider): Readonly<Record<string, string>> {
  if (manifest.forwardedHeaders === undefined) return NO_HEADERS;
  const found: Record<string, string> = {};
  for (const name of manifest.forwardedHeaders) {
    const value = request.headers[name];
    if (typeof value === "string") found[name] = value;
  }
  return found;
}

/** The client's own path where the upstream speaks its format; the model in it is the upstream's. */
function pathOf({ dialect: own, path, asked, isStream, operation }: Exchange, dialect: Dialect, model: string): string {
  if (operation === "realtime") return realtimePath(path, model);
  if (dialect !== own) return operationBridge(operation, own, dialect)?.path(model) ?? dialect.path(model, isStream);
  return asked.dialect === "gemini" ? pathForModel(path, model, isStream) : path;
}

const MAX_ENDPOINTS = 256;
/** They follow the options too: other options are another object. */
const endpoints = new WeakMap<SnapshotChannel, { options: OptionValues; known: Map<string, ProviderRequest> }>();

function endpointsOf(channel: SnapshotChannel, options: OptionValues): Map<string, ProviderRequest> {
  let made = endpoints.get(channel);
  if (made?.options !== options) endpoints.set(channel, (made = { options, known: new Map() }));
  return made.known;
}

/** URL and headers for a channel, path and model, made once. */
function endpointOf(
  exchange: Exchange,
  channel: SnapshotChannel,
  provider: Provider,
  dialect: Dialect,
  model: string,
): ProviderRequest {
  const { operation, isStream, model: askedModel, context } = exchange;
  const { options } = context.snapshot;
  const isTranslated = dialect !== exchange.dialect;
  const path = pathOf(exchange, dialect, model);
  const headers = forwardedHeaders(exchange, provider);
  const shown = headers === NO_HEADERS ? "" : JSON.stringify(headers);
  const key = `${isStream ? "s" : "w"}${isTranslated ? "t" : ""} ${dialect.name} ${path} ${model} ${askedModel} ${shown}`;
  const known = endpointsOf(channel, options);
  let endpoint = known.get(key);
  if (endpoint === undefined) {
    const baseUrl = channel.baseUrl === "" ? provider.manifest.defaultBaseUrl : channel.baseUrl;
    const call = {
      operation,
      dialect: dialect.name,
      path,
      model,
      isStream,
      headers,
      site: { options, askedModel, isTranslated },
    };
    endpoint = withOwnHeaders(provider.endpoint({ ...channel, baseUrl }, call), exchange);
    if (known.size >= MAX_ENDPOINTS) known.clear();
    known.set(key, endpoint);
  }
  return endpoint;
}

function withOwnHeaders({ url, headers }: ProviderRequest, { isStream, operation }: Exchange): ProviderRequest {
  const accept = isStream ? "text/event-stream" : OPERATIONS[operation].answersJson ? "application/json" : "*/*";
  return { url, headers: [...headers, "accept", accept, "user-agent", "Turnpike"] };
}

const JSON_TYPE = ["content-type", "application/json"] as const;

/** Every form has a boundary of its own, so this header is not among those made once. */
const contentType = ({ form, request }: Exchange): readonly string[] =>
  form === undefined ? JSON_TYPE : ["content-type", request.headers["content-type"] ?? ""];

type Body = Pick<Target, "body" | "warnings" | "effort">;

/** A body made of the client's own: where it is no JSON inside, the client is told which of its fields is not. */
function parsedObject(body: Buffer, exchange: Exchange): JsonObject {
  try {
    return parseExact(body.toString("utf8")) as JsonObject;
  } catch (error) {
    bodyFields(exchange);
    throw error;
  }
}

/** Applies what differs at this provider; the body is parsed only where something does. */
function applyQuirks(body: Buffer, provider: Provider, dialect: Dialect, exchange: Exchange, model: string): Body {
  const { operation, context } = exchange;
  const warnings: string[] = [];
  let [patched, effort] = [body, ""];
  for (const quirk of provider.quirks) {
    if (!quirk.appliesTo(model, operation, dialect.name)) continue;
    const fields = parsedObject(patched, exchange);
    const { remove = [], set = {}, effort: named } = quirk.patch(fields, context.snapshot.options, model);
    effort = named ?? effort;
    if (remove.length === 0 && Object.keys(set).length === 0) continue;
    const edits = new Map<string, string | null>(remove.map((name) => [name, null]));
    for (const [name, value] of Object.entries(set)) edits.set(name, JSON.stringify(value));
    patched = patchTopLevel(patched, readTopLevel(patched.toString("latin1"), context.limits.jsonDepth), edits);
    warnings.push(`${[...edits.keys()].join(", ")} changed: ${quirk.reason}`);
  }
  return { body: patched, warnings, ...(effort === "" ? {} : { effort }) };
}

const takesStreamOptions = ({ isStream, operation, dialect }: Exchange, { manifest }: Provider): boolean =>
  isStream &&
  OPERATIONS[operation].takesStreamOptions === true &&
  dialect === DIALECTS["openai-chat"] &&
  manifest.supportsStreamUsage;

/** What goes on in place of the client's stream options. Throws Refusal 400 where those are no JSON inside. */
function streamOptions(exchange: Exchange): string | undefined {
  try {
    return forcedStreamOptions(exchange.body, known(exchange.facts, "facts"));
  } catch (fault) {
    if (fault instanceof JsonFault) bodyFields(exchange);
    throw fault;
  }
}

/** The few top-level fields that may differ where the client's own bytes go on. */
function editsFor(
  exchange: Exchange,
  channel: SnapshotChannel,
  provider: Provider,
  upstreamModel: string,
): Map<string, string | null> {
  const facts = known(exchange.facts, "facts");
  const edits = new Map<string, string | null>();
  if (exchange.asked.dialect !== "gemini" && upstreamModel !== facts.model)
    edits.set("model", JSON.stringify(upstreamModel));
  if (takesStreamOptions(exchange, provider)) {
    const options = streamOptions(exchange);
    if (options !== undefined) edits.set("stream_options", options);
  }
  if (
    exchange.dialect.withoutForeignProofs !== undefined &&
    SIGNATURE_MARKS.some((mark) => exchange.body.includes(mark))
  ) {
    const replaced = exchange.dialect.withoutForeignProofs(bodyFields(exchange));
    for (const [name, value] of Object.entries(replaced)) edits.set(name, JSON.stringify(value));
  }
  for (const [name, text] of overridesOf(channel)) edits.set(name, text);
  return edits;
}

function ownBytes(exchange: Exchange, channel: SnapshotChannel, provider: Provider, upstreamModel: string): Body {
  const { top } = known(exchange.facts, "facts");
  const left = premiumFields(exchange.body, top, exchange.dialect.name, channel);
  const edits = editsFor(exchange, channel, provider, upstreamModel);
  // What the channel itself sets is the operator's own wish.
  for (const field of left) if (!edits.has(field)) edits.set(field, null);
  const { warnings, ...rest } = applyQuirks(
    patchTopLevel(exchange.body, top, edits),
    provider,
    exchange.dialect,
    exchange,
    upstreamModel,
  );
  return { ...rest, warnings: [...left.map(premiumWarning), ...warnings] };
}

/** The request in neutral form. Throws TranslationFault for what is malformed. */
function neutralOf(exchange: Exchange): NeutralRequest {
  if (exchange.neutral !== undefined) return exchange.neutral;
  const { dialect, asked } = exchange;
  const request = dialect.decodeRequest(bodyFields(exchange), asked);
  try {
    checkRequest(request);
  } catch (fault) {
    throw inOwnWords(dialect.fieldNames, fault);
  }
  return (exchange.neutral = request);
}

/** The neutral request for a provider, with what the site's settings make of it. */
function prepared(exchange: Exchange, provider: Provider, upstreamModel: string): NeutralRequest {
  const request = { ...neutralOf(exchange), model: upstreamModel, isStream: exchange.isStream };
  const site = { options: exchange.context.snapshot.options, askedModel: exchange.model, isTranslated: true };
  return provider.prepare?.(request, site) ?? request;
}

/** The request in the upstream's format. Rejects with a TranslationFault in neutral words. */
async function encodedFor(
  dialect: Dialect,
  request: NeutralRequest,
  exchange: Exchange,
  warn: Warn,
): Promise<JsonObject> {
  const { fetchedMedia } = dialect;
  const ready = fetchedMedia.length === 0 ? request : await withFetchedMedia(request, fetchedMedia, exchange);
  return dialect.encodeRequest(ready, warn);
}

async function translated(
  exchange: Exchange,
  channel: SnapshotChannel,
  provider: Provider,
  dialect: Dialect,
  upstreamModel: string,
): Promise<Body> {
  // What is wrong with several messages is said once.
  const warnings = new Set<string>();
  const { isStream, context } = exchange;
  const { fieldNames } = exchange.dialect;
  const warn = (field: string, reason: string): void => void warnings.add(`${ownName(fieldNames, field)}: ${reason}`);
  const request = withoutPremium(prepared(exchange, provider, upstreamModel), channel, warn);
  for (const name of request.unknownFields)
    warnings.add(`${name}: has no place in the format of the upstream (${dialect.name})`);
  const streamed = isStream && dialect.name === "openai-chat" && provider.manifest.supportsStreamUsage;
  const encoded = await encodedFor(dialect, request, exchange, warn).catch((fault: unknown) => {
    throw inOwnWords(fieldNames, fault);
  });
  const fields = {
    ...encoded,
    ...provider.additions?.(encoded, upstreamModel, context.snapshot.options),
    ...(streamed ? { stream_options: { include_usage: true } } : {}),
    ...channel.paramOverride,
  };
  const { warnings: changed, ...rest } = applyQuirks(
    Buffer.from(JSON.stringify(fields)),
    provider,
    dialect,
    exchange,
    upstreamModel,
  );
  return { ...rest, warnings: [...warnings, ...changed] };
}

/** The request of a call beside chat in the upstream's format, and how its answer becomes the client's. */
function bridged(
  exchange: Exchange,
  channel: SnapshotChannel,
  bridge: OperationBridge,
  model: string,
): Body & Pick<Target, "call"> {
  const warnings: string[] = [];
  const asked = { ...exchange.asked, isStream: exchange.isStream };
  const call = bridge.begin(
    bodyFields(exchange),
    asked,
    model,
    (field, reason) => void warnings.push(`${field}: ${reason}`),
  );
  return { body: Buffer.from(JSON.stringify({ ...call.fields, ...channel.paramOverride })), warnings, call };
}

/** The request of a channel in one format. Throws and rejects as `translate` does. */
function translateTo(
  exchange: Exchange,
  channel: SnapshotChannel,
  provider: Provider,
  dialect: Dialect,
): Target | Promise<Target> {
  const { context, model } = exchange;
  const asked = exchange.asked.model || known(exchange.facts, "facts").model || model;
  const isOwn = dialect === exchange.dialect;
  const isUntouched = isOwn && context.snapshot.options["global.pass_through_request_enabled"];
  const upstreamModel = isUntouched ? asked : mapModel(channel.modelMapping, asked);
  const named = provider.modelName?.(upstreamModel, context.snapshot.options) ?? upstreamModel;
  const { url, headers } = endpointOf(exchange, channel, provider, dialect, named);
  const target = { channel, provider, dialect, upstreamModel, url, headers: [...headers, ...contentType(exchange)] };
  const { form, body } = exchange;
  if (isUntouched || exchange.upgrade !== undefined) return { ...target, body, warnings: [] };
  if (isOwn && form !== undefined) return { ...target, body: withModel(body, form, upstreamModel), warnings: [] };
  if (isOwn) return { ...target, ...ownBytes(exchange, channel, provider, upstreamModel) };
  const bridge = operationBridge(exchange.operation, exchange.dialect, dialect);
  if (bridge !== undefined) return { ...target, ...bridged(exchange, channel, bridge, named) };
  if (exchange.operation !== "chat")
    throw new TranslationFault("model", `no channel of this model serves ${exchange.operation} in this format`);
  return translated(exchange, channel, provider, dialect, upstreamModel).then((body) => ({ ...target, ...body }));
}

/** What one format of a channel cannot express another may; where none can, the first one's fault is the one to tell. */
async function orInNextFormat(
  made: Promise<Target>,
  exchange: Exchange,
  channel: SnapshotChannel,
  provider: Provider,
  dialect: Dialect,
): Promise<Target> {
  try {
    return await made;
  } catch (fault) {
    const next = fault instanceof TranslationFault ? formatAfter(exchange, channel, provider, dialect) : undefined;
    if (next === undefined) throw fault;
    try {
      return await translateTo(exchange, channel, provider, next);
    } catch (second) {
      throw second instanceof TranslationFault ? fault : second;
    }
  }
}

/**
 * Makes the request for one channel, always from the untouched body. Throws Refusal for a mapping in a circle, and TranslationFault
 * where this upstream cannot express what was asked.
 */
export function translate(exchange: Exchange, channel: SnapshotChannel): Target | Promise<Target> {
  const provider = known(exchange.context.providers.byType(channel.type), "provider");
  const dialect = formatFor(exchange, channel, provider);
  const made = translateTo(exchange, channel, provider, dialect);
  return made instanceof Promise ? orInNextFormat(made, exchange, channel, provider, dialect) : made;
}
