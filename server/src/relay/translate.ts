/** Step 5: the request as the channel's upstream wants it: the client's own bytes with the few fields that may differ. */
import { readTopLevel, patchTopLevel } from "../dialects/json-bytes.ts";
import { forcedStreamOptions } from "../dialects/openai-chat.ts";
import type { Provider, ProviderRequest } from "../providers/provider.ts";
import type { SnapshotChannel } from "../snapshot/snapshot.ts";
import { type Exchange, type Target, known } from "./exchange.ts";
import { Refusal } from "./refusal.ts";

/** Follows a mapping to its end; a name mapped to itself ends it. Throws Refusal where it leads in a circle. */
export function mapModel(mapping: Readonly<Record<string, string>>, model: string): string {
  let current = model;
  const seen = new Set([model]);
  for (;;) {
    const next = Object.hasOwn(mapping, current) ? mapping[current] : undefined;
    if (next === undefined || next === "" || next === current) return current;
    if (seen.has(next)) throw new Refusal("model_mapping_contains_cycle");
    seen.add(next);
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

const MAX_ENDPOINTS = 256;
const endpoints = new WeakMap<SnapshotChannel, Map<string, ProviderRequest>>();

/** URL and headers for a channel, path and model, made once. */
function endpointOf(exchange: Exchange, channel: SnapshotChannel, provider: Provider, model: string): ProviderRequest {
  const key = `${exchange.isStream ? "s" : "w"} ${exchange.path} ${model}`;
  let known = endpoints.get(channel);
  if (known === undefined) endpoints.set(channel, (known = new Map()));
  let endpoint = known.get(key);
  if (endpoint === undefined) {
    const base = channel.baseUrl === "" ? provider.manifest.defaultBaseUrl : channel.baseUrl;
    const { url, headers } = provider.endpoint({ ...channel, baseUrl: base }, exchange.operation, exchange.path, model);
    const accept = exchange.isStream ? "text/event-stream" : "application/json";
    endpoint = {
      url,
      headers: [...headers, "content-type", "application/json", "accept", accept, "user-agent", "Turnpike"],
    };
    if (known.size >= MAX_ENDPOINTS) known.clear();
    known.set(key, endpoint);
  }
  return endpoint;
}

/** Applies what differs at this provider; the body is parsed only where something does. */
function applyQuirks(
  body: Buffer,
  provider: Provider,
  exchange: Exchange,
  model: string,
): { body: Buffer; warnings: string[] } {
  const quirks = provider.quirks.filter((quirk) => quirk.appliesTo(model, exchange.operation));
  const warnings: string[] = [];
  let patched = body;
  for (const quirk of quirks) {
    const fields = JSON.parse(patched.toString("utf8")) as Record<string, unknown>;
    const { remove = [], set = {} } = quirk.patch(fields);
    if (remove.length === 0 && Object.keys(set).length === 0) continue;
    const edits = new Map<string, string | null>(remove.map((name) => [name, null]));
    for (const [name, value] of Object.entries(set)) edits.set(name, JSON.stringify(value));
    patched = patchTopLevel(
      patched,
      readTopLevel(patched.toString("latin1"), exchange.context.limits.jsonDepth),
      edits,
    );
    warnings.push(`${[...edits.keys()].join(", ")} changed: ${quirk.reason}`);
  }
  return { body: patched, warnings };
}

function editsFor(
  exchange: Exchange,
  channel: SnapshotChannel,
  provider: Provider,
  upstreamModel: string,
): Map<string, string | null> {
  const chat = known(exchange.chat, "chat");
  const edits = new Map<string, string | null>();
  if (upstreamModel !== chat.model) edits.set("model", JSON.stringify(upstreamModel));
  if (exchange.isStream && provider.manifest.supportsStreamUsage) {
    const options = forcedStreamOptions(exchange.body, chat);
    if (options !== undefined) edits.set("stream_options", options);
  }
  for (const [name, text] of overridesOf(channel)) edits.set(name, text);
  return edits;
}

/** Makes the request for one channel, always from the untouched body. Throws Refusal for a mapping in a circle. */
export function translate(exchange: Exchange, channel: SnapshotChannel): Target {
  const provider = known(exchange.context.providers.byType(channel.type), "provider");
  const chat = known(exchange.chat, "chat");
  const isPassedThrough = exchange.context.snapshot.options["global.pass_through_request_enabled"];
  const upstreamModel = isPassedThrough ? chat.model : mapModel(channel.modelMapping, chat.model);
  const { url, headers } = endpointOf(exchange, channel, provider, upstreamModel);
  if (isPassedThrough) return { channel, provider, upstreamModel, url, headers, body: exchange.body, warnings: [] };
  const patched = patchTopLevel(exchange.body, chat.top, editsFor(exchange, channel, provider, upstreamModel));
  const { body, warnings } = applyQuirks(patched, provider, exchange, upstreamModel);
  return { channel, provider, upstreamModel, url, headers, body, warnings };
}
