/** Holds every scenario to what it promises: it fills an empty system, its books balance, and a call with its token is answered. */
import { afterEach, expect, test } from "vitest";
import { auditDatabase } from "../../server/src/billing/audit.ts";
import { startThrowAway, type ThrowAway } from "../throw-away.ts";
import { SCENARIOS, type ScenarioName } from "./scenarios.ts";

let place: ThrowAway | undefined;
afterEach(async () => {
  await place?.close();
  place = undefined;
});

/** busy-month has its own test: bulk-month.test.ts. */
const written = (Object.keys(SCENARIOS) as ScenarioName[]).filter((name) => name !== "busy-month");

test.each(written)("%s", async (name) => {
  place = await startThrowAway(name, { LOG_LEVEL: "silent" });
  const { app, filled } = place;
  const scenario = SCENARIOS[name];
  const { faults, unpricedCharges } = await auditDatabase(app.foundation.database);
  expect(app.foundation.snapshot.channels().length).toBe(scenario.channels.length);
  expect(filled.people.length).toBe(scenario.people.length);
  expect(filled.calls > 0).toBe(scenario.days > 0);
  expect([faults, unpricedCharges]).toEqual([[], 0]);
});

test("the demo's token gets an answer, and an address of the console shows it in the log", async () => {
  place = await startThrowAway("demo", { LOG_LEVEL: "silent" });
  const { app, filled } = place;
  const answer = await fetch(`${app.url}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${filled.key ?? ""}`, "Content-Type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello" }] }),
  });
  expect(answer.status).toBe(200);
  const logged = await app.foundation.database.kysely
    .selectFrom("logs")
    .selectAll()
    .orderBy("id", "desc")
    .executeTakeFirst();
  expect(logged).toMatchObject({ type: 2, model_name: "gpt-4o-mini", username: filled.admin.username });
  expect(Number(logged?.quota)).toBeGreaterThan(0);
  const incidents = await app.foundation.database.kysely.selectFrom("logs").selectAll().where("type", "=", 4).execute();
  expect(incidents.map(({ content }) => content.split(":")[0])).toEqual([
    'Disabled channel "Anthropic main" (#3) automatically',
    'Enabled channel "Anthropic main" (#3) automatically',
    'Disabled channel "OpenAI team B" (#2) automatically',
    'Enabled channel "OpenAI team B" (#2) automatically',
  ]);
});
