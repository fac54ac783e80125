/** Attack: an administrator takes over the super administrator's account by options that send mail, sign-in, links or keys to servers of his own. */
import { plantIdentity } from "../support/systems/identity-console.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ROLE } from "../../contract/src/roles.ts";
import { telegramHash } from "../../server/src/console/identities/providers/telegram.ts";
import { bumpVersion } from "../../server/src/db/versions.ts";
import { type AccessPerson, addPeople, sessionHeaders } from "../access/people.ts";
import { type MailServer, startMailServer } from "../support/messages/mail-server.ts";
import {
  ROOT_PASSWORD,
  setUp,
  startTestServer,
  type TestAnswer,
  type TestClient,
  type TestServer,
} from "../support/systems/server.ts";

const ROOT_MAIL = "root@gate.example";
const ROOT_TELEGRAM = "4711";
const OWN_BOT = "1:own-bot";

let server: TestServer;
let root: TestClient;
let admin: AccessPerson;
let ownMail: MailServer;

async function plant({ email, telegram }: { email: string; telegram: string }, userId: number) {
  await server.app.foundation.database.kysely.transaction().execute(async (transaction) => {
    const changed_version = await bumpVersion(transaction, "users");
    await transaction.updateTable("users").set({ email, changed_version }).where("id", "=", userId).execute();
    await plantIdentity(transaction, userId, "telegram", telegram);
  });
  await server.app.foundation.snapshot.refresh();
}

beforeEach(async () => {
  ownMail = await startMailServer({ login: { user: "evil@evil.example", password: "password" } });
  server = await startTestServer({ ALLOW_PRIVATE_UPSTREAMS: "1" });
  root = await setUp(server);
  await plant({ email: ROOT_MAIL, telegram: ROOT_TELEGRAM }, root.userId);
  const [made] = await addPeople(server.app.foundation, [{ role: ROLE.admin }]);
  if (made === undefined) throw new Error("no administrator was made");
  admin = made;
});
afterEach(async () => {
  await server.stop();
  await ownMail.close();
});

/** A fresh confirmation is what an administrator gets with his own password: every way is tried with it and by his access token. */
const ways = (): Record<string, string>[] => [
  sessionHeaders(admin),
  { Authorization: `Bearer ${admin.accessToken}`, "New-Api-User": String(admin.id) },
];

async function setAll(options: Readonly<Record<string, string>>): Promise<TestAnswer[]> {
  const answers: TestAnswer[] = [];
  for (const headers of ways())
    for (const [key, value] of Object.entries(options))
      for (const path of ["/api/option", "/api/option/"])
        answers.push(await server.client().put(path, { key, value }, { headers }));
  return answers;
}

async function namesOfStored(): Promise<string[]> {
  const rows = await server.app.foundation.database.kysely.selectFrom("options").select("name").execute();
  return rows.map(({ name }) => name);
}

const askForReset = () =>
  server
    .client()
    .get(`/api/reset_password?email=${encodeURIComponent(ROOT_MAIL)}`, { headers: { "New-Api-User": "-1" } });

/** What the attacker has in the end: a session of the super administrator, or his password. */
async function isRootSafe(): Promise<void> {
  const again = server.client();
  expect((await again.login("root", ROOT_PASSWORD)).body.success).toBe(true);
  const rows = server.app.foundation.database.kysely.selectFrom("users").select("role").where("id", "=", admin.id);
  expect((await rows.executeTakeFirstOrThrow()).role).toBe(ROLE.admin);
}

const SMTP = (port: number) => ({
  SMTPServer: "127.0.0.1",
  SMTPPort: String(port),
  SMTPAccount: "evil@evil.example",
  SMTPFrom: "evil@evil.example",
  SMTPToken: "password",
});

test("the reset mail of the super administrator goes to no mail server of an administrator", async () => {
  const before = await namesOfStored();
  await setAll({ ...SMTP(ownMail.port), ServerAddress: "https://gate.example" });
  const asked = await askForReset();
  expect(asked.body.code).toBe("mail_not_configured");
  expect(await namesOfStored()).toEqual(before);
  expect(ownMail.offered()).toBe(0);
  await isRootSafe();
});

test("no bot or provider of an administrator's own signs in as the super administrator", async () => {
  const before = await namesOfStored();
  await setAll({
    TelegramBotToken: OWN_BOT,
    TelegramBotName: "own",
    TelegramOAuthEnabled: "true",
    "oidc.client_id": "own",
    "oidc.client_secret": "own",
    "oidc.authorization_endpoint": "http://127.0.0.1:9/authorize",
    "oidc.token_endpoint": "http://127.0.0.1:9/token",
    "oidc.user_info_endpoint": "http://127.0.0.1:9/user",
    "oidc.enabled": "true",
    WeChatServerAddress: "http://127.0.0.1:9",
    WeChatServerToken: "own",
    WeChatAuthEnabled: "true",
  });
  const fields = { id: ROOT_TELEGRAM, auth_date: String(Math.floor(Date.now() / 1000)) };
  const signed = { ...fields, hash: telegramHash(OWN_BOT, fields) };
  const attacker = server.client();
  const answer = await attacker.post("/api/oauth/telegram/login", signed);
  expect(answer.body.success).toBe(false);
  expect((await attacker.get("/api/user/self")).status).toBe(401);
  for (const headers of ways())
    await server.client().post(
      "/api/identity_provider",
      {
        slug: "own",
        name: "Own",
        client_id: "own",
        client_secret: "own",
        well_known: "",
        authorization_endpoint: "http://127.0.0.1:9/a",
        token_endpoint: "http://127.0.0.1:9/t",
        user_info_endpoint: "http://127.0.0.1:9/u",
        is_enabled: true,
      },
      { headers },
    );
  const providers = await server.app.foundation.database.kysely.selectFrom("identity_providers").select("id").execute();
  expect(providers).toEqual([]);
  expect(await namesOfStored()).toEqual(before);
  await isRootSafe();
});

test("no link of a mail, a page or a chat leads to a site of an administrator's own, and no key goes there", async () => {
  const evil = "https://evil.example";
  const before = (await server.client().get("/api/status")).body.data;
  const about = (await server.client().get("/api/about")).body.data;
  await setAll({
    ServerAddress: evil,
    Chats: JSON.stringify([{ Own: `${evil}/?key={key}` }]),
    HomePageContent: evil,
    About: `[site](${evil})`,
    Footer: `<a href="${evil}">site</a>`,
    Notice: `[site](${evil})`,
    SystemName: `${evil}/reset`,
    Logo: `${evil}/logo.png`,
    TopUpLink: evil,
    CustomCallbackAddress: evil,
    PayAddress: evil,
    "general_setting.docs_link": evil,
    UpdateCheckUrl: evil,
    PriceListUrl: evil,
    WorkerUrl: evil,
    AllowPrivateUpstreamsEnabled: "true",
  });
  const { start_time: _, ...after } = (await server.client().get("/api/status")).body.data as Record<string, unknown>;
  expect(before).toMatchObject(after);
  expect(JSON.stringify(after)).not.toContain("evil.example");
  expect((await server.client().get("/api/about")).body.data).toEqual(about);
  expect(await namesOfStored()).not.toContain("ServerAddress");
});

test("an administrator changes neither the super administrator's address, password, bindings nor his notices", async () => {
  const { kysely } = server.app.foundation.database;
  const rowOf = () => kysely.selectFrom("users").selectAll().where("id", "=", root.userId).executeTakeFirstOrThrow();
  const before = await rowOf();
  const change = {
    id: root.userId,
    username: "root",
    email: "evil@evil.example",
    password: "evil password",
    telegram_id: "1",
    setting: '{"notification_email":"evil@evil.example"}',
  };
  for (const headers of ways()) {
    await server.client().put("/api/user/", change, { headers });
    for (const action of ["demote", "disable", "delete"])
      await server.client().post("/api/user/manage", { username: "root", id: root.userId, action }, { headers });
    await server.client().send("DELETE", `/api/user/${root.userId}`, { headers });
  }
  expect(await rowOf()).toEqual(before);
  await isRootSafe();
});

test("with the root's own confirmed session the same options are set, and the mail arrives where he said", async () => {
  for (const [key, value] of Object.entries({ ...SMTP(ownMail.port), ServerAddress: "https://gate.example" }))
    expect((await root.put("/api/option", { key, value })).body).toMatchObject({ success: true });
  const asked = await askForReset();
  expect(asked.body).toMatchObject({ success: true });
  expect((await ownMail.wait(({ to }) => to === ROOT_MAIL)).text).toContain("https://gate.example/");
});
