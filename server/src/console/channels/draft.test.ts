/** Tests of testing a channel form: it uses typed values, never sends a stored key elsewhere, and stores nothing with a channel. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TestKind } from "../../../../contract/src/channels/channel-tests.ts";
import { NO_USAGE } from "../../../../contract/src/pricing/usage.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import {
  CHANNEL_FORM,
  type ChannelScene,
  openChannelScene,
  PLANTED_KEY,
} from "../../../../tests/support/systems/channel-scene.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";

const USED = { ...NO_USAGE, inputTokens: 1000, outputTokens: 100 };

describe.each(await engines())("the test of a form on %s", (engine) => {
  let scene: ChannelScene;
  let tried: { channel: SnapshotChannel; model: string; kind: TestKind | undefined }[] = [];
  beforeAll(async () => {
    scene = await openChannelScene(engine, {
      testChannel: async (channel, model, _signal, kind) => {
        tried.push({ channel, model, kind });
        const isRight = channel.key !== "sk-wrong";
        const reason = { code: "upstream_status", values: { status: 401, message: "Incorrect API key" } } as const;
        const told = isRight ? { message: "" } : { message: "status 401: Incorrect API key", reason };
        return {
          isSuccess: isRight,
          durationMs: 12,
          model,
          promptTokens: 1,
          completionTokens: 1,
          ...(isRight && { usage: USED }),
          ...told,
        };
      },
    });
  });
  afterAll(() => scene.site.close());
  beforeEach(async () => {
    await scene.clear();
    tried = [];
  });

  const test = (body: object) =>
    scene.admin.call("POST", "/api/channel/test/draft", body).then((answer) => answer.body);
  const BASE = { base_url: "https://one.example" };

  it("tries a form that is not saved, with its first key, and says the upstream's words", async () => {
    const form = { ...CHANNEL_FORM, ...BASE, key: "sk-right\nsk-other", name: "" };
    expect(await test(form)).toMatchObject({ success: true, time: 0.012 });
    expect(tried[0]?.channel).toMatchObject({ key: "sk-right", baseUrl: "https://one.example", type: 1 });
    expect([...(tried[0]?.channel.models ?? [])]).toEqual(["gpt-a", "gpt-b"]);
    expect(await test({ ...form, key: "sk-wrong" })).toMatchObject({
      success: false,
      failure: { code: "upstream_status", values: { status: 401, message: "Incorrect API key" } },
    });
    expect(await scene.list()).toEqual([]);
  });

  it("tries the changes of a stored channel with the key that was typed, else with the stored one, and keeps nothing", async () => {
    const id = await scene.make(BASE);
    expect(await test({ id, models: "gpt-new", key: "sk-typed" })).toMatchObject({ success: true });
    expect(await test({ id, models: "gpt-new" })).toMatchObject({ success: true });
    expect(tried.map(({ channel }) => channel.key)).toEqual(["sk-typed", PLANTED_KEY]);
    expect([...(tried[1]?.channel.models ?? [])]).toEqual(["gpt-new"]);
    expect(await scene.read(id)).toMatchObject({ models: "gpt-a,gpt-b", test_time: 0, test_failure: null });
  });

  it.each([
    ["address", { base_url: "https://other.example" }],
    ["default address", { base_url: "" }],
    ["provider", { type: 14 }],
    ["proxy", { setting: '{"proxy":"http://proxy.example:3128"}' }],
    ["region or version", { other: "elsewhere" }],
    ["organisation", { openai_organization: "org-other" }],
  ])("never sends the stored key to another %s", async (_, change) => {
    const id = await scene.make(BASE);
    for (const key of [undefined, null, "", "  "]) {
      const answer = await test({ id, ...change, key });
      expect(answer).toMatchObject({ success: false, code: "channel_key_missing", field: "key" });
    }
    expect(tried).toEqual([]);
  });

  it("shows what was asked to be shown, and says what the answer cost at the upstream by the form's own figures", async () => {
    const form = { ...CHANNEL_FORM, ...BASE, key: "sk-right", model: "gpt-a" };
    for (const kind of ["plain", "stream", "tools", "pictures"] as const) await test({ ...form, kind });
    expect(tried.map(({ kind }) => kind)).toEqual(["plain", "stream", "tools", "pictures"]);
    const { cost, ...rest } = await test({ ...form, kind: "stream" });
    // Of a price that is not known there is none.
    expect([cost, rest.success]).toEqual([undefined, true]);
    const costs = JSON.stringify({ models: { "gpt-a": { input: 2, output: 10 } } });
    const { QuotaPerUnit } = scene.site.context.snapshot.options;
    expect((await test({ ...form, costs, kind: "stream" })).cost).toBe((QuotaPerUnit * (1000 * 2 + 100 * 10)) / 1e6);
    expect(await test({ ...form, costs, key: "sk-wrong" })).not.toHaveProperty("cost");
    expect(await test({ ...form, kind: "other" })).toMatchObject({ success: false });
    expect(tried).toHaveLength(7);
    const rows = scene.site.foundation.database.kysely.selectFrom("logs").where("token_name", "=", "model test");
    const logged = await rows.select(["type", "quota"]).execute();
    expect(logged.length).toBeGreaterThanOrEqual(7);
    expect(logged.filter(({ type, quota }) => type !== 4 || Number(quota) !== 0)).toEqual([]);
  });

  it("refuses what the form would be refused for, naming the field", async () => {
    expect(await test({ ...CHANNEL_FORM, models: "" })).toMatchObject({ field: "models" });
    expect(await test({ ...CHANNEL_FORM, base_url: "ftp://x" })).toMatchObject({ field: "base_url" });
    expect(await test({ id: 987_654 })).toMatchObject({ code: "not_found" });
    expect(tried).toEqual([]);
  });
});
