/** Tests of watched model lists: new and vanished models are stored and shown, notified once, added automatically only where that is on, and never removed automatically. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from "vitest";
import type { ModelWatch } from "../../../../contract/src/channels/model-watch.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import type { ChannelRow } from "../../../../contract/src/features/channels.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { type Caller, openTestConsole, type TestConsole } from "../../../../tests/support/systems/console.ts";
import { modelDifference } from "./model-difference.ts";
import { startModelWatch } from "./model-watch.ts";

test.each([
  ["nothing where both have the same", { stored: ["a"], listed: ["a"] }, [], []],
  ["new and vanished ones by name", { stored: ["b", "x"], listed: ["c", "b", "a"] }, ["a", "c"], ["x"]],
  ["not the target of a mapping as new", { stored: ["a"], listed: ["a", "t"], mapping: { a: "t" } }, [], []],
  ["not an alias as vanished whose target is listed", { stored: ["a"], listed: ["t"], mapping: { a: "t" } }, [], []],
  ["an alias whose target is gone", { stored: ["a"], listed: ["z"], mapping: { a: "t" } }, ["z"], ["a"]],
  ["no ignored name", { stored: ["a"], listed: ["a", "b", "bc"], ignored: ["b"] }, ["bc"], []],
  [
    "no name that a pattern ignores",
    { stored: ["a"], listed: ["a", "x-1", "y-1"], ignored: ["regex: ^x-"] },
    ["y-1"],
    [],
  ],
])("a difference is %s", (_, compared, added, removed) => {
  expect(modelDifference({ ignored: [], mapping: {}, ...compared })).toEqual({ added, removed });
});

describe.each(await engines())("watched model lists on %s", (engine) => {
  let site: TestConsole;
  let admin: Caller;
  let listed: readonly string[];
  let asked: number;
  /** The upstream answers when this does. */
  let answers: Promise<unknown>;

  beforeAll(async () => {
    const fetchUpstreamModels = async () => {
      asked += 1;
      await answers;
      if (listed.length === 0) throw new AppError("upstream_failed", { message: "status 500: broken" });
      return listed;
    };
    site = await openTestConsole(engine, { fetchUpstreamModels });
    admin = await site.person(100);
    const root = { email: "root@turnpike.example" };
    await site.foundation.database.kysely.updateTable("users").set(root).where("id", "=", admin.userId).execute();
  });
  afterAll(() => site.close());
  beforeEach(async () => {
    const { kysely } = site.foundation.database;
    for (const table of ["abilities", "channels", "outbox", "model_watches"] as const)
      await kysely.deleteFrom(table).execute();
    [listed, asked, answers] = [["a", "new-1", "new-2"], 0, sleep(1)];
  });

  const WATCHED = { upstream_model_update_check_enabled: true };
  const make = async (settings: object = WATCHED, models = "a,gone") => {
    const form = { type: 1, name: "main", key: "sk-aaaaaaaaaaaaaaaa", models, settings: JSON.stringify(settings) };
    const [id = 0] = await admin.data<number[]>("POST", "/api/channel/", form);
    return id;
  };
  const look = async () => {
    await (
      await startModelWatch(site.context, true)
    )?.finished;
  };
  const watch = (id: number) => admin.data<ModelWatch>("GET", `/api/channel/${id}/upstream_models`);
  const read = (id: number) => admin.data<ChannelRow>("GET", `/api/channel/${id}`);
  const apply = (body: object) => admin.call("POST", "/api/channel/upstream_updates/apply", body);
  const messages = async () =>
    (await site.foundation.database.kysely.selectFrom("outbox").select("event").execute()).length;

  it("keeps what differs, shows it on the channel, changes nothing, and notifies once of each difference", async () => {
    const id = await make();
    await look();
    expect(await watch(id)).toMatchObject({ add_models: ["new-1", "new-2"], remove_models: ["gone"], failure: "" });
    expect(await read(id)).toMatchObject({ models: "a,gone", new_models: 2, vanished_models: 1 });
    expect(await messages()).toBe(1);
    await look();
    expect(await messages()).toBe(1);
    listed = ["a", "new-1"];
    await look();
    expect(await messages()).toBe(2);
  });

  it("looks only at channels that are watched and not disabled by hand", async () => {
    await make({});
    const off = await make();
    await admin.data("POST", `/api/channel/${off}/status`, { status: 2 });
    await look();
    expect(asked).toBe(0);
  });

  it("adds by itself where that is switched on, says so, and never removes", async () => {
    const id = await make({ ...WATCHED, upstream_model_update_auto_sync_enabled: true });
    await look();
    expect(await read(id)).toMatchObject({ models: "a,gone,new-1,new-2", new_models: 0, vanished_models: 1 });
    const { kysely } = site.foundation.database;
    const offered = await kysely.selectFrom("abilities").select("model").where("channel_id", "=", id).execute();
    expect(offered.map(({ model }) => model).toSorted()).toEqual(["a", "gone", "new-1", "new-2"]);
    expect(await messages()).toBe(1);
  });

  it("keeps what was found beside a failure, and takes an empty list for one", async () => {
    const id = await make();
    await look();
    listed = [];
    await look();
    expect(await watch(id)).toMatchObject({ remove_models: ["gone"], failure: "status 500: broken" });
    expect(await read(id)).toMatchObject({ models: "a,gone" });
    expect((await admin.call("POST", "/api/channel/upstream_updates/detect", { id })).body).toMatchObject({
      success: false,
      code: "upstream_failed",
    });
  });

  it("does once what two processes begin at the same time", async () => {
    await make();
    let answer = (): void => undefined;
    // The first run lasts until the second has been tried.
    answers = new Promise<void>((resolve) => (answer = resolve));
    const runs = await Promise.all([startModelWatch(site.context, true), startModelWatch(site.context, true)]);
    answer();
    await Promise.all(runs.map((run) => run?.finished));
    expect([runs.filter((run) => run !== undefined).length, asked, await messages()]).toEqual([1, 1, 1]);
  });

  it("adds, removes and ignores what is chosen among what was found, and nothing else", async () => {
    const id = await make();
    await look();
    const { body } = await apply({
      id,
      add_models: ["new-1", "never-found"],
      remove_models: ["gone", "a"],
      ignore_models: ["new-2"],
    });
    expect(body.data).toMatchObject({
      added_models: ["new-1"],
      removed_models: ["gone"],
      ignored_models: ["new-2"],
      models: "a,new-1",
      remaining_models: [],
      remaining_remove_models: [],
    });
    await look();
    expect(await watch(id)).toMatchObject({ add_models: [], remove_models: [], ignored_models: ["new-2"] });
  });

  it("refuses to take the last model out, and a pattern that cannot be used", async () => {
    const id = await make(WATCHED, "gone");
    await look();
    expect((await apply({ id, remove_models: ["gone"] })).body).toMatchObject({ success: false, field: "models" });
    expect(await read(id)).toMatchObject({ models: "gone", vanished_models: 1 });
    const settings = JSON.stringify({ upstream_model_update_ignored_models: ["regex:("] });
    expect((await admin.call("PUT", "/api/channel/", { id, settings })).body).toMatchObject({ field: "settings" });
  });
});
