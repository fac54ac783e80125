/** Tests of the own sessions: users list and revoke their own, at once and for good, and cannot reach those of others. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { openTestConsole } from "../../../../tests/support/systems/console.ts";
import type { TestConsole } from "../../../../tests/support/systems/console.ts";

describe.each(await engines())("own sessions on %s", (engine) => {
  let site: TestConsole;
  beforeAll(async () => {
    site = await openTestConsole(engine);
  });
  afterAll(() => site.close());

  it("are listed, ended one by one and all at once, and another's answers as missing", async () => {
    const [person, other] = [await site.person(), await site.person()];
    const [second, third] = [await site.session(person), await site.session(person)];
    const list = await person.data<{ id: string; is_current: boolean }[]>("GET", "/api/user/self/sessions");
    expect(list.map(({ is_current }) => is_current).toSorted()).toEqual([false, false, true]);
    const ofSecond = await second.data<{ id: string; is_current: boolean }[]>("GET", "/api/user/self/sessions");
    const id = ofSecond.find(({ is_current }) => is_current)?.id;
    const missing = await other.call("DELETE", "/api/user/self/sessions/nothing");
    expect((await other.call("DELETE", `/api/user/self/sessions/${id}`)).body).toEqual(missing.body);
    await person.data("DELETE", `/api/user/self/sessions/${id}`);
    expect((await second.call("GET", "/api/user/self/factors")).status).toBe(401);
    expect(await person.data("DELETE", "/api/user/self/sessions")).toEqual({ ended: 1 });
    expect((await third.call("GET", "/api/user/self/factors")).status).toBe(401);
    expect((await other.call("GET", "/api/user/self/factors")).status).toBe(200);
  });
});
