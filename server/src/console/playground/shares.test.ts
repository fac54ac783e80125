/** Tests of share links of chats: a snapshot for anyone with the link, listed and removed by its owner alone, bounded, and gone at once when it has to be. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  CHAT_SHARE_BYTES_MAX,
  CHAT_SHARES_MAX,
  type ChatShare,
  type SharedChat,
} from "../../../../contract/src/features/playground.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { setOptions } from "../../../../tests/support/databases/options.ts";
import { type Caller, openTestConsole, type TestConsole } from "../../../../tests/support/systems/console.ts";
import { housekeepingJobs } from "../../jobs/housekeeping.ts";

const PATH = "/api/chat/share";
const DAY_MS = 86_400_000;
const PIXEL = "data:image/png;base64,iVBORw0KGgo=";
const CHAT: SharedChat = {
  lanes: [
    {
      model: "gpt-4o",
      messages: [
        { role: "user", content: "Who are you? \uD800", images: [PIXEL] },
        { role: "assistant", content: "A model.", model: "gpt-4o" },
      ],
    },
  ],
};
const sent = (more: object = {}) => ({ title: "Hello", chat: CHAT, ...more });

describe.each(await engines())("share links on %s", (engine) => {
  let site: TestConsole;
  let nowMs = 1_800_000_000_000;
  beforeAll(async () => {
    site = await openTestConsole(engine, {}, () => nowMs);
  });
  afterAll(() => site.close());
  beforeEach(() => setOptions(site.foundation, { ChatShareEnabled: "true" }));

  const share = (who: Caller, more?: object) => who.data<ChatShare>("POST", PATH, sent(more));
  const open = async (id: string) => {
    const answer = await fetch(`${site.url}/api/share/${id}`);
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as { data?: object } };
  };
  const statusOf = async (id: string) => (await open(id)).status;

  it("shows the snapshot to a visitor, with nothing that was not named, and to no search engine", async () => {
    const owner = await site.person(1);
    const extra = { ...CHAT.lanes[0]?.messages[1], figures: { quota: 7, requestId: "r-1" }, key: "sk-secret" };
    const chat = { lanes: [{ model: "gpt-4o", token: "sk-secret", messages: [CHAT.lanes[0]?.messages[0], extra] }] };
    const made = await share(owner, { chat, days: 2 });
    expect(made).toMatchObject({ title: "Hello", has_system: false, expires_time: nowMs / 1000 + 2 * 86_400 });
    expect(made.id).toMatch(/^[\w-]{22}$/);
    const { body, headers } = await open(made.id);
    expect(body.data).toEqual({
      title: "Hello",
      created_time: made.created_time,
      expires_time: made.expires_time,
      chat: CHAT,
    });
    expect(JSON.stringify(body)).not.toMatch(/sk-secret|r-1|quota|user_id|username/);
    expect(headers.get("x-robots-tag")).toBe("noindex, nofollow");
    expect((await fetch(`${site.url}/api/status`)).headers.get("x-robots-tag")).toBeNull();
  });

  it("keeps the system prompt only where it was sent, and lasts 30 days unless said otherwise", async () => {
    const owner = await site.person(1);
    const made = await share(owner, { chat: { ...CHAT, system: "Be brief." } });
    expect(made).toMatchObject({ has_system: true, expires_time: made.created_time + 30 * 86_400 });
    expect((await open(made.id)).body.data).toMatchObject({ chat: { system: "Be brief." } });
  });

  it("is listed and removed by its owner alone", async () => {
    const [owner, other] = [await site.person(1), await site.person(100)];
    const made = await share(owner);
    expect(await owner.data("GET", PATH)).toEqual([made]);
    expect(await other.data("GET", PATH)).toEqual([]);
    expect((await other.call("DELETE", `${PATH}/${made.id}`)).body.code).toBe("not_found");
    expect(await statusOf(made.id)).toBe(200);
    await owner.data("DELETE", `${PATH}/${made.id}`);
    expect([await statusOf(made.id), await owner.data("GET", PATH)]).toEqual([404, []]);
  });

  it("answers 404 while the option is off, and makes no links; its owner still removes them", async () => {
    const owner = await site.person(1);
    const made = await share(owner);
    await setOptions(site.foundation, { ChatShareEnabled: "false" });
    const off = await open(made.id);
    expect([off.status, JSON.stringify(off.body)]).toEqual([404, expect.not.stringContaining("A model.")]);
    expect((await owner.call("POST", PATH, sent())).body.code).toBe("chat_share_off");
    expect(await owner.data("GET", PATH)).toEqual([made]);
    await owner.data("DELETE", `${PATH}/${made.id}`);
  });

  it("ends by its time, and the row is deleted after it", async () => {
    const owner = await site.person(1);
    const made = await share(owner, { days: 1 });
    nowMs += DAY_MS - 1000;
    expect(await statusOf(made.id)).toBe(200);
    nowMs += 1000;
    expect([await statusOf(made.id), await owner.data("GET", PATH)]).toEqual([404, []]);
    const { database } = site.foundation;
    const rows = () => database.kysely.selectFrom("chat_shares").select("id").where("id", "=", made.id).execute();
    expect(await rows()).toHaveLength(1);
    const jobs = housekeepingJobs(
      database,
      () => nowMs,
      () => 0,
    );
    await jobs.find(({ name }) => name === "expired_chat_shares")?.run(new AbortController().signal);
    expect(await rows()).toEqual([]);
  });

  it("shows nothing of an account that is disabled, and removes the links of one that ends", async () => {
    const [owner, leaver, removed, admin] = [
      await site.person(1),
      await site.person(1),
      await site.person(1),
      await site.person(10),
    ];
    const made = await share(owner);
    await admin.data("POST", "/api/user/manage", { id: owner.userId, action: "disable" });
    expect(await statusOf(made.id)).toBe(404);
    await admin.data("POST", "/api/user/manage", { id: owner.userId, action: "enable" });
    expect(await statusOf(made.id)).toBe(200);
    const ids = [(await share(leaver)).id, (await share(removed)).id];
    await leaver.data("DELETE", "/api/user/self", { confirm: leaver.username });
    await admin.data("POST", "/api/user/manage", { id: removed.userId, action: "delete" });
    expect(await Promise.all(ids.map(statusOf))).toEqual([404, 404]);
    const left = site.foundation.database.kysely.selectFrom("chat_shares").select("id").where("id", "in", ids);
    expect(await left.execute()).toEqual([]);
  });

  it("refuses what is too long, too many or no chat, and stores nothing of it", async () => {
    const owner = await site.person(1);
    const long = (bytes: number) => ({
      lanes: [{ model: "m", messages: [{ role: "user", content: "x".repeat(bytes) }] }],
    });
    const large = await owner.call("POST", PATH, sent({ chat: long(CHAT_SHARE_BYTES_MAX) }));
    expect([large.status, large.body.code]).toEqual([413, "chat_share_too_large"]);
    const message = { role: "user", content: "x" };
    for (const more of [
      { days: 0 },
      { days: 366 },
      { title: "x".repeat(121) },
      { chat: { lanes: [] } },
      { chat: { lanes: [{ model: "m", messages: [] }] } },
      { chat: { lanes: [{ model: "m", messages: [{ ...message, role: "system" }] }] } },
      { chat: { lanes: [{ model: "m", messages: [{ ...message, images: ["https://other.example/pixel.png"] }] }] } },
      { chat: { lanes: [{ model: "m", messages: [{ ...message, images: ["data:image/svg+xml;base64,PHN2Zz4="] }] }] } },
    ])
      expect((await owner.call("POST", PATH, sent(more))).body.success).toBe(false);
    expect(await owner.data("GET", PATH)).toEqual([]);
  });

  it("gives one account no more links than the limit, also where many are made at once", async () => {
    const owner = await site.person(1);
    for (let count = 0; count < CHAT_SHARES_MAX - 2; count += 1) await share(owner);
    const answers = await Promise.all(Array.from({ length: 5 }, () => owner.call("POST", PATH, sent())));
    expect(answers.filter(({ body }) => body.success)).toHaveLength(2);
    expect(answers.filter(({ body }) => body.code === "chat_share_limit")).toHaveLength(3);
    expect(await owner.data("GET", PATH)).toHaveLength(CHAT_SHARES_MAX);
  });
});
