/** Tests of the task log: own rows alone, no channels for users, every filter, newest first, results unchanged. */
import type { Insertable } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROLE } from "../../../../contract/src/roles.ts";
import type { Task } from "../../../../contract/src/features/tasks.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import type { Caller, TestConsole } from "../../../../tests/support/systems/console.ts";
import { openTestConsole } from "../../../../tests/support/systems/console.ts";
import { newTask } from "../../../../tests/support/databases/tasks.ts";
import type { TaskTable } from "../../db/task-table.ts";

const NOON = 1_790_000_000;
const SONGS = [{ id: "s1", title: "Ferry", audio_url: "https://cdn.example/s1.mp3" }];

describe.each(await engines())("tasks on %s", (engine) => {
  let site: TestConsole;
  let admin: Caller;
  let owner: Caller;
  let other: Caller;

  const add = (user: Caller, fields: Partial<Insertable<TaskTable>> & { task_id: string }) =>
    site.foundation.database.kysely
      .insertInto("tasks")
      .values({ ...newTask(user.userId), platform: "suno", action: "MUSIC", submit_time_ms: NOON * 1000, ...fields })
      .execute();

  beforeAll(async () => {
    site = await openTestConsole(engine);
    admin = await site.person(ROLE.admin);
    owner = await site.person();
    other = await site.person();
    await add(owner, {
      task_id: "a1",
      data: JSON.stringify(SONGS),
      properties: '{"input":"一首歌","poll":{"project":"p-1"}}',
    });
    await add(owner, {
      task_id: "a2",
      action: "LYRICS",
      status: "FAILURE",
      submit_time_ms: (NOON + 5) * 1000,
      channel_id: 7,
    });
    await add(owner, { task_id: "a3", status: "", progress: 0, data: "not json" });
    await add(other, { task_id: "b1", platform: "video", submit_time_ms: (NOON - 86_400) * 1000, channel_id: 7 });
    await add(owner, { task_id: "picture", platform: "mj" });
    await add(owner, { task_id: "gone", submit_time_ms: (NOON - 90_000) * 1000, deleted_at: 5 });
  });
  afterAll(() => site.close());

  const ids = async (caller: Caller, path: string): Promise<string[]> =>
    (await caller.data<Task[]>("GET", path)).map(({ task_id }) => task_id);

  it("lists the newest first, and says how many there are on all pages", async () => {
    expect(await ids(owner, "/api/task/self/")).toEqual(["a2", "a3", "a1"]);
    const second = await owner.call("GET", "/api/task/self?p=2&page_size=2");
    expect(second.body.data).toMatchObject({ total: 3, page: 2, page_size: 2 });
    expect((second.body.data as { items: Task[] }).items.map(({ task_id }) => task_id)).toEqual(["a1"]);
    expect((await owner.call("GET", "/api/task/self?p=1000")).body).toMatchObject({ success: true, data: [] });
  });

  it("shows a user nothing of channels or of other users", async () => {
    const { text, body } = await owner.call("GET", "/api/task/self?channel_id=7&username=" + other.username);
    expect((body.data as Task[]).map(({ user_id }) => user_id)).toEqual(Array(3).fill(owner.userId));
    expect(text).not.toMatch(/channel|username|"b1"/);
    expect((await owner.call("GET", "/api/task/")).status).toBe(403);
  });

  it("gives results as the upstream wrote them, and text where it wrote no JSON", async () => {
    const [, broken, song, deleted] = await admin.data<Task[]>("GET", `/api/task/?username=${owner.username}`);
    expect(song).toMatchObject({ data: SONGS, properties: { input: "一首歌" }, username: owner.username });
    expect(broken).toMatchObject({ data: "not json", properties: null, status: "", submit_time: NOON });
    // What its owner deleted is the operator's still.
    expect(deleted?.task_id).toBe("gone");
  });

  it.each([
    // The channel's filter narrows.
    ["channel_id=7", ["a2", "b1"]],
    ["task_id=a1", ["a1"]],
    ["platform=video", ["b1"]],
    ["platform=mj", []],
    ["action=LYRICS", ["a2"]],
    ["status=FAILURE", ["a2"]],
    [`start_timestamp=${NOON + 1}`, ["a2"]],
    [`end_timestamp=${NOON}`, ["a3", "a1", "b1", "gone"]],
    // Milliseconds, within a second.
    [`start_timestamp=${NOON * 1000 + 1}`, ["a2"]],
    [`end_timestamp=${NOON * 1000 + 999}`, ["a3", "a1", "b1", "gone"]],
    ["username=nobody-of-this-name", []],
  ])("filters by %s", async (query, expected) => {
    expect(await ids(admin, `/api/task/?${query}`)).toEqual(expected);
  });
});
