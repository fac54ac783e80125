/** OpenAI's and Gemini's video APIs as their documentation has them: one server that plays both, with bytes of the videos. */
import { type GivenAnswer, type JsonServer, type SeenRequest, startJsonServer } from "./json-server.ts";

export const VIDEO_KEY = "sk-video-0123456789abcdef";
export const VIDEO_BYTES = Buffer.from("00000018667479706d703432", "hex");

/** Where vendors' servers have the video of a finished task, which wants no key. */
export const FILM_PATH = "/film.mp4";
export const FILM: GivenAnswer = { body: VIDEO_BYTES, headers: { "content-type": "video/mp4" } };

export interface FakeVideos extends JsonServer {
  videos: Map<string, Record<string, unknown>>;
  operations: Map<string, Record<string, unknown>>;
  next: GivenAnswer | undefined;
  /** How the last one asked for goes on. */
  finish(id: string, fields: Record<string, unknown>): void;
}

const FIELD = /name="(\w+)"\r\n\r\n([^\r]*)/g;
const formOf = ({ body }: SeenRequest): Record<string, string> =>
  Object.fromEntries([...body.matchAll(FIELD)].map(([, name = "", value = ""]) => [name, value]));

export async function startFakeVideos(): Promise<FakeVideos> {
  const videos = new Map<string, Record<string, unknown>>();
  const operations = new Map<string, Record<string, unknown>>();
  let count = 0;

  const openAi = (request: SeenRequest): GivenAnswer => {
    if (request.headers.authorization !== `Bearer ${VIDEO_KEY}`)
      return {
        status: 401,
        body: { error: { message: "bad key", type: "invalid_request_error", code: "invalid_api_key" } },
      };
    const original = videos.get(/^\/v1\/videos\/(\w+)\/remix$/.exec(request.path)?.[1] ?? "");
    if (request.method === "POST" && original !== undefined) {
      const id = `video_${(count += 1)}`;
      const { prompt } = request.fields;
      const made = { id, prompt, status: "queued", progress: 0, completed_at: null };
      videos.set(id, { ...original, ...made, remixed_from_video_id: original["id"] });
      return { body: videos.get(id) };
    }
    if (request.method === "POST" && request.path === "/v1/videos") {
      const isJson = String(request.headers["content-type"]).startsWith("application/json");
      const { model, prompt, seconds = "4", size = "720x1280" } = isJson ? request.fields : formOf(request);
      const id = `video_${(count += 1)}`;
      const made = { id, object: "video", model, prompt, seconds, size, status: "queued", progress: 0 };
      const rest = { created_at: 1_760_000_000, completed_at: null, expires_at: null, error: null };
      videos.set(id, { ...made, ...rest, remixed_from_video_id: null });
      return { body: videos.get(id) };
    }
    const [, id = "", content] = /^\/v1\/videos\/(\w+)(\/content)?/.exec(request.path) ?? [];
    const found = videos.get(id);
    if (found === undefined)
      return { status: 404, body: { error: { message: "no such video", type: "invalid_request_error" } } };
    return content === undefined ? { body: found } : { body: VIDEO_BYTES, headers: { "content-type": "video/mp4" } };
  };

  const gemini = (request: SeenRequest): GivenAnswer => {
    if (request.headers["x-goog-api-key"] !== VIDEO_KEY)
      return { status: 403, body: { error: { message: "bad key" } } };
    if (request.path.startsWith("/v1beta/files/"))
      return { body: VIDEO_BYTES, headers: { "content-type": "video/mp4" } };
    const model = /^\/v1beta\/models\/([^:/]+):predictLongRunning$/.exec(request.path)?.[1];
    if (model !== undefined) {
      const name = `models/${model}/operations/op${(count += 1)}`;
      operations.set(name, { name });
      return { body: { name } };
    }
    const found = operations.get(request.path.slice("/v1beta/".length));
    return found === undefined ? { status: 404, body: { error: { message: "no operation" } } } : { body: found };
  };

  const server = await startJsonServer((request) => {
    const own = fake.next;
    fake.next = undefined;
    if (own !== undefined) return own;
    return request.path.startsWith("/v1beta/") ? gemini(request) : openAi(request);
  });
  const fake: FakeVideos = {
    ...server,
    videos,
    operations,
    next: undefined,
    finish: (id, fields) => void Object.assign(videos.get(id) ?? operations.get(id) ?? {}, fields),
  };
  return fake;
}
