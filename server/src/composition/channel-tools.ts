/** The console's requests to upstreams outside the relay pipeline: channel tests, model lists, and address checks. */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { TestFailure, TestKind } from "../../../contract/src/channels/channel-tests.ts";
import { AppError } from "../../../contract/src/errors.ts";
import { NO_USAGE, type Usage } from "../../../contract/src/pricing/usage.ts";
import type { ChannelTestResult, RelayTools, UpstreamTarget } from "../console/relay-tools.ts";
import type { UpstreamFormat } from "../dialects/dialect.ts";
import { wordsForOperator } from "../dialects/neutral/failure.ts";
import { DIALECTS } from "../dialects/registry.ts";
import { redact } from "../observe/logger.ts";
import type { Provider, ProviderChannel, UpstreamFailure } from "../providers/provider.ts";
import type { ProviderRegistry } from "../providers/registry.ts";
import { headersWithoutClient, withAdded } from "../relay/attempt/added-headers.ts";
import { signRequest } from "../relay/attempt/sign-request.ts";
import type { AccessTokens } from "../relay/call/ports.ts";
import type { ProbeResult } from "../relay/probe.ts";
import { modelToTest } from "../relay/probe-questions.ts";
import type { Relay } from "../relay/router.ts";
import type { SnapshotChannel } from "../snapshot/snapshot.ts";
import { addressRefusal, isAddressAllowed } from "../upstream/address.ts";
import { askUpstream } from "../upstream/ask.ts";
import type { UpstreamClient } from "../upstream/client.ts";
import { withoutUpstreamKey } from "../upstream/fault.ts";
import { objectOf, parseJson } from "../util/json-read.ts";
import { fetchGuarded } from "./guarded-fetch.ts";
import { trySearch } from "../web-search/search.ts";
import { storedModelTools } from "./stored-models.ts";
import { asAppError, reasonOf } from "./upstream-reasons.ts";

type Verdict = Omit<ChannelTestResult, "model" | "durationMs">;

const failedBecause = (message: string, reason: TestFailure): Verdict => ({
  isSuccess: false,
  message,
  reason,
  promptTokens: 0,
  completionTokens: 0,
});

function refused(failure: UpstreamFailure): Verdict {
  const { kind, status, type, code } = failure;
  const message = redact(wordsForOperator(failure));
  const reason = { code: "upstream_status", values: { status, message } } as const;
  return {
    ...failedBecause(`status ${status}: ${message}`, reason),
    failure: { kind, status, message, type, code },
  };
}

/** An answer is paid for, whatever it shows. */
const used = ({ usage = NO_USAGE }: { usage: Usage | undefined }) => ({
  promptTokens: usage.inputTokens,
  completionTokens: usage.outputTokens,
  usage,
});

function verdictOf(result: ProbeResult): Verdict {
  switch (result.kind) {
    case "answered":
      return { isSuccess: true, message: "", ...used(result) };
    case "not_streamed":
      return {
        ...failedBecause("The answer came in one piece", { code: "not_streamed", values: {} }),
        ...used(result),
      };
    case "no_tool_call":
      return {
        ...failedBecause("The model answered without calling the tool", { code: "no_tool_call", values: {} }),
        ...used(result),
      };
    case "not_for_model":
      return failedBecause("Only models of conversations are tested for this", { code: "not_for_model", values: {} });
    case "failed":
      return refused(result.failure);
    case "unreadable":
      return failedBecause("The upstream's answer is not what its format has", {
        code: "unreadable_answer",
        values: {},
      });
    case "no_question":
      return failedBecause("No short call can test this model", { code: "no_test_for_model", values: {} });
    case "no_operation":
      return failedBecause(`The channel's type does not serve ${result.operation}`, {
        code: "operation_not_served",
        values: { operation: result.operation },
      });
    case "not_expressible":
      return failedBecause(result.message, { code: "not_possible", values: { message: result.message } });
    default:
      return failedBecause(asAppError(result.fault).message, reasonOf(result.fault));
  }
}

/** Tests a channel with `wanted`, else with its test model, else with its cheapest kind of model. */
async function testChannel(
  probe: Relay["probe"],
  channel: SnapshotChannel,
  wanted: string,
  signal: AbortSignal | undefined,
  kind: TestKind = "plain",
): Promise<ChannelTestResult> {
  const startedMs = performance.now();
  const model = wanted || channel.testModel || (modelToTest(channel.models) ?? "");
  const result = model === "" ? ({ kind: "no_question" } as const) : await probe(channel, model, kind, signal);
  return { ...verdictOf(result), model, durationMs: Math.max(1, Math.round(performance.now() - startedMs)) };
}

interface ChannelToolsOptions {
  providers: ProviderRegistry;
  upstream: UpstreamClient;
  /** Whether private addresses are allowed now. */
  allowsPrivate(): boolean;
  accessTokens: AccessTokens;
  /** Tests a channel in the same way as a call. */
  probe: Relay["probe"];
}

const TIMEOUTS = { firstByteTimeoutMs: 30_000, idleTimeoutMs: 15_000 } as const;
const MAXIMUM_ANSWER_BYTES = 8 * 1024 * 1024;
const NO_BYTES = Buffer.alloc(0);

function providerOf({ providers }: ChannelToolsOptions, type: number): Provider {
  const provider = providers.byType(type);
  if (provider === undefined)
    throw new AppError("channel_invalid", { message: `There is no provider of type ${type}` });
  return provider;
}

const withBase = (provider: Provider, channel: ProviderChannel): ProviderChannel => ({
  ...channel,
  baseUrl: channel.baseUrl === "" ? provider.manifest.defaultBaseUrl : channel.baseUrl,
});

/** Its first dialect; vendors with only their own format accept OpenAI's for other operations than chat. */
const dialectOf = ({ manifest: { dialects } }: Provider): UpstreamFormat =>
  DIALECTS[dialects.find((name) => name !== "vendor") ?? "openai-chat"];

/** Names in a list of models: OpenAI's and Anthropic's `data[].id`, Gemini's `models[].name` without their prefix. */
function namesIn({ data, models }: Record<string, unknown>): readonly string[] {
  const list = Array.isArray(data) ? data : models;
  if (!Array.isArray(list)) throw new AppError("upstream_failed", { message: "The upstream gave no list of models" });
  return list.flatMap((entry: unknown) => {
    const { id, name } = objectOf(entry);
    const found = typeof id === "string" ? id : typeof name === "string" ? name.replace(/^models\//, "") : "";
    return found === "" ? [] : [found];
  });
}

const LIST_CALL = { operation: "models", path: "/v1/models", model: "", isStream: false, headers: {} } as const;

/** The request for a model list, with the tokens and signatures that its provider requires. Throws AppError. */
async function listRequest(options: ChannelToolsOptions, provider: Provider, target: UpstreamTarget) {
  const channel = { ...withBase(provider, target), setting: {} };
  const providerCall = { ...LIST_CALL, dialect: dialectOf(provider).name };
  const { url, headers } = provider.endpoint(channel, providerCall);
  const all = [...headers, "accept", "application/json"];
  const asked = { channel, provider, providerCall, method: "GET", url, headers: all, body: NO_BYTES } as const;
  const made = await signRequest(options, asked);
  if ("kind" in made) throw new AppError("upstream_failed", { message: redact(wordsForOperator(made)) });
  return { method: made.method, url: made.url, headers: withAdded(made.headers, headersWithoutClient(target)) };
}

async function fetchUpstreamModels(options: ChannelToolsOptions, target: UpstreamTarget): Promise<readonly string[]> {
  const provider = providerOf(options, target.type);
  const asked = await listRequest(options, provider, target);
  const request = { ...asked, body: null, proxy: target.proxy ?? "", ...TIMEOUTS };
  const limits = { bytes: MAXIMUM_ANSWER_BYTES };
  const answer = await askUpstream(options.upstream, request, limits).catch((error: unknown) => {
    throw asAppError(error);
  });
  if (answer.status < 200 || answer.status > 299) {
    const failure = provider.failure(answer.status, withoutUpstreamKey(answer.body, target.key));
    const text = redact(wordsForOperator(failure));
    throw new AppError("upstream_failed", {
      message: `status ${answer.status}: ${text}`,
      values: { failure: "upstream_status", status: answer.status, message: text },
    });
  }
  const list = objectOf(parseJson(answer.body));
  return provider.modelNames?.(list) ?? namesIn(list);
}

async function checkAddress({ allowsPrivate }: ChannelToolsOptions, baseUrl: string): Promise<void> {
  if (baseUrl === "") return;
  const host = URL.parse(baseUrl)?.hostname.replace(/^\[|\]$/g, "") ?? "";
  if (host === "") throw new AppError("address_refused", { message: "This is not an address", field: "base_url" });
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  const refused = addresses.find((address) => !isAddressAllowed(address, allowsPrivate()));
  if (refused !== undefined)
    throw new AppError("address_refused", { message: addressRefusal(refused), field: "base_url" });
}

/** A name that cannot be resolved now is accepted: its calls are checked on the connected socket. */
async function resolve(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}

/** The console's interface to upstreams; balance queries are in channel-balance.ts. */
export function createChannelTools(options: ChannelToolsOptions): Omit<RelayTools, "askBalance" | "explainRoute"> {
  return {
    providers: options.providers.all,
    testChannel: (channel, model, signal, kind) => testChannel(options.probe, channel, model, signal, kind),
    fetchUpstreamModels: (target) => fetchUpstreamModels(options, target),
    checkAddress: (baseUrl) => checkAddress(options, baseUrl),
    fetchGuarded: (request) => fetchGuarded(options.upstream, request),
    ...storedModelTools(options),
    trySearch: (values) => trySearch(options.upstream, values),
  };
}
