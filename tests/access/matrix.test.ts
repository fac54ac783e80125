/** Authorization of every route: the running server answers as the reviewed table says, and as each endpoint's rule demands. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ACCESS_ROLE, ROLE } from "../../contract/src/roles.ts";
import { setUp, startTestServer, type TestServer } from "../support/systems/server.ts";
import { callOf, lacksCall } from "./calls.ts";
import { CALLERS, consoleRowNames, consoleRows, ENDPOINTS, relayRows, type Row } from "./matrix.ts";
import { demandActions } from "./people.ts";
import { linesOf, tableOf } from "./table.ts";
import { everyFourth, LEAVES_TO_ALL } from "../support/soak/short-or-long.ts";

const FILE = new URL("expected.txt", import.meta.url);

const IS_WRITTEN = process.env["ACCESS_MATRIX"] === "write";
/** Every endpoint is called; the short form calls every fourth. */
const IS_WHOLE = IS_WRITTEN || !LEAVES_TO_ALL;

/** It takes 25 s on two cores that are free. */
const BUSY_MACHINE_MS = 240_000;

const named = ({ route, whose }: Row): string => `${route} ${whose}`;

let server: TestServer;
let rows: Row[];
let relay: Row[];

beforeAll(async () => {
  server = await startTestServer({ TRUSTED_PROXIES: "127.0.0.1,::1", ALLOW_PRIVATE_UPSTREAMS: "1" });
  await setUp(server);
  // Of the callers of the table one has no factor; it changes nothing for the others.
  await demandActions(server.app.foundation);
  rows = await consoleRows(server, IS_WHOLE ? ENDPOINTS : everyFourth(ENDPOINTS));
  relay = await relayRows(server);
  if (IS_WRITTEN) writeFileSync(FILE, tableOf([...rows, ...relay]));
}, BUSY_MACHINE_MS);

afterAll(() => server?.stop());

test("tests/access/calls.ts says what is sent to every route that takes an id or a body", () => {
  expect(ENDPOINTS.filter(([name, endpoint]) => lacksCall(name, endpoint)).map(([name]) => name)).toEqual([]);
});

test("every route is in the table, and no other", () => {
  expect(existsSync(FILE)).toBe(true);
  const [, ...written] = linesOf(readFileSync(FILE, "utf8")).keys();
  expect([...consoleRowNames(), ...relay.map(named)]).toEqual(written);
});

test("every cell is as the reviewed table says", () => {
  const written = linesOf(readFileSync(FILE, "utf8"));
  const now = linesOf(tableOf([...rows, ...relay]));
  const different = [...now].filter(([row, cells]) => written.get(row) !== cells);
  expect(different.map(([row, cells]) => ({ row, cells, expected: written.get(row) }))).toEqual([]);
});

test("nothing is answered as our own fault, but that no upstream answers", () => {
  const faults = rows.flatMap((row) =>
    CALLERS.filter((caller) => /^5\d\d$/.test(row.cells[caller].result)).map((caller) => `${named(row)} ${caller}`),
  );
  expect(faults).toEqual([]);
});

const ROLE_OF = { access: ROLE.user, user: ROLE.user, admin: ROLE.admin, root: ROLE.root } as const;

test("the role in the contract decides who has access", () => {
  const breaches = rows.flatMap((row) => {
    const access = row.endpoint?.access;
    if (access !== "user" && access !== "admin" && access !== "root") return [];
    const { cells } = row;
    const isClosed = row.endpoint?.object === "lowerRole" && ["equal", "higher"].includes(row.whose);
    const strangers = (["nobody", "key", "deleted"] as const).filter(
      (caller) => !["401", "·"].includes(cells[caller].result),
    );
    const others = (["access", "user", "admin", "root"] as const).filter((caller) => {
      const isRefused = cells[caller].result === "403" || cells[caller].result === "401";
      return (
        cells[caller].result !== "·" && !(isClosed && isRefused) && isRefused !== ROLE_OF[caller] < ACCESS_ROLE[access]
      );
    });
    const banned = ["403", "·"].includes(cells.banned.result) ? [] : (["banned"] as const);
    return [...strangers, ...others, ...banned].map((caller) => `${named(row)} ${caller}: ${cells[caller].result}`);
  });
  expect(breaches).toEqual([]);
});

/** Whether every field that the row sends belongs to what has to be done. */
function sendsOnlyThose({ route, endpoint }: Row): boolean {
  const { fieldsBefore } = endpoint ?? {};
  const [name = ""] = ENDPOINTS.find(([, { method, path }]) => route === `${method} ${path}`) ?? [];
  const sent = Object.keys(callOf(name).body?.(0, "t") ?? {});
  return fieldsBefore === undefined || sent.every((field) => fieldsBefore.includes(field));
}

test("an account with a required action may do what the contract opens to it, and nothing else that needs an account", () => {
  const breaches = rows.flatMap((row) => {
    const { endpoint } = row;
    const isProtected = ["user", "admin", "root"].includes(endpoint?.access ?? "");
    const pairs = [
      ["temporary", "password_change", "password"],
      ["factorless", "second_factor", "factor"],
    ] as const;
    return pairs.flatMap(([caller, action, refusal]) => {
      const { result } = row.cells[caller];
      const isOpen = !isProtected || (endpoint?.openBefore?.includes(action) === true && sendsOnlyThose(row));
      return result === "·" || isOpen === (result !== refusal) ? [] : [`${named(row)} ${caller}: ${result}`];
    });
  });
  expect(breaches).toEqual([]);
});

test("what is open before a required action needs a session or reads one's own data, and changes no other user", () => {
  const open = ENDPOINTS.filter(([, { openBefore }]) => openBefore !== undefined);
  expect(open.filter(([, { object }]) => object !== "self" && object !== "own").map(([name]) => name)).toEqual([]);
  const changing = open.filter(([, { method }]) => method !== "GET");
  const byToken = changing.filter(
    ([, { sessionOnly, stepUp, access }]) => !sessionOnly && !stepUp && access === "user",
  );
  // They refuse access tokens anyway: a confirmation is a session's, and so is a new password.
  expect(byToken.map(([name]) => name)).toEqual([
    "sessions.confirmPassword",
    "factors.confirmChallenge",
    "personal.updateSelf",
  ]);
});

test("what belongs to another is answered exactly as what is missing", () => {
  const missing = new Map(rows.filter(({ whose }) => whose === "missing").map((row) => [row.route, row]));
  const own = rows.filter(
    ({ endpoint, whose }) => endpoint?.object === "own" && ["lower", "equal", "higher"].includes(whose),
  );
  expect(own.length).toBeGreaterThan(IS_WHOLE ? 10 : 3);
  const told = own.flatMap((row) =>
    CALLERS.filter((caller) => {
      const { result, body } = row.cells[caller];
      return result !== "·" && body !== missing.get(row.route)?.cells[caller].body;
    }).map((caller) => `${named(row)} ${caller}: ${row.cells[caller].body}`),
  );
  expect(told).toEqual([]);
});

test("accounts of an equal or a higher role are closed, and what is done to one's own is refused", () => {
  const closed = rows.filter(
    ({ endpoint, whose }) => endpoint?.object === "lowerRole" && ["equal", "higher"].includes(whose),
  );
  expect(closed.length).toBeGreaterThan(IS_WHOLE ? 6 : 0);
  const open = closed.flatMap((row) =>
    CALLERS.filter((caller) => row.cells[caller].result === "ok").map((caller) => `${named(row)} ${caller}`),
  );
  // Reading who is behind a name in the log: the super administrator sees all users.
  const reading = "GET /api/log/user/{id} equal";
  expect(open).toEqual(closed.some((row) => named(row) === reading) ? [`${reading} root`] : []);
});

test("the relay admits keys of users who may call, and no other; the playground admits logged-in users", () => {
  for (const { route, cells } of relay) {
    const isPlayground = route.includes("/pg/");
    const letIn = CALLERS.filter((caller) => cells[caller].result === "ok");
    expect([route, letIn]).toEqual([route, isPlayground ? ["access", "user", "admin", "root"] : ["key"]]);
  }
});
