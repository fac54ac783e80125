/** Tests of administrators' changes to others' ways to sign in and roles, by role and credential: an access token and an open session must confirm. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROLE } from "../../contract/src/roles.ts";
import { setUp, startTestServer, type TestServer } from "../support/systems/server.ts";
import { type AccessPerson, addPeople, sessionHeaders } from "./people.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await setUp(server);
});
afterAll(() => server?.stop());

const CALLERS = {
  admin_token: { role: ROLE.admin, way: "token" },
  admin_left: { role: ROLE.admin, way: "left" },
  admin_confirmed: { role: ROLE.admin, way: "confirmed" },
  root_token: { role: ROLE.root, way: "token" },
  root_left: { role: ROLE.root, way: "left" },
  root_confirmed: { role: ROLE.root, way: "confirmed" },
} as const;
type Caller = keyof typeof CALLERS;

interface Act {
  method: string;
  path: (id: number) => string;
  body?: (id: number) => object;
}
const change = (fields: object): Act => ({ method: "PUT", path: () => "/api/user", body: (id) => ({ id, ...fields }) });
const manage = (action: string): Act => ({
  method: "POST",
  path: () => "/api/user/manage",
  body: (id) => ({ id, action }),
});
const remove: Act = { method: "DELETE", path: (id) => `/api/user/${id}` };
const create: Act = {
  method: "POST",
  path: () => "/api/user",
  body: (id) => ({ username: `n${id}`, password: "long enough" }),
};

const [OK, CONFIRM, LOWER, ROOTS] = ["ok", "step_up_required", "user_role_not_lower", "only_root_promotes"];
const fresh = (): string => `w${crypto.randomUUID().slice(0, 11)}`;

/** By act and role of the account it is done to; the cells in the order of CALLERS. */
const ROWS: readonly (readonly [name: string, act: () => Act, role: number, cells: readonly (string | undefined)[]])[] =
  [
    ["password", () => change({ password: "long enough 47" }), ROLE.user, [CONFIRM, CONFIRM, OK, CONFIRM, CONFIRM, OK]],
    ["password", () => change({ password: "long enough 47" }), ROLE.admin, [LOWER, LOWER, LOWER, CONFIRM, CONFIRM, OK]],
    ["user name", () => change({ username: fresh() }), ROLE.user, [CONFIRM, CONFIRM, OK, CONFIRM, CONFIRM, OK]],
    ["user name", () => change({ username: fresh() }), ROLE.admin, [LOWER, LOWER, LOWER, CONFIRM, CONFIRM, OK]],
    [
      "blank password, group, quota",
      () => change({ password: "", group: "default", quota: 9 }),
      ROLE.user,
      [OK, OK, OK, OK, OK, OK],
    ],
    ["promote", () => manage("promote"), ROLE.user, [ROOTS, ROOTS, ROOTS, CONFIRM, CONFIRM, OK]],
    ["demote", () => manage("demote"), ROLE.admin, [LOWER, LOWER, LOWER, CONFIRM, CONFIRM, OK]],
    ["disable", () => manage("disable"), ROLE.user, [OK, OK, OK, OK, OK, OK]],
    ["disable", () => manage("disable"), ROLE.admin, [LOWER, LOWER, LOWER, OK, OK, OK]],
    ["delete", () => manage("delete"), ROLE.user, [OK, OK, OK, OK, OK, OK]],
    ["delete", () => manage("delete"), ROLE.admin, [LOWER, LOWER, LOWER, CONFIRM, CONFIRM, OK]],
    ["DELETE", () => remove, ROLE.user, [OK, OK, OK, OK, OK, OK]],
    ["DELETE", () => remove, ROLE.admin, [LOWER, LOWER, LOWER, CONFIRM, CONFIRM, OK]],
    ["create an ordinary account", () => create, ROLE.user, [OK, OK, OK, OK, OK, OK]],
  ];

async function headersOf(caller: Caller, person: AccessPerson): Promise<Record<string, string>> {
  const { way } = CALLERS[caller];
  const user = { "new-api-user": String(person.id) };
  if (way === "token") return { ...user, authorization: `Bearer ${person.accessToken}` };
  const { kysely } = server.app.foundation.database;
  if (way === "left")
    await kysely.updateTable("sessions").set({ confirmed_time: 1 }).where("user_id", "=", person.id).execute();
  return sessionHeaders(person);
}

test.each(ROWS)("%s, %#: each caller gets what the table says", async (_name, act, role, cells) => {
  const now: string[] = [];
  for (const caller of Object.keys(CALLERS) as Caller[]) {
    const [person, target] = await addPeople(server.app.foundation, [{ role: CALLERS[caller].role }, { role }]);
    if (person === undefined || target === undefined) throw new Error("nobody was made");
    const { method, path, body } = act();
    const sent = body === undefined ? {} : { body: body(target.id) };
    const answer = await server
      .client()
      .send(method, path(target.id), { ...sent, headers: await headersOf(caller, person) });
    now.push(answer.body.success ? "ok" : (answer.body.code ?? ""));
  }
  expect(now).toEqual(cells);
});
