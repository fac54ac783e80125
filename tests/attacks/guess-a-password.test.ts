/** Attack: try a list of common passwords. None of the first that are guessed can be set anywhere; long ones count in full length. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT_PASSWORD, setUp, setupForm, startTestServer } from "../support/systems/server.ts";
import type { TestClient, TestServer } from "../support/systems/server.ts";
import { dataOf } from "../support/systems/site.ts";

const OLD = "an older sentence";
const GUESSES = [
  ["short77", "password_short"],
  ["12345678", "password_common"],
  ["PassWord", "password_common"],
  ["aaaaaaaa", "password_common"],
  ["qwertyuiop", "password_common"],
  ["iloveyou", "password_common"],
  ["Turnpike2026", "password_is_name"],
  ["x y".repeat(43), "password_long"],
] as const;

let server: TestServer;
let root: TestClient;

const start = () => startTestServer({ TRUSTED_PROXIES: "127.0.0.1" });

beforeAll(async () => {
  server = await start();
  root = await setUp(server);
});
afterAll(() => server?.stop());

let calls = 0;
/** Comes by another address each time: how often one may try is tested elsewhere. */
const elsewhere = () => ({ headers: { "x-forwarded-for": `198.51.100.${(calls += 1)}` } });

/** A new user, logged in. */
async function newPerson(username: string): Promise<TestClient> {
  await dataOf(root.post("/api/user/", { username, password: OLD, display_name: "" }));
  const person = server.client();
  await dataOf(person.login(username, OLD));
  return person;
}

const logIn = (username: string, password: string) =>
  server.client().post("/api/user/login", { username, password }, elsewhere());

test("the wizard refuses them, and the system is not set up by it", async () => {
  const fresh = await start();
  for (const [password, code] of GUESSES) {
    const form = await setupForm(fresh.app, { password, confirmPassword: password });
    const { body } = await fresh.client().post("/api/setup", form, elsewhere());
    expect([password, body.code]).toEqual([password, code === "password_short" ? "setup_password_short" : code]);
  }
  await setUp(fresh);
  await fresh.stop();
});

test("registering, an administrator and the own page refuse them alike, and nothing changes", async () => {
  const person = await newPerson("maria");
  const names = [...GUESSES, ["maria.2026", "password_is_name"] as const];
  for (const [password, code] of names) {
    const form = { username: "maria2", password, password2: password };
    const answers = [
      await server.client().post("/api/user/register", { ...form, username: "marias" }, elsewhere()),
      await root.post("/api/user/", { username: "marias", password, display_name: "" }),
      await root.put("/api/user/", { id: person.userId, password }),
      await person.put("/api/user/self", { password, original_password: OLD }),
    ];
    // The first two are no accounts of hers: her name says nothing about theirs.
    const own = answers.slice(2).map(({ body }) => body.code);
    expect([password, ...own]).toEqual([password, code, code]);
    if (password !== "maria.2026") expect(answers.slice(0, 2).map(({ body }) => body.code)).toEqual([code, code]);
    expect((await logIn("maria", OLD)).body.success).toBe(true);
  }
});

test("the old password is no new one, and each of 128 characters counts", async () => {
  const person = await newPerson("sophia");
  const same = await person.put("/api/user/self", { password: OLD, original_password: OLD });
  expect(same.body).toMatchObject({ success: false, code: "password_same", field: "password" });
  const longest = "😀 x".repeat(42) + "ab";
  expect([...longest]).toHaveLength(128);
  await dataOf(person.put("/api/user/self", { password: longest, original_password: OLD }));
  expect((await logIn("sophia", longest)).body.success).toBe(true);
  expect((await logIn("sophia", longest.slice(0, -1))).body.success).toBe(false);
  expect((await logIn("root", ROOT_PASSWORD)).body.success).toBe(true);
});
