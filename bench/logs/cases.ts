/** The calls of the console that `npm run bench -- logs` times: pages, totals and dashboards, each with every filter. */
import { LIMITS } from "./report.ts";

const DAY_SECONDS = 86_400;

/** The caller: the administrator, or one of the users. */
export type Caller = "admin" | "person";

export interface Case {
  readonly what: string;
  readonly caller: Caller;
  readonly path: string;
  readonly limit: number;
  /** Asked once and first: what the server has not seen since its start. */
  readonly isFirst?: true;
}

type Parameters = Readonly<Record<string, string | number>>;

function address(path: string, parameters: Parameters): string {
  const query = new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)]));
  return `${path}?${query}`;
}

/** Names as the scenario busy-month makes them (tools/seed/scenarios.ts); "nobody" has no row at all. */
const FILTERS: Readonly<Record<string, Parameters>> = {
  "no filter": {},
  consumption: { type: 2 },
  errors: { type: 5 },
  "one model": { model_name: "gpt-4o-mini" },
  "models by pattern": { model_name: "gpt-4o%" },
  "model nobody called": { model_name: "nobody-called-this" },
  "errors of one model": { type: 5, model_name: "gpt-4o" },
  "the group all are in": { group: "default" },
  "group without rows": { group: "nobody" },
  "model nobody called in one group": { model_name: "nobody-called-this", group: "default" },
  "one user": { username: "service-01" },
  "one user, one model": { username: "service-01", model_name: "gpt-4o" },
  "one user, model nobody called": { username: "service-01", model_name: "nobody-called-this" },
  "one user, errors": { username: "service-01", type: 5 },
  "one user, group without rows": { username: "service-01", group: "nobody" },
  "one token": { token_name: "web 1" },
  "one token, model nobody called": { token_name: "web 1", model_name: "nobody-called-this" },
  "one channel": { channel: 1 },
  "one channel, errors": { channel: 1, type: 5 },
  "one channel, model nobody called": { channel: 1, model_name: "nobody-called-this" },
  "one user, one channel": { username: "service-01", channel: 2 },
};
const OWN_FILTERS = ["no filter", "errors", "one model", "model nobody called", "group without rows"];

/** The range that the screen opens with: a month back to an hour ahead. */
const monthOf = (now: number): Parameters => ({
  start_timestamp: now - 30 * DAY_SECONDS,
  end_timestamp: now + 3600,
});
/** Two days in the middle, with edges inside an hour. */
const middleOf = (now: number): Parameters => ({
  start_timestamp: now - 16 * DAY_SECONDS + 1234,
  end_timestamp: now - 14 * DAY_SECONDS + 777,
});

function logCases(now: number): Case[] {
  const cases: Case[] = [];
  const add = (caller: Caller, name: string, filter: Parameters) => {
    const path = caller === "admin" ? "/api/log" : "/api/log/self";
    const who = caller === "admin" ? "" : "own, ";
    const list = (parameters: Parameters) => address(path, { p: 1, page_size: 20, ...filter, ...parameters });
    const month = monthOf(now);
    cases.push({ what: `list, ${who}${name}`, caller, path: list(month), limit: LIMITS.list });
    if (name === "no filter" || name === "one user") {
      const deep = { ...month, p: 500 };
      cases.push({ what: `list, ${who}${name}, page 500`, caller, path: list(deep), limit: LIMITS.list });
      cases.push({ what: `list, ${who}${name}, old days`, caller, path: list(middleOf(now)), limit: LIMITS.list });
    }
    const stat = address(`${path}/stat`, { ...filter, ...month });
    cases.push({ what: `stat, ${who}${name}`, caller, path: stat, limit: LIMITS.stat });
  };
  for (const [name, filter] of Object.entries(FILTERS)) add("admin", name, filter);
  for (const name of OWN_FILTERS) add("person", name, FILTERS[name] ?? {});
  return cases;
}

function dashboardCases(now: number): Case[] {
  const range = (days: number): Parameters => ({
    start_timestamp: now - days * DAY_SECONDS,
    end_timestamp: now + 3600,
    granularity: "day",
    time_zone: "Asia/Shanghai",
  });
  const one = (what: string, caller: Caller, path: string, parameters: Parameters): Case => ({
    what: `dashboard, ${what}`,
    caller,
    path: address(path, parameters),
    limit: LIMITS.dashboard,
  });
  return [
    { ...one("first look after a start", "admin", "/api/data/overview", range(30)), isFirst: true },
    one("everybody, 30 days", "admin", "/api/data/overview", range(30)),
    one("everybody, 7 days by hour", "admin", "/api/data/overview", { ...range(7), granularity: "hour" }),
    one("one user, 30 days", "admin", "/api/data/overview", { ...range(30), username: "service-01" }),
    one("own, 30 days", "person", "/api/data/self/overview", range(30)),
    one("usage rows, 30 days", "admin", "/api/data", monthOf(now)),
    one("users by name, 30 days", "admin", "/api/data/users", { ...monthOf(now), keyword: "service" }),
  ];
}

/** Every call, at a moment in Unix seconds. */
export const casesAt = (now: number): Case[] => [...dashboardCases(now), ...logCases(now)];
