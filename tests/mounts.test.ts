/** Tests that every endpoint of the contract is mounted, in both slash forms, behind its access rule. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { API } from "../contract/src/api.ts";
import type { Endpoint } from "../contract/src/endpoint.ts";
import { ROLE } from "../contract/src/roles.ts";
import { checkMounts, endpointsOf } from "./architecture/mount-rules.ts";
import { printed, readTree, ROOT } from "./architecture/tree.ts";
import { type Caller, openTestConsole, type TestConsole } from "./support/systems/console.ts";

let site: TestConsole;
let user: Caller;
let admin: Caller;

beforeAll(async () => {
  site = await openTestConsole("sqlite");
  user = await site.person(ROLE.user);
  admin = await site.person(ROLE.admin);
});

afterAll(() => site.close());

const endpoints: Endpoint[] = Object.values(API).flatMap((feature) => Object.values(feature));
const named = endpoints.map((endpoint): [string, Endpoint] => [`${endpoint.method} ${endpoint.path}`, endpoint]);
const guarded = named.filter(([, { access }]) => ["user", "admin", "root"].includes(access));
/** Callbacks whose provider is not set up are answered as paths that do not exist; their own tests call them. */
const open = named.filter(
  ([, { access, answerKind }]) => ["public", "optional", "signed"].includes(access) && answerKind !== "callback",
);

/** Ids that no row has. */
const filled = (path: string): string => path.replaceAll(/\{\w+\}/g, "999999");

/** A guest's call from the same site, so that only the access rule can refuse it. */
async function guest(endpoint: Endpoint, path: string): Promise<{ status: number; code: unknown }> {
  const body = endpoint.method === "GET" || endpoint.method === "DELETE" ? {} : { body: "{}" };
  const headers = { "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin" };
  const answer = await fetch(site.url + path, { method: endpoint.method, headers, ...body });
  const envelope = (await answer.json()) as { code?: unknown };
  return { status: answer.status, code: envelope.code };
}

test("every feature module of the contract is in the API table", async () => {
  // Some endpoints of channels, users and tokens stand in files beside their features, and a payment method has its callbacks.
  const modules = readTree().filter(({ path }) =>
    /^contract\/src\/(?:(?:features|channels)\/[^/]+(?<!\.test)|payments\/methods|connect\/setup-links|people)\.ts$/.test(
      path,
    ),
  );
  const loaded = await Promise.all(modules.map(({ path }) => import(/* @vite-ignore */ ROOT + path)));
  expect(modules.length).toBeGreaterThan(5);
  expect(printed(checkMounts(loaded.flatMap(endpointsOf), endpoints))).toEqual([]);
});

test("no method and path is listed twice", () => {
  const names = named.map(([name]) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test.each(guarded)("%s refuses a guest with 401 in both slash forms", async (_, endpoint) => {
  for (const path of [filled(endpoint.path), `${filled(endpoint.path)}/`]) {
    expect(await guest(endpoint, path)).toMatchObject({ status: 401 });
  }
});

test.each(guarded.filter(([, { access }]) => access !== "user"))(
  "%s refuses a normal user with 403",
  async (_, endpoint) => {
    const { status } = await user.call(
      endpoint.method,
      filled(endpoint.path),
      endpoint.method === "GET" ? undefined : {},
    );
    expect(status).toBe(403);
  },
);

test("what is for the super administrator alone refuses an administrator with 403", async () => {
  for (const [name, { method, path }] of guarded.filter(([, { access }]) => access === "root")) {
    const { status } = await admin.call(method, filled(path), method === "GET" ? undefined : {});
    expect([name, status]).toEqual([name, 403]);
  }
});

test.each(open)("%s is open, and there", async (_, endpoint) => {
  for (const path of [filled(endpoint.path), `${filled(endpoint.path)}/`]) {
    const { status, code } = await guest(endpoint, path);
    // A sign-in that was never begun, and ratios, availability and chats that are not published, are refused by their own rules, not by the mount's.
    const own: Readonly<Record<string, number>> = {
      oauth_state_invalid: 403,
      ratio_config_off: 403,
      status_page_off: 404,
      chat_share_gone: 404,
    };
    const refusals = [401, 403, 404, 405].filter((each) => each !== own[String(code)]);
    expect(refusals).not.toContain(status);
  }
});

test("an address the contract does not list is 404", async () => {
  const nothing: Endpoint = {
    method: "GET",
    path: "/api/nothing-of-this-name",
    access: "public",
    object: "none",
    summary: "",
  };
  expect((await guest(nothing, nothing.path)).status).toBe(404);
});
