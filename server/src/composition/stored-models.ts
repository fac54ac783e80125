/** Asks the server of a channel to pull a model or to delete one, through the channel's proxy and under the address policy. */
import { AppError } from "../../../contract/src/errors.ts";
import type { RelayTools } from "../console/relay-tools.ts";
import { wordsForOperator } from "../dialects/neutral/failure.ts";
import { redact } from "../observe/logger.ts";
import type { PullStep, StoredModels } from "../providers/stored-models.ts";
import type { Provider } from "../providers/provider.ts";
import type { ProviderRegistry } from "../providers/registry.ts";
import { headersWithoutClient, withAdded } from "../relay/attempt/added-headers.ts";
import type { SnapshotChannel } from "../snapshot/snapshot.ts";
import { askUpstream } from "../upstream/ask.ts";
import type { UpstreamClient, UpstreamRequest } from "../upstream/client.ts";
import { withoutUpstreamKey } from "../upstream/fault.ts";
import { asAppError } from "./upstream-reasons.ts";

/** Between two words of its own a server checks what it has, which takes a while for a large model. */
const TIMEOUTS = { firstByteTimeoutMs: 30_000, idleTimeoutMs: 300_000 } as const;
/** The longest pull. */
const MAXIMUM_PULL_MS = 2 * 3_600_000;
/** How often the progress of a pull is reported at most. */
const STEP_MS = 250;
/** So soon is it noticed that the reader has left, while the server says nothing. */
const LOOK_MS = 1_000;
/** The longest line, and the longest answer to a deletion. */
const MAXIMUM_BYTES = 64 * 1024;

interface Options {
  providers: ProviderRegistry;
  upstream: UpstreamClient;
}

function storeOf({ providers }: Options, channel: SnapshotChannel): { provider: Provider; store: StoredModels } {
  const provider = providers.byType(channel.type);
  if (provider?.storedModels === undefined) throw new AppError("channel_stores_nothing");
  return { provider, store: provider.storedModels };
}

function requestOf(
  provider: Provider,
  channel: SnapshotChannel,
  { method, path, body }: ReturnType<StoredModels["pull"]>,
): UpstreamRequest {
  const baseUrl = channel.baseUrl === "" ? provider.manifest.defaultBaseUrl : channel.baseUrl;
  const { url, headers } = provider.endpoint(
    { ...channel, baseUrl },
    { operation: "embeddings", path, model: "", isStream: false, headers: {}, dialect: "openai-chat" },
  );
  return {
    method,
    url,
    headers: withAdded([...headers, "content-type", "application/json"], headersWithoutClient(channel)),
    body: Buffer.from(JSON.stringify(body)),
    proxy: channel.setting.proxy ?? "",
    ...TIMEOUTS,
  };
}

function refusal(provider: Provider, channel: SnapshotChannel, status: number, body: string): AppError {
  const text = redact(wordsForOperator(provider.failure(status, withoutUpstreamKey(body, channel.key))));
  return new AppError("upstream_failed", {
    message: `status ${status}: ${text}`,
    values: { failure: "upstream_status", status, message: text },
  });
}

/** The newest step of a pull, and how it ended: a slow reader gets fewer steps, and nothing is buffered for it. */
class PullState {
  step: PullStep | undefined;
  end: { error: AppError | undefined } | undefined;
  #changed = Promise.withResolvers<void>();

  changed(): Promise<void> {
    return this.#changed.promise;
  }

  note(step: PullStep): void {
    this.step = step;
    this.#wake();
  }

  finish(error?: AppError): void {
    this.end ??= { error };
    this.#wake();
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** The lines of an answer, of which the last may be unfinished. Throws AppError for a line that is too long. */
function createLines(): (chunk: Buffer) => string[] {
  const decoder = new TextDecoder();
  let rest = "";
  return (chunk) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAXIMUM_BYTES) throw new AppError("upstream_failed", { message: "A line is too long" });
    return lines.filter((line) => line.trim() !== "");
  };
}

/** Sends the request and notes in `state` what comes of it. Gives what ends it. */
function follow(options: Options, channel: SnapshotChannel, model: string, state: PullState): () => void {
  const { provider, store } = storeOf(options, channel);
  const linesOf = createLines();
  let status = 0;
  let refused = "";
  const read = (line: string): void => {
    const step = store.readStep(line);
    if ("error" in step)
      state.finish(new AppError("upstream_failed", { message: redact(withoutUpstreamKey(step.error, channel.key)) }));
    else state.note(step);
  };
  const call = options.upstream.send(requestOf(provider, channel, store.pull(model)), {
    started: (received) => void (status = received),
    data(chunk) {
      if (status !== 200) return void (refused = (refused + chunk.toString("utf8")).slice(0, MAXIMUM_BYTES));
      try {
        for (const line of linesOf(chunk)) read(line);
      } catch (error) {
        state.finish(error instanceof AppError ? error : asAppError(error));
        call.abort();
      }
    },
    ended() {
      if (status !== 200) state.finish(refusal(provider, channel, status, refused));
      else state.finish(state.step?.isDone === true ? undefined : new AppError("upstream_failed"));
    },
    failed: (fault) => state.finish(asAppError(fault)),
  });
  return () => call.abort();
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms).unref());

async function* pull(options: Options, channel: SnapshotChannel, model: string): AsyncGenerator<PullStep | undefined> {
  const state = new PullState();
  const abort = follow(options, channel, model, state);
  const timer = setTimeout(
    () => state.finish(new AppError("upstream_failed", { values: { reason: "timed_out" } })),
    MAXIMUM_PULL_MS,
  ).unref();
  try {
    for (let last: PullStep | undefined; ;) {
      const { step, end } = state;
      if (step !== undefined && step !== last) {
        yield (last = step);
        await pause(STEP_MS);
      } else if (end === undefined) {
        await Promise.race([state.changed(), pause(LOOK_MS)]);
        if (state.step === last && state.end === undefined) yield undefined;
      } else if (end.error === undefined) return;
      else throw end.error;
    }
  } finally {
    clearTimeout(timer);
    abort();
  }
}

async function remove(options: Options, channel: SnapshotChannel, model: string): Promise<void> {
  const { provider, store } = storeOf(options, channel);
  const request = requestOf(provider, channel, store.remove(model));
  const answer = await askUpstream(options.upstream, request, { bytes: MAXIMUM_BYTES }).catch((error: unknown) => {
    throw asAppError(error);
  });
  if (answer.status < 200 || answer.status > 299) throw refusal(provider, channel, answer.status, answer.body);
}

/** The console's interface to models on the disk of a channel's server. */
export const storedModelTools = (options: Options): Pick<RelayTools, "pullModel" | "removeModel"> => ({
  pullModel: (channel, model) => pull(options, channel, model),
  removeModel: (channel, model) => remove(options, channel, model),
});
