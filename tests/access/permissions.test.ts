/** Tests of the permissions of single administrators: every endpoint for administrators names an act, and the running server checks it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { PERMISSIONS, type Permission, storedPermissions } from "../../contract/src/permissions.ts";
import { ROLE } from "../../contract/src/roles.ts";
import { bumpVersion } from "../../server/src/db/versions.ts";
import { setUp, startTestServer, type TestServer } from "../support/systems/server.ts";
import { callOf, MISSING_ID } from "./calls.ts";
import { ask, ENDPOINTS } from "./matrix.ts";
import { addPeople, sessionHeaders } from "./people.ts";

const WITHHELD = "permission_withheld";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await setUp(server);
});
afterAll(() => server?.stop());

/** Headers of a new administrator who is permitted these alone. */
async function administrator(permissions: readonly Permission[]): Promise<Record<string, string>> {
  const { database, snapshot } = server.app.foundation;
  const [person] = await addPeople(server.app.foundation, [{ role: ROLE.admin }]);
  if (person === undefined) throw new Error("nobody was made");
  await database.kysely.transaction().execute(async (transaction) => {
    const change = {
      permissions: storedPermissions(permissions),
      changed_version: await bumpVersion(transaction, "users"),
    };
    await transaction.updateTable("users").set(change).where("id", "=", person.id).execute();
  });
  await snapshot.refresh();
  return sessionHeaders(person);
}

const FOR_ADMINISTRATORS = ENDPOINTS.filter(([, { access }]) => access === "admin");

test("every endpoint for administrators names its act, and no other does", () => {
  expect(FOR_ADMINISTRATORS.filter(([, { act }]) => act === undefined).map(([name]) => name)).toEqual([]);
  const others = ENDPOINTS.filter(([, { access, act }]) => access !== "admin" && act !== undefined);
  expect(others.map(([name]) => name)).toEqual([]);
});

test("the server refuses each to an administrator who has everything but its act, and lets in one who has nothing else", async () => {
  const headers = new Map<string, Record<string, string>>();
  const headersFor = async (permissions: readonly Permission[]) => {
    const key = permissions.join();
    headers.set(key, headers.get(key) ?? (await administrator(permissions)));
    return headers.get(key) ?? {};
  };
  const breaches: string[] = [];
  for (const [name, endpoint] of FOR_ADMINISTRATORS) {
    const { act = "any" } = endpoint;
    const call = callOf(name);
    const id = MISSING_ID[call.kind];
    const result = async (permissions: readonly Permission[]) =>
      (await ask(server.app.url, { endpoint, call, headers: await headersFor(permissions), id })).result;
    const acts: readonly Permission[] = typeof act === "string" ? (act === "any" ? [] : [act]) : act;
    const without = await result(PERMISSIONS.filter((permission) => !acts.includes(permission)));
    if ((without === WITHHELD) !== acts.length > 0) breaches.push(`${name} without ${acts.join()}: ${without}`);
    for (const permission of acts) {
      const alone = await result([permission]);
      // A call that only says which fields are money is refused for those, by the row.
      if (alone === WITHHELD && acts.length === 1) breaches.push(`${name} with ${permission}: ${alone}`);
    }
  }
  expect(breaches).toEqual([]);
});
