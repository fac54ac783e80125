/** Fields of a log row beside its price: the client's address, by its owner's choice and the site's, and the upstream's own request id. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { type TestRelay, newChannel, newUser, startTestRelay, withOptions } from "../support/relay/harness.ts";

const KEY = "sk-upstream-key";

let upstream: FakeUpstream;
let second: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  upstream = await startFakeUpstream();
  second = await startFakeUpstream({ plan: { headers: { "request-id": "second-1" } } });
  relay = await startTestRelay();
  relay.world.channels.push(
    newChannel({ id: 1, baseUrl: upstream.url, key: KEY, priority: 10 }),
    newChannel({ id: 2, baseUrl: second.url }),
  );
  withOptions(relay.world, { RetryTimes: 1 });
});

afterEach(async () => {
  await relay.close();
  await Promise.all([upstream.close(), second.close()]);
});

/** Calls once, and gives the row of the call. */
async function rowOf(body: object = {}) {
  const chat = { model: "gpt-4o", messages: [{ role: "user", content: "hello" }], ...body };
  await (await relay.post("/v1/chat/completions", chat)).text();
  const row = relay.billing.rows.at(-1);
  const { admin_info: info } = JSON.parse(row?.other ?? "{}") as { admin_info: { tried: object[] } };
  return { ip: row?.ip, tried: info.tried as { upstream_request_id?: string }[] };
}

test.each([
  [true, false, true],
  [false, false, false],
  [false, true, true],
])("of a person who keeps addresses (%s), where the site requires them (%s), a row has one: %s", async (...row) => {
  const [keepsClientAddresses, ClientAddressLogRequired, has] = row;
  relay.world.users[0] = newUser({ keepsClientAddresses });
  withOptions(relay.world, { ClientAddressLogRequired });
  expect((await rowOf()).ip !== "").toBe(has);
  // A failed call has a row of its own.
  for (const each of [upstream, second]) each.plan({ status: 400, error: { message: "no" } });
  expect((await rowOf()).ip !== "").toBe(has);
});

test.each([false, true])("an answer's row has the upstream's id of the request (stream: %s)", async (stream) => {
  upstream.plan({ headers: { "x-request-id": "req_first" } });
  expect((await rowOf({ stream })).tried.map((each) => each.upstream_request_id)).toEqual(["req_first"]);
});

test("each channel that was tried has its own, failed ones too", async () => {
  upstream.plan({ status: 500, error: { message: "no" }, headers: { "x-request-id": "req_failed" } });
  expect((await rowOf()).tried.map((each) => each.upstream_request_id)).toEqual(["req_failed", "second-1"]);
});

test.each([`a${KEY}`, "two words", "x".repeat(129)])("%j is no id: it is not stored", async (id) => {
  upstream.plan({ headers: { "x-request-id": id } });
  expect((await rowOf()).tried).toEqual([expect.not.objectContaining({ upstream_request_id: expect.anything() })]);
});
