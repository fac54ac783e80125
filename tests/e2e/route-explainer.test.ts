/** The route explainer in a real browser: from the channel list and from a failed call, by keyboard. */
import { afterAll, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { rootSite } from "../support/checks/root-site.ts";

let upstream: FakeUpstream;

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill({ root }) {
    upstream = await startFakeUpstream({ plan: { status: 500, error: { message: "out of order" } } });
    const add = (more: object) =>
      root.post("/api/channel/", { type: 1, key: "sk-upstream", base_url: upstream.url, groups: ["default"], ...more });
    await add({ name: "main lane", models: "gpt-4o", priority: 5 });
    await add({ name: "spare lane", models: "gpt-4o", weight: 20 });
    await add({ name: "second lane", models: "gpt-4o" });
    await add({ name: "short lane", models: "gpt-4o", max_input_tokens: 50 });
    await add({ name: "vip lane", models: "gpt-4o,gpt-4o-mini", groups: ["vip"] });
    await add({ name: "off lane", models: "gpt-4o-audio" });
    await root.post("/api/channel/batch/status", { filter: { keyword: "off lane" }, total: 1, status: 2 });
  },
});
afterAll(() => upstream?.close());

const main = () => site.page.locator("main");

test("the channel list leads there, and the keyboard alone asks and gets steps, chances and reasons", async () => {
  await site.page.goto(`${site.server.app.url}/channel`);
  await site.page.getByRole("button", { name: "More", exact: true }).first().click();
  await site.page.getByRole("menuitem", { name: "Explain routing" }).click();
  await site.page.getByRole("heading", { name: "Where a call goes" }).waitFor();
  await site.page.getByRole("combobox", { name: "Model" }).focus();
  await site.page.keyboard.press("Enter");
  await site.page.getByText("Enter a model").waitFor();
  await site.page.keyboard.type("gpt-4o");
  await site.page.keyboard.press("Escape");
  await site.page.getByRole("textbox", { name: "Input tokens" }).focus();
  await site.page.keyboard.type("60");
  await site.page.keyboard.press("Enter");
  await site.page.waitForURL(
    (url) => url.searchParams.get("model") === "gpt-4o" && url.searchParams.get("input") === "60",
  );
  await main().getByRole("heading", { name: "Tried in this order" }).waitFor();
  const steps = await main().locator("ol > li").allInnerTexts();
  expect(steps.map((text) => text.replaceAll(/\s+/g, " "))).toEqual([
    expect.stringMatching(/Priority 5 .*main lane 100% Weight 0/),
    expect.stringMatching(/Priority 0 .*spare lane 75% Weight 20 .*second lane 25% Weight 0/),
  ]);
  const out = main().getByRole("listitem").filter({ hasText: "short lane" });
  await out.getByText("takes at most 50 input tokens; this call had about 60").waitFor();
  await main().getByText("only for the groups vip").waitFor();
});

test("a user that nobody is is told at the field, and a call that would be refused with the caller's own error", async () => {
  await site.page.getByRole("combobox", { name: "User" }).fill("nobody");
  await site.page.getByRole("button", { name: "Explain" }).click();
  await main().getByText("There is no user nobody").waitFor();
  await expect.poll(() => site.page.getByRole("combobox", { name: "User" }).inputValue()).toBe("nobody");
  await site.page.goto(`${site.server.app.url}/channel/route?model=gpt-4o-mini&user=root`);
  await main().getByText("Refused with 404 (model_not_found):").waitFor();
});

test("user and token are picked by name out of suggestions, and every group of a token is shown with its channels", async () => {
  const { root, page } = site;
  const made = await root.post("/api/token/", {
    name: "wandering app",
    expired_time: -1,
    unlimited_quota: true,
    group: "auto",
    auto_groups: ["default", "vip"],
    cross_group_retry: true,
  });
  const { id } = made.body.data as { id: number };
  await page.goto(`${site.server.app.url}/channel/route?model=gpt-4o`);
  await page.getByRole("combobox", { name: "User" }).fill("roo");
  await page.getByRole("option", { name: "root" }).click();
  await page.getByRole("combobox", { name: "Token" }).fill("wander");
  await page.getByRole("option", { name: `wandering app · root · #${id}` }).click();
  await page.getByRole("button", { name: "Explain" }).click();
  await main().getByText("Groups default → vip").waitFor();
  const steps = main().locator("ol > li");
  await steps.filter({ hasText: "Group vip" }).getByText("vip lane").waitFor();
  await steps.filter({ hasText: "Group default" }).getByText("main lane").waitFor();
  expect(new URL(page.url()).searchParams.get("token")).toBe(String(id));
  await page.reload();
  await expect
    .poll(() => page.getByRole("combobox", { name: "Token" }).inputValue())
    .toBe(`wandering app · root · #${id}`);
});

test("a failed call's receipt leads to what its row kept, and from there to the same question now", async () => {
  const made = await site.root.post("/api/token/", { name: "app", expired_time: -1, unlimited_quota: true });
  const { key } = made.body.data as { key: string };
  await fetch(`${site.server.app.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer sk-${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "hello" }] }),
  });
  await expect
    .poll(async () => JSON.stringify((await site.root.get("/api/log/?type=5&page_size=10")).body.data))
    .toContain("out of order");
  await site.page.goto(`${site.server.app.url}/log?type=5`);
  await site.page
    .getByRole("row", { name: /gpt-4o/ })
    .first()
    .click();
  await site.page.getByRole("link", { name: "Why here and not elsewhere" }).click();
  await site.page.getByRole("heading", { name: "Where the call went" }).waitFor();
  await main()
    .getByText(/out of order/)
    .first()
    .waitFor();
  await main().getByText("main lane").waitFor();
  await site.page.getByRole("link", { name: "Explain for now" }).click();
  await main().getByText("Token app").waitFor();
  await main().getByRole("heading", { name: "Tried in this order" }).waitFor();
});

test("a channel that is skipped because it is disabled is enabled there, and taken back", async () => {
  await site.page.goto(`${site.server.app.url}/channel/route?model=gpt-4o-audio`);
  await main().getByRole("button", { name: "Enable off lane" }).click();
  await main().getByRole("heading", { name: "Tried in this order" }).waitFor();
  await main().getByRole("button", { name: "Enable off lane" }).waitFor({ state: "detached" });
  await site.page.getByRole("button", { name: "Undo" }).click();
  await main().getByRole("button", { name: "Enable off lane" }).waitFor();
  await main().getByRole("heading", { name: "Tried in this order" }).waitFor({ state: "detached" });
});
