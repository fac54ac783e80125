/** Which paths are the relay's, and what each asks for: a table, read before anything else on the listener. */
import type { Operation } from "../providers/provider.ts";

export type RelayPath =
  | { kind: "call"; operation: Operation }
  | { kind: "models" }
  | { kind: "model"; model: string }
  | { kind: "subscription" }
  | { kind: "usage" }
  | { kind: "unimplemented" }
  | { kind: "unknown" };

interface PathRule {
  method: "GET" | "POST";
  path: RelayPath;
}

const RULES: Readonly<Record<string, PathRule>> = {
  "/v1/chat/completions": { method: "POST", path: { kind: "call", operation: "chat" } },
  "/v1/completions": { method: "POST", path: { kind: "call", operation: "completions" } },
  "/v1/embeddings": { method: "POST", path: { kind: "call", operation: "embeddings" } },
  "/v1/models": { method: "GET", path: { kind: "models" } },
  "/dashboard/billing/subscription": { method: "GET", path: { kind: "subscription" } },
  "/v1/dashboard/billing/subscription": { method: "GET", path: { kind: "subscription" } },
  "/dashboard/billing/usage": { method: "GET", path: { kind: "usage" } },
  "/v1/dashboard/billing/usage": { method: "GET", path: { kind: "usage" } },
};

/** Paths that OpenAI has and this gateway does not serve: 501 instead of 404. */
const UNIMPLEMENTED =
  /^\/v1\/(?:edits|moderations|responses|images|audio|rerank|messages|realtime|files|fine-tunes|fine_tuning|batches|assistants|threads|vector_stores|uploads|engines|organization|evals|containers|conversations|videos)(?:\/|$)/;

const OWN_PREFIXES = ["/v1/", "/v1beta/", "/dashboard/billing/"];

const pathOf = (url: string): string => {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
};

/** True for every URL that the relay answers, also with an error. */
export function isRelayPath(url: string): boolean {
  return OWN_PREFIXES.some((prefix) => url.startsWith(prefix)) || url === "/v1" || url === "/v1beta";
}

/** What a request asks for; `wrong_method` where the path exists for another method. */
export function findPath(method: string, url: string): RelayPath | "wrong_method" {
  const path = pathOf(url);
  const rule = RULES[path] ?? (path.endsWith("/") ? RULES[path.slice(0, -1)] : undefined);
  if (rule !== undefined) return rule.method === method ? rule.path : "wrong_method";
  if (path.startsWith("/v1/models/") && path.length > 11) {
    if (method !== "GET") return { kind: "unimplemented" };
    return { kind: "model", model: decodePath(path.slice(11)) };
  }
  return UNIMPLEMENTED.test(path) ? { kind: "unimplemented" } : { kind: "unknown" };
}

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
