/**
 * Fresh users for each cell of the access matrix, with every credential and object an attack could use: session, access token, token key, passkey,
 * log row.
 */
import { randomUUID } from "node:crypto";
import type { Insertable } from "kysely";
import { SESSION_COOKIE } from "../../server/src/console/http/authenticate.ts";
import { createSession } from "../../server/src/console/session-store.ts";
import type { Foundation } from "../../server/src/composition/foundation.ts";
import { nameColumns, NEW_USER } from "../../server/src/db/new-user.ts";
import { insertReturningId } from "../../server/src/db/portable.ts";
import { generateCode, generateTokenKey, sealChannelKey, sealCode, sealTokenKey } from "../../server/src/db/secrets.ts";
import type { Schema } from "../../server/src/db/schema.ts";
import { bumpVersion } from "../../server/src/db/versions.ts";
import { logRow, BLANK_ENTRY } from "../../server/src/billing/log-row.ts";

export interface PersonWish {
  role: number;
  isBanned?: boolean;
  isDeleted?: boolean;
  /** Neither an authenticator app nor a passkey. */
  isFactorless?: boolean;
  /** Chosen by another user. */
  hasTemporaryPassword?: boolean;
}

export interface AccessPerson {
  id: number;
  role: number;
  cookie: string;
  accessToken: string;
  accessTokenId: number;
  tokenId: number;
  /** Without `sk-`. */
  tokenKey: string;
  passkeyId: string;
  /** Look-up hash of a second session. */
  sessionId: string;
  /** Of a row in the log. */
  requestId: string;
  /** Of an unpaid top-up. */
  orderId: number;
}

type Transaction = Parameters<Parameters<ReturnType<Foundation["database"]["kysely"]["transaction"]>["execute"]>[0]>[0];

const now = (): number => Math.floor(Date.now() / 1000);

/** The id under this key. Throws where its row was not inserted. */
function found<Key>(ids: ReadonlyMap<Key, number>, key: Key): number {
  const id = ids.get(key);
  if (id === undefined) throw new Error(`the row of ${String(key)} was not inserted`);
  return id;
}

async function addUsers(transaction: Transaction, wishes: readonly PersonWish[]) {
  const changed_version = await bumpVersion(transaction, "users");
  const rows = wishes.map((wish): Insertable<Schema["users"]> & { aff_code: string } => {
    const username = `u${randomUUID().slice(0, 11)}`;
    return {
      ...NEW_USER,
      ...nameColumns(username),
      role: wish.role,
      status: wish.isBanned === true ? 2 : 1,
      deleted_at: wish.isDeleted === true ? now() : null,
      is_password_temporary: wish.hasTemporaryPassword === true ? 1 : 0,
      aff_code: username,
      changed_version,
    };
  });
  await transaction.insertInto("users").values(rows).execute();
  const codes = rows.map(({ aff_code }) => aff_code);
  const made = await transaction
    .selectFrom("users")
    .select(["id", "aff_code"])
    .where("aff_code", "in", codes)
    .execute();
  const ids = new Map(made.map(({ id, aff_code }) => [aff_code, id]));
  return wishes.map((wish, index) => {
    const username = codes[index] ?? "";
    const names = { accessToken: randomUUID(), tokenKey: generateTokenKey(), requestId: randomUUID() };
    return { wish, username, id: found(ids, username), ...names, passkeyId: randomUUID().replaceAll("-", "") };
  });
}

type NewPerson = Awaited<ReturnType<typeof addUsers>>[number];

const accessTokenRow = ({ secrets }: Foundation, { id, accessToken }: NewPerson) => ({
  user_id: id,
  name: "main",
  token_hash: secrets.hash("access_token", accessToken),
  scope: "admin" as const,
});

const tokenRow = (
  { secrets }: Foundation,
  { id, tokenKey }: NewPerson,
  changed_version: number,
): Insertable<Schema["tokens"]> => ({
  ...sealTokenKey(secrets, tokenKey),
  user_id: id,
  name: "main",
  status: 1,
  created_time: now(),
  accessed_time: 0,
  expired_time: -1,
  remain_quota: 0,
  held: 0,
  used_quota: 0,
  unlimited_quota: 1,
  model_limits_enabled: 0,
  model_limits: "",
  allow_ips: "",
  group_name: "",
  deleted_at: null,
  changed_version,
});

/** Two, since the last way into an account stays. */
const passkeyRows = ({ id, passkeyId, wish }: NewPerson): Insertable<Schema["passkeys"]>[] =>
  (wish.isFactorless === true ? [] : [passkeyId, randomUUID()]).map((credential) => ({
    user_id: id,
    name: "key",
    public_key: "",
    counter: 0,
    transports: "",
    is_backed_up: 0,
    credential_hash: credential,
    credential_id: credential,
    created_time: now(),
    used_time: 0,
  }));

const orderRow = ({ id, requestId }: NewPerson) => ({
  user_id: id,
  trade_no: requestId,
  quota: 1,
  money_minor: 1,
  amount: 1,
  method: "zfb",
  status: "pending" as const,
  created_time: now(),
  completed_time: 0,
});

/** The id of the one row that each of them has in a table. */
async function idsIn(
  transaction: Transaction,
  table: "personal_access_tokens" | "tokens" | "top_ups",
  people: readonly NewPerson[],
): Promise<(person: NewPerson) => number> {
  const ids = people.map(({ id }) => id);
  const rows = await transaction.selectFrom(table).select(["id", "user_id"]).where("user_id", "in", ids).execute();
  const byUser = new Map(rows.map(({ id, user_id }) => [user_id, id]));
  return ({ id }) => found(byUser, id);
}

async function addBelongings(foundation: Foundation, transaction: Transaction, people: readonly NewPerson[]) {
  const version = await bumpVersion(transaction, "tokens");
  const insert = [
    transaction.insertInto("personal_access_tokens").values(people.map((each) => accessTokenRow(foundation, each))),
    transaction.insertInto("tokens").values(people.map((each) => tokenRow(foundation, each, version))),
    transaction.insertInto("top_ups").values(people.map(orderRow)),
    transaction
      .insertInto("logs")
      .values(
        people.map(({ id, username, requestId }) =>
          logRow({ ...BLANK_ENTRY, type: 2, requestId, createdAt: now(), userId: id, username }),
        ),
      ),
  ];
  for (const each of insert) await each.execute();
  const passkeys = people.flatMap(passkeyRows);
  if (passkeys.length > 0) await transaction.insertInto("passkeys").values(passkeys).execute();
}

/** Two sessions: the cookie of one, and the look-up hash of the other. */
async function addSessions({ secrets }: Foundation, transaction: Transaction, { id }: NewPerson) {
  const session = { userId: id, ip: "127.0.0.1", userAgent: "matrix", way: "password" };
  const cookie = await createSession(transaction, secrets, session, now());
  const second = await createSession(transaction, secrets, session, now());
  return { cookie, sessionId: secrets.hash("session", second) };
}

/** Makes them all at once, a table at a time; the server knows them when this resolves. */
export async function addPeople(foundation: Foundation, wishes: readonly PersonWish[]): Promise<AccessPerson[]> {
  const people = await foundation.database.kysely.transaction().execute(async (transaction) => {
    const added = await addUsers(transaction, wishes);
    await addBelongings(foundation, transaction, added);
    const accessTokenId = await idsIn(transaction, "personal_access_tokens", added);
    const tokenId = await idsIn(transaction, "tokens", added);
    const orderId = await idsIn(transaction, "top_ups", added);
    const made: AccessPerson[] = [];
    for (const each of added) {
      const { id, accessToken, tokenKey, passkeyId, requestId } = each;
      const ids = { accessTokenId: accessTokenId(each), tokenId: tokenId(each), orderId: orderId(each) };
      const sessions = await addSessions(foundation, transaction, each);
      made.push({ id, role: each.wish.role, accessToken, tokenKey, passkeyId, requestId, ...ids, ...sessions });
    }
    return made;
  });
  await foundation.snapshot.refresh();
  return people;
}

/** What a browser with this user's session sends. */
export const sessionHeaders = ({ id, cookie }: AccessPerson): Record<string, string> => ({
  Cookie: `${SESSION_COOKIE}=${cookie}`,
  "New-Api-User": String(id),
});

/** All accounts need a second factor and a password of their own from now on, by the super administrator's options. */
export async function demandActions({ database, snapshot }: Foundation): Promise<void> {
  const values = { SecondFactorDemand: "everybody", TemporaryPasswordsEnabled: "true" };
  const rows = Object.entries(values).map(([name, value]) => ({ name, value, updated_time: now() }));
  await database.kysely.transaction().execute(async (transaction) => {
    await bumpVersion(transaction, "options");
    await transaction.insertInto("options").values(rows).execute();
  });
  await snapshot.refresh();
}

/** A channel that nothing answers behind, a named provider of the site, and an unused redemption code. */
export async function addSiteObject(
  foundation: Foundation,
  kind: "channel" | "provider" | "redemption",
): Promise<number> {
  const { database, secrets } = foundation;
  const name = `o${randomUUID().slice(0, 11)}`;
  if (kind === "redemption")
    return insertReturningId(database, database.kysely, "redemptions", {
      ...sealCode(secrets, generateCode()),
      user_id: 1,
      name,
      status: 1,
      quota: 1,
      created_time: now(),
      redeemed_time: 0,
      used_user_id: 0,
      deleted_at: null,
    });
  if (kind === "provider")
    return insertReturningId(database, database.kysely, "identity_providers", {
      slug: name,
      name,
      is_enabled: 0,
      client_id: "c",
      client_secret_cipher: "",
      endpoints: JSON.stringify({
        well_known: "",
        authorization_endpoint: "https://id.example/a",
        token_endpoint: "https://id.example/t",
        user_info_endpoint: "https://id.example/u",
      }),
      created_time: now(),
    });
  return database.kysely.transaction().execute(async (transaction) =>
    insertReturningId(database, transaction, "channels", {
      ...sealChannelKey(secrets, `sk-${name}`),
      type: 1,
      name,
      key_set_time: 0,
      status: 1,
      base_url: "http://127.0.0.1:9",
      other: "",
      models: "m",
      group_names: "default",
      model_mapping: "",
      status_code_mapping: "",
      param_override: "",
      setting: "",
      openai_organization: "",
      test_model: "",
      tag: "",
      priority: 0,
      weight: 0,
      auto_ban: 0,
      max_input_tokens: null,
      response_time_ms: 0,
      test_time: 0,
      test_result: 0,
      test_failure: "",
      balance_micros: 0,
      balance_updated_time: 0,
      used_quota: 0,
      other_info: "{}",
      created_time: 0,
      changed_version: await bumpVersion(transaction, "channels"),
    }),
  );
}
