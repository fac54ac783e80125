/** Charges and refunds of tasks on every engine: each once, through crashes, duplicate reports and silence; and many of them. */
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { LOG_TYPE } from "../../contract/src/constants.ts";
import type { Database } from "../../server/src/db/database.ts";
import { insertReturningId } from "../../server/src/db/portable.ts";
import { providerRegistry } from "../../server/src/providers/registry.ts";
import { createTaskRepository } from "../../server/src/tasks/repository.ts";
import { KLING_KEY, startFakeKling } from "../fake-upstream/tasks/kling-api.ts";
import { type FakeSuno, SUNO_KEY, startFakeSuno } from "../fake-upstream/tasks/suno-api.ts";
import { engines } from "../support/databases/databases.ts";
import { type TaskPerson, type TaskSite, ownPoller, startTaskSite } from "../support/tasks/task-site.ts";

const MUSIC = 50_000;
/** Ten seconds of USD 0.028 in mode pro, which costs 3.5 times as much. */
const FILM = 490_000;
const HOUR = 3_600;
const DAY = 86_400;

interface Scene {
  site: TaskSite;
  suno: FakeSuno;
  ada: TaskPerson;
}

async function withScene(engine: Awaited<ReturnType<typeof engines>>[number], work: (scene: Scene) => Promise<void>) {
  const suno = await startFakeSuno();
  const site = await startTaskSite([{ type: 36, url: suno.url, key: SUNO_KEY, models: ["suno_music"] }], engine);
  try {
    await work({ site, suno, ada: await site.person({ tokenQuota: 1_000_000 }) });
    await site.audited();
  } finally {
    await site.close();
    await suno.close();
  }
}

async function song({ site, ada }: Scene): Promise<string> {
  const answer = await site.post("/suno/submit/music", ada, { prompt: "x" });
  return String(((await answer.json()) as { data: unknown }).data);
}

const stateOf = async ({ site }: Scene, id: string) => (await site.tasks()).find(({ task_id }) => task_id === id);
const refunds = ({ site }: Scene) =>
  site.app.foundation.database.kysely.selectFrom("ledger").selectAll().where("kind", "=", "refund").execute();

/** Recording a charge in a task's row fails while `work` runs. */
async function withoutNotes({ kysely, engine }: Database, work: () => Promise<void>): Promise<void> {
  const trigger = sql`create trigger refuse_note before update of charge on tasks when new.charge = 'charged' begin select raise(abort, 'no'); end`;
  const rule = sql`alter table tasks add constraint refuse_note check (charge <> 'charged')`;
  await (engine === "sqlite" ? trigger : rule).execute(kysely);
  try {
    await work();
  } finally {
    await (
      engine === "sqlite" ? sql`drop trigger refuse_note` : sql`alter table tasks drop constraint refuse_note`
    ).execute(kysely);
  }
}

describe.each(await engines())("on %s", (engine) => {
  test("two pollers, duplicate reports and garbage: one charge and one refund; silence, age and a deleted channel end a task", () =>
    withScene(engine, async (scene) => {
      const { site, suno, ada } = scene;
      const [failed, silent, old] = [await song(scene), await song(scene), await song(scene)];
      expect(await site.left(ada)).toMatchObject({ token: 1_000_000 - 3 * MUSIC });
      const second = ownPoller(site, site.app, providerRegistry());
      suno.broken = { status: 200, body: "<html>" };
      await site.poll();
      expect(await stateOf(scene, failed)).toMatchObject({ status: "NOT_START", silent_polls: 1, charge: "charged" });
      expect(site.warnings).toContain("an upstream did not say how its tasks are");
      suno.broken = undefined;
      suno.change(failed, { status: "FAILURE", fail_reason: "no" });
      await Promise.all([site.poll(120), second.poll(120), site.poll(120), second.poll(120)]);
      expect(await stateOf(scene, failed)).toMatchObject({ status: "FAILURE", charge: "refunded", quota: MUSIC });
      expect(await refunds(scene)).toHaveLength(1);

      // The upstream knows nothing of it any more: asked for again and again, then given up.
      suno.tasks.delete(silent);
      for (const seconds of [200, 400, 1_100]) await site.poll(seconds);
      expect(await stateOf(scene, silent)).toMatchObject({ status: "NOT_START" });
      suno.change(old, { status: "QUEUED" });
      for (let at = 1; at <= 9; at += 1) {
        suno.change(old, { status: at % 2 === 0 ? "IN_PROGRESS" : "QUEUED" });
        await Promise.all([site.poll(1_100 + 600 * at), second.poll(1_100 + 600 * at)]);
      }
      expect(await stateOf(scene, silent)).toMatchObject({
        status: "FAILURE",
        fail_code: "lost_upstream",
        charge: "refunded",
      });
      for (let at = 2; at < 24; at += 1) {
        suno.change(old, { status: at % 2 === 0 ? "IN_PROGRESS" : "QUEUED" });
        await Promise.all([site.poll(HOUR * at + 700), second.poll(HOUR * at + 700)]);
      }
      expect(await stateOf(scene, old)).toMatchObject({ charge: "charged" });
      // Still answered for: that nothing of it changes ends it after a day of questions, not after the hour that silence has.
      const lastOfDay = DAY + 660 * 125;
      for (let ahead = DAY; ahead <= lastOfDay; ahead += 660) await site.poll(ahead);
      expect(await stateOf(scene, old)).toMatchObject({ charge: "charged", vain_seconds: 0 });
      for (let at = 1; at <= 10; at += 1) await site.poll(lastOfDay + 660 * at);
      expect(await stateOf(scene, old)).toMatchObject({
        status: "FAILURE",
        fail_code: "timed_out",
        charge: "refunded",
      });

      const orphan = await song(scene);
      await site.root.send("DELETE", `/api/channel/${site.channelIds[0]}`);
      await Promise.all([site.poll(), second.poll(20)]);
      expect(await stateOf(scene, orphan)).toMatchObject({ fail_code: "channel_deleted", charge: "refunded" });
      expect(await refunds(scene)).toHaveLength(4);
      expect(await site.left(ada)).toMatchObject({ quota: 10_000_000, token: 1_000_000, used: 0 });
      expect((await site.tasks()).every(({ next_poll_time }) => next_poll_time === 0)).toBe(true);
      await second.close();
    }));

  test("videos of Kling: the whole price is held and charged, and what two pollers hear of a failure gives it back once", async () => {
    const kling = await startFakeKling();
    const site = await startTaskSite([{ type: 50, url: kling.url, key: KLING_KEY, models: ["kling-v1"] }], engine);
    try {
      const ada = await site.person({ tokenQuota: 1_000_000 });
      const second = ownPoller(site, site.app, providerRegistry());
      const film = async (): Promise<string> => {
        const wish = { model: "kling-v1", prompt: "x", mode: "pro", duration: 10 };
        const answer = await site.post("/v1/video/generations", ada, wish);
        return String(((await answer.json()) as { task_id: unknown }).task_id);
      };
      const [done, failed] = [await film(), await film()];
      expect(await site.left(ada)).toMatchObject({ token: 1_000_000 - 2 * FILM });
      kling.finish(done, { url: "https://films.example/1.mp4" });
      kling.finish(failed, { reason: "risk control" });
      await Promise.all([site.poll(120), second.poll(120), site.poll(120), second.poll(120)]);
      const ended = (await site.tasks()).map(({ status, charge, quota }) => [status, charge, quota]);
      expect(ended).toEqual([
        ["SUCCESS", "charged", FILM],
        ["FAILURE", "refunded", FILM],
      ]);
      expect(await site.left(ada)).toMatchObject({ token: 1_000_000 - FILM, used: FILM });
      await site.audited();
      await second.close();
    } finally {
      await site.close();
      await kling.close();
    }
  });

  test("a task that was accepted and charged is answered with its id, although its row could not note the charge; the poller does", () =>
    withScene(engine, async (scene) => {
      const { site, suno, ada } = scene;
      let id = "";
      await withoutNotes(site.app.foundation.database, async () => {
        id = await song(scene);
        expect(suno.tasks.has(id)).toBe(true);
        expect(await site.left(ada)).toMatchObject({ token: 1_000_000 - MUSIC });
      });
      expect(await stateOf(scene, id)).toMatchObject({ charge: "pending" });
      suno.change(id, { status: "SUCCESS" });
      for (const seconds of [100, 4_000]) await site.poll(seconds);
      expect(await stateOf(scene, id)).toMatchObject({ status: "SUCCESS", charge: "charged", quota: MUSIC });
    }));

  test("a crash at each moment between the row, the upstream's acceptance and the charge keeps ledger and balance correct", () =>
    withScene(engine, async (scene) => {
      const { site, ada } = scene;
      const { database, billing } = site.app.foundation;
      const poller = ownPoller(site, site.app, providerRegistry());
      const desk = createTaskRepository(poller.context);
      const submission = { action: "MUSIC", model: "suno_music", path: "", fields: {}, prompt: "x", properties: {} };
      const begin = (requestId: string) =>
        desk.begin({
          platform: "suno",
          submission: { ...submission, data: null, notifyUrl: "", acceptsNotifications: false, callFactor: "1" },
          requestId,
          userId: ada.userId,
          tokenId: ada.tokenId,
          channelId: site.channelIds[0] ?? 0,
          channelKeyId: 0,
          notifySecret: "",
          isFirst: true,
        });
      const charge = async (requestId: string): Promise<void> => {
        const about = { requestId, userId: ada.userId, tokenId: ada.tokenId, isTokenLimited: true };
        const hold = await billing.hold({ ...about, amount: MUSIC });
        const rest = { channelId: 1, model: "suno_music", groupName: "default", charge: MUSIC, detail: "{}" };
        await billing.settle(hold, {
          ...about,
          ...rest,
          promptTokens: 0,
          completionTokens: 0,
          createdAt: 1_790_000_000,
        });
      };
      const moments: Readonly<Record<string, (requestId: string) => Promise<void>>> = {
        "before the upstream": () => Promise.resolve(),
        "with its yes": (id) => desk.accepted(id, 1, { taskId: `t-${id}`, status: "NOT_START" }),
        "with the charge": async (id) => {
          await desk.accepted(id, 1, { taskId: `t-${id}`, status: "NOT_START" });
          await charge(id);
        },
        "charged without a word": charge,
        "with the refund posted": async (id) => {
          await desk.accepted(id, 1, { taskId: `t-${id}`, status: "NOT_START" });
          await charge(id);
          await desk.charged(id, MUSIC);
        },
      };
      for (const [index, die] of Object.values(moments).entries()) {
        await begin(`moment-${index}`);
        await die(`moment-${index}`);
      }
      // What was posted and not noted is posted again under the same id, and stands once.
      const [last] = (await site.tasks()).slice(-1);
      const posted = { entryId: `refund:${last?.request_id}`, userId: ada.userId, tokenId: ada.tokenId, channelId: 1 };
      const log = { type: LOG_TYPE.system, requestId: "r", createdAt: 1, userId: ada.userId, username: "", tokenId: 0 };
      const blank = { tokenName: "", channelId: 0, modelName: "", groupName: "", quota: 0, promptTokens: 0 };
      const more = {
        completionTokens: 0,
        useTimeMs: 0,
        firstTokenMs: 0,
        isStream: false,
        ip: "",
        content: "",
        other: "{}",
      };
      await billing.refund({
        ...posted,
        model: "suno_music",
        groupName: "default",
        quota: MUSIC,
        tokenQuota: MUSIC,
        hasCost: false,
        createdAt: 1_790_000_001,
        detail: "{}",
        log: { ...log, ...blank, ...more },
      });
      const hourOfQuestions = Array.from({ length: 14 }, (_, index) => 700 + 600 * index);
      for (const seconds of [...hourOfQuestions, DAY + 700])
        await Promise.all([poller.poll(seconds), site.poll(seconds)]);
      const ended = await database.kysely.selectFrom("tasks").selectAll().orderBy("id").execute();
      expect(ended.map(({ status, charge: at, next_poll_time }) => [status, at, next_poll_time])).toEqual([
        ["FAILURE", "uncharged", 0],
        ["FAILURE", "uncharged", 0],
        ["FAILURE", "refunded", 0],
        ["FAILURE", "refunded", 0],
        ["FAILURE", "refunded", 0],
      ]);
      expect(await site.left(ada)).toMatchObject({ quota: 10_000_000, token: 1_000_000 });
      expect(await refunds(scene)).toHaveLength(3);
      await poller.close();
    }));
});

test("ten thousand tasks end, a fifth of them in failure, and the books are right", () =>
  withScene("sqlite", async (scene) => {
    const { site, suno, ada } = scene;
    const { database } = site.app.foundation;
    const count = 10_000;
    const first = await song(scene);
    const [pattern] = await site.tasks();
    const [charge] = await database.kysely.selectFrom("ledger").selectAll().where("kind", "=", "charge").execute();
    if (pattern === undefined || charge === undefined) throw new Error("there is no task");
    const { id: _task, ...task } = pattern;
    const { id: _entry, ...entry } = charge;
    await database.kysely.transaction().execute(async (transaction) => {
      for (let at = 1; at < count; at += 100) {
        const numbers = Array.from({ length: Math.min(100, count - at) }, (_, index) => at + index);
        const rows = numbers.map((each) => ({ ...task, task_id: `t-${each}`, request_id: `r-${each}` }));
        await transaction.insertInto("tasks").values(rows).execute();
        await transaction
          .insertInto("ledger")
          .values(numbers.map((each) => ({ ...entry, entry_id: `r-${each}` })))
          .execute();
      }
      const spent = MUSIC * (count - 1);
      const sums = { quota: -spent, used: spent, requests: count - 1 };
      await transaction
        .updateTable("users")
        .set((row) => ({
          quota: row("quota", "+", sums.quota),
          used_quota: row("used_quota", "+", sums.used),
          request_count: row("request_count", "+", sums.requests),
        }))
        .where("id", "=", ada.userId)
        .execute();
      await transaction
        .updateTable("tokens")
        .set((row) => ({ remain_quota: row("remain_quota", "-", spent), used_quota: row("used_quota", "+", spent) }))
        .where("id", "=", ada.tokenId)
        .execute();
      await transaction
        .updateTable("usage_hours")
        .set((row) => ({
          quota: row("quota", "+", spent),
          requests: row("requests", "+", sums.requests),
          ...(entry.cost === null
            ? {}
            : { cost: row("cost", "+", entry.cost * sums.requests), costed_quota: row("costed_quota", "+", spent) }),
        }))
        .execute();
      await insertReturningId(database, transaction, "channel_usage", { channel_id: entry.channel_id, used: spent });
    });
    for (let each = 1; each < count; each += 1) {
      const base = suno.tasks.get(first);
      if (base !== undefined)
        suno.tasks.set(`t-${each}`, { ...base, task_id: `t-${each}`, status: each % 5 === 0 ? "FAILURE" : "SUCCESS" });
    }
    suno.change(first, { status: "SUCCESS" });
    while ((await site.poll(60)) > 0);
    const failed = Math.floor((count - 1) / 5);
    expect(await refunds(scene)).toHaveLength(failed);
    const states = await database.kysely
      .selectFrom("tasks")
      .select(["status", "charge", (row) => row.fn.countAll<number>().as("count")])
      .groupBy(["status", "charge"])
      .orderBy("status")
      .execute();
    expect(states).toEqual([
      { status: "FAILURE", charge: "refunded", count: failed },
      { status: "SUCCESS", charge: "charged", count: count - failed },
    ]);
  }));
