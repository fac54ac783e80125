/** Tests of settings that calls could not keep, refused when saved: invalid limits, addresses that lose their path, unsupported balances. */
import { AppError } from "../../../../contract/src/errors.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CHANNEL_FORM, type ChannelScene, openChannelScene } from "../../../../tests/support/systems/channel-scene.ts";
import type { Caller } from "../../../../tests/support/systems/console.ts";

let scene: ChannelScene;
let admin: Caller;

beforeAll(async () => {
  const askBalance = () => Promise.reject(new AppError("channel_balance_unsupported"));
  scene = await openChannelScene("sqlite", { askBalance });
  admin = scene.admin;
});
afterAll(() => scene.site.close());

it.each(["many", -1, 2_000_000_000])("refuses %j as max_input_tokens by its name", async (limit) => {
  const { body } = await admin.call("POST", "/api/channel", { ...CHANNEL_FORM, max_input_tokens: limit });
  expect(body).toMatchObject({ success: false, code: "channel_invalid", field: "max_input_tokens" });
});

it.each([
  ["4096", 4096],
  [1, 1],
  [0, null],
  ["", null],
  [null, null],
])("stores %j as max_input_tokens %j, and keeps it where an edit does not send it", async (sent, stored) => {
  const id = await scene.make({ max_input_tokens: sent });
  expect((await scene.read(id)).max_input_tokens).toBe(stored);
  await admin.call("PUT", "/api/channel", { id, weight: 3 });
  expect((await scene.read(id)).max_input_tokens).toBe(stored);
  await admin.call("PUT", "/api/channel", { id, max_input_tokens: null });
  expect((await scene.read(id)).max_input_tokens).toBeNull();
});

it("takes a query where the base URL is the whole address, and nowhere before a path is added to it", async () => {
  const base_url = "https://a.example/v1/chat/completions?api-version=1";
  expect(await scene.read(await scene.make({ type: 8, base_url }))).toMatchObject({ base_url });
  const { body } = await admin.call("POST", "/api/channel/fetch_models", { type: 1, key: "k", base_url });
  expect(body).toMatchObject({ code: "channel_invalid", field: "base_url" });
  const id = await scene.make();
  const moved = await admin.call("PUT", "/api/channel", { id, base_url });
  expect(moved.body).toMatchObject({ code: "channel_invalid", field: "base_url" });
  expect((await scene.read(id)).base_url).toBe("");
});

it("says that a provider tells no balance, of one channel or of all, instead of taking the word for an id", async () => {
  await scene.clear();
  const id = await scene.make({ type: 14 });
  for (const [path, code] of [
    ["", "channel_balances_none"],
    ["/", "channel_balances_none"],
    [`/${id}`, "channel_balance_unsupported"],
    [`/${id}/`, "channel_balance_unsupported"],
  ]) {
    const { status, body } = await admin.call("POST", `/api/channel/update_balance${path}`);
    expect({ path, status, ...body }).toMatchObject({ path, status: 200, code });
    const got = await admin.call("GET", `/api/channel/update_balance${path}`);
    expect(got.body).toMatchObject({ success: false, code });
  }
  expect((await admin.call("POST", `/api/channel/update_balance/${id + 1}`)).body).toMatchObject({
    code: "not_found",
  });
});
