/** Journeys of an operator in a real browser, each in so many presses: a wrong key, a failed call, a price, a channel out of service, a setting. */
import { afterAll, beforeEach, expect, test } from "vitest";
import type { ChannelRow } from "../../contract/src/features/channels.ts";
import { addPerson } from "../../tools/seed/people.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { countedPresses } from "../support/checks/presses.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { setOptions } from "../support/databases/options.ts";
import { itemsOf } from "../support/systems/site.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

const DAY_S = 86_400;
const PASSWORD = "battery staple 7";
const REFUSED = { status: 401, error: { message: "Incorrect API key provided", type: "invalid_request_error" } };

let upstream: FakeUpstream;
const presses = countedPresses();

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill({ server, root }) {
    upstream = await startFakeUpstream({ models: ["gpt-4o", "gpt-4o-mini"] });
    await root.put("/api/option/", { key: "ModelRatio", value: '{"gpt-4o": 1.25, "gpt-4o-mini": 0.075}' });
    const person = { username: "ada", displayName: "Ada", role: 1, group: "default", quota: 5_000_000, tokens: [] };
    await addPerson(server.app.foundation, person, PASSWORD, 1_700_000_000);
  },
});
afterAll(() => upstream?.close());

const channels = () => itemsOf<ChannelRow>(site.root.get("/api/channel/?page_size=100"));
const statusOf = async (name: string) => (await channels()).find((row) => row.name === name)?.status;
const addChannel = (name: string, models: string) =>
  site.root.post("/api/channel/", {
    type: 1,
    key: "sk-right",
    base_url: upstream.url,
    groups: ["default"],
    name,
    models,
  });
const button = (name: string | RegExp) => site.page.getByRole("button", { name, exact: typeof name === "string" });
const dialog = () => site.page.getByRole("dialog");
const open = async (path: string): Promise<void> => {
  await site.page.goto(site.server.app.url + path);
  await site.page.locator("main#content h1").waitFor();
  presses.restart();
};

beforeEach(async () => {
  upstream.reset();
  const rows = await channels();
  if (rows.length > 0) await site.root.post("/api/channel/batch", { ids: rows.map(({ id }) => id) });
});

test("a wrong key is refused at its field by the first press, and the right one has its models by the second; a test is of what is typed", async () => {
  const { page } = site;
  await open("/channel/add");
  await dialog().getByLabel("Name").fill("new lane");
  const key = dialog().getByRole("textbox", { name: "Key" });
  await key.fill("sk-wrong");
  await dialog().getByLabel("Base URL").fill(upstream.url);
  upstream.next(REFUSED);
  await presses.click(button("Fetch from provider"));
  await expect.poll(() => key.getAttribute("aria-invalid")).toBe("true");
  await key.fill("sk-right");
  await presses.click(button("Fetch from provider"));
  await button("Remove gpt-4o").waitFor();
  expect(presses.count()).toBeLessThanOrEqual(2);
  // What was said of the wrong key is gone with it, from the form and from the corner of the page.
  expect(await key.getAttribute("aria-invalid")).not.toBe("true");
  expect(await page.getByText("Incorrect API key provided").count()).toBe(0);
  await button("Test").click();
  await button(/^gpt-4o, Plain: passed, /).waitFor();
  expect(upstream.requests.at(-1)?.headers["authorization"]).toBe("Bearer sk-right");
  await page.keyboard.press("Escape");
  await button("Discard").click();
});

/** A call of ada's that no upstream answered; all calls are then as if they were made a day ago. */
async function failYesterday(): Promise<void> {
  await addChannel("only lane", "gpt-4o");
  const ada = site.server.client();
  await ada.login("ada", PASSWORD);
  const { body } = await ada.post("/api/token/", { name: "nightly", unlimited_quota: true });
  upstream.plan(REFUSED);
  const answer = await fetch(`${site.server.app.url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer sk-${(body.data as { key: string }).key}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "hi" }] }),
  });
  await answer.text();
  const { kysely } = site.server.app.foundation.database;
  await kysely
    .updateTable("logs")
    .set(({ eb }) => ({ created_at: eb("created_at", "-", DAY_S) }))
    .execute();
}

test("why a call failed yesterday is found by day, kind and person, and its receipt says what to do and leads there", async () => {
  const { page } = site;
  await failYesterday();
  await open("/log");
  // There are no calls of today, so the page offers earlier days at once; a menu of periods stands there where there are some.
  await presses.click(button("Show yesterday"));
  await presses.click(page.getByRole("radiogroup", { name: "Type" }).getByRole("radio", { name: "Errors" }));
  await presses.click(button("User"));
  await presses.click(dialog().getByRole("button", { name: /^ada/ }));
  await presses.click(page.getByRole("row").getByRole("button", { name: "Details" }).first());
  await page.getByText("Why it failed").waitFor();
  await page.getByText("The upstream refused the key: replace it.").waitFor();
  expect(presses.count()).toBeLessThanOrEqual(5);
  await page.getByRole("link", { name: "Replace the key" }).click();
  await page.waitForURL(/\/channel\/edit\/\d+$/);
});

test("a price is raised where it was tried: the dry run applies what it has shown", async () => {
  const { page } = site;
  await open("/token");
  await presses.click(page.getByRole("navigation").getByRole("link", { name: "Prices", exact: true }));
  await presses.click(page.getByRole("radio", { name: "Dry run" }));
  await presses.click(button("Add a change"));
  await page.getByRole("textbox", { name: "Models" }).fill("gpt-4o");
  await page.getByRole("textbox", { name: "Factor" }).fill("2");
  await presses.click(button("Run"));
  await presses.click(button("Apply these prices"));
  await presses.click(dialog().getByRole("button", { name: "Apply these prices" }));
  await page.getByText("The new prices are in force.").waitFor();
  expect(presses.count()).toBeLessThanOrEqual(6);
  await setOptions(site.server.app.foundation, { ModelRatio: '{"gpt-4o": 1.25, "gpt-4o-mini": 0.075}' });
});

test("one press takes a channel out of service that others stand in for, and can be undone; the last one of a model asks first", async () => {
  const { page } = site;
  await addChannel("both", "gpt-4o,gpt-4o-mini");
  await addChannel("mini", "gpt-4o-mini");
  await open("/channel");
  const toggle = (name: string) =>
    page.getByRole("switch", { name: `Disable ${name}`, exact: true }).locator("xpath=..");
  await presses.click(toggle("mini"));
  await expect.poll(() => statusOf("mini")).toBe(2);
  expect(presses.count()).toBe(1);
  await presses.click(button("Undo"));
  await expect.poll(() => statusOf("mini")).toBe(1);
  presses.restart();
  await presses.click(toggle("both"));
  const question = page.getByRole("dialog", { name: "1 model loses its last channel" });
  await question.getByText("gpt-4o (default).").waitFor();
  expect(await statusOf("both")).toBe(1);
  await presses.click(question.getByRole("button", { name: "Disable anyway" }));
  await expect.poll(() => statusOf("both")).toBe(2);
  expect(presses.count()).toBe(2);
  await page.getByText("1 model has no enabled channel: gpt-4o").waitFor();
});

testInAll("'disable registration' finds its switch, which is off after a press and a save")(async () => {
  const { page } = site;
  await open("/setting");
  const search = page.getByRole("searchbox", { name: "Search settings" });
  await search.fill("disable registration");
  await page.getByRole("option").first().waitFor();
  await presses.enter(search, "disable registration");
  const control = page.locator('[id="option-RegisterEnabled-control"]');
  await control.and(page.locator(":focus")).waitFor();
  await presses.click(control.locator("xpath=.."));
  await presses.click(button(/^Save 1 change/));
  await page.getByText("Settings saved").waitFor();
  expect(presses.count()).toBeLessThanOrEqual(3);
  expect(site.server.app.foundation.snapshot.options.RegisterEnabled).toBe(false);
});
