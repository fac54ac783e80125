/** A Midjourney proxy as its documentation has it (github.com/novicezk/midjourney-proxy, docs/api.md): submissions, tasks, seeds and notices. */
import { type GivenAnswer, type JsonServer, type SeenRequest, startJsonServer } from "./json-server.ts";

export const PROXY_SECRET = "proxy-secret-0123456789";

export interface ProxyTask {
  id: string;
  action: string;
  status: string;
  progress: string;
  imageUrl?: string;
  failReason?: string;
  [field: string]: unknown;
}

export interface FakeProxy extends JsonServer {
  tasks: Map<string, ProxyTask>;
  /** What the next submission is answered in place of code 1. */
  next: GivenAnswer | undefined;
  /** What questions for tasks are answered in place of the tasks. */
  broken: GivenAnswer | undefined;
  change(id: string, fields: Partial<ProxyTask>): void;
  /** Sends a task's notice to the address that its submission named. */
  notify(id: string): Promise<Response>;
}

const SUBMIT = /^\/mj\/(submit\/[\w-]+|insight-face\/swap)$/;

export async function startFakeProxy(): Promise<FakeProxy> {
  const tasks = new Map<string, ProxyTask>();
  const hooks = new Map<string, string>();
  let count = 0;

  const submit = ({ path, fields }: SeenRequest): GivenAnswer => {
    const own = fake.next;
    fake.next = undefined;
    if (own !== undefined) return own;
    if (path.endsWith("upload-discord-images"))
      return { body: { code: 1, description: "ok", result: ["https://cdn.example.com/1.png"] } };
    count += 1;
    const id = `13200981734${String(count).padStart(5, "0")}`;
    tasks.set(id, { id, action: "IMAGINE", status: "SUBMITTED", progress: "0%", submitTime: 1_760_000_000_000 });
    if (typeof fields["notifyHook"] === "string") hooks.set(id, fields["notifyHook"]);
    return { body: { code: 1, description: "提交成功", result: id, properties: {} } };
  };

  const ask = (request: SeenRequest): GivenAnswer => {
    if (request.headers["mj-api-secret"] !== PROXY_SECRET) return { status: 401, body: { message: "no secret" } };
    if (SUBMIT.test(request.path)) return submit(request);
    if (request.path === "/mj/task/list-by-condition") {
      if (fake.broken !== undefined) return fake.broken;
      const ids = request.fields["ids"] as string[];
      return { body: ids.flatMap((id) => tasks.get(id) ?? []) };
    }
    const seed = /^\/mj\/task\/(\w+)\/image-seed$/.exec(request.path)?.[1];
    if (seed !== undefined) return { body: { code: 1, description: "ok", result: "1234567890" } };
    return { status: 404, body: { message: "not found" } };
  };

  const server = await startJsonServer(ask);
  const fake: FakeProxy = {
    ...server,
    tasks,
    next: undefined,
    broken: undefined,
    change: (id, fields) => void Object.assign(tasks.get(id) ?? {}, fields),
    notify: (id) =>
      fetch(hooks.get(id) ?? "", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(tasks.get(id)),
      }),
  };
  return fake;
}
