/** Tests of header overrides and remarks: values are never shown, never follow a channel to another address, and unsupported rules are refused by name. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { CHANNEL_FORM, type ChannelScene, openChannelScene } from "../../../../tests/support/systems/channel-scene.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";

const SECRET = "planted-header-value";
const BASE = { base_url: "https://one.example" };
const HEADERS = JSON.stringify({ "X-Team": SECRET, "X-Trace": "{client_header:X-Trace}", "re:^x-a": "" });
const SHOWN = JSON.stringify({ "X-Team": "***", "X-Trace": "{client_header:X-Trace}", "re:^x-a": "" });

describe.each(await engines())("header overrides on %s", (engine) => {
  let scene: ChannelScene;
  let tried: SnapshotChannel[] = [];
  beforeAll(async () => {
    scene = await openChannelScene(engine, {
      testChannel: (channel, model) => {
        tried.push(channel);
        return Promise.resolve({
          isSuccess: true,
          durationMs: 1,
          model,
          message: "",
          promptTokens: 1,
          completionTokens: 1,
        });
      },
    });
  });
  afterAll(() => scene.site.close());
  beforeEach(async () => {
    await scene.clear();
    tried = [];
  });

  const ask = (method: string, path: string, body?: object) =>
    scene.admin.call(method, path, body).then((answer) => answer.body);
  const change = (body: object) => ask("PUT", "/api/channel", body);
  const headersOf = (id: number) => {
    const channel = scene.site.foundation.snapshot.channelById(id);
    return (channel?.headers ?? []).flatMap((rule) => (rule.kind === "fixed" ? [[rule.name, rule.value]] : []));
  };

  it("stores values encrypted, and shows them as *** in every answer", async () => {
    const id = await scene.make({ ...BASE, header_override: HEADERS });
    expect(await scene.read(id)).toMatchObject({ header_override: SHOWN });
    for (const path of ["/api/channel", "/api/channel/search?keyword=one", `/api/channel/${id}`])
      expect(JSON.stringify(await ask("GET", path))).not.toContain(SECRET);
    const rows = await scene.site.foundation.database.kysely.selectFrom("channels").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(SECRET);
    const logs = await scene.site.foundation.database.kysely.selectFrom("logs").selectAll().execute();
    expect(JSON.stringify(logs)).not.toContain(SECRET);
    expect(headersOf(id)).toEqual([["x-team", SECRET]]);
  });

  it("keeps what *** stands for, changes what is sent, and clears all with a blank text", async () => {
    const id = await scene.make({ ...BASE, header_override: HEADERS });
    await change({ id, header_override: JSON.stringify({ "x-team": "***", "x-more": "b" }) });
    expect(headersOf(id)).toEqual([
      ["x-team", SECRET],
      ["x-more", "b"],
    ]);
    const refused = await change({ id, header_override: JSON.stringify({ "x-none": "***" }) });
    expect(refused).toMatchObject({ success: false, code: "channel_invalid", field: "header_override" });
    await change({ id, header_override: "" });
    expect(await scene.read(id)).toMatchObject({ header_override: "" });
    expect(headersOf(id)).toEqual([]);
  });

  it("sends no stored value to another address, even if a key is typed: it is typed again, or goes", async () => {
    const id = await scene.make({ ...BASE, header_override: HEADERS });
    const moved = { id, base_url: "https://two.example", key: "sk-another-key-aaaaaaaa" };
    for (const kept of [{}, { header_override: SHOWN }]) {
      const answer = await change({ ...moved, ...kept });
      expect(answer).toMatchObject({ success: false, code: "channel_headers_needed", field: "header_override" });
    }
    expect(await scene.read(id)).toMatchObject({ ...BASE, header_override: SHOWN });
    const again = await change({ ...moved, header_override: JSON.stringify({ "X-Team": "typed" }) });
    expect(again).toMatchObject({ success: true });
    expect(headersOf(id)).toEqual([["x-team", "typed"]]);
  });

  it("tests a form with stored values at the stored address alone", async () => {
    const id = await scene.make({ ...BASE, header_override: HEADERS });
    const draft = (body: object) => ask("POST", "/api/channel/test/draft", body);
    expect(await draft({ id, header_override: SHOWN })).toMatchObject({ success: true });
    expect(tried[0]?.headers).toContainEqual({ kind: "fixed", name: "x-team", value: SECRET });
    const elsewhere = await draft({ id, base_url: "https://two.example", key: "sk-typed", header_override: SHOWN });
    expect(elsewhere).toMatchObject({ code: "channel_headers_needed", field: "header_override" });
    expect(tried).toHaveLength(1);
  });

  it.each([
    [{ header_override: '{"Host":"a"}' }, "header_override", /Host/],
    [{ header_override: '{"x-a":"{client_header:Authorization}"}' }, "header_override", /authorization/],
    [{ settings: '{"azure_responses_version":"preview"}' }, "settings", /azure_responses_version/],
    [{ settings: '{"allow_speed":"yes"}' }, "settings", /allow_speed/],
    [{ setting: '{"http2_connection_shards":9}' }, "setting", /http2_connection_shards/],
    [{ setting: '{"http_protocol":"http3"}' }, "setting", /http_protocol/],
    [{ setting: '{"force_stream":true}' }, "setting", /force_stream/],
    [{ setting: JSON.stringify({ system_prompt: "a".repeat(20_001) }) }, "setting", /system_prompt/],
    [{ remark: "a".repeat(256) }, "remark", /remark/],
  ])("refuses %j, naming the field and the entry", async (wrong, field, words) => {
    const answer = await ask("POST", "/api/channel", { ...CHANNEL_FORM, ...wrong });
    expect(answer).toMatchObject({ success: false, code: "channel_invalid", field });
    expect((answer as { message: string }).message).toMatch(words);
    expect(await scene.list()).toEqual([]);
  });

  it("keeps settings and a remark, by which channels are found", async () => {
    const settings = '{"disable_store":true,"claude_beta_query":true}';
    const id = await scene.make({ remark: " paid by the lab ", settings });
    expect(await scene.read(id)).toMatchObject({ remark: "paid by the lab", settings });
    expect(scene.site.foundation.snapshot.channelById(id)?.setting).toEqual({ withheld: ["store"], asksForBeta: true });
    expect(await ask("GET", "/api/channel/search?keyword=the%20lab")).toMatchObject({ data: { items: [{ id }] } });
  });
});
