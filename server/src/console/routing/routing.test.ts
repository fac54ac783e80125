/** Tests of the route explainer over HTTP: for a described call, and for a failed one by its request id. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PastRoute, RouteExplanation } from "../../../../contract/src/features/routing.ts";
import { type FakeUpstream, startFakeUpstream } from "../../../../tests/fake-upstream/fake-upstream.ts";
import { setUp, startTestServer, type TestClient, type TestServer } from "../../../../tests/support/systems/server.ts";

let upstream: FakeUpstream;
let server: TestServer;
let root: TestClient;
let key: string;
let tokenId: number;

beforeAll(async () => {
  upstream = await startFakeUpstream({ plan: { status: 500, error: { message: "out of order" } } });
  server = await startTestServer({ ALLOW_PRIVATE_UPSTREAMS: "1" }, {});
  root = await setUp(server);
  const add = (more: object) =>
    root.post("/api/channel/", { type: 1, key: "sk-upstream", base_url: upstream.url, groups: ["default"], ...more });
  await add({ name: "main", models: "gpt-4o", priority: 5 });
  await add({ name: "spare", models: "gpt-4o", weight: 30 });
  await add({ name: "short", models: "gpt-4o", max_input_tokens: 50 });
  await add({ name: "vip", models: "gpt-4o,gpt-4o-mini", groups: ["vip"] });
  const made = await root.post("/api/token/", { name: "app", expired_time: -1, unlimited_quota: true });
  ({ key, id: tokenId } = made.body.data as { key: string; id: number });
});
afterAll(async () => {
  await server?.stop();
  await upstream?.close();
});

const ask = async (question: object) => {
  const { body } = await root.post("/api/channel/route", { model: "gpt-4o", ...question });
  return { ...body, data: body.data as RouteExplanation };
};
const call = async (model: string): Promise<string> => {
  const answer = await fetch(`${server.app.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer sk-${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] }),
  });
  await answer.text();
  return answer.headers.get("x-oneapi-request-id") ?? answer.headers.get("x-request-id") ?? "";
};

describe("of a call as it is described", () => {
  it("tells steps, chances and reasons", async () => {
    const { data } = await ask({ input_tokens: "60" });
    expect(
      data.steps.map(({ priority, channels }) => [priority, channels.map(({ name, chance }) => [name, chance])]),
    ).toEqual([
      [5, [["main", 1]]],
      [0, [["spare", 1]]],
    ]);
    expect(data.out.map(({ name, reason }) => [name, reason.code])).toEqual([
      ["short", "input_limit"],
      ["vip", "group"],
    ]);
    expect(data).toMatchObject({ group: "default", input_tokens: 60, user: null, token: null, max_tries: 1 });
  });

  it("takes a user by name or id, a token by id, and a group before both of theirs", async () => {
    expect((await ask({ user: "root" })).data).toMatchObject({ user: { id: 1, username: "root" }, group: "default" });
    expect((await ask({ user: " 1 " })).data.user?.username).toBe("root");
    expect((await ask({ token_id: tokenId })).data).toMatchObject({
      token: { id: tokenId, name: "app" },
      user: { id: 1 },
    });
    expect((await ask({ token_id: tokenId, group: "vip" })).data.steps[0]?.channels[0]?.name).toBe("vip");
  });

  it("shows every group that a token's calls may go to, each with its channels, and leaves out what is in none", async () => {
    const made = await root.post("/api/token/", {
      name: "wandering",
      expired_time: -1,
      unlimited_quota: true,
      group: "auto",
      auto_groups: ["default", "vip"],
      cross_group_retry: true,
    });
    const { id } = made.body.data as { id: number };
    const { data } = await ask({ token_id: id });
    expect([data.group, data.groups]).toEqual(["default", ["default", "vip"]]);
    expect(data.steps.map(({ group, channels }) => [group, channels.map(({ name }) => name)])).toEqual([
      ["default", ["main"]],
      ["default", ["spare", "short"]],
      ["vip", ["vip"]],
    ]);
    expect(data.out).toEqual([]);
  });

  it("finds users and tokens by part of their name and by id, without keys, and answers no user", async () => {
    const find = async (query: string) => (await root.get(`/api/channel/route_callers?${query}`)).body.data;
    expect(await find("keyword=APP")).toEqual({ users: [], tokens: [{ id: tokenId, name: "app", username: "root" }] });
    expect(await find("keyword=roo&user=root")).toMatchObject({ users: [{ id: 1, username: "root" }], tokens: [] });
    expect(await find(`keyword=${tokenId}&user=root`)).toMatchObject({ tokens: [{ id: tokenId }] });
    expect(await find("keyword=app&user=somebody")).toEqual({ users: [], tokens: [] });
    expect(await find("keyword=%25")).toEqual({ users: [], tokens: [] });
    await root.post("/api/user/", { username: "member", password: "a long password", display_name: "" });
    const member = server.client();
    await member.login("member", "a long password");
    expect((await member.get("/api/channel/route_callers?keyword=app")).status).toBe(403);
  });

  it.each([
    [{ user: "nobody" }, "not_found", "user"],
    [{ token_id: 987 }, "not_found", "token_id"],
    [{ model: " " }, "invalid_field", "model"],
    [{ operation: "dance" }, "invalid_field", "operation"],
  ])("names the field of %j", async (question, code, field) => {
    expect(await ask(question)).toMatchObject({ success: false, code, field });
  });
});

const past = async (id: string) => {
  const { body } = await root.get(`/api/channel/route/${id}`);
  return { ...body, data: body.data as PastRoute };
};
const untilKept = async (id: string): Promise<PastRoute> => {
  for (;;) {
    const { success, data } = await past(id);
    if (success) return data;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

it("says of a call that was answered which channel did", async () => {
  upstream.next({});
  const kept = await untilKept(await call("gpt-4o"));
  expect(kept.tried).toMatchObject([{ name: "main", status: 200 }]);
});

describe("of a call that failed", () => {
  it("tells what was tried, in its order, with what came of it", async () => {
    const kept = await untilKept(await call("gpt-4o"));
    expect(kept).toMatchObject({
      model: "gpt-4o",
      group: "default",
      user: { username: "root" },
      token: { name: "app" },
    });
    expect(kept.refusal?.status).toBe(500);
    expect(kept.tried).toMatchObject([
      { name: "main", status: 500, reason: expect.stringContaining("out of order") as string },
    ]);
  });

  it("explains a 404: which channels have the model, and why none could be tried", async () => {
    const kept = await untilKept(await call("gpt-4o-mini"));
    expect(kept).toMatchObject({
      refusal: { code: "model_not_found", status: 404 },
      tried: [],
      out: [{ name: "vip", type: 1, reason: { code: "group", values: { groups: "vip" } } }],
      out_total: 1,
    });
  });

  it("is not found where no call has the id", async () => {
    expect(await past("no-such-request")).toMatchObject({ success: false, code: "not_found" });
  });
});
