/** What the console asks of upstreams outside the line of a call: a test of a channel, its model list, whether an address is allowed. */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { AppError } from "../../contract/src/errors.ts";
import type { ChannelTestResult, RelayTools, UpstreamTarget } from "./console/relay-tools.ts";
import { scrub } from "./observe/logger.ts";
import type { Operation, Provider, ProviderChannel } from "./providers/provider.ts";
import type { ProviderRegistry } from "./providers/registry.ts";
import { mapModel } from "./relay/translate.ts";
import type { SnapshotChannel } from "./snapshot/snapshot.ts";
import { addressRefusal, isAddressAllowed } from "./upstream/address.ts";
import type { UpstreamClient } from "./upstream/client.ts";
import { withoutKey } from "./upstream/conceal.ts";
import { UpstreamFault } from "./upstream/fault.ts";

export interface ChannelToolsOptions {
  providers: ProviderRegistry;
  upstream: UpstreamClient;
  /** Whether private addresses may be reached now. */
  allowsPrivate(): boolean;
}

interface WholeAnswer {
  status: number;
  body: string;
}

interface Ask {
  method: "GET" | "POST";
  url: string;
  headers: string[];
  body: Buffer | null;
  proxy: string;
  signal?: AbortSignal | undefined;
}

const FIRST_BYTE_TIMEOUT_MS = 30_000;
const IDLE_TIMEOUT_MS = 15_000;
const MAXIMUM_ANSWER_BYTES = 8 * 1024 * 1024;
const LAST_RESORT_MODEL = "gpt-4o-mini";
const TEST_TOKENS = 10;
const EMBEDDING_NAME = /embedding|embed|bge-|^m3e/i;

/** Sends and reads the whole answer. Rejects with UpstreamFault. */
function askWhole(upstream: UpstreamClient, { signal, ...request }: Ask): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let status = 0;
    let bytes = 0;
    const timeouts = { firstByteTimeoutMs: FIRST_BYTE_TIMEOUT_MS, idleTimeoutMs: IDLE_TIMEOUT_MS };
    const call = upstream.send(
      { ...request, ...timeouts },
      {
        started: (answered) => void (status = answered),
        data(chunk) {
          bytes += chunk.length;
          if (bytes > MAXIMUM_ANSWER_BYTES) call.abort();
          else parts.push(chunk);
        },
        ended: () => resolve({ status, body: Buffer.concat(parts).toString("utf8") }),
        failed: reject,
      },
    );
    signal?.addEventListener("abort", () => call.abort(), { once: true });
  });
}

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

/** Where our words of a fault are shown, an address that was refused is its own error. */
function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const message = error instanceof Error ? scrub(error.message) : "The upstream did not answer";
  const code = error instanceof UpstreamFault && error.kind === "address" ? "address_refused" : "upstream_failed";
  return new AppError(code, { message, cause: error });
}

function jsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {}; // Not JSON: the caller then finds none of the fields it looks for and says so.
  }
}

const PATHS: Readonly<Record<string, string>> = { chat: "/v1/chat/completions", embeddings: "/v1/embeddings" };

/** The body of a test: the channel's overridden parameters and the provider's quirks as in a real call. */
function testBody(provider: Provider, channel: SnapshotChannel, operation: Operation, model: string): Buffer {
  const chat = { model, messages: [{ role: "user", content: "hi" }], max_tokens: TEST_TOKENS, stream: false };
  const plain = operation === "embeddings" ? { model, input: ["hello world"] } : chat;
  let fields: Record<string, unknown> = { ...plain, ...channel.paramOverride };
  for (const quirk of provider.quirks.filter((each) => each.appliesTo(model, operation))) {
    const { remove = [], set = {} } = quirk.patch(fields);
    const kept = Object.entries(fields).filter(([name]) => !remove.includes(name));
    fields = { ...Object.fromEntries(kept), ...set };
  }
  return Buffer.from(JSON.stringify(fields));
}

const tokens = (usage: unknown, name: string): number => {
  const count = typeof usage === "object" && usage !== null ? (usage as Record<string, unknown>)[name] : 0;
  return typeof count === "number" && Number.isSafeInteger(count) && count > 0 ? count : 0;
};

function judge(provider: Provider, answer: WholeAnswer, operation: Operation, key: string) {
  const fields = jsonObject(answer.body);
  const isGood = answer.status >= 200 && answer.status < 300;
  if (isGood && Array.isArray(fields[operation === "embeddings" ? "data" : "choices"])) {
    const { usage } = fields;
    const counts = {
      promptTokens: tokens(usage, "prompt_tokens"),
      completionTokens: tokens(usage, "completion_tokens"),
    };
    return { isSuccess: true, message: "", ...counts };
  }
  const noTokens = { isSuccess: false, promptTokens: 0, completionTokens: 0 };
  if (isGood) return { ...noTokens, message: "The upstream's answer is not what this dialect has" };
  const failure = provider.failure(answer.status, withoutKey(answer.body, key));
  const { kind, status, type, code } = failure;
  const message = scrub(failure.message);
  return { ...noTokens, message: `status ${status}: ${message}`, failure: { kind, status, message, type, code } };
}

async function testChannel(
  options: ChannelToolsOptions,
  channel: SnapshotChannel,
  wanted: string,
  signal: AbortSignal | undefined,
): Promise<ChannelTestResult> {
  const startedMs = performance.now();
  const provider = providerOf(options, channel.type);
  const model = wanted || channel.testModel || ([...channel.models][0] ?? LAST_RESORT_MODEL);
  const upstreamModel = mapModel(channel.modelMapping, model);
  const operation: Operation = EMBEDDING_NAME.test(model) ? "embeddings" : "chat";
  const path = PATHS[operation] ?? "";
  const { url, headers } = provider.endpoint(withBase(provider, channel), operation, path, upstreamModel);
  const json = ["content-type", "application/json", "accept", "application/json", "user-agent", "Turnpike"];
  const body = testBody(provider, channel, operation, upstreamModel);
  const proxy = channel.setting.proxy ?? "";
  const ask: Ask = { method: "POST", url, headers: [...headers, ...json], body, proxy, signal };
  const verdict = await askWhole(options.upstream, ask).then(
    (answer) => judge(provider, answer, operation, channel.key),
    (error: unknown) => ({
      isSuccess: false,
      message: asAppError(error).message,
      promptTokens: 0,
      completionTokens: 0,
    }),
  );
  return { ...verdict, model, durationMs: Math.max(1, Math.round(performance.now() - startedMs)) };
}

async function fetchUpstreamModels(options: ChannelToolsOptions, target: UpstreamTarget): Promise<readonly string[]> {
  const provider = providerOf(options, target.type);
  const { url, headers } = provider.endpoint(withBase(provider, target), "models", "/v1/models", "");
  const all = [...headers, "accept", "application/json", "user-agent", "Turnpike"];
  const ask: Ask = { method: "GET", url, headers: all, body: null, proxy: "" };
  const answer = await askWhole(options.upstream, ask).catch((error: unknown) => {
    throw asAppError(error);
  });
  if (answer.status < 200 || answer.status > 299) {
    const { message } = provider.failure(answer.status, withoutKey(answer.body, target.key));
    throw new AppError("upstream_failed", { message: `status ${answer.status}: ${scrub(message)}` });
  }
  const { data } = jsonObject(answer.body);
  if (!Array.isArray(data)) throw new AppError("upstream_failed", { message: "The upstream gave no list of models" });
  return data.flatMap((entry: unknown) => {
    const id = typeof entry === "object" && entry !== null && "id" in entry ? entry.id : undefined;
    return typeof id === "string" && id !== "" ? [id] : [];
  });
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

/** A name that cannot be resolved now is not refused: its calls are checked on the connected socket. */
async function resolve(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}

/** The tools as the console takes them. */
export function createChannelTools(options: ChannelToolsOptions): RelayTools {
  return {
    providers: options.providers.all,
    testChannel: (channel, model, signal) => testChannel(options, channel, model, signal),
    fetchUpstreamModels: (target) => fetchUpstreamModels(options, target),
    checkAddress: (baseUrl) => checkAddress(options, baseUrl),
  };
}
