/** An administrator sees the console as a person does, in a real browser: whose view it is stands above every page, nothing can be done in it, and it ends. */
import { expect, test } from "vitest";
import { addPerson } from "../../tools/seed/people.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { findingsOfAnotherLook, openContext } from "../support/systems/browser.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

let adaId = 0;

const site = rootSite({
  async fill({ server, root }) {
    const { foundation } = server.app;
    const ada = { username: "ada", displayName: "Ada", role: 1, group: "default", quota: 5_000_000, tokens: [] };
    await addPerson(foundation, ada, "battery staple 7", 1_700_000_000);
    await foundation.snapshot.refresh();
    const client = server.client();
    await client.login("ada", "battery staple 7");
    await client.post("/api/token/", { name: "nightly", unlimited_quota: true });
    const { items } = (await root.get("/api/user/search?keyword=ada")).body.data as { items: { id: number }[] };
    adaId = items[0]?.id ?? 0;
  },
});

async function openPerson() {
  const context = await openContext(site.browser, {}, { storageState: await site.context.storageState() });
  const page = await context.newPage();
  const refused: string[] = [];
  page.on("response", (response) => {
    if (response.status() === 403) refused.push(new URL(response.url()).pathname);
  });
  await page.goto(`${site.server.app.url}/user/${adaId}`);
  await page.getByRole("heading", { name: "ada" }).waitFor();
  await page.getByRole("button", { name: /Actions for ada/ }).click();
  await page.getByRole("menuitem", { name: "See as this user" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "See as this user" }).click();
  const bar = page.getByRole("region", { name: "View of another account" });
  await bar.waitFor();
  return { page, context, bar, refused };
}

test("the console is the person's, says so on every page, takes no act, and End leads back to the person", async () => {
  const { page, context, bar, refused } = await openPerson();
  await page.getByText("Get started").first().waitFor();
  expect(refused).toEqual([]);
  await expect.poll(() => bar.innerText()).toContain("You see the console as ada does, read-only, until");
  expect(await page.getByRole("link", { name: "Channels", exact: true }).count()).toBe(0);
  await page.getByRole("link", { name: "Tokens", exact: true }).first().click();
  const row = page.getByRole("row", { name: /nightly/ });
  await row.waitFor();
  expect(await findingsOfAnotherLook(page)).toEqual([]);
  await row.getByRole("button", { name: /Actions for nightly/ }).click();
  await page.getByRole("menuitem", { name: "Disable" }).click();
  await page.getByText("You only see this account: end the view to do something").first().waitFor();
  await bar.getByRole("button", { name: "End" }).click();
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/user/${adaId}`);
  await page.getByRole("link", { name: "Channels", exact: true }).waitFor();
  expect(await bar.count()).toBe(0);
  await context.close();
});

testInAll("a view that the server has ended leads back to the administrator")(async () => {
  const { page, context, bar } = await openPerson();
  const { kysely } = site.server.app.foundation.database;
  await kysely.updateTable("sessions").set({ seen_until: 1 }).where("seen_user_id", "=", adaId).execute();
  await page.getByRole("link", { name: "Tokens", exact: true }).first().click();
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/user/${adaId}`);
  await page.getByRole("link", { name: "Channels", exact: true }).waitFor();
  expect(await bar.count()).toBe(0);
  await context.close();
});
