/** The matrix of tests in the channel form, in a real browser: what a model can show, what it costs, and the way from a failure to the field. */
import { afterAll, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import type { Plan, SeenRequest } from "../fake-upstream/plan.ts";
import { rootSite } from "../support/checks/root-site.ts";
import {
  findingsOfAnotherLook,
  layoutShift,
  logInOn,
  openContext,
  openPage,
  overflow,
  PHONE,
} from "../support/systems/browser.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";
import { dataOf } from "../support/systems/site.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

const KEY = "sk-upstream-abcdefghijklmnop";
let upstream: FakeUpstream;
let id = 0;

const site = rootSite({
  async fill({ root }) {
    upstream = await startFakeUpstream({ models: ["gpt-4o", "text-embedding-3-small"], key: KEY });
    await root.put("/api/option/", { key: "AllowPrivateUpstreamsEnabled", value: "true" });
    const base = { type: 1, key: KEY, base_url: upstream.url, groups: ["default"] };
    [id = 0] = await dataOf<number[]>(
      root.post("/api/channel/", { ...base, name: "tested", models: "gpt-4o,text-embedding-3-small" }),
    );
  },
});
afterAll(() => upstream?.close());

const TOOL_CALL: Plan = { toolCalls: [{ name: "get_weather", arguments: '{"city":"Paris"}' }] };
const usesTools = ({ json }: SeenRequest): boolean => json?.["tools"] !== undefined;
const LIMITED: Plan = { status: 429, error: { message: "Rate limit reached", type: "requests" } };

beforeEach(() => {
  upstream.reset();
  site.tab.complaints.splice(0);
});

const openMatrix = async () => {
  await site.page.goto(`${site.server.app.url}/channel/edit/${id}`);
  const drawer = site.page.getByRole("dialog", { name: "tested" });
  await drawer.getByRole("button", { name: "Test", exact: true }).click();
  return drawer;
};

test("each model is tried for what it can show, with time and cost, and for nothing that it is not for", async () => {
  upstream.plan((request) => (usesTools(request) ? TOOL_CALL : {}));
  const drawer = await openMatrix();
  await drawer.getByRole("button", { name: /^gpt-4o, Plain: passed, / }).waitFor();
  expect(upstream.count).toBe(1);
  await drawer.getByRole("button", { name: "Run 5 tests" }).click();
  for (const kind of ["Streaming", "Tools", "Pictures"])
    await drawer.getByRole("button", { name: new RegExp(`^gpt-4o, ${kind}: passed, `) }).waitFor();
  await drawer.getByRole("button", { name: /^text-embedding-3-small, Plain: passed/ }).waitFor();
  await drawer.getByText("5 passed, 0 failed").waitFor();
  expect(await drawer.getByRole("button", { name: /text-embedding-3-small: Tools/ }).count()).toBe(0);
  expect(await findingsOfAnotherLook(site.page)).toEqual([]);
  // Nothing of it is kept with the channel.
  expect(await dataOf<object>(site.root.get(`/api/channel/${id}`))).toMatchObject({ test_time: 0, test_result: 0 });
});

testInAll(
  "a model without tools, and an upstream that limits calls, are said in words where there is nothing to repair",
)(async () => {
  const drawer = await openMatrix();
  await drawer.getByRole("button", { name: /^gpt-4o, Plain: passed/ }).waitFor();
  await drawer.getByRole("button", { name: "Test gpt-4o: Tools" }).click();
  await drawer.getByText("The model answered without calling the tool it was asked to call").waitFor();
  upstream.plan(LIMITED);
  await drawer.getByRole("button", { name: "Test gpt-4o: Streaming" }).click();
  await drawer.getByText(/answered 429/).waitFor();
  await drawer.getByText(/nothing in this form has to be changed/).waitFor();
  expect(await drawer.getByRole("button", { name: /^Go to/ }).count()).toBe(0);
});

test("a refused key ends the run, its repair opens the box for a new one, and that one is tested before it is stored", async () => {
  await dataOf(site.root.put("/api/channel/", { id, key: "sk-upstream-refuses-this-one" }));
  const drawer = await openMatrix();
  await drawer
    .getByText(/The upstream answered 401/)
    .first()
    .waitFor();
  await drawer.getByRole("button", { name: "Run 5 tests" }).click();
  await drawer.getByText(/0 passed, [2-4] failed/).waitFor();
  // One at first and as many as run at a time.
  expect(upstream.count).toBeLessThanOrEqual(4);
  await drawer.getByRole("button", { name: "Go to key" }).click();
  const key = drawer.getByRole("textbox", { name: "Key" });
  await expect.poll(() => key.evaluate((box) => box === document.activeElement)).toBe(true);
  await key.fill(KEY);
  await drawer.getByRole("button", { name: "Test", exact: true }).click();
  await drawer.getByRole("button", { name: /^gpt-4o, Plain: passed/ }).waitFor();
  expect(await drawer.getByText(/answered 401/).count()).toBe(0);
  await dataOf(site.root.put("/api/channel/", { id, key: KEY }));
});

test("what a slow upstream is said to lack opens no fields above the test, which stays where it is", async () => {
  upstream.plan({ status: 504, error: { message: "upstream request timeout", type: "server_error" } });
  const drawer = await openMatrix();
  await drawer.getByRole("button", { name: "Go to the time-out" }).waitFor();
  expect(await drawer.getByRole("button", { name: "Advanced" }).getAttribute("aria-expanded")).toBe("false");
  expect(await layoutShift(site.page, "all")).toBeLessThan(0.05);
});

testInAll("an upstream that is too slow leads to the time that it gets, which stands among the advanced fields")(
  async () => {
    upstream.plan({ status: 504, error: { message: "upstream request timeout", type: "server_error" } });
    const drawer = await openMatrix();
    expect(await drawer.getByLabel(/first byte of a stream/).count()).toBe(0);
    await drawer.getByRole("button", { name: "Go to the time-out" }).click();
    const seconds = drawer.locator('[data-field="setting"]');
    await expect.poll(() => seconds.evaluate((box) => box === document.activeElement)).toBe(true);
  },
);

testInAll("a model that the upstream does not offer, and an account without credit, are said as what they are")(
  async () => {
    upstream.plan({
      status: 404,
      error: { message: "The model `gpt-4o` does not exist", type: "invalid_request_error" },
    });
    const drawer = await openMatrix();
    await drawer.getByText(/does not offer this model to the key/).waitFor();
    await drawer.getByText("gpt-4o: Plain", { exact: true }).waitFor();
    expect(await drawer.getByRole("button", { name: "Go to base URL" }).count()).toBe(0);
    await drawer.getByRole("button", { name: "Go to models" }).waitFor();
    upstream.plan({ status: 429, error: { message: "You exceeded your current quota", type: "insufficient_quota" } });
    await drawer.getByRole("button", { name: "Test", exact: true }).click();
    await drawer.getByText(/out of credit/).waitFor();
    await drawer.getByRole("button", { name: "Go to key" }).waitFor();
  },
);

testInAll("a path that is not there leads to the address and to the models")(async () => {
  upstream.plan({ status: 404, error: { message: "Invalid URL", type: "invalid_request_error" } });
  const drawer = await openMatrix();
  await drawer.getByRole("button", { name: "Go to models" }).click();
  const models = drawer.getByRole("textbox", { name: "Models", exact: true });
  await expect.poll(() => models.evaluate((box) => box === document.activeElement)).toBe(true);
  await drawer.getByRole("button", { name: "Go to base URL" }).click();
  const address = drawer.getByLabel("Base URL");
  await expect.poll(() => address.evaluate((box) => box === document.activeElement)).toBe(true);
});

testInAll("the matrix fits a phone")(async () => {
  const context = await openContext(site.browser, { size: PHONE, theme: "dark", language: "zh" });
  const { page } = await openPage(context);
  await logInOn(page, site.server.app.url, "root", ROOT_PASSWORD);
  await page.goto(`${site.server.app.url}/channel/edit/${id}`);
  await page.getByRole("button", { name: "测试", exact: true }).click();
  await page.getByRole("button", { name: /^gpt-4o，普通：通过/ }).waitFor();
  await page.getByRole("button", { name: "运行 5 项测试" }).click();
  await page.getByText("模型已回答，但没有按要求调用工具").waitFor();
  expect(await overflow(page)).toBe(0);
  await context.close();
});
