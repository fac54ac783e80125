/** Paths of tasks: which are handed over to an upstream, and which ask for those that were. */
import type { ServedPlatform } from "../../tasks/kinds/registry.ts";
import { IMAGE_VERBS } from "../../tasks/kinds/image.ts";

/** What a task's path asks for. */
export interface TaskPath {
  platform: ServedPlatform;
  /** `submit` hands a task over; the others ask for, or bring, something of one that was. */
  request:
    | "submit"
    | "list"
    | "delete"
    | "operation"
    | "content"
    | "fetch"
    | "fetch_many"
    | "picture"
    | "seed"
    | "notify"
    | "notice";
  /** What a submission's path says behind the common part. */
  verb: string;
  /** Of the task, also of one that a submission goes on from; or the secret of a notice. */
  id: string;
}

interface TaskRule {
  method: "GET" | "POST" | "DELETE";
  path: TaskPath;
}

interface PathPattern {
  method: TaskRule["method"];
  platform: ServedPlatform;
  request: TaskPath["request"];
  /** Its groups are named as what they hold. */
  pattern: RegExp;
}

/** Modes of a proxy's accounts: the upstream is told nothing of them (github.com/novicezk/midjourney-proxy). */
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
    pattern: /^\/v1beta\/models\/(?<verb>[^/]+):predictLongRunning$/,
  },
  {
    method: "GET",
    platform: "video",
    request: "operation",
    pattern: /^\/v1beta\/(?<id>models\/[^/]+\/operations\/[^/]+)$/,
  },
];

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The task's path, where this is one, for this method if it has it; `path` is without a query. */
export function taskPath(path: string, asked: string): TaskRule | undefined {
  const plain = path.replace(MODE, "").replace(/(?<=.)\/$/, "");
  const verb = plain.startsWith("/mj/") ? plain.slice("/mj/".length) : "";
  if (IMAGE_VERBS.has(verb)) return { method: "POST", path: { platform: "mj", request: "submit", verb, id: "" } };
  const rules = PATTERNS.flatMap(({ method, platform, request, pattern }): TaskRule[] => {
    const found = pattern.exec(plain);
    if (found === null) return [];
    const { verb = "", id = "" } = found.groups ?? {};
    return [{ method, path: { platform, request, verb: decoded(verb), id: decoded(id) } }];
  });
  return rules.find(({ method }) => method === asked) ?? rules[0];
}

/** True for the paths of task APIs, also for those that mean nothing. */
export const isTaskUrl = (url: string): boolean => /^\/(?:mj(?:-fast|-relax|-turbo)?|suno)\//.test(url);

/** The platform whose words an error at this address has; undefined for addresses of no task API. */
export const taskPlatformAt = (url: string): ServedPlatform | undefined =>
  isTaskUrl(url) ? (url.startsWith("/suno/") ? "suno" : "mj") : undefined;
