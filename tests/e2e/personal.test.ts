/** The personal page in a real browser: an address is bound with the code out of its mail, rewards are moved, password and token changed, settings saved and tested, and the account deleted. */
import { afterAll, beforeEach, expect, test } from "vitest";
import { hashPassword } from "../../server/src/console/passwords.ts";
import { IS_SHORT } from "../support/soak/short-or-long.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { setOptions } from "../support/databases/options.ts";
import { type MailServer, startMailServer } from "../support/messages/mail-server.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import {
  clipboardOf,
  findingsOfAnotherLook,
  logInOn,
  openContext,
  openPage,
  overflow,
  PHONE,
  seriousFindings,
} from "../support/systems/browser.ts";

const PASSWORD = "first password";
const NEW_PASSWORD = "second password";
const UNIT = 500_000;

let mail: MailServer;

const site = rootSite({
  async fill({ server }) {
    mail = await startMailServer();
    await setOptions(server.app.foundation, {
      SMTPServer: "127.0.0.1",
      SMTPPort: String(mail.port),
      SMTPAccount: "site@site.example",
    });
  },
});
afterAll(() => mail?.close());

const card = (name: string) => site.page.getByRole("region", { name });
const dialog = () => site.page.getByRole("dialog");
const press = (name: string) => dialog().getByRole("button", { name, exact: true }).click();
const gone = () => dialog().waitFor({ state: "detached" });

/** Who each test is about: a person of its own, who has a reward to take and no address. */
let person: { id: number; username: string; address: string };
let people = 0;

beforeEach(async () => {
  people += 1;
  const username = `ada${people}`;
  await site.root.post("/api/user/", { username, display_name: "Ada", password: PASSWORD });
  const { billing, database } = site.server.app.foundation;
  const users = database.kysely.updateTable("users").where("username", "=", username);
  // A password that an administrator set would have to be changed first.
  const { id } = await users
    .set({ password_hash: await hashPassword(PASSWORD) })
    .returning("id")
    .executeTakeFirstOrThrow();
  const reward = { kind: "reward", userId: id, affQuotaDelta: 3 * UNIT, detail: "{}" } as const;
  await billing.move({ entryId: `reward:${username}`, ...reward });
  person = { id, username, address: `${username}@mail.example` };
  await logInOn(site.page, site.server.app.url, username, PASSWORD);
});

const open = () => site.page.goto(`${site.server.app.url}/personal`);
const openSecurity = () => site.page.goto(`${site.server.app.url}/personal/security`);

testInAll("the invitations say what one earns, for whom and when, also where it is nothing")(async () => {
  await setOptions(site.server.app.foundation, { QuotaForInviter: String(2 * UNIT), QuotaForInvitee: String(UNIT) });
  await open();
  const both = "For each of them you earn $2.00 and they start with $1.00, both as soon as they have registered.";
  await card("Invitations").getByText(both).waitFor();
  await setOptions(site.server.app.foundation, { QuotaForInviter: "0", QuotaForInvitee: "0" });
  await open();
  await card("Invitations").getByText("At present an invitation earns nothing for either side.").waitFor();
});

/** Gives the person an address that was not asked for by mail. */
async function bindAddress(): Promise<void> {
  const { kysely } = site.server.app.foundation.database;
  await kysely.updateTable("users").set({ email: person.address }).where("id", "=", person.id).execute();
}

test("the page says who somebody is, fits and has no serious finding; the own name is changed in the drawer of /user/edit", async () => {
  await open();
  await card("Account").getByText("Group default").waitFor();
  await card("Balance").getByText("Remaining").waitFor();
  expect(await findingsOfAnotherLook(site.page)).toEqual([]);
  expect(await overflow(site.page)).toBe(0);
  await card("Account").getByRole("link", { name: "Edit" }).click();
  await dialog().getByLabel("Display name").fill("Ada Lovelace");
  await dialog().getByRole("button", { name: /^Save/ }).click();
  await gone();
  expect(new URL(site.page.url()).pathname).toBe("/personal");
  await card("Account").getByText("Ada Lovelace").waitFor();
});

testInAll("what guards the account is on one page, with a way there; deleting it stands apart")(async () => {
  await open();
  await card("Security").getByText("Your password alone logs you in.").waitFor();
  expect(await site.page.getByRole("button", { name: "Delete" }).count()).toBe(0);
  await card("Security").getByRole("link", { name: "Open security" }).click();
  await site.page.getByRole("heading", { level: 1, name: "Security" }).waitFor();
  const names = [
    "Login methods",
    "Second factor and passkeys",
    "Access tokens",
    "Sessions",
    "Security log",
    "Danger zone",
  ];
  for (const name of names) await card(name).waitFor();
  // It is the last one, and looks like what it does.
  await expect.poll(() => site.page.locator("main h2").last().textContent()).toBe("Danger zone");
  const deletion = card("Danger zone").getByRole("button", { name: "Delete" });
  expect(await deletion.getAttribute("data-tone")).toBe("danger");
  expect([await overflow(site.page), await findingsOfAnotherLook(site.page)]).toEqual([0, []]);
});

test("an address is bound with the code out of its mail", async () => {
  await openSecurity();
  await card("Login methods").getByRole("button", { name: "Bind" }).click();
  await press("Bind");
  await dialog().getByText("Please enter an email address").waitFor();
  await dialog().getByLabel("Email address").fill(person.address.toUpperCase());
  await press("Get code");
  await dialog()
    .getByRole("button", { name: /Again in \d+ s/ })
    .waitFor();
  const { text } = await mail.wait(({ to }) => to === person.address);
  await dialog()
    .getByLabel("Verification code")
    .fill(/\b\d{6}\b/.exec(text)?.[0] ?? "");
  await press("Bind");
  await gone();
  await card("Login methods").getByText(person.address).waitFor();
});

test("rewards are moved to the balance, from one unit on", async () => {
  await open();
  await card("Invitations").getByRole("button", { name: "Move to balance" }).click();
  const amount = dialog().getByLabel("Amount");
  await expect.poll(() => amount.inputValue()).toBe("3.00");
  await amount.fill("0.5");
  await press("Move");
  await dialog().getByText("The transfer amount minimum is $1.00").waitFor();
  await amount.fill("2");
  await press("Move");
  await gone();
  await card("Invitations").getByText("$1.00", { exact: true }).waitFor();
  await card("Invitations").getByRole("button", { name: "Copy link" }).click();
  await expect.poll(() => clipboardOf(site.page)).toContain("/register?aff=");
});

testInAll("the password is changed, its owner gets a mail, and the super administrator sees that message")(async () => {
  await bindAddress();
  await openSecurity();
  await card("Login methods").getByRole("button", { name: "Change" }).first().click();
  await dialog().getByLabel("Old password").fill(PASSWORD);
  await dialog().getByLabel("New password", { exact: true }).fill("password");
  await dialog().getByText("Strength: weak").waitFor();
  await dialog().getByRole("listitem").filter({ hasText: "Not a common password" }).getByLabel("Not met:").waitFor();
  await dialog().getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
  await dialog().getByText("Strength: fair").waitFor();
  await dialog().getByLabel("Repeat the new password").fill("another one");
  await press("Save password");
  await dialog().getByText("The two passwords do not match").waitFor();
  await dialog().getByLabel("Repeat the new password").fill(NEW_PASSWORD);
  expect(await seriousFindings(site.page)).toEqual([]);
  await press("Save password");
  await gone();
  await mail.wait(({ subject, to }) => to === person.address && subject.endsWith("your password was changed"));
  expect((await site.server.client().login(person.username, NEW_PASSWORD)).body.success).toBe(true);
  const list = (await site.root.send("GET", "/api/notification/")).body.data as {
    items: { event: string; status: string }[];
  };
  expect(list.items.map(({ event }) => event)).toContain("password_changed");
});

testInAll("an access token is made, copied and works")(async () => {
  await openSecurity();
  const tokens = card("Access tokens");
  await tokens.getByRole("button", { name: "Create access token" }).click();
  await press("Create access token");
  await dialog().getByText("Please enter a name").waitFor();
  await dialog().getByLabel("Name").fill("nightly report");
  await dialog().getByRole("radio", { name: "Everything" }).click();
  expect(await seriousFindings(site.page)).toEqual([]);
  await press("Create access token");
  await dialog().getByText("Copy it now: it is not shown again.").waitFor();
  // It would be lost.
  await site.page.keyboard.press("Escape");
  await site.page.mouse.click(5, 5);
  await dialog().getByRole("button", { name: "Done" }).hover();
  await dialog().getByText("Copy it now: it is not shown again.").waitFor();
  const statusOfCopied = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${await clipboardOf(site.page)}`, "new-api-user": String(person.id) };
    return (await fetch(`${site.server.app.url}/api/user/self`, { headers })).status;
  };
  // The dialog shows the token a moment before the clipboard has it.
  await expect.poll(statusOfCopied).toBe(200);
  await press("Done");
  await gone();
  await site.page.reload();
  await tokens.getByText("nightly report").waitFor();
  await tokens.getByText("Everything").waitFor();
  await tokens.getByRole("button", { name: "End nightly report" }).click();
  await press("End nightly report");
  await tokens.getByText("nightly report").waitFor({ state: "detached" });
  expect(await statusOfCopied()).toBe(401);
});

testInAll("settings are saved, and a test shows what the receiver answered")(async () => {
  await bindAddress();
  await open();
  const settings = card("Settings");
  const choose = async (way: string) => {
    await settings.getByRole("button", { name: /^Notify me by/ }).click();
    await site.page.getByRole("option", { name: way }).click();
  };
  await choose("Gotify");
  await settings.getByLabel("Server address").fill("https://push.example");
  await settings.getByRole("button", { name: "Send test" }).click();
  await settings.getByText("Please fill this in").waitFor();
  await choose("Webhook");
  await settings.getByLabel("Webhook address").fill("http://hook.example");
  await settings.getByRole("button", { name: "Save" }).click();
  await settings.getByText("The address must begin with https://").waitFor();
  await choose("Email");
  await settings.getByRole("button", { name: "$2.00" }).click();
  await settings.getByRole("button", { name: "Save" }).click();
  await site.page.getByText("Settings saved").first().waitFor();
  await settings.getByRole("button", { name: "Send test" }).click();
  await settings.getByText(/queued as 4711/).waitFor();
  await settings.getByRole("button", { name: "Prices" }).click();
  await settings.getByRole("switch").focus();
  await site.page.keyboard.press("Space");
  await expect
    .poll(() => site.server.app.foundation.snapshot.userById(person.id)?.acceptsUnpricedModels, { timeout: 5_000 })
    .toBe(true);
  await settings.getByRole("button", { name: "Privacy" }).click();
  await settings.getByRole("switch", { name: "Keep client addresses" }).press("Space");
  await expect
    .poll(() => site.server.app.foundation.snapshot.userById(person.id)?.keepsClientAddresses, { timeout: 5_000 })
    .toBe(false);
  const entry = site.page.getByRole("navigation").getByRole("link", { name: "Usage log" });
  await entry.waitFor();
  await settings.getByRole("button", { name: "Side bar" }).click();
  await settings.getByRole("switch", { name: "Usage log" }).press("Space");
  await entry.waitFor({ state: "detached" });
});

test.each(IS_SHORT ? [] : [PHONE])(
  "on a phone, dark and in Chinese the page fits, and nothing serious is found: %o",
  async (size) => {
    const phone = await openPage(await openContext(site.browser, { size, language: "zh", theme: "dark" }));
    await logInOn(phone.page, site.server.app.url, person.username, PASSWORD);
    await phone.page.goto(`${site.server.app.url}/personal`);
    await phone.page.getByRole("region", { name: "邀请" }).waitFor();
    expect(await overflow(phone.page)).toBe(0);
    expect(await seriousFindings(phone.page)).toEqual([]);
    await phone.page.context().close();
  },
);

test("the account is deleted by its typed name, and its owner is signed out", async () => {
  await bindAddress();
  await openSecurity();
  await card("Danger zone").getByRole("button", { name: "Delete" }).click();
  const submit = dialog().getByRole("button", { name: "Delete account" });
  expect(await submit.isDisabled()).toBe(true);
  await dialog().getByLabel(`Type ${person.username} to confirm`).fill(person.username);
  await submit.click();
  await site.page.waitForURL("**/login");
  await mail.wait(({ subject, to }) => to === person.address && subject.endsWith("your account was deleted"));
  expect((await site.server.client().login(person.username, PASSWORD)).body.code).toBe("login_failed");
});
