/** Tests of one-time setup addresses: made by the owner alone, fetched once, for five minutes, stored as a hash, and recorded. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TokenRow } from "../../../../contract/src/features/tokens.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { setOptions } from "../../../../tests/support/databases/options.ts";
import { type Caller, openTestConsole, type TestConsole } from "../../../../tests/support/systems/console.ts";
import { housekeepingJobs } from "../../jobs/housekeeping.ts";

interface Made {
  address: string;
  command: string;
  expires_time: number;
}

const WANTED = { program: "claude-code", shell: "sh", model: "claude-sonnet-4-5" };

describe.each(await engines())("setup addresses on %s", (engine) => {
  let site: TestConsole;
  let nowMs = 1_800_000_000_000;
  let owner: Caller;
  let token: TokenRow;
  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => nowMs);
  });
  afterAll(() => site.close());
  beforeEach(async () => {
    owner = await site.person(1);
    token = await owner.data<TokenRow>("POST", "/api/token", {
      name: "laptop",
      unlimited_quota: true,
      expired_time: -1,
    });
  });

  const make = (wanted: object = WANTED) => owner.data<Made>("POST", `/api/token/${token.id}/setup`, wanted);
  const open = async ({ address }: Made) => {
    const answer = await fetch(new URL(new URL(address).pathname, site.url));
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  };
  const rows = () => site.foundation.database.kysely.selectFrom("setup_links").selectAll().execute();

  it("gives a script with the key once, which a real sh runs, and 410 from then on", async () => {
    const made = await make();
    expect(made.command).toBe(`curl -fsSL '${made.address}' | sh`);
    const first = await open(made);
    expect([first.status, first.headers.get("content-type"), first.headers.get("cache-control")]).toEqual([
      200,
      "text/plain; charset=utf-8",
      "no-store",
    ]);
    const home = mkdtempSync(join(tmpdir(), "turnpike-setup-"));
    execFileSync("sh", { input: first.text, env: { PATH: process.env["PATH"] ?? "", HOME: home } });
    const settings = readFileSync(join(home, ".claude/settings.json"), "utf8");
    rmSync(home, { recursive: true });
    expect(settings).toContain(`sk-${token.key}`);
    const second = await open(made);
    expect(second.status).toBe(410);
    expect(second.text).toContain("setup_link_gone");
    expect(second.text).not.toContain(token.key);
  });

  it("is given to one alone of those who fetch at once", async () => {
    const made = await make({ ...WANTED, program: "codex", shell: "powershell" });
    const answers = await Promise.all(Array.from({ length: 6 }, () => open(made)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 410)).toHaveLength(5);
  });

  it("ends after five minutes, and its row is deleted", async () => {
    const made = await make();
    expect(made.expires_time).toBe(nowMs / 1000 + 300);
    nowMs += 300_000;
    expect((await open(made)).status).toBe(410);
    const jobs = housekeepingJobs(
      site.foundation.database,
      () => nowMs,
      () => 0,
    );
    await jobs.find(({ name }) => name === "ended_setup_links")?.run(new AbortController().signal);
    expect(await rows()).toEqual([]);
  });

  it("is stored without its code and without the key", async () => {
    const made = await make();
    const stored = JSON.stringify(await rows());
    expect(stored).not.toContain(made.address.split("/").at(-1));
    expect(stored).not.toContain(token.key);
  });

  it("is made for own tokens alone, by a session alone, at most twenty times in twenty minutes", async () => {
    const other = await site.person(100);
    expect((await other.call("POST", `/api/token/${token.id}/setup`, WANTED)).body.code).toBe("not_found");
    const access = await owner.data<{ token: string } | string>("POST", "/api/user/token", {});
    const value = typeof access === "string" ? access : access.token;
    const byToken = await fetch(`${site.url}/api/token/${token.id}/setup`, {
      method: "POST",
      headers: { Authorization: value, "New-Api-User": String(owner.userId), "Content-Type": "application/json" },
      body: JSON.stringify(WANTED),
    });
    expect(((await byToken.json()) as { code: string }).code).toBe("session_required");
    const statuses: number[] = [];
    for (let count = 0; count < 21; count += 1)
      statuses.push((await owner.call("POST", `/api/token/${token.id}/setup`, WANTED)).status);
    expect(statuses.slice(0, 19).every((status) => status === 200)).toBe(true);
    expect(statuses.at(-1)).toBe(429);
  });

  it("gives nothing once the token is deleted or the account disabled, and knows no other code", async () => {
    const gone = await make();
    await owner.data("DELETE", `/api/token/${token.id}`);
    expect((await open(gone)).status).toBe(410);
    token = await owner.data<TokenRow>("POST", "/api/token", { name: "new", unlimited_quota: true, expired_time: -1 });
    const made = await make();
    const admin = await site.person(10);
    await admin.data("POST", "/api/user/manage", { id: owner.userId, action: "disable" });
    expect((await open(made)).status).toBe(410);
    for (const code of ["a".repeat(32), "x", "%00", "..%2F..%2Fstatus"])
      expect((await fetch(`${site.url}/api/connect/${code}`)).status).toBeGreaterThanOrEqual(400);
  });

  it("is recorded when it is made and when it is fetched, without the code", async () => {
    const made = await make();
    await open(made);
    await site.securityLog.flush();
    const events = await site.foundation.database.kysely
      .selectFrom("security_events")
      .select(["kind", "reason"])
      .where("user_id", "=", owner.userId)
      .where("kind", "like", "setup_link%")
      .orderBy("id")
      .execute();
    const reason = `claude-code, token ${token.id}`;
    expect(events).toEqual([
      { kind: "setup_link_made", reason },
      { kind: "setup_link_fetched", reason },
    ]);
  });

  it("names the site's own address where the operator has set one, and refuses names that are no line", async () => {
    await setOptions(site.foundation, { ServerAddress: "https://gate.acme.dev/" });
    expect((await make()).address).toMatch(/^https:\/\/gate\.acme\.dev\/api\/connect\/[\w-]{32}$/);
    await setOptions(site.foundation, { ServerAddress: "" });
    for (const change of [
      { model: "a\nb" },
      { model: "" },
      { model: "x".repeat(257) },
      { shell: "cmd" },
      { program: "curl" },
    ])
      expect((await owner.call("POST", `/api/token/${token.id}/setup`, { ...WANTED, ...change })).body.success).toBe(
        false,
      );
  });
});
