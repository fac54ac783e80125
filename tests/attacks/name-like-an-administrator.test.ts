/** Attack: look like an administrator by a similar name, by registering, renaming, another site's login, or promotion. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROLE } from "../../contract/src/roles.ts";
import { lookAlike } from "../../server/src/console/accounts/look-alikes.ts";
import { nameColumns } from "../../server/src/db/new-user.ts";
import { bumpVersion } from "../../server/src/db/versions.ts";
import { engines } from "../support/databases/databases.ts";
import { openIdentityConsole } from "../support/systems/identity-console.ts";
import type { IdentityConsole } from "../support/systems/identity-console.ts";

const ADMINISTRATOR = "sysop";
const NAMES = ["ѕуѕор", "sуsop", "sysоp", "SYSОP", "sysöp", "syso\u0323p", "ｓуsop", "𝐬𝐲𝐬𝐨𝐩", "ŝyśop", "sysoр"];

describe.each(await engines())("names like an administrator's on %s", (engine) => {
  let place: IdentityConsole;

  beforeAll(async () => {
    place = await openIdentityConsole(engine);
    const { userId } = await place.site.person(ROLE.admin);
    const { database, snapshot } = place.site.foundation;
    await database.kysely.transaction().execute(async (transaction) => {
      const changed_version = await bumpVersion(transaction, "users");
      const change = { ...nameColumns(ADMINISTRATOR), changed_version };
      await transaction.updateTable("users").set(change).where("id", "=", userId).execute();
    });
    await snapshot.refresh();
  });
  afterAll(() => place.close());

  test("no way gives one", async () => {
    const { kysely } = place.site.foundation.database;
    const root = await place.site.person(ROLE.root);
    const person = await place.site.person();
    const other = await place.site.person();
    let id = 500;
    for (const username of NAMES) {
      const form = { username, password: "a sentence of mine" };
      const answers = [
        await place.visitor().post("/api/user/register", form),
        await person.call("PUT", "/api/user/self", { username }),
        await root.call("PUT", "/api/user/", { id: other.userId, username }),
        await root.call("POST", "/api/user/", { ...form, display_name: "" }),
      ];
      for (const { body } of answers) {
        expect(body).toMatchObject({ success: false, field: "username" });
        // Names that differ in compatibility forms alone are the same name.
        expect(["username_looks_like_administrator", "username_taken"]).toContain(body.code);
      }
      id += 1;
      const byOther = await place.signIn(place.visitor(), "github", { id, login: username });
      expect(byOther.body.success).toBe(true);
    }
    const rows = await kysely.selectFrom("users").select("username").execute();
    expect(rows.filter(({ username }) => lookAlike(username, ADMINISTRATOR))).toEqual([{ username: ADMINISTRATOR }]);
  });

  test("who has had one is not promoted beside them", async () => {
    const root = await place.site.person(ROLE.root);
    const person = await place.site.person();
    const { database } = place.site.foundation;
    const names = nameColumns("sysо́p");
    await database.kysely.updateTable("users").set(names).where("id", "=", person.userId).execute();
    const answer = await root.call("POST", "/api/user/manage", { id: person.userId, action: "promote" });
    expect(answer.body).toMatchObject({ success: false, code: "username_looks_like_administrator" });
    const row = await database.kysely
      .selectFrom("users")
      .select("role")
      .where("id", "=", person.userId)
      .executeTakeFirst();
    expect(row?.role).toBe(ROLE.user);
  });
});
