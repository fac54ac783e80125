/** Pictures and videos of tasks through this site: for their owner, or a holder of the signed address; lists, operations and deletion of videos. */
import { fetchFilterOf } from "../../../../contract/src/options/fetch-rules.ts";
import { isFinished } from "../../../../contract/src/tasks.ts";
import { isObject } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { StoredTask } from "../../tasks/kinds/kind.ts";
import { video } from "../../tasks/kinds/video.ts";
import { operationView } from "../../tasks/kinds/videos/gemini.ts";
import type { VideoBytes, VideoQuestion, VideoSource } from "../../tasks/kinds/videos/vendor.ts";
import { ofVendor } from "../../tasks/kinds/videos/vendors.ts";
import type { ResponseHeaders, UpstreamCall, UpstreamSink } from "../../upstream/client.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import { fetchMedia } from "../../upstream/media.ts";
import { workerOf } from "../../upstream/worker.ts";
import { keyOwner } from "../admission/authenticate.ts";
import { type Caller, checkAddress } from "../admission/caller.ts";
import { NEUTRAL_USER_AGENT } from "../attempt/added-headers.ts";
import { signRequest } from "../attempt/sign-request.ts";
import { providerChannel } from "../attempt/upstream-endpoint.ts";
import type { Call } from "../call/call.ts";
import { RelayError } from "../call/relay-error.ts";
import { baseHeaders } from "../call/respond.ts";
import { queryOf } from "../request/paths.ts";
import { askOfTask } from "./ask.ts";
import { originChannel } from "./handover.ts";

/** Kinds that a browser shows and does not run. */
const SHOWN = /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp)|video\/(?:mp4|webm))$/;

/** The sign in the address; null where there is none, and the caller's key says who it is. */
export const signIn = ({ request }: Call): string | null => queryOf(request.url ?? "").get("sign");

/** The task with this id whose sign was given, else the one of the key's owner. Throws RelayError. */
async function pictured(call: Call, taskId: string): Promise<StoredTask> {
  const { context, request } = call;
  const sign = signIn(call);
  const tasks = await context.tasks.withId("mj", taskId);
  if (sign !== null) {
    const signed = tasks.find((task) => context.tasks.isSigned(task, sign));
    if (signed !== undefined) return signed;
    throw new RelayError("task_not_found", { code: "midjourney_task_not_found" });
  }
  const { token, user } = keyOwner(context, request);
  checkAddress(token, context.clientAddress(request));
  const own = tasks.find(({ user_id }) => user_id === user.id);
  if (own === undefined) throw new RelayError("task_not_found", { code: "midjourney_task_not_found" });
  return own;
}

async function fetched({ context }: Call, url: string) {
  const { upstream, snapshot, pictureFetches } = context;
  const picture = pictureFetches.now(() =>
    fetchMedia(upstream, url, {}, workerOf(snapshot.options), fetchFilterOf(snapshot.options)),
  );
  if (picture === undefined) throw new RelayError("over_capacity", { retryAfterSeconds: 1 });
  try {
    return await picture;
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
    throw new RelayError("picture_unavailable", { message: `The picture could not be fetched: ${error.message}.` });
  }
}

/** Answers with the picture. Throws RelayError, or rejects with it. */
export async function answerPicture(call: Call, taskId: string): Promise<void> {
  const task = await pictured(call, taskId);
  if (task.result_url === "") throw new RelayError("task_not_found", { code: "midjourney_task_not_found" });
  const { mimeType, base64 } = await fetched(call, task.result_url);
  if (!SHOWN.test(mimeType))
    throw new RelayError("picture_unavailable", { message: "What stands there is no picture." });
  const body = Buffer.from(base64, "base64");
  const caching = isFinished(task.status) ? "private, max-age=86400, immutable" : "no-store";
  call.status = 200;
  const headers = baseHeaders(call.requestId);
  headers.push("Content-Type", mimeType, "Content-Length", String(body.length), "Cache-Control", caching);
  headers.push("X-Content-Type-Options", "nosniff", "Content-Security-Policy", "sandbox; default-src 'none'");
  call.response.writeHead(200, headers);
  call.response.end(body);
}

const MAX_LISTED = 100;
const LISTED = 20;
const MAX_REDIRECTS = 3;
/** Kinds that a browser shows and does not run. */
const PASSED = /^(?:video\/[\w.+-]+|image\/(?:png|jpeg|webp)|application\/octet-stream)\b/;

/** A page of the caller's own videos. Rejects with RelayError 400 for a video that is not there. */
export async function listVideos(call: Call, { user }: Caller): Promise<JsonObject> {
  const { tasks } = call.context;
  const query = queryOf(call.request.url ?? "");
  const asked = Number(query.get("limit") ?? LISTED);
  const limit = Number.isInteger(asked) && asked >= 1 ? Math.min(asked, MAX_LISTED) : LISTED;
  const after = query.get("after");
  const [last] = after === null ? [] : await tasks.find(user.id, "video", [after]);
  if (after !== null && last === undefined) throw new RelayError("task_not_found", { status: 404, param: "after" });
  const isAscending = query.get("order") === "asc";
  const found = await tasks.list(user.id, "video", { limit: limit + 1, afterRow: last?.id ?? 0, isAscending });
  const data = found.slice(0, limit).map((task) => video.view(task, tasks.resultUrl(task)));
  const ids = data.map(({ id }) => id);
  return {
    object: "list",
    data,
    first_id: ids[0] ?? null,
    last_id: ids.at(-1) ?? null,
    has_more: found.length > limit,
  };
}

/** The address at which a video's bytes are fetched here. */
const contentUrl = ({ context }: Call, { task_id }: StoredTask): string =>
  `${context.snapshot.options.ServerAddress.replace(/\/+$/, "")}/v1/videos/${encodeURIComponent(task_id)}/content`;

/** The operation behind a video, as Gemini's clients ask for it. */
export const operationOf = (call: Call, task: StoredTask): JsonObject => operationView(task, contentUrl(call, task));

/** The caller sees it no more; one that is being made cannot be called back. Rejects with RelayError 409. */
export async function deleteVideo({ context }: Call, task: StoredTask): Promise<JsonObject> {
  if (!isFinished(task.status)) throw new RelayError("task_under_way");
  await context.tasks.remove(task);
  return { id: task.task_id, object: "video.deleted", deleted: true };
}

interface ByteSource {
  url: string;
  headers: string[];
  isForUser: boolean;
  proxy: string;
}

/** Where a vendor that gives addresses anew has the video now. Rejects with RelayError 502 where it does not say. */
async function newAddress(call: Call, stored: StoredTask, channel: SnapshotChannel, asked: VideoQuestion) {
  const { vendor, task } = ofVendor(stored);
  const question = { operation: "videos", model: stored.model, ...asked } as const;
  try {
    const { status, body } = await askOfTask(call.context, channel, question);
    const event = status === 200 && isObject(body) ? vendor.event(body, task) : undefined;
    if (event?.resultUrl !== undefined && event.resultUrl !== "") return event.resultUrl;
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
  }
  throw new RelayError("upstream_failed");
}

/** The bytes of a vendor that has the video in its answer. Rejects with RelayError 502 where it has it no more. */
async function bytesIn(
  call: Call,
  stored: StoredTask,
  channel: SnapshotChannel,
  { question, read }: Extract<VideoSource, { from: "bytes" }>,
): Promise<VideoBytes> {
  try {
    const asked = { operation: "videos", model: stored.model, ...question } as const;
    // Such an answer is in memory as a whole, so it counts among those of pictures.
    const answer = call.context.pictureFetches.now(() => askOfTask(call.context, channel, asked));
    if (answer === undefined) throw new RelayError("over_capacity", { retryAfterSeconds: 1 });
    const { status, body } = await answer;
    const bytes = status === 200 && isObject(body) ? read(body) : undefined;
    if (bytes !== undefined && PASSED.test(bytes.mimeType)) return bytes;
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
  }
  throw new RelayError("upstream_failed");
}

/** Where the bytes are, and the headers that go there: the key goes to the channel's own host alone. Rejects with RelayError. */
async function sourceOf(call: Call, stored: StoredTask): Promise<ByteSource | VideoBytes> {
  const channel = originChannel(call, stored);
  const provider = call.context.providers.byType(channel.type);
  if (provider === undefined) throw new RelayError("task_channel_disabled");
  const { vendor, task } = ofVendor(stored);
  const source = vendor.source(task);
  if (source.from === "bytes") return bytesIn(call, stored, channel, source);
  const variant = queryOf(call.request.url ?? "").get("variant");
  const isOwn = source.from === "path";
  const query =
    isOwn && source.takesVariant === true && variant !== null ? `?variant=${encodeURIComponent(variant)}` : "";
  const path = isOwn ? source.path + query : "/";
  const asked = { operation: "videos", dialect: "openai-chat", path, model: stored.model, isStream: false } as const;
  const own = provider.endpoint(providerChannel({ channel, provider }), { ...asked, headers: {} });
  const proxy = channel.setting.proxy ?? "";
  if (isOwn) {
    const plain = { ...own, body: Buffer.alloc(0), method: "GET" } as const;
    const signed = await signRequest(call.context, {
      provider,
      channel,
      providerCall: { ...asked, headers: {} },
      ...plain,
    });
    if ("kind" in signed) throw new RelayError("upstream_failed");
    return { url: signed.url, headers: signed.headers, isForUser: false, proxy };
  }
  const url = source.from === "address" ? source.url : await newAddress(call, stored, channel, source.question);
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) throw new RelayError("upstream_failed");
  const isOwnHost = URL.parse(url)?.origin === URL.parse(own.url)?.origin;
  return { url, headers: isOwnHost ? own.headers : [], isForUser: !isOwnHost, proxy: isOwnHost ? proxy : "" };
}

const headerOf = (headers: ResponseHeaders, name: string): string => String(headers[name] ?? "");

/** What a browser needs to show a video and to run nothing. */
const headersOf = (requestId: string, type: string, length: string): string[] => [
  ...baseHeaders(requestId),
  "Content-Type",
  type,
  "Cache-Control",
  "private, no-store",
  ...(length === "" ? [] : ["Content-Length", length]),
  "X-Content-Type-Options",
  "nosniff",
  "Content-Security-Policy",
  "sandbox; default-src 'none'",
];

function answerBytes(call: Call, { mimeType, base64 }: VideoBytes): void {
  const body = Buffer.from(base64, "base64");
  call.status = 200;
  call.response.writeHead(200, headersOf(call.requestId, mimeType, String(body.length)));
  call.response.end(body);
}

/** Hands bytes on as they come and as fast as the client takes them. */
class VideoSink implements UpstreamSink {
  readonly #call: Call;
  readonly #done: (redirect: string | undefined) => void;
  readonly #fail: (error: RelayError) => void;
  upstream: UpstreamCall | undefined = undefined;

  constructor(call: Call, done: (redirect: string | undefined) => void, fail: (error: RelayError) => void) {
    this.#call = call;
    this.#done = done;
    this.#fail = fail;
  }

  started(status: number, headers: ResponseHeaders): void {
    const location = headerOf(headers, "location");
    if (status >= 300 && status < 400 && location !== "") {
      this.#done(location);
      return this.upstream?.abort();
    }
    const type = headerOf(headers, "content-type");
    if (status !== 200 || !PASSED.test(type)) {
      this.#fail(new RelayError(status === 404 ? "task_not_found" : "upstream_failed"));
      return this.upstream?.abort();
    }
    const { response, requestId } = this.#call;
    const length = headers["content-encoding"] === undefined ? headerOf(headers, "content-length") : "";
    this.#call.status = 200;
    response.writeHead(200, headersOf(requestId, type, length));
    response.on("drain", () => this.upstream?.resume());
    response.on("close", () => this.upstream?.abort());
  }

  data(chunk: Buffer): void {
    const { response } = this.#call;
    if (response.headersSent && !response.destroyed && !response.write(chunk)) this.upstream?.pause();
  }

  ended(): void {
    this.#call.response.end();
    this.#done(undefined);
  }

  failed(fault: UpstreamFault): void {
    this.#fail(new RelayError(fault.kind === "address" ? "upstream_unreachable" : "upstream_broken"));
  }
}

/** Answers with the bytes of the video whose address this site gave. Rejects with RelayError. */
export async function answerSignedVideo(call: Call, id: string): Promise<void> {
  const { tasks, videoFetches } = call.context;
  const sign = signIn(call) ?? "";
  const task = (await tasks.withId("video", id)).find((each) => tasks.isSigned(each, sign));
  if (task === undefined) throw new RelayError("task_not_found", { status: 404 });
  const answered = videoFetches.now(() => answerVideo(call, task));
  if (answered === undefined) throw new RelayError("over_capacity", { retryAfterSeconds: 1 });
  await answered;
}

/** Answers with the bytes of a video that is done. Rejects with RelayError. */
export async function answerVideo(call: Call, task: StoredTask): Promise<void> {
  if (task.status !== "SUCCESS") throw new RelayError("task_unfinished");
  const { upstream, timeouts } = call.context;
  const found = await sourceOf(call, task);
  if ("base64" in found) return answerBytes(call, found);
  let source = found;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const from = source;
    const location = await new Promise<string | undefined>((resolve, reject) => {
      const sink = new VideoSink(call, resolve, reject);
      const timers = { firstByteTimeoutMs: timeouts.firstByteMs, idleTimeoutMs: timeouts.idleMs };
      const headers = [...from.headers, "accept", "*/*", "user-agent", NEUTRAL_USER_AGENT];
      sink.upstream = upstream.send({ method: "GET", body: null, ...from, headers, ...timers }, sink);
    });
    if (location === undefined) return;
    const url = URL.parse(location, from.url);
    if (url === null) break;
    // A server that the upstream leads to gets no key, and has to be public.
    source = { url: url.href, headers: [], isForUser: true, proxy: "" };
  }
  throw new RelayError("upstream_failed");
}
