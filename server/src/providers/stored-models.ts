/** Requests to an operator's own server to pull a model or to delete one, and its progress reports. */
import { isObject, numberOf, textOf } from "../dialects/json/fields.ts";

interface StoredModelCall {
  method: "POST" | "DELETE";
  path: string;
  body: Readonly<Record<string, unknown>>;
}

/** How far a pull is; bytes are those of the part under way, 0 where the server names none. */
export interface PullStep {
  status: string;
  completedBytes: number;
  totalBytes: number;
  /** The model is there. */
  isDone: boolean;
}

export interface StoredModels {
  pull(model: string): StoredModelCall;
  remove(model: string): StoredModelCall;
  /** One line of the answer of a pull. */
  readStep(line: string): PullStep | { error: string };
}

const bytesOf = (value: unknown): number => Math.max(0, Math.trunc(numberOf(value) ?? 0));

/** Characters of a state's name that are shown. */
const STATUS_LENGTH = 100;

/** Lines of JSON with `status`, `completed` and `total`, or `error`; the last status is `success` (docs.ollama.com/api/pull). */
function readStep(line: string): PullStep | { error: string } {
  let fields: unknown;
  try {
    fields = JSON.parse(line);
  } catch {
    fields = undefined;
  }
  if (!isObject(fields)) return { error: "The server's answer is not what its format has" };
  if (fields["error"] !== undefined) return { error: textOf(fields["error"]) || "The server could not pull the model" };
  const status = textOf(fields["status"]);
  return {
    status: status.slice(0, STATUS_LENGTH),
    completedBytes: bytesOf(fields["completed"]),
    totalBytes: bytesOf(fields["total"]),
    isDone: status === "success",
  };
}

/** Ollama's own API (docs.ollama.com/api/pull, docs.ollama.com/api/delete). */
export const ollamaModels: StoredModels = {
  pull: (model) => ({ method: "POST", path: "/api/pull", body: { model, stream: true } }),
  remove: (model) => ({ method: "DELETE", path: "/api/delete", body: { model } }),
  readStep,
};
