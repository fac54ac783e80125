/** What the console asks of upstreams outside the line of a call: a test of a channel, its model list, whether an address is allowed. */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { OptionValues } from "../../../contract/src/options/options.ts";
import { AppError } from "../../../contract/src/errors.ts";
import type { TestFailure } from "../../../contract/src/channel-tests.ts";
import type { ChannelTestResult, RelayTools, UpstreamTarget } from "../console/relay-tools.ts";
import { redact } from "../observe/logger.ts";
import type { FormatName, UpstreamFormat } from "../dialects/dialect.ts";
import type { PathInfo } from "../dialects/neutral/info.ts";
import type { NeutralMessage } from "../dialects/neutral/neutral.ts";
import { type OperationBridge, operationBridge } from "../dialects/neutral/operation-codec.ts";
import { DIALECTS } from "../dialects/registry.ts";
import type { Operation, Provider, ProviderCall, ProviderChannel, SiteInfo } from "../providers/provider.ts";
import type { ProviderRegistry } from "../providers/registry.ts";
import { mapModel } from "../relay/attempt/map-model.ts";
import type { SnapshotChannel } from "../snapshot/snapshot.ts";
import { addressRefusal, isAddressAllowed } from "../upstream/address.ts";
import type { UpstreamClient } from "../upstream/client.ts";
import { fetchGuarded } from "./guarded-fetch.ts";
import { withoutUpstreamKey } from "../upstream/redact.ts";
import { type FaultKind, UpstreamFault } from "../upstream/fault.ts";

export interface ChannelToolsOptions {
  providers: ProviderRegistry;
  upstream: UpstreamClient;
  /** Whether private addresses may be reached now. */
  allowsPrivate(): boolean;
  /** The site's settings as they are now. */
  options(): OptionValues;
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
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const message = error instanceof Error ? redact(error.message) : "The upstream did not answer";
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

/** The format that a model of a channel is asked in first, or the one of that name. */
function formatOf(provider: Provider, channel: ProviderChannel, model: string, wanted?: FormatName): UpstreamFormat {
  const name = wanted ?? formatsOf(provider, channel, model)[0] ?? "openai-chat";
  if (name !== "vendor") return DIALECTS[name];
  return provider.format?.(channel, model) ?? DIALECTS["openai-chat"];
}

/** Its first dialect; vendors that have none but their own format speak OpenAI's beside chat. */
const dialectOf = ({ manifest: { dialects } }: Provider): UpstreamFormat =>
  DIALECTS[dialects.find((name) => name !== "vendor") ?? "openai-chat"];

const formatsOf = (provider: Provider, channel: ProviderChannel, model: string): readonly FormatName[] =>
  provider.dialectsOf?.(model, channel) ?? provider.manifest.dialects;

/** What a test asks, and of whom. */
interface Question {
  provider: Provider;
  dialect: UpstreamFormat;
  operation: Operation;
  /** The upstream's name, with a suffix that stands for settings. */
  model: string;
  site: SiteInfo;
}

const EMBEDDED = { input: ["hello world"] };
const NO_PATH: PathInfo = { model: "", isStream: false };

/** How an embedding is asked of vendors that do not speak OpenAI's format; undefined where the format is theirs. */
const bridgeOf = ({ dialect }: Question): OperationBridge | undefined =>
  operationBridge("embeddings", DIALECTS["openai-chat"], dialect);

function callOf(question: Question): ProviderCall {
  const { provider, dialect, operation, site } = question;
  const model = provider.modelName?.(question.model, site.options) ?? question.model;
  const path =
    operation === "chat" ? dialect.path(model, false) : (bridgeOf(question)?.path(model) ?? "/v1/embeddings");
  return { operation, dialect: dialect.name, path, model, isStream: false, headers: {}, site };
}

/** The shortest question there is, in the provider's own format. */
function fieldsOf(question: Question): Record<string, unknown> {
  const { provider, dialect, operation, model, site } = question;
  if (operation === "embeddings")
    return {
      ...(bridgeOf(question)?.begin(EMBEDDED, NO_PATH, model, () => undefined).fields ?? { model, ...EMBEDDED }),
    };
  const messages: NeutralMessage[] = [{ role: "user", parts: [{ kind: "text", text: "hi" }] }];
  const request = {
    model,
    isStream: false,
    system: [],
    messages,
    tools: [],
    maxTokens: TEST_TOKENS,
    unknownFields: [],
  };
  return { ...dialect.encodeRequest(provider.prepare?.(request, site) ?? request, () => undefined) };
}

/** The body of a test: the channel's overridden parameters and the provider's quirks as in a real call. */
function testBody(question: Question, channel: SnapshotChannel): Buffer {
  const { provider, dialect, operation, model, site } = question;
  let fields: Record<string, unknown> = { ...fieldsOf(question), ...channel.paramOverride };
  for (const quirk of provider.quirks) {
    if (!quirk.appliesTo(model, operation, dialect.name)) continue;
    const { remove = [], set = {} } = quirk.patch(fields, site.options, model);
    const kept = Object.entries(fields).filter(([name]) => !remove.includes(name));
    fields = { ...Object.fromEntries(kept), ...set };
  }
  return Buffer.from(JSON.stringify(fields));
}

/** Tokens of an answer to the question; undefined where the body is no answer of this format. */
function tokensIn(question: Question, fields: Record<string, unknown>) {
  const { dialect, operation, model } = question;
  const isAnswer =
    operation === "embeddings"
      ? bridgeOf(question)
          ?.begin(EMBEDDED, NO_PATH, model, () => undefined)
          .answer(fields) !== undefined || Array.isArray(fields["data"])
      : !dialect.isErrorBody(fields) && dialect.decodeAnswer(fields) !== undefined;
  if (!isAnswer) return undefined;
  const usage = dialect.normaliseUsage(dialect.findUsage(JSON.stringify(fields)))?.usage;
  return { promptTokens: usage?.inputTokens ?? 0, completionTokens: usage?.outputTokens ?? 0 };
}

function judge(question: Question, answer: WholeAnswer, key: string) {
  const isGood = answer.status >= 200 && answer.status < 300;
  const counts = isGood ? tokensIn(question, jsonObject(answer.body)) : undefined;
  if (counts !== undefined) return { isSuccess: true, message: "", ...counts };
  const noTokens = { isSuccess: false, promptTokens: 0, completionTokens: 0 };
  if (isGood) return { ...noTokens, message: "The upstream's answer is not what this dialect has", reason: UNREADABLE };
  const failure = question.provider.failure(answer.status, withoutUpstreamKey(answer.body, key));
  const { kind, status, type, code } = failure;
  const message = redact(failure.message);
  return {
    ...noTokens,
    message: `status ${status}: ${message}`,
    reason: { code: "upstream_status" as const, values: { status, message } },
    failure: { kind, status, message, type, code },
  };
}

const UNREADABLE: TestFailure = { code: "unreadable_answer", values: {} };

const REASONS: Readonly<Record<FaultKind, TestFailure>> = {
  address: { code: "address_refused", values: {} },
  connect: { code: "connect", values: {} },
  connect_timeout: { code: "connect_timeout", values: {} },
  first_byte_timeout: { code: "timeout", values: { seconds: FIRST_BYTE_TIMEOUT_MS / 1000 } },
  idle_timeout: { code: "idle_timeout", values: {} },
  reset: { code: "reset", values: {} },
  // Given up because it had no end.
  aborted: UNREADABLE,
  decode: UNREADABLE,
};

/** What a question that got no answer says of its channel. */
export function reasonOf(error: unknown): TestFailure {
  if (!(error instanceof UpstreamFault))
    return { code: "not_possible", values: { message: asAppError(error).message } };
  const { cause, kind } = error as UpstreamFault;
  const said = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "";
  const hasSaid = kind === "connect" && said !== "" && !said.startsWith("UND_ERR");
  return hasSaid ? { code: "connect", values: { reason: said } } : REASONS[kind];
}

type Verdict = Omit<ChannelTestResult, "model" | "durationMs">;

/** Asks the question, and again in the provider's next format where the model has another than the first. */
async function putQuestion(
  options: ChannelToolsOptions,
  question: Question,
  channel: SnapshotChannel,
  signal: AbortSignal | undefined,
): Promise<Verdict> {
  const { provider, dialect } = question;
  const { url, headers } = provider.endpoint(withBase(provider, channel), callOf(question));
  const json = ["content-type", "application/json", "accept", "application/json", "user-agent", "Turnpike"];
  const proxy = channel.setting.proxy ?? "";
  const body = testBody(question, channel);
  const answer = await askWhole(options.upstream, {
    method: "POST",
    url,
    headers: [...headers, ...json],
    body,
    proxy,
    signal,
  });
  const lacks = answer.status < 400 ? undefined : provider.failure(answer.status, answer.body).missingFormat;
  const formats = formatsOf(provider, channel, question.model);
  const next = formats[formats.indexOf(dialect.name) + 1];
  if (lacks !== "model" || next === undefined || question.operation !== "chat")
    return judge(question, answer, channel.key);
  return putQuestion(
    options,
    { ...question, dialect: formatOf(provider, channel, question.model, next) },
    channel,
    signal,
  );
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
  const isEmbedding = EMBEDDING_NAME.test(model) && provider.manifest.operations.includes("embeddings");
  const question: Question = {
    provider,
    dialect: isEmbedding ? dialectOf(provider) : formatOf(provider, channel, upstreamModel),
    operation: isEmbedding ? "embeddings" : "chat",
    model: upstreamModel,
    site: { options: options.options(), requestedModel: model, isTranslated: true },
  };
  const verdict = await putQuestion(options, question, channel, signal).catch((error: unknown) => ({
    isSuccess: false,
    message: asAppError(error).message,
    reason: reasonOf(error),
    promptTokens: 0,
    completionTokens: 0,
  }));
  return { ...verdict, model, durationMs: Math.max(1, Math.round(performance.now() - startedMs)) };
}

/** Names in a list of models: OpenAI's and Anthropic's `data[].id`, Gemini's `models[].name` without their prefix. */
function namesIn({ data, models }: Record<string, unknown>): readonly string[] {
  const list = Array.isArray(data) ? data : models;
  if (!Array.isArray(list)) throw new AppError("upstream_failed", { message: "The upstream gave no list of models" });
  return list.flatMap((entry: unknown) => {
    const { id, name } = jsonObject(JSON.stringify(entry ?? {}));
    const found = typeof id === "string" ? id : typeof name === "string" ? name.replace(/^models\//, "") : "";
    return found === "" ? [] : [found];
  });
}

const LIST_CALL = { operation: "models", path: "/v1/models", model: "", isStream: false, headers: {} } as const;

async function fetchUpstreamModels(options: ChannelToolsOptions, target: UpstreamTarget): Promise<readonly string[]> {
  const provider = providerOf(options, target.type);
  const { url, headers } = provider.endpoint(withBase(provider, target), {
    ...LIST_CALL,
    dialect: dialectOf(provider).name,
  });
  const all = [...headers, "accept", "application/json", "user-agent", "Turnpike"];
  const ask: Ask = { method: "GET", url, headers: all, body: null, proxy: target.proxy ?? "" };
  const answer = await askWhole(options.upstream, ask).catch((error: unknown) => {
    throw asAppError(error);
  });
  if (answer.status < 200 || answer.status > 299) {
    const { message } = provider.failure(answer.status, withoutUpstreamKey(answer.body, target.key));
    throw new AppError("upstream_failed", { message: `status ${answer.status}: ${redact(message)}` });
  }
  const list = jsonObject(answer.body);
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

/** A name that cannot be resolved now is not refused: its calls are checked on the connected socket. */
async function resolve(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}

/** The tools as the console takes them; balances are asked for in channel-balance.ts. */
export function createChannelTools(options: ChannelToolsOptions): Omit<RelayTools, "askBalance"> {
  return {
    providers: options.providers.all,
    testChannel: (channel, model, signal) => testChannel(options, channel, model, signal),
    fetchUpstreamModels: (target) => fetchUpstreamModels(options, target),
    checkAddress: (baseUrl) => checkAddress(options, baseUrl),
    fetchGuarded: (request) => fetchGuarded(options.upstream, request),
  };
}
