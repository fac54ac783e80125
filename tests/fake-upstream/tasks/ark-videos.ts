/**
 * Volcengine Ark's video tasks as its documentation has them (volcengine.com/docs/82379/1520757 creates one, /1521309 reports it,
 * /1299023 lists its errors): a bearer token, tasks by their ids, and usage in tokens.
 */
import { type FakeFilms, startFilmServer } from "./film-server.ts";
import type { GivenAnswer } from "./json-server.ts";

export const ARK_KEY = "ark-0123456789abcdef";

const TASKS = "/api/v3/contents/generations/tasks";

const refusal = (status: number, code: string, message: string): GivenAnswer => ({
  status,
  body: { error: { code, message, param: "", type: status === 401 ? "Unauthorized" : "BadRequest" } },
});

/** A new task has an id alone; its report has `status` from `queued` to `succeeded`, `failed`, `cancelled` or `expired`. */
export function startFakeArk(): Promise<FakeFilms> {
  return startFilmServer(({ method, path, headers, fields }, films, nextId) => {
    if (headers.authorization !== `Bearer ${ARK_KEY}`)
      return refusal(401, "AuthenticationError", "The API key in the request is missing or invalid.");
    if (method === "POST" && path === TASKS) {
      if (!Array.isArray(fields["content"])) return refusal(400, "MissingParameter", "content is missing");
      const id = nextId();
      const { model, resolution, ratio, duration } = fields;
      const times = { created_at: 1_760_000_000, updated_at: 1_760_000_000 };
      films.set(id, { id, model, status: "queued", resolution, ratio, duration, ...times });
      return { body: { id } };
    }
    const film = method === "GET" && path.startsWith(`${TASKS}/`) ? films.get(path.slice(TASKS.length + 1)) : undefined;
    return film === undefined ? refusal(404, "ResourceNotFound", "The task is not found.") : { body: film };
  });
}
