/** Mass assignment: additional fields of a POST or PUT (role, quota, group, owner) change no row beyond the endpoint's purpose. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROLE } from "../../contract/src/roles.ts";
import { setUp, startTestServer, type TestServer } from "../support/systems/server.ts";
import { CALLS, isPeoples, OBJECT_ID } from "./calls.ts";
import { ask, ENDPOINTS } from "./matrix.ts";
import { addPeople, addSiteObject, type AccessPerson, sessionHeaders } from "./people.ts";

/** Columns that may not be set by adding a field, and under which names clients of this API family send them. */
const WATCHED = [
  "username",
  "username_key",
  "password_hash",
  "role",
  "permissions",
  "status",
  "email",
  "github_id",
  "oidc_id",
  "wechat_id",
  "telegram_id",
  "linux_do_id",
  "access_token_hash",
  "quota",
  "held",
  "used_quota",
  "request_count",
  "group_name",
  "aff_code",
  "aff_count",
  "aff_quota",
  "aff_history_quota",
  "inviter_id",
  "created_time",
  "deleted_at",
] as const;

/** What these endpoints are for, of the watched columns. */
const FOR: Readonly<Record<string, readonly (typeof WATCHED)[number][]>> = {
  "users.updateUser": ["username", "username_key", "password_hash", "access_token_hash", "quota", "group_name"],
  "users.manageUser": ["status"],
  "users.setPermissions": ["permissions"],
  "personal.updateSelf": ["username", "username_key"],
};

const RICHES = {
  role: ROLE.root,
  permissions: "users,money",
  status: 1,
  quota: 777_777,
  used_quota: 777_777,
  request_count: 777_777,
  held: 777_777,
  group: "vip",
  group_name: "vip",
  aff_code: "stolen",
  aff_count: 777,
  aff_quota: 777_777,
  aff_history_quota: 777_777,
  inviter_id: 1,
  access_token: "stolen-token",
  access_token_hash: "stolen-hash",
  password_hash: "stolen-hash",
  email: "stolen@example.org",
  github_id: "stolen",
  oidc_id: "stolen",
  wechat_id: "stolen",
  telegram_id: "stolen",
  linux_do_id: "stolen",
  DeletedAt: null,
  deleted_at: null,
  created_time: 1,
} as const;

const CHANGING = ENDPOINTS.filter(
  ([, { method, body }]) => body !== undefined && (method === "POST" || method === "PUT"),
);

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ TRUSTED_PROXIES: "127.0.0.1,::1", ALLOW_PRIVATE_UPSTREAMS: "1" });
  await setUp(server);
});
afterAll(() => server?.stop());

const rowsOf = (people: readonly AccessPerson[]) =>
  server.app.foundation.database.kysely
    .selectFrom("users")
    .select(WATCHED)
    .where(
      "id",
      "in",
      people.map(({ id }) => id),
    )
    .orderBy("id")
    .execute();

test("there are many of them", () => expect(CHANGING.length).toBeGreaterThan(30));

test.each(CHANGING)("%s", async (name, endpoint) => {
  const call = CALLS[name];
  if (call === undefined) throw new Error(`tests/access/calls.ts has no call of ${name}`);
  for (const role of [ROLE.user, ROLE.admin]) {
    const [caller, victim] = await addPeople(server.app.foundation, [{ role }, { role: ROLE.user }]);
    if (caller === undefined || victim === undefined) throw new Error("nobody was made");
    const people = [caller, victim];
    const before = await rowsOf(people);
    const roots = () =>
      server.app.foundation.database.kysely.selectFrom("users").select("id").where("role", ">=", ROLE.admin).execute();
    const rootsBefore = await roots();
    const object = role === ROLE.admin ? victim : caller;
    const id =
      call.kind === "none"
        ? 0
        : isPeoples(call.kind)
          ? OBJECT_ID[call.kind](call.kind === "user" ? object : caller)
          : await addSiteObject(server.app.foundation, call.kind);
    const stolen = { ...RICHES, user_id: victim.id, userId: victim.id, owner: victim.id };
    await ask(server.app.url, { endpoint, call, headers: sessionHeaders(caller), id }, { id: victim.id, ...stolen });
    const allowed: readonly string[] = FOR[name] ?? [];
    const bare = (rows: Awaited<ReturnType<typeof rowsOf>>) =>
      rows.map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => !allowed.includes(column))));
    expect(bare(await rowsOf(people))).toEqual(bare(before));
    expect(await roots()).toEqual(rootsBefore);
  }
});

test("what was made belongs to who made it", async () => {
  const [maker, victim] = await addPeople(server.app.foundation, [{ role: ROLE.user }, { role: ROLE.user }]);
  if (maker === undefined || victim === undefined) throw new Error("nobody was made");
  const endpoint = ENDPOINTS.find(([name]) => name === "tokens.createToken")?.[1];
  const call = CALLS["tokens.createToken"];
  if (endpoint === undefined || call === undefined) throw new Error("tokens are made no more");
  const asked = { endpoint, call, headers: sessionHeaders(maker), id: 0 };
  const { result } = await ask(server.app.url, asked, { user_id: victim.id, id: victim.tokenId });
  expect(result).toBe("ok");
  const count = ({ id }: AccessPerson) =>
    server.app.foundation.database.kysely.selectFrom("tokens").select("id").where("user_id", "=", id).execute();
  expect([(await count(maker)).length, (await count(victim)).length]).toEqual([2, 1]);
});
