/** The access matrix: caller, owner of the object, and result, one cell a call on a server with fresh users and objects. */
import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { API, FEATURE_NAMES } from "../../contract/src/api.ts";
import type { Endpoint } from "../../contract/src/endpoint.ts";
import { REQUIRED_ACTION_ERRORS, ROLE } from "../../contract/src/roles.ts";
import { RELAY_PATHS } from "../../server/src/console/openapi/openapi-relay.ts";
import type { TestServer } from "../support/systems/server.ts";
import { callOf, type GoodCall, isPeoples, MISSING_ID, OBJECT_ID } from "./calls.ts";
import { type AccessPerson, addPeople, addSiteObject, type PersonWish, sessionHeaders } from "./people.ts";

export const CALLERS = [
  "nobody",
  "key",
  "access",
  "user",
  "banned",
  "deleted",
  "admin",
  "root",
  "temporary",
  "factorless",
] as const;
export type CallerKind = (typeof CALLERS)[number];

/** Whose object it is, seen from the caller; `there` is the site's. */
export type Whose = "-" | "own" | "lower" | "equal" | "higher" | "there" | "missing";

export interface Outcome {
  /** `ok`, 401, 403, `missing`, `password`, `factor`, or the code of the refusal. `·`: there is no such object for this caller. */
  result: string;
  /** The answer's body, for comparing. */
  body: string;
}

export interface Row {
  /** Method and path. */
  route: string;
  /** Undefined for the relay's. */
  endpoint: Endpoint | undefined;
  whose: Whose;
  cells: Readonly<Record<CallerKind, Outcome>>;
}

const WISHES: Readonly<Record<CallerKind, PersonWish>> = {
  nobody: { role: ROLE.user },
  key: { role: ROLE.user },
  access: { role: ROLE.user },
  user: { role: ROLE.user },
  banned: { role: ROLE.user, isBanned: true },
  deleted: { role: ROLE.user, isDeleted: true },
  admin: { role: ROLE.admin },
  root: { role: ROLE.root },
  temporary: { role: ROLE.root, hasTemporaryPassword: true },
  factorless: { role: ROLE.root, isFactorless: true },
};

const OTHERS: Readonly<Record<"lower" | "equal" | "higher", ReadonlyMap<number, number>>> = {
  lower: new Map([
    [ROLE.admin, ROLE.user],
    [ROLE.root, ROLE.admin],
  ]),
  equal: new Map([
    [ROLE.user, ROLE.user],
    [ROLE.admin, ROLE.admin],
    [ROLE.root, ROLE.root],
  ]),
  higher: new Map([
    [ROLE.user, ROLE.admin],
    [ROLE.admin, ROLE.root],
  ]),
};

/** What each caller sends to the console; `key` tries a token's key where an access token belongs. */
function headersOf(caller: CallerKind, person: AccessPerson): Record<string, string> {
  const user = { "New-Api-User": String(person.id) };
  if (caller === "nobody") return {};
  if (caller === "key") return { ...user, Authorization: `Bearer sk-${person.tokenKey}` };
  if (caller === "access") return { ...user, Authorization: `Bearer ${person.accessToken}` };
  return sessionHeaders(person);
}

/** The relay knows keys: banned and deleted users try theirs, all others what they have. */
const relayHeadersOf = (caller: CallerKind, person: AccessPerson): Record<string, string> =>
  caller === "banned" || caller === "deleted"
    ? { Authorization: `Bearer sk-${person.tokenKey}` }
    : headersOf(caller, person);

/** What has to be done first, in short. */
const REQUIRED: Readonly<Record<string, string>> = {
  [REQUIRED_ACTION_ERRORS.password_change]: "password",
  [REQUIRED_ACTION_ERRORS.second_factor]: "factor",
};

/** What runs already in the background let its caller in as well. */
const RUNNING = new Set(["channel_test_running", "channel_balance_running", "log_clear_running"]);

async function outcomeOf(answer: Response): Promise<Outcome> {
  const body = await answer.text();
  if (answer.status === 302) return { result: "redirect", body };
  if (answer.headers.get("content-type")?.startsWith("application/json") !== true) return { result: "ok", body };
  const { success, code } = JSON.parse(body) as { success?: boolean; code?: string };
  if (success === true || RUNNING.has(code ?? "")) return { result: "ok", body };
  if (answer.status === 401) return { result: "401", body };
  if (code === "permission_denied" || code === "user_banned") return { result: "403", body };
  if (answer.status >= 500) return { result: `${answer.status}`, body };
  const required = REQUIRED[code ?? ""];
  if (required !== undefined) return { result: answer.status === 403 ? required : `${answer.status}`, body };
  // Without a code it was done, and ended badly: the test of an unreachable channel.
  return { result: code === "not_found" ? "missing" : (code ?? "ok"), body };
}

/** Every call from an address of its own: buckets of rate limits are not what is tried here. */
let calls = 0;
const ownAddress = (): Record<string, string> => {
  calls += 1;
  return { "X-Forwarded-For": `10.${(calls >> 16) & 255}.${(calls >> 8) & 255}.${calls & 255}` };
};

interface Asked {
  endpoint: Endpoint;
  call: GoodCall;
  headers: Record<string, string>;
  id: number | string;
}

/** One call of an endpoint. */
export async function ask(url: string, { endpoint, call, headers, id }: Asked, more: object = {}): Promise<Outcome> {
  const params: Readonly<Record<string, string>> = { id: String(id), request_id: String(id), ...call.params };
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const body =
    call.body === undefined
      ? undefined
      : JSON.stringify({ ...more, ...call.body(id, randomUUID().replaceAll("-", "")) });
  const answer = await fetch(`${url}${path}${call.query === undefined ? "" : `?${call.query}`}`, {
    method: endpoint.method,
    redirect: "manual",
    headers: {
      ...headers,
      ...ownAddress(),
      "Sec-Fetch-Site": "same-origin",
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    },
    ...(body === undefined ? {} : { body }),
  });
  return outcomeOf(answer);
}

const NOBODYS: Outcome = { result: "·", body: "" };

async function idOf(server: TestServer, call: GoodCall, whose: Whose, caller: AccessPerson) {
  const { kind } = call;
  if (kind === "none") return 0;
  if (whose === "missing") return MISSING_ID[kind];
  if (!isPeoples(kind)) return addSiteObject(server.app.foundation, kind);
  if (whose === "own") return OBJECT_ID[kind](caller);
  const role = whose === "-" || whose === "there" ? undefined : OTHERS[whose].get(caller.role);
  if (role === undefined) return undefined;
  const [owner] = await addPeople(server.app.foundation, [{ role }]);
  return owner === undefined ? undefined : OBJECT_ID[kind](owner);
}

async function rowOf(server: TestServer, name: string, endpoint: Endpoint, whose: Whose): Promise<Row> {
  const call = callOf(name);
  const people = await addPeople(
    server.app.foundation,
    CALLERS.map((caller) => WISHES[caller]),
  );
  const cells: Partial<Record<CallerKind, Outcome>> = {};
  for (const [index, caller] of CALLERS.entries()) {
    const person = people[index];
    if (person === undefined) throw new Error("a caller was not made");
    const id = await idOf(server, call, whose, person);
    cells[caller] =
      id === undefined
        ? NOBODYS
        : await ask(server.app.url, { endpoint, call, headers: headersOf(caller, person), id });
  }
  return { route: `${endpoint.method} ${endpoint.path}`, endpoint, whose, cells: cells as Row["cells"] };
}

function whosesOf(kind: GoodCall["kind"]): readonly Whose[] {
  if (kind === "none") return ["-"];
  return isPeoples(kind) ? ["own", "lower", "equal", "higher", "missing"] : ["there", "missing"];
}

/** Every endpoint of the contract by its name, in the order of its path. */
export const ENDPOINTS: readonly (readonly [string, Endpoint])[] = FEATURE_NAMES.flatMap((feature) =>
  Object.entries(API[feature]).map(([name, endpoint]) => [`${feature}.${name}`, endpoint] as const),
).toSorted(([, a], [, b]) => (a.path === b.path ? (a.method < b.method ? -1 : 1) : a.path < b.path ? -1 : 1));

/** Route and object of every row of the console. */
export const consoleRowNames = (): string[] =>
  ENDPOINTS.flatMap(([name, { method, path }]) =>
    whosesOf(callOf(name).kind).map((whose) => `${method} ${path} ${whose}`),
  );

/** The rows of these endpoints. */
export async function consoleRows(server: TestServer, endpoints: typeof ENDPOINTS): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, endpoint] of endpoints)
    for (const whose of whosesOf(callOf(name).kind)) rows.push(await rowOf(server, name, endpoint, whose));
  return rows;
}

/** Every row of the relay: admitted callers get an error that there is no such model, or the list. */
export async function relayRows(server: TestServer): Promise<Row[]> {
  const rows: Row[] = [];
  const routes = Object.entries(RELAY_PATHS).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
  );
  for (const { path, method } of routes) rows.push(await relayRow(server, method, path));
  return rows;
}

/** The relay's answer to a handshake, without going on with it. */
const handshake = (url: string, headers: Record<string, string>): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const upgrade = {
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Key": Buffer.alloc(16).toString("base64"),
      "Sec-WebSocket-Version": "13",
    };
    const sent = request(url, { headers: { ...headers, ...upgrade } });
    const done = (status: number | undefined, socket: { destroy(): unknown }) => {
      socket.destroy();
      resolve({ result: status === 401 || status === 403 ? String(status) : "ok", body: "" });
    };
    sent.on("upgrade", ({ statusCode }, socket) => done(statusCode, socket));
    sent.on("response", (answer) => done(answer.statusCode, answer));
    sent.on("error", reject);
    sent.end();
  });

async function relayCall(url: string, method: string, headers: Record<string, string>): Promise<Outcome> {
  if (url.endsWith("/v1/realtime")) return handshake(`${url}?model=no-such-model`, headers);
  const body = method === "GET" ? {} : { body: JSON.stringify({ model: "no-such-model", input: "x", prompt: "x" }) };
  const answer = await fetch(url, { method, headers: { ...headers, "Content-Type": "application/json" }, ...body });
  const isRefused = answer.status === 401 || answer.status === 403;
  return { result: isRefused ? String(answer.status) : "ok", body: await answer.text() };
}

async function relayRow(server: TestServer, method: string, path: string): Promise<Row> {
  const people = await addPeople(
    server.app.foundation,
    CALLERS.map((caller) => WISHES[caller]),
  );
  const cells: Partial<Record<CallerKind, Outcome>> = {};
  for (const [index, caller] of CALLERS.entries()) {
    const person = people[index];
    if (person === undefined) throw new Error("a caller was not made");
    const headers = path.startsWith("/pg") ? headersOf(caller, person) : relayHeadersOf(caller, person);
    const url = server.app.url + path.replaceAll(/\{\w+\}/g, "no-such-model");
    cells[caller] = await relayCall(url, method, { ...headers, ...ownAddress(), "Sec-Fetch-Site": "same-origin" });
  }
  return { route: `${method} ${path}`, endpoint: undefined, whose: "-", cells: cells as Row["cells"] };
}
