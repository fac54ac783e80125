/** Inviting by mail in a real browser: from the user list over the mail to an account that is logged in, while registration is closed. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { rootSite } from "../support/checks/root-site.ts";
import { type MailServer, startMailServer } from "../support/messages/mail-server.ts";
import { findingsOfAnotherLook, openContext } from "../support/systems/browser.ts";

const PASSWORD = "Turnpike-gate-4411";
let mail: MailServer;

beforeAll(async () => {
  mail = await startMailServer();
});
afterAll(() => mail?.close());

const site = rootSite({
  async fill({ root, server }) {
    const options = {
      ServerAddress: server.app.url,
      SMTPServer: "127.0.0.1",
      SMTPPort: String(mail.port),
      SMTPFrom: "site@mail.example",
      RegisterEnabled: "false",
    };
    for (const [key, value] of Object.entries(options)) await root.put("/api/option/", { key, value });
  },
});

const linkIn = (text: string): string => {
  const [link] = /http\S+invitation\S+/.exec(text) ?? [];
  if (link === undefined) throw new Error(`no link in ${text}`);
  return link;
};

test("an address that is invited gets a link, which makes an account that is logged in; the list says so", async () => {
  const { page } = site;
  await page.goto(`${site.server.app.url}/user`);
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByText("No invitation was sent yet.").waitFor();
  await drawer.getByRole("button", { name: "Send invitations" }).click();
  await drawer.getByText("Enter at least one address").waitFor();
  await drawer.getByLabel("Addresses").fill("ada@people.example");
  await drawer.getByRole("button", { name: "Send invitations" }).click();
  const line = drawer.getByRole("listitem").filter({ hasText: "ada@people.example" });
  await line.getByText("Open", { exact: true }).waitFor();
  expect(await findingsOfAnotherLook(page)).toEqual([]);

  const link = linkIn((await mail.wait(({ to }) => to.includes("ada@people.example"))).text);
  const context = await openContext(site.browser);
  const guest = await context.newPage();
  await guest.goto(link);
  await guest.getByRole("textbox", { name: "Username" }).fill("ada");
  await guest.locator('input[name="password"]').fill(PASSWORD);
  await guest.locator('input[name="password2"]').fill(PASSWORD);
  expect(await findingsOfAnotherLook(guest)).toEqual([]);
  await guest.getByRole("button", { name: "Make the account" }).click();
  await guest.waitForURL(({ pathname }) => pathname === "/token");
  await context.close();

  await page.reload();
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  await line.getByText("Accepted", { exact: true }).waitFor();
});
