/** A channel's parameter override for realtime sessions: rules of headers and errors hold at the handshake, those of a body are left out. */
import { expect, test } from "vitest";
import { RealtimeScene } from "../support/relay/realtime.ts";

const scene = new RealtimeScene();

function rules(...operations: object[]): void {
  const [channel] = scene.relay.world.channels;
  scene.relay.world.channels[0] = { ...channel, paramOverride: { operations } } as never;
}

test("headers of the handshake are set, and the session goes on as it came", async () => {
  rules({ mode: "set_header", path: "X-Team", value: "red" }, { mode: "set", path: "model", value: "other" });
  const client = await scene.opened();
  expect(scene.seen.headers["x-team"]).toBe("red");
  await client.answer();
  client.socket.close(1000, "bye");
  await scene.released();
  expect(scene.charges).toHaveLength(1);
});

test("a rule answers in place of the handshake, and nothing stays held", async () => {
  const value = { message: "no talking", status_code: 403, code: "quiet" };
  rules({
    mode: "return_error",
    value,
    conditions: [{ path: "original_model", mode: "prefix", value: "gpt-realtime" }],
  });
  const refused = await scene.refused();
  expect([refused.status, refused.body]).toEqual([403, expect.stringContaining("no talking")]);
  expect([scene.relay.billing.held, scene.charges]).toEqual([0, []]);
});
