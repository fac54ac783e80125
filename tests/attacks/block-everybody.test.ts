/** Attack: keep all other users waiting, with bodies of very many small messages, parts or tools, with filters over a long log, and with exports. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LOG_TYPE } from "../../contract/src/constants.ts";
import { BLANK_ENTRY, logRow } from "../../server/src/billing/log-row.ts";
import { openDatabase } from "../../server/src/db/database.ts";
import { callChat } from "../support/clients/calls.ts";
import { IS_SHORT } from "../support/soak/short-or-long.ts";
import { type ServerProcess, type UpstreamProcess, startServer, startUpstream } from "../support/systems/processes.ts";
import { MODELS, type Person, type Site, loggedIn, makeSite } from "../support/systems/site.ts";

const MOST = 10_000;
const TOO_MANY = MOST + 1;
/** Of the attacker's own log. */
const ROWS = IS_SHORT ? 10_000 : 30_000;
const LANES = 4;

/** A long log of one user, in a database that no server has open. */
async function fillLog({ place }: Site, { userId, username }: Person): Promise<void> {
  const database = await openDatabase(place.config);
  const entry = {
    ...BLANK_ENTRY,
    type: LOG_TYPE.consumption,
    userId,
    username,
    modelName: "m",
    createdAt: 1_700_000_000,
  };
  for (let from = 0; from < ROWS; from += 500) {
    const rows = Array.from({ length: 500 }, (_, at) => logRow({ ...entry, requestId: `planted-${from + at}` }));
    await database.kysely.insertInto("logs").values(rows).execute();
  }
  await database.close();
}

describe("on a running server", () => {
  let upstream: UpstreamProcess;
  let site: Site;
  let server: ServerProcess;

  beforeAll(async () => {
    upstream = await startUpstream();
    site = await makeSite("sqlite", { upstreamUrl: upstream.url, quotas: [10 ** 9, 10 ** 9] });
    await fillLog(site, personAt(0));
    server = await startServer(site.env);
  });
  afterAll(async () => {
    await server.end();
    await site.remove();
    await upstream.end();
  });

  const personAt = (index: number): Person => {
    const person = site.people[index];
    if (person === undefined) throw new Error(`nobody is at ${index}`);
    return person;
  };
  const small = (count: number) => Array.from({ length: count }, () => ({ role: "user", content: "a" }));

  test.each([
    ["messages", { messages: small(TOO_MANY) }],
    [
      "messages",
      { messages: [{ role: "user", content: Array.from({ length: TOO_MANY }, () => ({ type: "text", text: "a" })) }] },
    ],
    [
      "tools",
      {
        tools: Array.from({ length: TOO_MANY }, (_, index) => ({ type: "function", function: { name: `f${index}` } })),
      },
    ],
  ])(
    "too many entries of '%s' are refused, naming the field, before anything is made of them",
    async (field, fields) => {
      const outcome = await callChat(server.url, personAt(0).key, { model: MODELS.fixed, isStream: false, fields });
      expect(outcome.status).toBe(400);
      expect(JSON.parse(outcome.body.toString())).toMatchObject({ error: { code: "too_many_entries", param: field } });
      const fine = await callChat(server.url, personAt(1).key, { model: MODELS.fixed, isStream: false });
      expect(fine.status).toBe(200);
    },
  );

  /** Everything here is allowed; each gives the status. */
  const attacks: Readonly<Record<string, () => Promise<() => Promise<number>>>> = {
    "bodies of as many entries as are allowed": async () => async () => {
      const fields = { messages: small(MOST) };
      return (await callChat(server.url, personAt(0).key, { model: MODELS.fixed, isStream: false, fields })).status;
    },
    "filters over a long log of one's own": async () => {
      const owner = await loggedIn(server.url, personAt(0).username);
      return async () => (await owner.get("/api/log/self?model_name=%25z%25&p=1&page_size=100")).status;
    },
    "exports of a long log of one's own": async () => {
      const { cookie, userId } = await loggedIn(server.url, personAt(0).username);
      return async () => {
        const headers = { cookie, "new-api-user": String(userId) };
        const answer = await fetch(`${server.url}/api/log/self/export`, { headers });
        await answer.text();
        return answer.status;
      };
    },
  };

  test.each(Object.keys(attacks))("%s block no other user: another's calls are answered meanwhile", async (name) => {
    const attack = await attacks[name]?.();
    if (attack === undefined) throw new Error(name);
    const statuses: number[] = [];
    const [eachLane, others] = [IS_SHORT ? 2 : 5, 4];
    let calls = 0;
    /** Calls of another user that were answered meanwhile. */
    const beside: number[] = [];
    const lane = async () => {
      for (let at = 0; at < eachLane; at += 1) {
        const before = calls;
        statuses.push(await attack());
        beside.push(calls - before);
      }
    };
    let isOver = false;
    const other = async () => {
      while (!isOver) {
        const { status } = await callChat(server.url, personAt(1).key, { model: MODELS.fixed, isStream: false });
        expect(status).toBe(200);
        calls += 1;
      }
    };
    const going = Array.from({ length: others }, other);
    await Promise.all(Array.from({ length: LANES }, lane));
    isOver = true;
    await Promise.all(going);
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    expect(statuses).toContain(200);
    // As many as were attacked with at the least, and not all at the end.
    expect(calls).toBeGreaterThanOrEqual(statuses.length);
    expect(beside.filter((count) => count > 0).length).toBeGreaterThanOrEqual(statuses.length / 2);
  });
});
