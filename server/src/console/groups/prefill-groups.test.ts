/** Tests of saved lists on every engine: they are checked by their type, bounded in number, unique by name, and every change is in the administrators' log. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PREFILL_GROUPS_MAX } from "../../../../contract/src/family/prefill-groups.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { setUp, startTestServer, type TestClient, type TestServer } from "../../../../tests/support/systems/server.ts";

const PATH = "/api/prefill_group";

describe.each(await engines())("saved lists on %s", (engine) => {
  let server: TestServer;
  let root: TestClient;
  beforeAll(async () => {
    server = await startTestServer({ engine });
    root = await setUp(server);
  });
  afterAll(() => server.stop());

  const make = async (list: object) => (await root.post(PATH, list)).body;
  const list = async (query = "") => (await root.get(PATH + query)).body.data as { id: number; name: string }[];

  it("are made, read by type, changed and deleted, as consoles of the family do it", async () => {
    const models = await make({
      name: " Chat ",
      type: "model",
      items: ["gpt-4o", " gpt-4o ", "o3", ""],
      description: "d",
    });
    expect(models).toMatchObject({ success: true, data: { name: "Chat", items: ["gpt-4o", "o3"], description: "d" } });
    const endpoints = '{"openai": {"path": "/v1/chat/completions", "method": "POST"}, "anthropic": "/v1/messages"}';
    const made = await make({ name: "Calls", type: "endpoint", items: endpoints });
    const calls = {
      openai: { path: "/v1/chat/completions", method: "POST" },
      anthropic: { path: "/v1/messages", method: "POST" },
    };
    expect(made.data).toMatchObject({ type: "endpoint", items: calls });
    expect((await list("?type=model")).map(({ name }) => name)).toEqual(["Chat"]);
    expect((await list()).map(({ name }) => name)).toEqual(["Calls", "Chat"]);

    const { id } = models.data as { id: number };
    const changed = await root.put(PATH, { id, items: ["o3"] });
    expect(changed.body.data).toMatchObject({ name: "Chat", type: "model", items: ["o3"], description: "d" });
    expect((await root.send("DELETE", `${PATH}/${id}`)).body.success).toBe(true);
    expect((await root.send("DELETE", `${PATH}/${id}`)).body).toMatchObject({ success: false, code: "not_found" });
    expect((await root.put(PATH, { id, name: "x" })).body).toMatchObject({ success: false, code: "not_found" });
    expect((await list()).map(({ name }) => name)).toEqual(["Calls"]);
    const log = (await root.get("/api/log/?type=3&p=1&page_size=20")).body.data as { items: { content: string }[] };
    const written = log.items.map(({ content }) => content).filter((content) => content.includes("saved list"));
    expect(written.map((content) => content.split(" ")[0])).toEqual(["Deleted", "Changed", "Made", "Made"]);
  });

  it.each([
    [{ name: "", type: "model" }, "name"],
    [{ name: "n".repeat(65), type: "model" }, "name"],
    [{ name: "a\u200bb", type: "model" }, "name"],
    [{ name: "new", type: "group" }, "type"],
    [{ name: "new", type: "tag", description: "a\u0000" }, "description"],
    [{ name: "new", type: "tag", description: "d".repeat(256) }, "description"],
    [{ name: "new", type: "model", items: [1] }, "items"],
    [{ name: "new", type: "tag", items: ["a\u0000"] }, "items"],
    [{ name: "new", type: "tag", items: { a: 1 } }, "items"],
    [{ name: "new", type: "model", items: Array.from({ length: 1001 }, (_, place) => `m${place}`) }, "items"],
    [{ name: "new", type: "endpoint", items: "{" }, "items"],
    [
      { name: "new", type: "endpoint", items: { openai: { path: "https://elsewhere.example/", method: "POST" } } },
      "items",
    ],
    [{ name: "new", type: "endpoint", items: { openai: { path: "/v1", method: "POST; DROP" } } }, "items"],
  ])("%j is refused by its field, and nothing is saved", async (sent, field) => {
    const before = await list();
    const { body } = await root.post(PATH, sent);
    expect([body.success, body.field?.split(".")[0]]).toEqual([false, field]);
    expect(await list()).toEqual(before);
  });

  it("keep their names and items where a change does not fit", async () => {
    const one = (await make({ name: "One", type: "model", items: ["a"] })).data as { id: number };
    await make({ name: "Two", type: "tag", items: ["b"] });
    expect((await root.put(PATH, { id: one.id, name: "two" })).body).toMatchObject({ success: false, field: "name" });
    expect((await root.put(PATH, { id: one.id, type: "endpoint" })).body).toMatchObject({
      success: false,
      field: "items",
    });
    expect((await list()).find(({ id }) => id === one.id)).toMatchObject({ name: "One", type: "model", items: ["a"] });
  });

  it("are never more than the bound, however many are made at once", async () => {
    const { kysely } = server.app.foundation.database;
    const row = { type: "tag", items: "[]", description: "", created_time: 1, updated_time: 1 };
    const missing = PREFILL_GROUPS_MAX - 1 - (await list()).length;
    const rows = Array.from({ length: missing }, (_, place) => ({ ...row, name: `full ${place}` }));
    await kysely.insertInto("prefill_groups").values(rows).execute();
    const answers = await Promise.all([1, 2, 3, 4].map((place) => make({ name: `last ${place}`, type: "tag" })));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(await list()).toHaveLength(PREFILL_GROUPS_MAX);
  });
});
