/** The page of one user in a real browser: reached from names, its tabs, a credit with a reason; and acts on several users of the list. */
import { beforeEach, expect, test } from "vitest";
import type { ManagedUser } from "../../contract/src/features/users.ts";
import { BLANK_LOG } from "../support/checks/log-rows.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { findingsOfAnotherLook, openContext, openPage, logInOn, overflow, PHONE } from "../support/systems/browser.ts";
import { dataOf } from "../support/systems/site.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

const site = rootSite({
  async fill({ server, root }) {
    for (const username of ["ada", "bob", "carol"])
      await dataOf(root.post("/api/user/", { username, password: "a-good-one" }));
    const { kysely } = server.app.foundation.database;
    await kysely.updateTable("users").set({ email: "ada@example.org" }).where("username", "=", "ada").execute();
  },
});
const stored = (username: string): Promise<ManagedUser> =>
  site.server.app.foundation.database.kysely
    .selectFrom("users")
    .selectAll()
    .where("username", "=", username)
    .executeTakeFirstOrThrow() as unknown as Promise<ManagedUser>;
const dialog = () => site.page.getByRole("dialog");
const open = async (address: string, heading: string): Promise<void> => {
  await site.page.goto(site.server.app.url + address);
  await site.page.getByRole("heading", { name: heading, exact: true }).waitFor();
  await site.tab.settled();
};

beforeEach(async () => {
  site.tab.complaints.splice(0);
  const confirmed_time = Math.floor(Date.now() / 1000);
  await site.server.app.foundation.database.kysely.updateTable("sessions").set({ confirmed_time }).execute();
});

test("a name in the list leads to the person, whose tabs each have an address and no fault", async () => {
  await open("/user", "Users");
  const row = site.page.getByRole("row").filter({ hasText: "ada" });
  await row.getByText("ada@example.org").waitFor();
  await site.page.getByRole("link", { name: "ada", exact: true }).click();
  await site.page.waitForURL(/\/user\/\d+$/);
  await site.page.getByRole("heading", { name: "ada", exact: true }).waitFor();
  for (const tab of ["Calls", "Tokens", "Ledger", "Orders", "Security", "Notes", "Usage"]) {
    await site.page.getByRole("button", { name: tab, exact: true }).click();
    await expect.poll(() => new URL(site.page.url()).searchParams.get("tab")).toBe(tab.toLowerCase());
    await site.tab.settled();
    expect(await findingsOfAnotherLook(site.page)).toEqual([]);
  }
  expect(site.tab.complaints).toEqual([]);
});

test("a user who does not exist is said to be absent, with the way to the list", async () => {
  await open("/user/999", "This user does not exist");
  expect(await site.page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  await site.page.getByRole("link", { name: "All users" }).click();
  await site.page.getByRole("heading", { name: "Users", exact: true }).waitFor();
});

test("a credit wants an amount and a reason, is posted once, and stands in the ledger with both", async () => {
  const { id, quota } = await stored("bob");
  await open(`/user/${id}?tab=ledger`, "bob");
  await site.page.getByRole("button", { name: "Change balance" }).click();
  await dialog().getByRole("button", { name: "Post to the ledger" }).click();
  await dialog().getByText("Please say why").waitFor();
  await dialog().getByLabel("Change the balance by").fill("+2");
  await dialog().getByLabel("Reason").fill("thanks for the report");
  await dialog().getByRole("button", { name: "Post to the ledger" }).dblclick();
  await dialog().waitFor({ state: "detached" });
  await site.page.getByText("thanks for the report").waitFor();
  expect((await stored("bob")).quota).toBe(quota + 1_000_000);
  expect(site.tab.complaints).toEqual([]);
});

test("selected people are disabled together after a question that names them; oneself is refused and said so", async () => {
  await open("/user", "Users");
  for (const name of ["bob", "carol", "root"]) await site.page.getByRole("checkbox", { name, exact: false }).check();
  await site.page.getByRole("toolbar").getByRole("button", { name: "Disable" }).click();
  await dialog().getByText("carol", { exact: false }).waitFor();
  await dialog().getByRole("button", { name: "Disable users" }).click();
  await site.page.getByText("2 users are disabled").waitFor();
  await site.page.getByText("1 user was refused").waitFor();
  expect([(await stored("bob")).status, (await stored("carol")).status, (await stored("root")).status]).toEqual([
    2, 2, 1,
  ]);
});

test("costs of a person's calls have equal decimals, however unequal they are", async () => {
  const { id } = await stored("ada");
  const row = {
    ...BLANK_LOG,
    created_at: Math.floor(Date.now() / 1000),
    type: 2,
    user_id: id,
    username: "ada",
    model_name: "m",
  };
  const rows = [147, 34_350, 1_000_000].map((quota) => ({ ...row, quota, request_id: `cost-${quota}` }));
  await site.server.app.foundation.database.kysely.insertInto("logs").values(rows).execute();
  await open(`/user/${id}?tab=calls`, "ada");
  for (const cost of ["$0.000294", "$0.068700", "$2.000000"])
    await site.page.getByText(cost, { exact: true }).waitFor();
});

test("a time at a session and at a token says of what it is", async () => {
  const { id } = await stored("carol");
  const { kysely } = site.server.app.foundation.database;
  const nowS = Math.floor(Date.now() / 1000);
  await site.root.post("/api/token/", { name: "laptop", unlimited_quota: true, expired_time: nowS + 100_000 });
  await kysely.updateTable("tokens").set({ user_id: id }).where("name", "=", "laptop").execute();
  await open(`/user/${id}?tab=tokens`, "carol");
  await site.page.getByText(/^Expires in \d+ /).waitFor();
  await kysely
    .updateTable("tokens")
    .set({ expired_time: nowS - 1000 })
    .where("name", "=", "laptop")
    .execute();
  await open(`/user/${id}?tab=tokens`, "carol");
  await site.page.getByText(/^Expired \d+ min ago$/).waitFor();
  await open(`/user/${(await stored("root")).id}?tab=security`, "root");
  await site.page
    .getByText(/^seen \d+ (s|min) ago$/)
    .first()
    .waitFor();
});

test("notes are saved by a button that waits for a change, and does not compete with the page's own", async () => {
  const { id } = await stored("ada");
  await open(`/user/${id}?tab=notes`, "ada");
  const save = site.page.getByRole("button", { name: "Save changes" });
  const isOff = () => save.getAttribute("aria-disabled");
  expect(await isOff()).toBe("true");
  expect(await site.page.locator('main button[data-variant="filled"], main [data-look="filled"]').count()).toBe(1);
  await site.page.getByRole("textbox", { name: "Notes" }).fill("pays by transfer");
  expect(await isOff()).toBe(null);
  await save.click();
  await expect.poll(async () => (await stored("ada")).remark).toBe("pays by transfer");
  await expect.poll(isOff).toBe("true");
});

testInAll("the page of a person fits a phone")(async () => {
  const { id } = await stored("ada");
  const context = await openContext(site.browser, { size: PHONE, theme: "dark", language: "zh" });
  const { page } = await openPage(context);
  await logInOn(page, site.server.app.url, "root", ROOT_PASSWORD);
  for (const tab of ["usage", "ledger", "security"]) {
    await page.goto(`${site.server.app.url}/user/${id}?tab=${tab}`);
    await page.getByRole("heading", { name: "ada", exact: true }).waitFor();
    expect(await overflow(page)).toBe(0);
  }
  await context.close();
});
