/** Tests of the console's limits for each caller over real HTTP: the ninth concurrent call waits, other callers do not, and a repeated refusal costs no work. */
import { type ClientRequest, request as httpRequest } from "node:http";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { ROLE } from "../../../../contract/src/roles.ts";
import { type Caller, type TestConsole, openTestConsole } from "../../../../tests/support/systems/console.ts";
import { SESSION_COOKIE } from "./authenticate.ts";
import { CallLimits } from "./call-limits.ts";

let site: TestConsole;
let open: ClientRequest[] = [];

beforeAll(async () => {
  site = await openTestConsole("sqlite");
});
afterEach(() => {
  for (const request of open) request.destroy();
  open = [];
  site.context.site.globalApiLimit = { isEnabled: false, count: 0, durationSeconds: 0 };
});
afterAll(() => site.close());

const headersOf = ({ cookie, userId }: Caller) => ({
  Cookie: `${SESSION_COOKIE}=${cookie}`,
  "New-Api-User": String(userId),
});

interface Answered {
  status: number;
  code: string;
  retryAfter: string;
}

/** A request whose body never ends, or that has none; gives its answer once there is one. */
function send(
  caller: Caller,
  path: string,
  unfinished?: string,
): { request: ClientRequest; answer: Promise<Answered> } {
  const method = unfinished === undefined ? "GET" : "PUT";
  const json = unfinished === undefined ? {} : { "Content-Type": "application/json", "Content-Length": 200 };
  const request = httpRequest(site.url + path, { method, headers: { ...headersOf(caller), ...json }, agent: false });
  open.push(request);
  const answer = new Promise<Answered>((resolve) => {
    request.on("error", () => resolve({ status: 0, code: "", retryAfter: "" }));
    request.on("response", (response) => {
      let text = "";
      response.on("data", (part: Buffer) => void (text += part.toString()));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          code: String((JSON.parse(text) as { code?: string }).code),
          retryAfter: response.headers["retry-after"] ?? "",
        }),
      );
    });
  });
  if (unfinished === undefined) request.end();
  else request.write(unfinished);
  return { request, answer };
}

/** Uploads that go on for ever: one open call each. */
const uploads = (caller: Caller, count: number) =>
  Array.from({ length: count }, () => send(caller, "/api/user/self", '{"display_name":"'));

const isAnswered = (answer: Promise<unknown>): Promise<boolean> =>
  Promise.race([answer.then(() => true), new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 300))]);

test("eight endless uploads make the ninth call wait, delay no other user, and each that ends frees a place", async () => {
  const [caller, other] = [await site.person(), await site.person()];
  const slow = uploads(caller, 8);
  await isAnswered(slow[0]?.answer ?? Promise.resolve());
  const ninth = send(caller, "/api/user/self").answer;
  expect(await isAnswered(ninth)).toBe(false);
  expect((await other.call("GET", "/api/user/self")).status).toBe(200);
  slow[0]?.request.destroy();
  expect(await ninth).toMatchObject({ status: 200 });
});

test("where too many wait already, the call is refused with a code and a time", async () => {
  const caller = await site.person();
  const slow = uploads(caller, 8);
  await isAnswered(slow[0]?.answer ?? Promise.resolve());
  const answers = Array.from({ length: 251 }, () => send(caller, "/api/user/self").answer);
  expect(await Promise.any(answers)).toEqual({ status: 429, code: "too_many_open_calls", retryAfter: "1" });
  for (const { request } of slow) request.destroy();
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(250);
});

test("a download that is not read is an open call until its client disconnects", async () => {
  const caller = await site.person(ROLE.admin);
  const { kysely } = site.foundation.database;
  const columns = { created_at: 1_800_000_000, type: 2, user_id: caller.userId, content: "x".repeat(2_000), other: "" };
  const rows = Array.from({ length: 4_000 }, (_, index) => ({ ...columns, request_id: `r${caller.userId}-${index}` }));
  for (let from = 0; from < rows.length; from += 500)
    await kysely
      .insertInto("logs")
      .values(rows.slice(from, from + 500) as never)
      .execute();
  const unread = Array.from({ length: 8 }, () => {
    const request = httpRequest(`${site.url}/api/log/export`, { headers: headersOf(caller), agent: false });
    request.on("error", () => undefined);
    request.on("response", (response) => response.pause());
    request.end();
    open.push(request);
    return request;
  });
  await Promise.all(unread.map((request) => new Promise((resolve) => request.on("response", resolve))));
  const ninth = send(caller, "/api/user/self").answer;
  expect(await isAnswered(ninth)).toBe(false);
  unread[3]?.destroy();
  expect(await ninth).toMatchObject({ status: 200 });
});

test("whose budget is used up is refused without a look at the database, and after twenty times slowly", async () => {
  site.context.site.globalApiLimit = { isEnabled: true, count: 1, durationSeconds: 180 };
  const [caller, other] = [await site.person(), await site.person()];
  for (let call = 0; call < 10; call += 1) await caller.call("GET", "/api/user/self");
  expect((await caller.call("GET", "/api/user/self")).status).toBe(429);
  await site.foundation.database.kysely.deleteFrom("sessions").where("user_id", "=", caller.userId).execute();
  const refused = await caller.call("GET", "/api/user/self");
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(100);
  for (let call = 0; call < 19; call += 1) await caller.call("GET", "/api/user/self");
  const startMs = performance.now();
  expect((await caller.call("GET", "/api/user/self")).status).toBe(429);
  expect(performance.now() - startMs).toBeGreaterThan(900);
  expect((await other.call("GET", "/api/user/self")).status).toBe(200);
});

test("of a thousand credentials that are used up the first is forgotten, and none for longer than its time", () => {
  const at = { ms: 0 };
  const limits = new CallLimits(() => at.ms);
  const credentials = (cookie: string) => ({
    cookie,
    isUnprefixed: false,
    authorization: undefined,
    userHeader: undefined,
  });
  for (let index = 0; index <= 1_000; index += 1) limits.noteUsedUp(credentials(`c${index}`), 10);
  limits.noteUsedUp(credentials("c".repeat(600)), 10);
  expect(["c0", "c1", "c1000", "c".repeat(600)].map((cookie) => limits.secondsUsedUp(credentials(cookie)))).toEqual([
    0, 10, 10, 0,
  ]);
  at.ms = 10_000;
  expect(limits.secondsUsedUp(credentials("c1"))).toBe(0);
});
