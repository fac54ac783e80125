/** The users page in a real browser: found, added, edited, disabled, promoted, deregistered, and what each viewer is offered, by mouse, keys and phone. */
import { beforeEach, expect, test } from "vitest";
import type { ManagedUser } from "../../contract/src/features/users.ts";
import { oneInShort } from "../support/soak/short-or-long.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import {
  findingsOfAnotherLook,
  logInOn,
  openContext,
  openPage,
  overflow,
  PHONE,
  seriousFindings,
} from "../support/systems/browser.ts";
import { dataOf } from "../support/systems/site.ts";
import { ROOT_PASSWORD, type TestClient } from "../support/systems/server.ts";

const PASSWORD = "a-good-one";

const addUser = (root: TestClient, username: string, display_name = ""): Promise<ManagedUser> =>
  dataOf(root.post("/api/user/", { username, password: PASSWORD, display_name }));

const site = rootSite({
  async fill({ server, root }) {
    for (const name of ["ada", "bob", "carol", "dora", "eve"])
      await addUser(root, name, name === "ada" ? "Ada L." : "");
    const { id } = await addUser(root, "boss");
    await dataOf(root.post("/api/user/manage", { id, action: "promote" }));
    const odd = await addUser(root, "odd");
    const { kysely } = server.app.foundation.database;
    await kysely.updateTable("users").set({ role: 5, status: 3 }).where("id", "=", odd.id).execute();
  },
});
const act = (id: number, action: string) => dataOf(site.root.post("/api/user/manage", { id, action }));
const kysely = () => site.server.app.foundation.database.kysely;
const stored = (username: string) =>
  kysely().selectFrom("users").selectAll().where("username", "=", username).executeTakeFirstOrThrow();

const open = async (address = "/user"): Promise<void> => {
  await site.page.goto(site.server.app.url + address);
  await site.page.getByRole("heading", { name: "Users", exact: true }).waitFor();
  await site.tab.settled();
};
const named = (name: string) =>
  site.page.getByRole("rowheader", { name, exact: false }).or(site.page.getByRole("cell", { name, exact: false }));
const row = (name: string) => site.page.getByRole("row").filter({ has: named(name) });
const drawer = () => site.page.getByRole("dialog");
const edit = (name: string) => row(name).getByRole("button", { name: "Edit", exact: true }).click();
const pick = async (name: string, item: string): Promise<void> => {
  await site.page.getByRole("button", { name: `Actions for ${name}` }).click();
  await site.page.getByRole("menuitem", { name: item, exact: true }).click();
};
const menuOf = async (name: string, page = site.page): Promise<string[]> => {
  const items = page.getByRole("menuitem");
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await items.first().waitFor();
  const texts = await items.allInnerTexts();
  await page.keyboard.press("Escape");
  await items.first().waitFor({ state: "detached" });
  return texts;
};

/** Nothing has gone wrong yet, and the login itself counts as a confirmation, for a while. */
beforeEach(async () => {
  site.tab.complaints.splice(0);
  const confirmed_time = Math.floor(Date.now() / 1000);
  await kysely().updateTable("sessions").set({ confirmed_time }).execute();
});

test("each user is listed with role and status, unknown ones as such, and offered what would not be refused; their log is one step away", async () => {
  await open();
  const { length } = await kysely().selectFrom("users").select("id").execute();
  await expect.poll(() => site.page.getByText(`${length} users`, { exact: true }).count()).toBe(1);
  await row("odd").getByText("Unknown", { exact: true }).waitFor();
  await row("odd").getByText("Not activated").waitFor();
  await row("boss").getByText("Administrator").waitFor();
  await row("Ada L.").getByText("Enabled").waitFor();
  for (const name of ["Email", "Last active"])
    expect([name, await site.page.getByRole("columnheader", { name, exact: true }).count()]).toEqual([name, 1]);
  expect(await findingsOfAnotherLook(site.page)).toEqual([]);
  // What would be refused is not offered: on oneself, and on those who were never activated.
  expect(await menuOf("root")).toEqual(["Log entries"]);
  expect(await menuOf("odd")).toEqual(["Log entries", "Make administrator", "Deregister"]);
  await edit("root");
  await drawer().getByText("You change your own name and password in the personal settings.").waitFor();
  expect(await drawer().getByLabel("Username").isDisabled()).toBe(true);
  await site.page.keyboard.press("Escape");
  await drawer().waitFor({ state: "detached" });
  await pick("bob", "Log entries");
  await site.page.waitForURL(/\/log\?.*username=bob/);
  expect(site.tab.complaints).toEqual([]);
});

testInAll(
  "search and filters stand in the address, and the page opens from it; a list that does not come says so and is asked for again",
)(async () => {
  await open();
  await site.page.getByRole("searchbox", { name: "ID, name or email" }).fill("ada l");
  await expect.poll(() => new URL(site.page.url()).searchParams.get("keyword")).toBe("ada l");
  await site.page.getByText("1 user", { exact: true }).waitFor();
  await open("/user?role=10");
  await site.page.getByText("1 user", { exact: true }).waitFor();
  await row("boss").waitFor();
  await open("/user?group=no-such-group");
  await site.page.getByText("0 users", { exact: true }).waitFor();
  await open("/user?sort=username&size=10");
  expect((await site.page.getByRole("row").nth(1).innerText()).toLowerCase()).toContain("ada");
  await site.page.route("**/api/user**", (route) =>
    route.fulfill({ status: 503, json: { success: false, message: "" } }),
  );
  await site.page.getByRole("searchbox", { name: "ID, name or email" }).fill("bob");
  await site.page.getByText("The users could not be loaded").waitFor({ timeout: 30_000 });
  await site.page.unroute("**/api/user**");
  await site.page.getByRole("button", { name: /retry|try again/i }).click();
  await row("bob").waitFor();
});

test("the add drawer says what is wrong where it is wrong, focuses it, and makes a user who can log in", async () => {
  await open();
  await site.page.keyboard.press("n");
  await drawer().getByRole("button", { name: "Add user" }).click();
  await drawer().getByText("Please enter a username").waitFor();
  await expect.poll(() => site.page.evaluate(() => document.activeElement?.getAttribute("value"))).toBe("");
  await site.page.keyboard.insertText("ADA");
  await drawer().getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await site.page.keyboard.press("Control+Enter");
  await drawer().getByText("This username is taken").waitFor();
  expect(await findingsOfAnotherLook(site.page)).toEqual([]);
  await drawer().getByLabel("Username").fill("frank");
  await drawer().getByRole("button", { name: "Add user" }).click();
  await site.page.getByText("User frank added").waitFor();
  await row("frank").waitFor();
  expect((await site.server.client().login("frank", PASSWORD)).body.success).toBe(true);
});

test("the edit drawer shows the balance that a signed amount leads to, posts it, and saves the rest", async () => {
  await addUser(site.root, "uma");
  await open();
  await edit("uma");
  await drawer().getByText("Not bound").first().waitFor();
  await drawer().getByRole("button", { name: "+$10", exact: true }).click();
  await drawer().getByText("$10.00").waitFor();
  const amount = drawer().getByLabel("Change the balance by").first();
  await amount.fill("ten");
  await site.page.keyboard.press("Control+Enter");
  await drawer().getByText("Please enter an amount, such as +5 or -2.50").waitFor();
  await amount.fill("+7.5");
  await drawer().getByText("$7.50").waitFor();
  await drawer().getByLabel("Display name").fill("Uma Lovelace");
  await drawer().getByRole("button", { name: "default" }).click();
  await site.page.getByRole("option", { name: "vip", exact: true }).click();
  expect(await findingsOfAnotherLook(site.page)).toEqual([]);
  await drawer().getByRole("button", { name: "Save changes" }).click();
  await site.page.getByText("uma saved").waitFor();
  expect(await stored("uma")).toMatchObject({ quota: 3_750_000, display_name: "Uma Lovelace", group_name: "vip" });
  await row("Uma Lovelace").getByText("$7.50").waitFor();
  expect(new URL(site.page.url()).pathname).toBe("/user");
});

testInAll("leaving the drawer with changes asks; an address opens it, and one of nobody says so")(async () => {
  const { id } = await stored("bob");
  await open(`/user/edit/${id}`);
  await drawer().getByLabel("Display name").fill("Bobby");
  await site.page.keyboard.press("Escape");
  await site.page.getByRole("button", { name: /keep/i }).click();
  await drawer().getByRole("button", { name: "Cancel" }).click();
  await site.page.getByRole("button", { name: /discard/i }).click();
  await expect.poll(() => new URL(site.page.url()).pathname).toBe("/user");
  expect((await stored("bob")).display_name).toBe("bob");
  await open("/user/edit/987654");
  await drawer().getByText("The user could not be loaded").waitFor();
});

test("disabling asks, naming whom, and shows what the answer says; enabling does not ask; a role is given and taken back", async () => {
  await open();
  await pick("bob", "Disable");
  await site.page.getByRole("heading", { name: "Disable bob?" }).waitFor();
  expect(await seriousFindings(site.page)).toEqual([]);
  await site.page.getByRole("button", { name: "Cancel" }).click();
  expect((await stored("bob")).status).toBe(1);
  await pick("bob", "Disable");
  await site.page.getByRole("button", { name: "Disable user" }).click();
  await row("bob").getByText("Disabled").waitFor();
  expect((await site.server.client().login("bob", PASSWORD)).body.success).toBe(false);
  await pick("bob", "Enable");
  await row("bob").getByText("Enabled").waitFor();
  expect((await site.server.client().login("bob", PASSWORD)).body.success).toBe(true);
  await pick("carol", "Make administrator");
  await site.page.getByRole("dialog").getByRole("button", { name: "Make administrator" }).click();
  await row("carol").getByText("Administrator").waitFor();
  await pick("carol", "Make ordinary user");
  await site.page.getByRole("dialog").getByRole("button", { name: "Make ordinary user" }).click();
  await row("carol").getByText("User", { exact: true }).waitFor();
  expect((await stored("carol")).role).toBe(1);
});

/** As if it was long ago that root confirmed who he is. */
const forgetConfirmation = () => kysely().updateTable("sessions").set({ confirmed_time: 1 }).execute();
const stepUp = () => site.page.getByRole("dialog").filter({ hasText: "Confirm that it is you" });

testInAll(
  "a role and a password of another want a confirmation: given up nothing is done or lost, given it is done once",
)(async () => {
  await open();
  await forgetConfirmation();
  const before = await stored("carol");
  await pick("carol", "Make administrator");
  await site.page.getByRole("button", { name: "Make administrator" }).click();
  await stepUp().getByRole("button", { name: "Cancel" }).click();
  await stepUp().waitFor({ state: "detached" });
  expect((await stored("carol")).role).toBe(1);
  await edit("carol");
  await drawer().getByLabel("Display name").fill("Carol C.");
  await drawer().getByRole("textbox", { name: "Password" }).fill("another-good-one");
  await drawer().getByRole("button", { name: "Save changes" }).click();
  await stepUp().getByRole("button", { name: "Cancel" }).click();
  expect(await drawer().getByLabel("Display name").inputValue()).toBe("Carol C.");
  expect(await stored("carol")).toMatchObject({ display_name: "carol", password_hash: before.password_hash });
  await drawer().getByRole("button", { name: "Save changes" }).click();
  await stepUp().getByRole("textbox", { name: "Password" }).fill(ROOT_PASSWORD);
  await stepUp().getByRole("button", { name: "Confirm", exact: true }).click();
  await site.page.getByText("carol saved").waitFor();
  expect((await stored("carol")).display_name).toBe("Carol C.");
  expect((await site.server.client().login("carol", "another-good-one")).body.success).toBe(true);
  // What is no way in is asked nothing.
  await forgetConfirmation();
  await edit("carol");
  await drawer().getByLabel("Display name").fill("carol");
  await drawer().getByRole("button", { name: "Save changes" }).click();
  await site.page.getByText("carol saved").last().waitFor();
  await expect.poll(async () => (await stored("carol")).display_name).toBe("carol");
});

testInAll(
  "a deregistered user stays in the list, marked, without actions; who was deregistered meanwhile is refused with a message",
)(async () => {
  await open();
  await act((await stored("eve")).id, "delete");
  await pick("eve", "Disable");
  await site.page.getByRole("button", { name: "Disable user" }).click();
  await site.page.getByText("eve was not disabled").waitFor();
  await row("eve").getByText("Deregistered").waitFor();
  await pick("dora", "Deregister");
  await site.page.getByRole("button", { name: "Deregister user" }).click();
  await row("dora").getByText("Deregistered").waitFor();
  expect(await site.page.getByRole("button", { name: "Actions for dora" }).count()).toBe(0);
  await open("/user?status=4&keyword=dora");
  await site.page.getByText("1 user", { exact: true }).waitFor();
  await row("dora").getByText("Deregistered").waitFor();
});

testInAll("an administrator is offered neither roles nor anybody of their own role")(async () => {
  const other = await openContext(site.browser);
  const { page: theirs, settled } = await openPage(other);
  await logInOn(theirs, site.server.app.url, "boss", PASSWORD);
  await theirs.goto(`${site.server.app.url}/user`);
  await settled();
  expect(await menuOf("bob", theirs)).toEqual([
    "Log entries",
    "See as this user",
    "Disable",
    "Log out everywhere",
    "Deregister",
  ]);
  expect(await menuOf("root", theirs)).toEqual(["Log entries"]);
  expect(await menuOf("boss", theirs)).toEqual(["Log entries"]);
  await other.close();
});

test("permissions are taken in the drawer, and the administrator's console leaves out what they opened and says so", async () => {
  const { id } = await stored("boss");
  await open(`/user/edit/${id}`);
  await drawer().getByText("Money", { exact: true }).click();
  await drawer().getByRole("button", { name: "Save permissions" }).click();
  await site.page.getByText("The permissions of boss are saved").waitFor();
  expect(await findingsOfAnotherLook(site.page)).toEqual([]);
  expect((await stored("boss")).permissions).toBe(
    "channels_see,channels_operate,channels_write,channels_secrets,users,options,logs",
  );
  const other = await openContext(site.browser);
  const { page: theirs, settled } = await openPage(other);
  await logInOn(theirs, site.server.app.url, "boss", PASSWORD);
  await theirs.goto(`${site.server.app.url}/user/edit/${(await stored("bob")).id}`);
  await settled();
  await theirs.getByText("The super administrator does not permit you: Money.").waitFor();
  await theirs.getByLabel("Change the balance by").first().waitFor();
  expect(await theirs.getByLabel("Change the balance by").first().isDisabled()).toBe(true);
  expect(await theirs.getByLabel("Display name").isDisabled()).toBe(false);
  await theirs.goto(`${site.server.app.url}/user`);
  await theirs.getByRole("link", { name: "Channels", exact: true }).waitFor();
  expect(await theirs.getByRole("link", { name: "Redemption codes" }).count()).toBe(0);
  await other.close();
});

test("an account of another site is unbound after a question that says where it is the last way in", async () => {
  const { id } = await addUser(site.root, "ivy");
  const binding = { provider: "github", subject: "77", user_id: id, login: "ivy-hub", created_time: 1 };
  await kysely().insertInto("identities").values(binding).execute();
  await kysely().updateTable("users").set({ password_hash: null }).where("id", "=", id).execute();
  await open(`/user/edit/${id}`);
  await drawer().getByText("ivy-hub").waitFor();
  await drawer().getByRole("button", { name: "Unbind GitHub" }).click();
  await site.page.getByText(/last way to log in/).waitFor();
  await site.page.getByRole("button", { name: "Unbind", exact: true }).last().click();
  await site.page.getByText("GitHub is unbound").waitFor();
  await drawer().getByText("No account of another site is bound.").waitFor();
  expect(await kysely().selectFrom("identities").select("login").where("user_id", "=", id).execute()).toEqual([]);
});

testInAll("on a phone, dark and in Chinese: cards, their menu and the drawers fit, and nothing serious is found")(
  async () => {
    await addUser(site.root, "grace");
    const phone = await openContext(site.browser, { size: PHONE, theme: "dark", language: "zh" });
    const { page: small, settled, complaints } = await openPage(phone);
    await logInOn(small, site.server.app.url, "root", ROOT_PASSWORD);
    const all = ["/user", "/user/add", `/user/edit/${(await stored("grace")).id}`];
    for (const address of oneInShort("/user on a phone", all)) {
      await small.goto(site.server.app.url + address);
      await settled();
      expect([address, await overflow(small), await findingsOfAnotherLook(small)]).toEqual([address, 0, []]);
    }
    await small.goto(`${site.server.app.url}/user`);
    await small.getByText("已注销").first().waitFor();
    await small.getByRole("button", { name: /grace/ }).last().tap();
    await small.getByRole("menuitem", { name: "禁用" }).tap();
    await small.getByRole("heading", { name: "禁用 grace？" }).waitFor();
    await small.getByRole("button", { name: "禁用用户" }).tap();
    await expect.poll(async () => (await stored("grace")).status).toBe(2);
    expect(complaints).toEqual([]);
    await phone.close();
  },
);

test("on a phone the long name of a site leaves room for the account there and its button", async () => {
  const { id } = await addUser(site.root, "noa");
  const phone = await openContext(site.browser, { size: PHONE });
  const { page: small } = await openPage(phone);
  await logInOn(small, site.server.app.url, "root", ROOT_PASSWORD);
  const binding = { provider: "acme", name: "Single sign-on of a company with a long name", login: "noa-there" };
  await small.route(`**/api/user/${id}/oauth/bindings*`, (route) =>
    route.fulfill({ json: { success: true, message: "", data: [{ ...binding, is_last: false }] } }),
  );
  await small.goto(`${site.server.app.url}/user/edit/${id}`);
  const login = small.getByText("noa-there");
  await login.scrollIntoViewIfNeeded();
  expect((await login.boundingBox())?.height).toBeLessThan(24);
  await phone.close();
});

test("the super administrator sees who may do what, by role and administrator; nobody else opens that page", async () => {
  const { id } = await stored("boss");
  await kysely().updateTable("users").set({ permissions: "channels_see,logs" }).where("id", "=", id).execute();
  await open();
  await site.page.getByRole("link", { name: "Permissions" }).click();
  await site.page.getByRole("heading", { name: "Who may do what" }).waitFor();
  const marks = async (name: string) =>
    site.page
      .getByRole("row", { name: new RegExp(`^${name}`) })
      .getByRole("img")
      .evaluateAll((icons) => icons.map((icon) => icon.getAttribute("aria-label") === "Permitted"));
  await site.page.getByRole("columnheader", { name: "boss" }).waitFor();
  // Member, administrator, super administrator, boss.
  expect(await marks("What is their own")).toEqual([true, true, true, true]);
  expect(await marks("See channels")).toEqual([false, true, true, true]);
  expect(await marks("Money")).toEqual([false, true, true, false]);
  expect(await marks("The whole site")).toEqual([false, false, true, false]);
  expect([await overflow(site.page), await findingsOfAnotherLook(site.page)]).toEqual([0, []]);
  await site.page.getByRole("link", { name: "boss" }).click();
  await site.page.waitForURL(`**/user/edit/${id}`);
  const phone = await openContext(site.browser, { size: PHONE });
  const { page: small } = await openPage(phone);
  await logInOn(small, site.server.app.url, "root", ROOT_PASSWORD);
  await small.goto(`${site.server.app.url}/user/permissions`);
  const matrix = small.getByRole("region", { name: "Who may do what" });
  await matrix.getByText("See channels").waitFor();
  expect(await matrix.evaluate((place) => place.scrollWidth - place.clientWidth)).toBe(0);
  await matrix.getByRole("link", { name: "boss" }).first().tap();
  await small.waitForURL(`**/user/edit/${id}`);
  await phone.close();
  const other = await openPage(await openContext(site.browser));
  await logInOn(other.page, site.server.app.url, "boss", PASSWORD);
  await other.page.goto(`${site.server.app.url}/user/permissions`);
  await other.page.getByText("You may not open this page").waitFor();
  await other.page.context().close();
});
