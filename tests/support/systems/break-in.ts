/** Shared by attacks on accounts: one site served by two processes where the engine allows it, a victim, and stolen credentials. */
import { randomUUID } from "node:crypto";
import { ROLE } from "../../../contract/src/roles.ts";
import { startApp } from "../../../server/src/app.ts";
import type { RunningApp } from "../../../server/src/app.ts";
import { giveCode, newLinkToken } from "../../../server/src/console/accounts/one-time-codes.ts";
import { replaceRecoveryCodes } from "../../../server/src/console/factors/recovery-codes.ts";
import { hashPassword } from "../../../server/src/console/passwords.ts";
import type { Engine } from "../../../server/src/db/database.ts";
import { nameColumns, NEW_USER } from "../../../server/src/db/new-user.ts";
import { insertReturningId } from "../../../server/src/db/portable.ts";
import { bumpVersion } from "../../../server/src/db/versions.ts";
import { createLogger } from "../../../server/src/observe/logger.ts";
import { createTestPlace } from "../databases/databases.ts";
import { dataOf } from "./site.ts";
import { ROOT_PASSWORD, setupForm, TestClient } from "./server.ts";

/** The password that the thief has seen. */
export const STOLEN_PASSWORD = "battery staple 7";

let passwordHash: Promise<string> | undefined;

export interface Victim {
  id: number;
  username: string;
  email: string;
  /** Good for one second step each. */
  recoveryCodes: string[];
}

export interface Scene {
  /** Addresses of the processes: two, or one and the same on SQLite. */
  urls: readonly [string, string];
  app: RunningApp;
  root: TestClient;
  /** Makes an account; `password: false` is one that another site's sign-in made, `hasTotp` one with a second step. */
  victim(wish: { role?: number; password?: boolean; hasTotp?: boolean }): Promise<Victim>;
  /** Signs in with the password and, where asked, a recovery code. */
  signIn(url: string, victim: Victim): Promise<TestClient>;
  /** A client with a session that was begun `ageSeconds` ago, whichever way. */
  session(url: string, victim: Victim, ageSeconds?: number): Promise<TestClient>;
  /** The secret of a reset link that lies in the victim's mailbox. */
  resetLink(victim: Victim): Promise<string>;
  /** Ends both and drops the database. */
  close(): Promise<void>;
}

/** Each caller from an address of its own: limits by address are not what is tried. */
let callers = 0;
const ownAddress = () => ({ "x-forwarded-for": `10.9.${(callers >> 8) & 255}.${callers++ & 255}` });

export const stranger = (url: string): TestClient => {
  const client = new TestClient(url);
  const send = client.send.bind(client);
  client.send = (method, path, request = {}) =>
    send(method, path, { ...request, headers: { ...ownAddress(), ...request.headers } });
  return client;
};

type Wish = Parameters<Scene["victim"]>[0];

async function addVictim({ foundation }: RunningApp, wish: Wish): Promise<Victim> {
  const { role = ROLE.user, password = true, hasTotp = false } = wish;
  const { database, secrets } = foundation;
  passwordHash ??= hashPassword(STOLEN_PASSWORD);
  const username = `v${randomUUID().slice(0, 8)}`;
  const email = `${username}@example.org`;
  const row = { ...NEW_USER, ...nameColumns(username), email, role, aff_code: username };
  const password_hash = password ? await passwordHash : null;
  const made = await database.kysely.transaction().execute(async (transaction) => {
    const changed_version = await bumpVersion(transaction, "users");
    const id = await insertReturningId(database, transaction, "users", { ...row, password_hash, changed_version });
    if (!hasTotp) return { id, recoveryCodes: [] };
    const factor = { user_id: id, secret_cipher: "", confirmed_time: 1, last_step: 0, created_time: 1 };
    await transaction.insertInto("totp_factors").values(factor).execute();
    return { id, recoveryCodes: await replaceRecoveryCodes(transaction, secrets, id) };
  });
  return { ...made, username, email };
}

const signIn: Scene["signIn"] = async (url, { id, username, recoveryCodes }) => {
  const client = stranger(url);
  const first = await dataOf<{ ticket: string }>(
    client.post("/api/user/login", { username, password: STOLEN_PASSWORD }),
  );
  if (first.ticket !== "") {
    const code = recoveryCodes.pop();
    await dataOf(client.post("/api/user/login/second_step", { ticket: first.ticket, code }));
  }
  client.userId = id;
  return client;
};

const sessionIn =
  ({ foundation: { database, secrets } }: RunningApp): Scene["session"] =>
  async (url, { id }, ageSeconds = 0) => {
    const client = stranger(url);
    const value = randomUUID() + randomUUID();
    const now = Math.floor(Date.now() / 1000);
    const begun = now - ageSeconds;
    await database.kysely
      .insertInto("sessions")
      .values({
        id: secrets.hash("session", value),
        user_id: id,
        created_time: begun,
        seen_time: now,
        expires_time: now + 86_400,
        confirmed_time: begun,
        ip: "10.9.9.9",
        user_agent: "thief",
        way: "oidc",
      })
      .execute();
    client.cookie = `turnpike_session=${value}`;
    client.userId = id;
    return client;
  };

const resetLinkIn =
  ({ foundation: { database, secrets } }: RunningApp): Scene["resetLink"] =>
  async ({ id, email }) => {
    const { sign_in_epoch } = await database.kysely
      .selectFrom("users")
      .select("sign_in_epoch")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    const secret = newLinkToken();
    const payload = { userId: id, epoch: sign_in_epoch };
    const now = Math.floor(Date.now() / 1000);
    await giveCode({ database, secrets }, database.kysely, { purpose: "reset", subject: email, secret, payload, now });
    return secret;
  };

/** Opens it on a fresh database. */
export async function openScene(engine: Engine): Promise<Scene> {
  const env = { GLOBAL_API_RATE_LIMIT_ENABLE: "false", TRUSTED_PROXIES: "127.0.0.1,::1", SHUTDOWN_GRACE_SECONDS: "1" };
  const place = await createTestPlace(engine, { env });
  const logger = createLogger({ level: "silent" });
  const webDirectory = `${place.config.dataDir}/no-web`;
  const start = () => startApp(place.config, { logger, webDirectory, pollMs: 50 });
  const app = await start();
  const other = engine === "sqlite" ? app : await start();
  const root = stranger(app.url);
  await dataOf(root.post("/api/setup", await setupForm(app)));
  await dataOf(root.login("root", ROOT_PASSWORD));
  const victim: Scene["victim"] = async (wish) => {
    const made = await addVictim(app, wish);
    for (const { foundation } of [app, other]) await foundation.snapshot.refresh();
    return made;
  };
  const close = async () => {
    if (other !== app) await other.close();
    await app.close();
    await place.remove();
  };
  const [session, resetLink] = [sessionIn(app), resetLinkIn(app)];
  return { urls: [app.url, other.url], app, root, victim, signIn, session, resetLink, close };
}
