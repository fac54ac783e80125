/** Asks one channel directly, outside the line and without a charge: the console's channel test and "fetch models from upstream". */
import type { Operation, Provider, ProviderChannel, ProviderRequest } from "../providers/provider.ts";
import type { ProviderRegistry } from "../providers/registry.ts";
import type { Snapshot, SnapshotChannel } from "../snapshot/snapshot.ts";
import type { UpstreamClient, UpstreamRequest } from "../upstream/client.ts";
import type { UpstreamFault } from "../upstream/fault.ts";
import { mapModel } from "./translate.ts";

export interface ChannelTestResult {
  ok: boolean;
  /** From the request to the last byte of the answer. */
  timeMs: number;
  /** Empty where it went well; else the upstream's words, scrubbed, or what to do. */
  message: string;
}

/** What a channel form has before it is saved. */
export type UnsavedChannel = ProviderChannel & { type: number; proxy: string };

export interface ChannelTester {
  /** One shortest call with the given model, else the channel's test model, else its first. */
  testChannel(channelId: number, model?: string): Promise<ChannelTestResult>;
  /** Names of the models the upstream lists. Throws an Error whose message may be shown to an administrator. */
  fetchUpstreamModels(channel: UnsavedChannel): Promise<string[]>;
}

export interface TesterDeps {
  snapshot: Snapshot;
  providers: ProviderRegistry;
  upstream: UpstreamClient;
}

/** Answers of a test are short and should be quick. */
const TEST_TIMEOUT_MS = 60_000;
const MAX_BYTES = 8 * 1024 * 1024;

interface Collected {
  status: number;
  body: string;
}

/** Sends and collects the whole answer. Rejects with the fault. */
function collect(upstream: UpstreamClient, request: UpstreamRequest): Promise<Collected> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let [status, size] = [0, 0];
    const call = upstream.send(request, {
      started: (code) => void (status = code),
      data: (chunk) => {
        size += chunk.length;
        if (size > MAX_BYTES) return call.abort();
        parts.push(chunk);
      },
      ended: () => resolve({ status, body: Buffer.concat(parts).toString("utf8") }),
      failed: (fault: UpstreamFault) => reject(fault),
    });
  });
}

const EMBEDDING_MODEL = /embedding|embed|bge-|^m3e/i;
const operationFor = (model: string): Operation => (EMBEDDING_MODEL.test(model) ? "embeddings" : "chat");

/** The shortest request that proves a channel (reference 0, "Default test request"). */
function testBody(operation: Operation, model: string): Record<string, unknown> {
  if (operation === "embeddings") return { model, input: ["hello world"] };
  return { model, messages: [{ role: "user", content: "hi" }], max_tokens: 10, stream: false };
}

function withQuirks(provider: Provider, operation: Operation, body: Record<string, unknown>): Record<string, unknown> {
  let patched = body;
  for (const quirk of provider.quirks) {
    if (!quirk.appliesTo(String(body["model"]), operation)) continue;
    const { remove = [], set = {} } = quirk.patch(patched);
    patched = { ...Object.fromEntries(Object.entries(patched).filter(([name]) => !remove.includes(name))), ...set };
  }
  return patched;
}

const withDefaultBase = <Channel extends ProviderChannel>(provider: Provider, channel: Channel): Channel =>
  channel.baseUrl === "" ? { ...channel, baseUrl: provider.manifest.defaultBaseUrl } : channel;

function requestOf(endpoint: ProviderRequest, proxy: string, body: Buffer | null): UpstreamRequest {
  return {
    method: body === null ? "GET" : "POST",
    url: endpoint.url,
    headers: [
      ...endpoint.headers,
      "content-type",
      "application/json",
      "accept",
      "application/json",
      "user-agent",
      "Turnpike",
    ],
    body,
    proxy,
    firstByteTimeoutMs: TEST_TIMEOUT_MS,
    idleTimeoutMs: TEST_TIMEOUT_MS,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const hasList = (value: unknown, name: string): boolean =>
  typeof value === "object" && value !== null && Array.isArray((value as Record<string, unknown>)[name]);

/** Empty where the answer is what the operation promises. */
function complaintOf(provider: Provider, operation: Operation, answer: Collected): string {
  const isWhole = hasList(parse(answer.body), operation === "embeddings" ? "data" : "choices");
  if (answer.status >= 200 && answer.status < 300 && isWhole) return "";
  return provider.failure(answer.status, answer.body).message;
}

async function runTest(deps: TesterDeps, channel: SnapshotChannel, provider: Provider, model: string): Promise<string> {
  const operation = operationFor(model);
  const upstreamModel = mapModel(channel.modelMapping, model);
  const fields = { ...withQuirks(provider, operation, testBody(operation, upstreamModel)), ...channel.paramOverride };
  const path = operation === "embeddings" ? "/v1/embeddings" : "/v1/chat/completions";
  const endpoint = provider.endpoint(withDefaultBase(provider, channel), operation, path, upstreamModel);
  const request = requestOf(endpoint, channel.setting.proxy ?? "", Buffer.from(JSON.stringify(fields)));
  return complaintOf(provider, operation, await collect(deps.upstream, request));
}

/** Faults name the switch that helps; their texts hold no key. */
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function testChannel(
  deps: TesterDeps,
  channelId: number,
  wanted: string | undefined,
): Promise<ChannelTestResult> {
  const channel = deps.snapshot.channelById(channelId);
  const provider = channel === undefined ? undefined : deps.providers.byType(channel.type);
  if (channel === undefined || provider === undefined)
    return { ok: false, timeMs: 0, message: "The channel does not exist." };
  if (!provider.manifest.canTest) return { ok: false, timeMs: 0, message: "This channel type cannot be tested." };
  const model = wanted || channel.testModel || [...channel.models][0] || "gpt-4o-mini";
  const startMs = performance.now();
  const message = await runTest(deps, channel, provider, model).catch(messageOf);
  return { ok: message === "", timeMs: Math.round(performance.now() - startMs), message };
}

async function fetchUpstreamModels(deps: TesterDeps, channel: UnsavedChannel): Promise<string[]> {
  const provider = deps.providers.byType(channel.type);
  if (provider === undefined) throw new Error("This channel type is not known.");
  const endpoint = provider.endpoint(withDefaultBase(provider, channel), "models", "/v1/models", "");
  const answer = await collect(deps.upstream, requestOf(endpoint, channel.proxy, null));
  const parsed = parse(answer.body);
  if (answer.status !== 200 || !hasList(parsed, "data"))
    throw new Error(provider.failure(answer.status, answer.body).message);
  const ids = (parsed as { data: unknown[] }).data.map((entry) =>
    typeof entry === "object" && entry !== null && "id" in entry && typeof entry.id === "string"
      ? entry.id.replace(/^models\//, "")
      : "",
  );
  return [...new Set(ids.filter((id) => id !== ""))].toSorted();
}

export function createChannelTester(deps: TesterDeps): ChannelTester {
  return {
    testChannel: (channelId, model) => testChannel(deps, channelId, model),
    fetchUpstreamModels: (channel) => fetchUpstreamModels(deps, channel),
  };
}
