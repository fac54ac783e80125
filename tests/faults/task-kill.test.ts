/**
 * Fault: servers that are killed while songs and videos are submitted, and again while failed ones are refunded, charge each once and refund each
 * failed one once.
 */
import { expect, test } from "vitest";
import { type FakeKling, KLING_KEY, startFakeKling } from "../fake-upstream/tasks/kling-api.ts";
import { type FakeSuno, SUNO_KEY, startFakeSuno } from "../fake-upstream/tasks/suno-api.ts";
import { engines } from "../support/databases/databases.ts";
import { letDeadProcessesAge, letTaskLeaseEnd, letTasksAge } from "../support/soak/ageing.ts";
import { IS_LONG } from "../support/soak/short-or-long.ts";
import { type ServerProcess, startServer, until } from "../support/systems/processes.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";
import {
  PERSON_PASSWORD,
  type Row,
  type Site,
  type TestLedger,
  dataOf,
  loggedIn,
  makeSite,
  openTestLedger,
} from "../support/systems/site.ts";
import { TASK_PROCESS } from "../support/tasks/task-process.ts";

/** Of a song, and of five seconds of Kling. */
const PRICES = { song: 50_000, video: 70_000 } as const;
const QUOTA = 10 ** 9;
const TASKS = IS_LONG ? 2_000 : 240;
const LANES = 24;
/** Tasks whose clients have their answer before the first kill, and those that each upstream accepted without a response to any client. */
const BEFORE_KILL = 60;
const CUT_BY_KILL = 3;
const PROCESSES = { sqlite: 1, postgres: 2, mysql: 2 } as const;

/** The servers of a site, started and killed together. */
class Servers {
  readonly #site: Site;
  all: readonly ServerProcess[] = [];

  constructor(site: Site) {
    this.#site = site;
  }

  async start(): Promise<void> {
    const { engine, env } = this.#site;
    // The embedded database belongs to one process.
    this.all = await Promise.all(Array.from({ length: PROCESSES[engine] }, () => startServer(env, TASK_PROCESS)));
  }

  at(index: number): ServerProcess {
    const server = this.all[index % this.all.length];
    if (server === undefined) throw new Error("no server runs");
    return server;
  }

  async kill(): Promise<void> {
    await Promise.all(this.all.map((server) => server.end("SIGKILL")));
  }
}

interface Upstreams {
  suno: FakeSuno;
  kling: FakeKling;
}

/** Channels of songs and of videos, and a limited token, once every server knows them. */
async function furnish(servers: Servers, { suno, kling }: Upstreams): Promise<{ id: number; key: string }> {
  const [root, person] = await Promise.all([
    loggedIn(servers.at(0).url, "root", ROOT_PASSWORD),
    loggedIn(servers.at(0).url, "person0", PERSON_PASSWORD),
  ]);
  const channel = { type: 36, name: "songs", key: SUNO_KEY, base_url: suno.url, models: "suno_music" };
  const videos = { type: 50, name: "videos", key: KLING_KEY, base_url: kling.url, models: "kling-v1" };
  for (const each of [videos, channel])
    await dataOf(root.post("/api/channel", { ...each, groups: ["default"], auto_ban: 0 }));
  const token = await dataOf<{ id: number; key: string }>(
    person.post("/api/token", { name: "songs", remain_quota: QUOTA, expired_time: -1 }),
  );
  const headers = { authorization: `Bearer sk-${token.key}` };
  for (const { url } of servers.all)
    await until(
      async () => (await (await fetch(`${url}/v1/models`, { headers })).text()).includes("suno_music"),
      "a server that knows the channel",
    );
  return token;
}

/** What is submitted, and the id in its answer; undefined for a refusal. */
const REQUESTS = [
  {
    path: "/suno/submit/music",
    body: { prompt: "rain" },
    id: ({ code, data }: Answer) => (code === "success" ? data : undefined),
  },
  { path: "/v1/video/generations", body: { model: "kling-v1", prompt: "rain" }, id: ({ task_id }: Answer) => task_id },
] as const;
type Answer = Partial<Record<"code" | "data" | "task_id", string>>;

/** Hands songs and videos over side by side until so many were answered or a server is gone; `answered` gets the ids. */
async function handOver(servers: Servers, key: string, answered: string[], count: number): Promise<void> {
  const headers = { authorization: `Bearer sk-${key}`, "content-type": "application/json" };
  const lane = async (_each: unknown, index: number): Promise<void> => {
    const { path, body, id } = REQUESTS[index % 8 < 6 ? 0 : 1];
    const request = { method: "POST", headers, body: JSON.stringify(body) };
    while (answered.length < count) {
      const response = await fetch(`${servers.at(index).url}${path}`, request).catch(() => undefined);
      const text = await response?.text().catch(() => undefined);
      if (text === undefined) return;
      const made = id(JSON.parse(text) as Answer);
      if (made === undefined) throw new Error(text);
      answered.push(made);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

const countOf = async (ledger: TestLedger, from: string): Promise<number> =>
  Number((await ledger.rows(`SELECT COUNT(*) AS total FROM ${from}`))[0]?.["total"]);

/** Simulates hours on alternating processes, until every task is done. */
async function endAll(site: Site, ledger: TestLedger): Promise<void> {
  await until(async () => {
    if ((await countOf(ledger, "tasks WHERE next_poll_time > 0")) === 0) return true;
    await letTasksAge(site);
    await letTaskLeaseEnd(site);
    return false;
  }, "the end of all tasks");
}

/** Charges and refunds in the ledger, and their rows in the log, for each way that a task may have ended. */
const ENDS: Readonly<Record<string, readonly [charges: number, refunds: number]>> = {
  "SUCCESS charged": [1, 0],
  "FAILURE refunded": [1, 1],
  "SUCCESS uncharged": [0, 0],
  "FAILURE uncharged": [0, 0],
};

/** How many of the rows have each id. */
function counted(rows: readonly Row[], column: string): (id: string) => number {
  const ids = Map.groupBy(rows, (row) => String(row[column]));
  return (id) => ids.get(id)?.length ?? 0;
}

/** Ends by the tasks' ids at the upstream; each has the entries and log rows of its end. */
async function endsOf(ledger: TestLedger): Promise<ReadonlyMap<string, string>> {
  const entries = counted(await ledger.rows("SELECT entry_id FROM ledger"), "entry_id");
  const charged = counted(await ledger.rows("SELECT request_id FROM logs WHERE type = 2"), "request_id");
  // Of the same type are rows of calls that were cut, once what was held for them is free.
  const refunds = "type = 4 AND other LIKE '%\"task_refunded\"%'";
  const refunded = counted(await ledger.rows(`SELECT request_id FROM logs WHERE ${refunds}`), "request_id");
  const tasks = await ledger.rows("SELECT task_id, request_id, status, charge FROM tasks");
  for (const { request_id, status, charge } of tasks) {
    const id = String(request_id);
    const written = [entries(id), entries(`refund:${id}`), charged(id), refunded(id)];
    const [charges, refunds] = ENDS[`${String(status)} ${String(charge)}`] ?? [];
    expect({ id, status, charge, written }).toEqual({
      id,
      status,
      charge,
      written: [charges, refunds, charges, refunds],
    });
  }
  return new Map(tasks.map(({ task_id, status, charge }) => [String(task_id), `${String(status)} ${String(charge)}`]));
}

test.each(await engines())("on %s", { timeout: IS_LONG ? 300_000 : 120_000 }, async (engine) => {
  const [suno, kling] = await Promise.all([startFakeSuno(), startFakeKling()]);
  const site = await makeSite(engine, { upstreamUrl: suno.url, quotas: [QUOTA] });
  const servers = new Servers(site);
  await servers.start();
  const token = await furnish(servers, { suno, kling });
  const ledger = await openTestLedger(site);

  const answered: string[] = [];
  suno.unanswered = kling.unanswered = CUT_BY_KILL;
  const handingOver = handOver(servers, token.key, answered, TASKS);
  const taken = () => [...suno.tasks.keys(), ...kling.tasks.keys()];
  await until(() => answered.length >= BEFORE_KILL, "tasks on their way");
  await servers.kill();
  await handingOver;
  const cut = taken().length - answered.length;
  expect(cut).toBeGreaterThanOrEqual(2 * CUT_BY_KILL);
  expect(answered.length).toBeLessThan(TASKS);
  await servers.start();
  await handOver(servers, token.key, answered, TASKS);

  const succeeded = new Set(taken().filter((_id, index) => index % 4 === 0));
  for (const id of suno.tasks.keys()) suno.change(id, { status: succeeded.has(id) ? "SUCCESS" : "FAILURE" });
  for (const id of kling.tasks.keys())
    kling.finish(id, succeeded.has(id) ? { url: "https://films.example/1.mp4" } : { reason: "no" });
  const failed = answered.filter((id) => !succeeded.has(id));
  await letTasksAge(site);
  await until(async () => (await countOf(ledger, "ledger WHERE kind = 'refund'")) > 0, "the first refund");
  await servers.kill();
  const refundsAtKill = await countOf(ledger, "ledger WHERE kind = 'refund'");
  expect(refundsAtKill).toBeLessThan(failed.length);
  await servers.start();
  await endAll(site, ledger);

  const ends = await endsOf(ledger);
  for (const id of answered) expect(ends.get(id)).toBe(succeeded.has(id) ? "SUCCESS charged" : "FAILURE refunded");
  await Promise.all(servers.all.slice(1).map((server) => server.end()));
  await letDeadProcessesAge(site, servers.at(0).pid);
  await until(async () => (await countOf(ledger, "holds")) === 0, "no open holds", 60_000);
  const paid = [...ends].filter(([, end]) => end === "SUCCESS charged");
  const kept = paid.reduce((sum, [id]) => sum + (kling.tasks.has(id) ? PRICES.video : PRICES.song), 0);
  const [user] = await ledger.rows(`SELECT quota, held, used_quota FROM users WHERE id = ${site.people[0]?.userId}`);
  const [limited] = await ledger.rows(`SELECT remain_quota, used_quota FROM tokens WHERE id = ${token.id}`);
  const whole = (row: Row | undefined) => Object.values(row ?? {}).map(Number);
  expect([whole(user), whole(limited)]).toEqual([
    [QUOTA - kept, 0, kept],
    [QUOTA - kept, kept],
  ]);
  expect((await ledger.audit()).faults).toEqual([]);
  console.log(
    `${engine}: ${cut} of ${taken().length} tasks cut, ${refundsAtKill} of ${failed.length} refunds before the kill`,
  );
  await servers.at(0).end();
  await ledger.close();
  await site.remove();
  await Promise.all([suno.close(), kling.close()]);
});
