/** Tests of queries by plain users on their own rows: they run on separate connections, and one that times out gets a readable error. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { type Caller, type TestConsole, openTestConsole } from "../../../../tests/support/systems/console.ts";
import { ROLE } from "../../../../contract/src/roles.ts";
import type { Database } from "../../db/database.ts";
import { SlowQuestion } from "../../db/engines/questions.ts";

const OWN = [
  "/api/log/self",
  "/api/log/self/stat",
  "/api/log/self/facets?field=model",
  "/api/data/self?start_timestamp=1&end_timestamp=2",
  "/api/data/self/overview?granularity=day",
  "/api/data/self/calls?granularity=day",
  "/api/task/self",
  "/api/mj/self",
];

describe.each(await engines())("on %s", (engine) => {
  let site: TestConsole;
  let person: Caller;
  let questions: Database;
  beforeAll(async () => {
    site = await openTestConsole(engine);
    person = await site.person();
    ({ questions } = site.foundation.database);
  });
  afterAll(() => site.close());

  /** A database whose questions never come to an end in their time. */
  function slowly(): void {
    const kysely = new Proxy(questions.kysely, {
      get: () => () => {
        throw new SlowQuestion(undefined);
      },
    });
    const slow: Database = {
      ...questions,
      kysely,
      get logs() {
        return slow;
      },
    };
    const database: Database = { ...site.foundation.database, questions: slow };
    Object.assign(site.context, { database });
  }

  test("each is answered", async () => {
    for (const path of OWN) expect([path, (await person.call("GET", path)).status]).toEqual([path, 200]);
  });

  test("one that takes too long is 503 with a code that says what to do; administrators ask without that limit", async () => {
    const admin = await site.person(ROLE.admin);
    slowly();
    for (const path of OWN) {
      const { status, body, headers } = await person.call("GET", path);
      expect([path, status, body.code]).toEqual([path, 503, "question_too_slow"]);
      expect(body.message).toContain("Narrow the time range");
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect((await admin.call("GET", "/api/log")).status).toBe(200);
  });

  test("an answer to a member's session carries a balance below their threshold; an administrator's does not", async () => {
    const said = async (who: Caller, path = "/api/user/self") =>
      (await who.call("GET", path)).headers.get("turnpike-low-balance");
    const member = await site.person(ROLE.user, { quota: 1_000 });
    const own = (quota_warning_threshold: number) =>
      member.call("PUT", "/api/user/setting", { notify_type: "email", quota_warning_threshold });
    await own(1_000);
    expect(await said(member)).toBe("none");
    await own(1_001);
    expect(await said(member)).toBe("1000");
    // Refusals carry it too, and public endpoints say nothing of anybody.
    expect(await said(member, "/api/token/999999")).toBe("1000");
    expect(await said(member, "/api/status")).toBeNull();
    expect(await said(await site.person(ROLE.admin))).toBeNull();
  });
});
