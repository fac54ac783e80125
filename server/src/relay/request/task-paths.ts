/** Paths of tasks (image tasks, songs, videos): what each asks for, and the format of its errors. Read by paths.ts. */
import { IMAGE_VERBS } from "../../tasks/kinds/image.ts";
import type { ServedPlatform } from "../../tasks/kinds/registry.ts";
import type { VideoFormName } from "../../tasks/kinds/videos/forms.ts";

/** Text of a path without its escapes; as it is where they are none. */
export function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What a task's path asks for. */
export interface TaskPath {
  platform: ServedPlatform;
  /** `submit` sends a task; the others are requests about one, or notices of one. */
  request:
    | "submit"
    | "list"
    | "delete"
    | "operation"
    | "content"
    | "fetch"
    | "fetch_named"
    | "unknown_action"
    | "fetch_many"
    | "picture"
    | "seed"
    | "notify"
    | "notice";
  /** What a submission's path says behind the common part. */
  verb: string;
  /** Of the task, also of one that a submission continues; or the secret of a notice. */
  id: string;
  /** The form of requests and answers about a video (tasks/kinds/videos/forms.ts); absent for OpenAI's, and for other kinds. */
  form?: VideoFormName;
}

interface TaskRule {
  method: "GET" | "POST" | "DELETE";
  path: TaskPath;
}

interface PathPattern {
  method: TaskRule["method"];
  platform: ServedPlatform;
  request: TaskPath["request"];
  form?: VideoFormName;
  /** Its groups are named as what they hold. */
  pattern: RegExp;
}

/** Modes of a proxy's accounts: the upstream never sees them (github.com/novicezk/midjourney-proxy). */
const MODE = /^\/mj-(?:fast|relax|turbo)(?=\/mj\/)/;

/** Words of OpenAI's that stand where an id does ask for what is not served. */
const ONE_VIDEO = /^\/v1\/videos\/(?!(?:characters|edits|extensions)$)(?<id>[^/]+)$/;

const PATTERNS: readonly PathPattern[] = [
  { method: "GET", platform: "mj", request: "fetch", pattern: /^\/mj\/task\/(?<id>[^/]+)\/fetch$/ },
  { method: "GET", platform: "mj", request: "seed", pattern: /^\/mj\/task\/(?<id>[^/]+)\/image-seed$/ },
  { method: "GET", platform: "mj", request: "picture", pattern: /^\/mj\/image\/(?<id>[^/]+)$/ },
  { method: "POST", platform: "mj", request: "fetch_many", pattern: /^\/mj\/task\/list-by-condition$/ },
  { method: "POST", platform: "mj", request: "notify", pattern: /^\/mj\/notify$/ },
  { method: "POST", platform: "mj", request: "notice", pattern: /^\/mj\/notify\/(?<id>[^/]+)$/ },
  { method: "POST", platform: "suno", request: "submit", pattern: /^\/suno\/(?<verb>submit\/[^/]+)$/ },
  { method: "POST", platform: "suno", request: "fetch_many", pattern: /^\/suno\/fetch$/ },
  { method: "GET", platform: "suno", request: "fetch", pattern: /^\/suno\/fetch\/(?<id>[^/]+)$/ },
  { method: "POST", platform: "video", request: "submit", pattern: /^\/v1\/videos$/ },
  { method: "POST", platform: "video", request: "submit", pattern: /^\/v1\/videos\/(?<id>[^/]+)\/remix$/ },
  { method: "GET", platform: "video", request: "list", pattern: /^\/v1\/videos$/ },
  { method: "GET", platform: "video", request: "fetch", pattern: ONE_VIDEO },
  { method: "DELETE", platform: "video", request: "delete", pattern: ONE_VIDEO },
  { method: "GET", platform: "video", request: "content", pattern: /^\/v1\/videos\/(?<id>[^/]+)\/content$/ },
  {
    method: "POST",
    platform: "video",
    request: "submit",
    form: "gemini",
    pattern: /^\/v1beta\/models\/(?<verb>[^/]+):predictLongRunning$/,
  },
  {
    method: "GET",
    platform: "video",
    request: "operation",
    pattern: /^\/v1beta\/(?<id>models\/[^/]+\/operations\/[^/]+)$/,
  },
  {
    method: "POST",
    platform: "video",
    request: "submit",
    form: "generations",
    pattern: /^\/v1\/video\/generations$/,
  },
  {
    method: "GET",
    platform: "video",
    request: "fetch",
    form: "generations",
    pattern: /^\/v1\/video\/generations\/(?<id>[^/]+)$/,
  },
  {
    method: "POST",
    platform: "video",
    request: "submit",
    form: "kling",
    pattern: /^\/kling\/v1\/videos\/(?<verb>(?:text|image)2video)$/,
  },
  {
    method: "GET",
    platform: "video",
    request: "fetch",
    form: "kling",
    pattern: /^\/kling\/v1\/videos\/(?:text|image)2video\/(?<id>[^/]+)$/,
  },
];

/** What Jimeng's one path asks for, by the action in the query (volcengine.com/docs/85621). */
const JIMENG_ACTIONS: ReadonlyMap<string, "submit" | "fetch_named"> = new Map([
  ["CVSync2AsyncSubmitTask", "submit"],
  ["CVSync2AsyncGetResult", "fetch_named"],
]);

function jimengPath(path: string, url: string): TaskRule | undefined {
  if (path !== "/jimeng") return undefined;
  const action = new URLSearchParams(url.split("?")[1]).get("Action") ?? "";
  const request = JIMENG_ACTIONS.get(action) ?? "unknown_action";
  return { method: "POST", path: { platform: "video", request, verb: "", id: "", form: "jimeng" } };
}

/** The task's path, where this is one, for this method if it has it; `path` is without a query. */
export function taskPath(path: string, asked: string, url: string): TaskRule | undefined {
  const plain = path.replace(MODE, "").replace(/(?<=.)\/$/, "");
  const verb = plain.startsWith("/mj/") ? plain.slice("/mj/".length) : "";
  if (IMAGE_VERBS.has(verb)) return { method: "POST", path: { platform: "mj", request: "submit", verb, id: "" } };
  const rules = PATTERNS.flatMap(({ method, platform, request, form, pattern }): TaskRule[] => {
    const found = pattern.exec(plain);
    if (found === null) return [];
    const { verb = "", id = "" } = found.groups ?? {};
    const named = { platform, request, verb: decodePath(verb), id: decodePath(id) };
    return [{ method, path: form === undefined ? named : { ...named, form } }];
  });
  return rules.find(({ method }) => method === asked) ?? rules[0] ?? jimengPath(plain, url);
}

/** Submissions of the console's studio by a session, and the path of the API that each stands for. */
const STUDIO_PATHS: ReadonlyMap<string, string> = new Map([
  ["/pg/mj/submit/imagine", "/mj/submit/imagine"],
  ["/pg/mj/submit/change", "/mj/submit/change"],
  ["/pg/suno/submit/music", "/suno/submit/music"],
  ["/pg/video/generations", "/v1/video/generations"],
]);

/** The path of the API that one of the console's studio stands for; undefined for any other path. */
export const studioTaskPath = (path: string): string | undefined => STUDIO_PATHS.get(path.replace(/\/$/, ""));

/** True for the paths of task APIs, also for those that mean nothing. */
export const isTaskUrl = (url: string): boolean =>
  /^\/(?:mj(?:-fast|-relax|-turbo)?|suno|kling)\/|^\/jimeng(?:[/?]|$)/.test(url);

/** APIs of tasks with an error format of their own. */
export type TaskApi = "mj" | "suno" | "kling" | "jimeng";

/** The API whose words an error at this address has; undefined for addresses of no task API. */
export function taskApiAt(url: string): TaskApi | undefined {
  if (!isTaskUrl(url)) return undefined;
  return (["suno", "kling", "jimeng"] as const).find((name) => url.startsWith(`/${name}`)) ?? "mj";
}

/** The same for a path of a task. */
export function taskApiOf({ platform, form }: TaskPath): TaskApi | undefined {
  if (platform !== "video") return platform;
  return form === "kling" || form === "jimeng" ? form : undefined;
}
