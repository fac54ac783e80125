/** Jimeng's API at Volcano Engine as its documentation has it (volcengine.com/docs/85621): signed requests (docs/6369/67269) to one path. */
import { createHash, createHmac } from "node:crypto";
import { type GivenAnswer, type JsonServer, type SeenRequest, startJsonServer } from "./json-server.ts";
import { FILM, FILM_PATH } from "./video-api.ts";

const [ACCESS, SECRET] = ["AKLTjimeng0123456789", "jimeng-secret-0123456789"];
export const JIMENG_KEY = `${ACCESS}|${SECRET}`;

export interface FakeJimeng extends JsonServer {
  /** The key of the request by which each was submitted, and what is said of it. */
  tasks: Map<string, { reqKey: unknown; answer: GivenAnswer }>;
  next: GivenAnswer | undefined;
  finish(id: string, how: { url: string } | { reason: string }): void;
}

const sha = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Made anew from what came, step by step as the vendor describes it. */
function isSigned({ headers, path, body }: SeenRequest): boolean {
  const { authorization = "", host = "" } = headers;
  const [time, hash] = [String(headers["x-date"]), String(headers["x-content-sha256"])];
  const parts =
    /^HMAC-SHA256 Credential=([^/]+)\/(\d{8}\/cn-north-1\/cv\/request), SignedHeaders=(\S+), Signature=(\w+)$/;
  const [, access, scope = "", names = "", signature] = parts.exec(authorization) ?? [];
  const ageMs = Math.abs(
    Date.now() - Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z")),
  );
  if (access !== ACCESS || hash !== sha(body) || !(ageMs < 900_000) || !names.includes("host")) return false;
  const [place = "", query = ""] = path.split("?");
  const lines = names.split(";").map((name) => `${name}:${name === "host" ? host : String(headers[name])}\n`);
  const canonical = `POST\n${place}\n${query.split("&").toSorted().join("&")}\n${lines.join("")}\n${names}\n${hash}`;
  let key: Buffer | string = SECRET;
  for (const part of scope.split("/")) key = createHmac("sha256", key).update(part).digest();
  const text = `HMAC-SHA256\n${time}\n${scope}\n${sha(canonical)}`;
  return createHmac("sha256", key).update(text).digest("hex") === signature;
}

const answer = (code: number, message: string, data: unknown, status = 200): GivenAnswer => ({
  status,
  body: { code, data, message, request_id: "r1", status: code, time_elapsed: "30ms" },
});

export async function startFakeJimeng(): Promise<FakeJimeng> {
  const tasks: FakeJimeng["tasks"] = new Map();
  const server = await startJsonServer((request) => {
    if (request.path === FILM_PATH) return FILM;
    if (!isSigned(request))
      return { status: 401, body: { ResponseMetadata: { Error: { Code: "SignatureDoesNotMatch", Message: "no" } } } };
    const own = fake.next;
    fake.next = undefined;
    if (own !== undefined) return own;
    const query = new URLSearchParams(request.path.split("?")[1]);
    const { req_key, task_id } = request.fields;
    if (query.get("Version") !== "2022-08-31" || typeof req_key !== "string") return answer(50_200, "bad", null, 400);
    if (query.get("Action") === "CVSync2AsyncSubmitTask") {
      const id = `75${String(tasks.size + 1).padStart(17, "0")}`;
      tasks.set(id, { reqKey: req_key, answer: answer(10_000, "Success", { status: "in_queue", video_url: "" }) });
      return answer(10_000, "Success", { task_id: id });
    }
    const task = tasks.get(String(task_id));
    return task?.reqKey === req_key ? task.answer : answer(10_000, "Success", { status: "not_found" });
  });
  const fake: FakeJimeng = {
    ...server,
    tasks,
    next: undefined,
    finish(id, how) {
      const task = tasks.get(id);
      if (task === undefined) return;
      task.answer =
        "url" in how
          ? answer(10_000, "Success", { status: "done", video_url: how.url })
          : answer(50_511, how.reason, null, 400);
    },
  };
  return fake;
}
