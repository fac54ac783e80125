/** Tests of the image task log: own rows alone, no channels for users, every filter, newest first, images through this site. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROLE } from "../../../../contract/src/roles.ts";
import type { ImageTask, OwnImageTask } from "../../../../contract/src/features/drawing.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import type { Caller, TestConsole } from "../../../../tests/support/systems/console.ts";
import { openTestConsole } from "../../../../tests/support/systems/console.ts";
import type { Insertable } from "kysely";
import { newTask } from "../../../../tests/support/databases/tasks.ts";
import type { TaskTable } from "../../db/task-table.ts";
import { imageAddress } from "../result-address.ts";

const NOON_MS = 1_790_000_000_000;
const DATA = JSON.stringify({
  prompt_en: "a cat",
  buttons: [{ customId: "MJ::JOB::upsample::1::x" }],
  properties: { n: 1 },
});

describe.each(await engines())("the log of image tasks on %s", (engine) => {
  let site: TestConsole;
  let admin: Caller;
  let owner: Caller;
  let other: Caller;

  const add = (user: Caller, fields: Partial<Insertable<TaskTable>>) =>
    site.foundation.database.kysely
      .insertInto("tasks")
      .values({ ...newTask(user.userId), submit_time_ms: NOON_MS, ...fields })
      .execute();

  beforeAll(async () => {
    site = await openTestConsole(engine);
    admin = await site.person(ROLE.admin);
    owner = await site.person();
    other = await site.person();
    await add(owner, { task_id: "a1", prompt: "猫", data: DATA, result_url: "https://cdn.example/a1.png" });
    await add(owner, {
      task_id: "a2",
      action: "UPSCALE",
      status: "FAILURE",
      fail_reason: "banned word",
      submit_time_ms: NOON_MS + 1500,
      channel_id: 7,
      code: 21,
    });
    // Sent in the same millisecond as the first, after it.
    await add(owner, {
      task_id: "a3",
      status: "IN_PROGRESS",
      progress: 35,
      data: "null",
      result_url: "https://cdn.example/a3.png",
    });
    await add(other, { task_id: "b1", submit_time_ms: NOON_MS - 86_400_000, channel_id: 7 });
    await add(owner, { platform: "suno", task_id: "song" });
    await add(owner, { task_id: "gone", submit_time_ms: NOON_MS - 90_000_000, deleted_at: 5 });
  });
  afterAll(() => site.close());

  const ids = async (caller: Caller, path: string): Promise<string[]> =>
    (await caller.data<ImageTask[]>("GET", path)).map(({ mj_id }) => mj_id);

  it("lists the newest first, and says how many there are on all pages", async () => {
    expect(await ids(owner, "/api/mj/self/?p=0")).toEqual(["a2", "a3", "a1"]);
    const second = await owner.call("GET", "/api/mj/self/?p=2&page_size=2");
    expect(second.body.data).toMatchObject({ total: 3, page: 2, page_size: 2 });
    expect((second.body.data as { items: ImageTask[] }).items.map(({ mj_id }) => mj_id)).toEqual(["a1"]);
    expect(await ids(admin, "/api/mj/")).toEqual(["a2", "a3", "a1", "b1", "gone"]);
    const bare = await owner.call("GET", "/api/mj/self?p=1");
    expect([bare.body.data, bare.headers.get("x-total-count")]).toEqual([[], "3"]);
    expect((await admin.call("GET", "/api/mj/?p=1000")).body).toMatchObject({ success: true, data: [] });
  });

  it("shows a user nothing of channels, of the upstream's responses, or of other users", async () => {
    const { text, body } = await owner.call("GET", "/api/mj/self?channel_id=7&username=" + other.username);
    expect((body.data as ImageTask[]).map(({ user_id }) => user_id)).toEqual(Array(3).fill(owner.userId));
    expect(text).not.toMatch(/channel|"code"|username|"b1"/);
    expect(await ids(owner, "/api/mj/self?mj_id=b1")).toEqual([]);
    expect((await owner.call("GET", "/api/mj/")).status).toBe(403);
  });

  it("tells administrators whose it is and over which channel it went", async () => {
    const [row] = await admin.data<ImageTask[]>("GET", "/api/mj?mj_id=a2");
    expect(row).toMatchObject({
      username: owner.username,
      channel_id: 7,
      channel_name: "",
      code: 21,
      fail_reason: "banned word",
      submit_time: NOON_MS + 1500,
      progress: "100%",
    });
  });

  it("gives what the upstream reported of an image as the API family knows it", async () => {
    const [task] = await owner.data<OwnImageTask[]>("GET", "/api/mj/self?mj_id=a1");
    expect(task).toMatchObject({ prompt: "猫", prompt_en: "a cat", progress: "100%", properties: '{"n":1}' });
    expect(task?.buttons).toContain("upsample");
  });

  it.each([
    ["channel_id=7", ["a2", "b1"]],
    ["channel_id=0", ["a2", "a3", "a1", "b1", "gone"]],
    ["mj_id=a1", ["a1"]],
    ["mj_id=a", []],
    ["action=UPSCALE", ["a2"]],
    ["status=IN_PROGRESS", ["a3"]],
    [`start_timestamp=${NOON_MS + 1}`, ["a2"]],
    [`end_timestamp=${NOON_MS}`, ["a3", "a1", "b1", "gone"]],
    // The same moments in seconds.
    [`start_timestamp=${NOON_MS / 1000 + 1}`, ["a2"]],
    [`end_timestamp=${NOON_MS / 1000}`, ["a3", "a1", "b1", "gone"]],
    ["start_timestamp=0&end_timestamp=undefined", ["a2", "a3", "a1", "b1", "gone"]],
    ["username=nobody-of-this-name", []],
    ["status='%20or%201=1", []],
  ])("filters by %s", async (query, expected) => {
    expect(await ids(admin, `/api/mj/?${query}`)).toEqual(expected);
  });

  it("filters by whose they are, whatever the letters' case", async () => {
    expect(await ids(admin, `/api/mj/?username=${other.username.toUpperCase()}`)).toEqual(["b1"]);
  });
});

describe("the address of a picture", () => {
  const done = { result_url: "https://cdn.example/x.png", task_id: "17 04/1", progress: 100, request_id: "r1" };
  const here = { MjForwardUrlEnabled: true, ServerAddress: "https://gate.example" };
  const secrets = { hash: (purpose: string, value: string) => `${purpose}-${value}`.padEnd(43, "_") };

  it("is this site's with a sign while pictures are forwarded, and the upstream's otherwise", () => {
    expect(imageAddress(here, secrets, done)).toBe(
      "https://gate.example/mj/image/17%2004%2F1?sign=task_picture-r1_______",
    );
    expect(imageAddress({ ...here, MjForwardUrlEnabled: false }, secrets, done)).toBe("https://cdn.example/x.png");
  });
  it("is none where there is no picture", () => {
    expect(imageAddress(here, secrets, { ...done, result_url: "" })).toBe("");
  });
  it("is another with each step of a picture that grows", () => {
    expect(imageAddress(here, secrets, { ...done, task_id: "7", progress: 35 })).toBe(
      "https://gate.example/mj/image/7?sign=task_picture-r1_______&progress=35",
    );
  });
});
