/** URL and headers of a channel's request, made once for each channel, path and model. */
import type { OptionValues } from "../../../../contract/src/options/options.ts";
import type { UpstreamFormat } from "../../dialects/dialect.ts";
import { operationBridge } from "../../dialects/neutral/operation-codec.ts";
import type { Provider, ProviderCall, ProviderChannel, ProviderRequest } from "../../providers/provider.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { Accepted } from "../request/accepted.ts";
import { OPERATIONS } from "../request/operations.ts";
import { pathForModel, realtimePath } from "../request/paths.ts";
import { leadsToGateway } from "./added-headers.ts";
import type { Attempt, Attempts } from "./attempts.ts";
import { vendorOperationOf } from "./formats.ts";

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});

/**
 * Of a family of headers those that could choose who is charged at the vendor, or prove who calls: the channel's key alone does. `dangerous` names what
 * runs in a browser, which coding agents say of themselves (coding-agents.ts) where the channel does not hide them.
 */
const NOT_PASSED =
  /dangerous|account|admin|api-?key|auth|billing|credential|organi[sz]ation|org-|project|secret|tenant|token|user|workspace/;

/** The client's headers that the provider wants to see; of a client of another format those that it names in full. */
function forwardedHeaders({ attempts, provider }: Attempt, isTranslated: boolean): Readonly<Record<string, string>> {
  const { forwardedHeaders: names, forwardedFamily: family } = provider.manifest;
  if (names === undefined) return NO_HEADERS;
  const { headers } = attempts.call.request;
  const found: Record<string, string> = {};
  const take = (name: string): void => {
    const value = headers[name];
    if (typeof value === "string") found[name] = value;
  };
  for (const name of names) take(name);
  if (family === undefined || isTranslated) return found;
  for (const name in headers) if (name.startsWith(family) && !NOT_PASSED.test(name)) take(name);
  return found;
}

/** The client's own path where the upstream speaks its format; the model in it is the upstream's. */
function pathOf(attempt: Attempt, dialect: UpstreamFormat, model: string): string {
  const { accepted } = attempt.attempts;
  const { dialect: own, path, endpoint, isStream, operation } = accepted;
  if (operation === "realtime") return realtimePath(path, model);
  const ofVendor = vendorOperationOf(attempt);
  if (ofVendor !== undefined) return ofVendor.path(model);
  if (dialect !== own) return operationBridge(operation, own, dialect)?.path(model) ?? dialect.path(model, isStream);
  return endpoint.dialect === "gemini" ? pathForModel(path, model, isStream) : path;
}

/** The same with the query that asks for Anthropic's features in test, where the channel wants it and the client did not ask itself. */
function pathWithBeta(attempt: Attempt, dialect: UpstreamFormat, model: string): string {
  const path = pathOf(attempt, dialect, model);
  const isAsked = attempt.channel.setting.asksForBeta === true && dialect.name === "anthropic-messages";
  if (!isAsked || /[?&]beta=/.test(path)) return path;
  return `${path}${path.includes("?") ? "&" : "?"}beta=true`;
}

const MAX_ENDPOINTS = 256;
/** They follow the options too: other options are another object. */
const endpoints = new WeakMap<SnapshotChannel, { options: OptionValues; known: Map<string, KnownEndpoint> }>();

/** URL of a request, and the provider call that it was made from. */
interface KnownEndpoint extends ProviderRequest {
  /** Whether the mark against loops goes there. */
  isGateway: boolean;
  providerCall: ProviderCall;
}

function endpointsOf(channel: SnapshotChannel, options: OptionValues): Map<string, KnownEndpoint> {
  let made = endpoints.get(channel);
  if (made?.options !== options) endpoints.set(channel, (made = { options, known: new Map() }));
  return made.known;
}

interface ProviderAndChannel {
  channel: ProviderChannel;
  provider: Provider;
}

/** The channel as providers see it: its own base URL or the provider's. */
export function providerChannel({ channel, provider }: ProviderAndChannel): ProviderChannel {
  const { key, other, openaiOrganization } = channel;
  const baseUrl = channel.baseUrl === "" ? provider.manifest.defaultBaseUrl : channel.baseUrl;
  return { baseUrl, key, other, openaiOrganization };
}

/** URL and headers for a channel, path and model, made once. */
export function endpointOf(attempt: Attempt, dialect: UpstreamFormat, model: string): KnownEndpoint {
  const { channel, provider } = attempt;
  const { call, accepted } = attempt.attempts;
  const { operation, isStream, model: requestedModel } = accepted;
  const { options } = call.context.snapshot;
  const isTranslated = dialect !== accepted.dialect;
  const path = pathWithBeta(attempt, dialect, model);
  const headers = forwardedHeaders(attempt, isTranslated);
  const shown = headers === NO_HEADERS ? "" : JSON.stringify(headers);
  const key = `${isStream ? "s" : "w"}${isTranslated ? "t" : ""} ${dialect.name} ${path} ${model} ${requestedModel} ${shown}`;
  const known = endpointsOf(channel, options);
  let endpoint = known.get(key);
  if (endpoint === undefined) {
    const site = { options, requestedModel, isTranslated };
    const providerCall = { operation, dialect: dialect.name, path, model, isStream, headers, site };
    const made = provider.endpoint(providerChannel(attempt), providerCall);
    const isGateway = leadsToGateway(channel, made.url, options.ServerAddress);
    endpoint = { ...withAccept(made, accepted), providerCall, isGateway };
    if (known.size >= MAX_ENDPOINTS) known.clear();
    known.set(key, endpoint);
  }
  return endpoint;
}

function withAccept({ url, headers }: ProviderRequest, { isStream, operation }: Accepted): ProviderRequest {
  const accept = isStream ? "text/event-stream" : OPERATIONS[operation].answersJson ? "application/json" : "*/*";
  return { url, headers: [...headers, "accept", accept] };
}

const JSON_TYPE = ["content-type", "application/json"] as const;

/** Every form has a boundary of its own, so this header is not among those made once. */
export const contentType = ({ call, accepted }: Attempts): readonly string[] =>
  accepted.form === undefined ? JSON_TYPE : ["content-type", call.request.headers["content-type"] ?? ""];
