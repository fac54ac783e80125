/**
 * Model Studio's video tasks as their documentation has them (alibabacloud.com/help/en/model-studio/text-to-video-api-reference,
 * /image-to-video-general-api-reference): only with the header that makes a request a task, and reported by one path for all of them.
 */
import { type FakeFilms, startFilmServer } from "./film-server.ts";

export const WAN_KEY = "sk-wan-0123456789abcdef";

const SUBMISSIONS = /^\/api\/v1\/services\/aigc\/(?:video-generation|image2video)\/video-synthesis$/;
const TASK = "/api/v1/tasks/";

/** A film's report has `task_status` from `PENDING` to `SUCCEEDED`, `FAILED` or `CANCELED`; of one that it does not know, `UNKNOWN`. */
export function startFakeWan(): Promise<FakeFilms> {
  return startFilmServer(({ method, path, headers, fields }, films, nextId) => {
    const request_id = "4909100c-7b5a-9f92-bfe5-000000000000";
    if (headers.authorization !== `Bearer ${WAN_KEY}`)
      return { status: 401, body: { request_id, code: "InvalidApiKey", message: "Invalid API-key provided." } };
    if (method === "POST" && SUBMISSIONS.test(path)) {
      if (headers["x-dashscope-async"] !== "enable")
        return {
          status: 403,
          body: { request_id, code: "AccessDenied", message: "does not support synchronous calls" },
        };
      if (typeof fields["input"] !== "object")
        return { status: 400, body: { request_id, code: "InvalidParameter", message: "input is missing" } };
      const task_id = nextId();
      films.set(task_id, { task_id, task_status: "PENDING" });
      return { body: { request_id, output: { task_id, task_status: "PENDING" } } };
    }
    if (method !== "GET" || !path.startsWith(TASK)) return { status: 404, body: { request_id, code: "NotFound" } };
    const task_id = path.slice(TASK.length);
    return { body: { request_id, output: films.get(task_id) ?? { task_id, task_status: "UNKNOWN" } } };
  });
}
