/** A Suno API as its documentation has it (github.com/Suno-API/Suno-API): submissions, and tasks by their ids. */
import { type GivenAnswer, type JsonServer, type SeenRequest, startJsonServer } from "./json-server.ts";

export const SUNO_KEY = "suno-secret-0123456789";

export interface SunoTask {
  task_id: string;
  action: string;
  status: string;
  fail_reason: string;
  submit_time: number;
  start_time: number;
  finish_time: number;
  data: unknown;
}

export interface FakeSuno extends JsonServer {
  tasks: Map<string, SunoTask>;
  next: GivenAnswer | undefined;
  broken: GivenAnswer | undefined;
  /** Number of next submissions that are taken and never answered. */
  unanswered: number;
  change(id: string, fields: Partial<SunoTask>): void;
}

export async function startFakeSuno(): Promise<FakeSuno> {
  const tasks = new Map<string, SunoTask>();
  let count = 0;
  const submit = ({ path }: SeenRequest): GivenAnswer | undefined => {
    const own = fake.next;
    fake.next = undefined;
    if (own !== undefined) return own;
    count += 1;
    const id = `2f2b1c1e-0000-4000-8000-${String(count).padStart(12, "0")}`;
    const [action = ""] = path.split("/").slice(-1);
    const times = { submit_time: 1_760_000_000, start_time: 0, finish_time: 0 };
    tasks.set(id, { task_id: id, action, status: "NOT_START", fail_reason: "", ...times, data: null });
    if (fake.unanswered > 0) {
      fake.unanswered -= 1;
      return undefined;
    }
    return { body: { code: "success", message: "", data: id } };
  };
  const server = await startJsonServer((request) => {
    if (request.headers.authorization !== `Bearer ${SUNO_KEY}`) return { status: 401, body: { message: "no key" } };
    if (/^\/suno\/submit\/(?:MUSIC|LYRICS)$/.test(request.path)) return submit(request);
    if (request.path !== "/suno/fetch") return { status: 404, body: { message: "not found" } };
    if (fake.broken !== undefined) return fake.broken;
    const ids = request.fields["ids"] as string[];
    return { body: { code: "success", message: "", data: ids.flatMap((id) => tasks.get(id) ?? []) } };
  });
  const fake: FakeSuno = {
    ...server,
    tasks,
    next: undefined,
    broken: undefined,
    unanswered: 0,
    change: (id, fields) => void Object.assign(tasks.get(id) ?? {}, fields),
  };
  return fake;
}
