/** What single sections of the settings page can do beside saving, in a real browser against real servers: mail, discovery, releases, previews, providers. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Locator } from "playwright-core";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import type { OptionRow } from "../../contract/src/features/options.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { IS_SHORT } from "../support/soak/short-or-long.ts";
import { type SearchServer, startSearchServer } from "../support/relay/search-server.ts";
import { startMailServer, type MailServer } from "../support/messages/mail-server.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import {
  clipboardOf,
  findingsOfAnotherLook,
  LOOKS,
  openContext,
  openPage,
  overflow,
  seriousFindings,
} from "../support/systems/browser.ts";
import { type OpenidProvider, startOpenidProvider } from "../support/systems/openid.ts";
import { dataOf } from "../support/systems/site.ts";

let openid: OpenidProvider;
let mail: MailServer;
let searches: SearchServer;
let releases: Server;

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill({ server }) {
    openid = await startOpenidProvider(() => [`${server.app.url}/oauth/oidc`]);
    mail = await startMailServer();
    searches = await startSearchServer();
    const release = {
      tag_name: "v99.1.0",
      name: "Ninety-nine",
      body: "* **faster**",
      html_url: "https://a.example/99",
    };
    releases = createServer((_, response) => response.end(JSON.stringify(release)));
    await new Promise<void>((resolve) => releases.listen(0, "127.0.0.1", resolve));
  },
});
afterAll(async () => {
  await openid?.close();
  await mail?.close();
  await searches?.close();
  releases?.close();
});
beforeEach(() => void site.tab.complaints.splice(0));
afterEach(() => {
  const { complaints } = site.tab;
  if (complaints.length > 0) throw new Error(`The page complained:\n${complaints.join("\n")}`);
});

const set = async (options: Readonly<Record<string, string>>): Promise<void> => {
  for (const [key, value] of Object.entries(options)) await dataOf(site.root.put("/api/option", { key, value }));
};
const stored = async (key: string): Promise<OptionRow | undefined> =>
  (await dataOf<OptionRow[]>(site.root.get("/api/option"))).find((row) => row.key === key);
const open = async (section: string, tab = "system"): Promise<void> => {
  await site.page.goto(`${site.server.app.url}/setting?tab=${tab}&section=${section}`);
  await site.page.locator(`[data-section="${section}"]`).waitFor();
};
const option = (name: string): Locator => site.page.locator(`[data-option="${name}"]`);
const field = (name: string): Locator => option(name).locator("input, textarea").first();
const save = (): Promise<void> => site.page.getByRole("button", { name: /^Save \d+ change/ }).click();
const saved = (): Promise<void> =>
  site.page.getByRole("region", { name: "Unsaved changes" }).waitFor({ state: "detached" });

test("an email domain is added by Enter and stored by saving; the last way in is asked about and its refusal stands in words", async () => {
  await open("email_domains");
  const input = field("EmailDomainWhitelist");
  const add = async (text: string) => {
    await input.fill(text);
    await input.press("Enter");
  };
  const told = option("EmailDomainWhitelist").getByRole("alert");
  await add("gmail.com");
  await expect.poll(() => told.textContent()).toBe("This domain is in the whitelist already");
  await add("no domain");
  await expect.poll(() => told.textContent()).toBe("The email domain format is incorrect");
  await add("@New.Example");
  await told.waitFor({ state: "detached" });
  await site.page.getByRole("button", { name: "Remove gmail.com" }).click();
  expect((await stored("EmailDomainWhitelist"))?.value).not.toContain("new.example");
  await save();
  await saved();
  const domains = (await stored("EmailDomainWhitelist"))?.value.split(",");
  expect([domains?.at(-1), domains?.includes("gmail.com")]).toEqual(["new.example", false]);
  const box = option("PasswordLoginEnabled").getByRole("switch");
  await box.waitFor({ state: "attached" });
  await option("PasswordLoginEnabled").locator("label").first().click();
  await site.page.getByRole("button", { name: "Cancel" }).click();
  await expect.poll(() => box.isChecked()).toBe(true);
  await option("PasswordLoginEnabled").locator("label").first().click();
  await site.page.getByRole("button", { name: "Turn it off" }).click();
  await expect.poll(() => box.isChecked()).toBe(false);
  await save();
  await option("PasswordLoginEnabled").getByRole("alert").waitFor();
  await expect
    .poll(() => option("PasswordLoginEnabled").getByRole("alert").textContent())
    .toContain("in another way first");
  expect((await stored("PasswordLoginEnabled"))?.value).toBe("true");
});

testInAll("a test mail goes out with what is typed, and a stored password wants to be typed again for another server")(
  async () => {
    await set({ SMTPServer: "127.0.0.1", SMTPPort: "1", SMTPAccount: "sender@site.example" });
    await open("smtp");
    const send = () => site.page.getByRole("button", { name: "Send test mail" }).click();
    await site.page.getByLabel("Test mail").fill("me@home.example");
    await send();
    await site.page.getByText("The mail server could not be reached.").waitFor();
    await field("SMTPPort").fill(String(mail.port));
    // What was shown of the other port is gone.
    expect(await site.page.getByText("The mail server could not be reached.").count()).toBe(0);
    await send();
    await site.page.getByText("queued as 4711").waitFor();
    expect((await mail.wait()).to).toBe("me@home.example");
    expect((await stored("SMTPPort"))?.value).toBe("1");
    await set({ SMTPToken: "pass-4711" });
    await open("smtp");
    await field("SMTPPort").fill(String(mail.port));
    await site.page.getByLabel("Test mail").fill("me@home.example");
    await send();
    await site.page.getByText("Enter the secret again").waitFor();
    await site.page.getByRole("button", { name: "Go to SMTP password" }).waitFor();
    await set({ SMTPToken: "" });
  },
);

testInAll(
  "a payment gateway and a provider of OpenID are tested as they are typed, with what each step showed beside the button",
)(async () => {
  await open("payment");
  await field("PayAddress").fill("http://127.0.0.1:1");
  await site.page.getByRole("button", { name: "Test epay" }).click();
  await site.page.getByText("the other side could not be reached.").waitFor();
  await site.page.getByText("something it needs is not set.").waitFor();
  expect((await stored("PayAddress"))?.value).toBe("");
  await open("oidc");
  await field("oidc.client_id").fill("a-client");
  await field("oidc.well_known").fill(openid.wellKnown);
  await site.page.getByRole("button", { name: "Test OpenID" }).click();
  await site.page.getByText("Description:").waitFor();
  await site.page.getByText("Client and secret:").waitFor();
  expect(await findingsOfAnotherLook(site.page)).toEqual([]);
});

test("a search is tried with what is typed, another provider removes the key, and what is saved is what calls use", async () => {
  searches.pages = [{ url: "https://a.example", title: "A", text: "a" }];
  await set({ WebSearchProvider: "brave", WebSearchKey: "search-4711" });
  await open("web_search");
  const attempt = () => site.page.getByRole("button", { name: "Test the search" }).click();
  await field("WebSearchAddress").fill(searches.url);
  await attempt();
  // The stored key is not sent to another address.
  await site.page.getByRole("button", { name: "Go to Search key" }).waitFor();
  expect(searches.asked).toEqual([]);
  await option("WebSearchProvider").getByText("SearXNG", { exact: true }).click();
  await option("WebSearchKey").getByRole("button", { name: "Remove Search key" }).click();
  await attempt();
  await site.page.getByText("Search: 1 page found.").waitFor();
  searches.status = 500;
  await attempt();
  await site.page.getByText("no pages came.").waitFor();
  await field("WebSearchPrice").fill("7.5");
  await field("WebSearchesPerCall").fill("3");
  await save();
  await saved();
  expect((await stored("WebSearchProvider"))?.value).toBe("searxng");
  expect((await stored("WebSearchAddress"))?.value).toBe(searches.url);
  expect((await stored("WebSearchPrice"))?.value).toBe("7.5");
  expect((await stored("WebSearchesPerCall"))?.value).toBe("3");
  expect((await stored("WebSearchKey"))?.value).toBe("");
  expect(await findingsOfAnotherLook(site.page)).toEqual([]);
});

const ENDPOINTS = ["oidc.authorization_endpoint", "oidc.token_endpoint", "oidc.user_info_endpoint"] as const;

testInAll("the well-known URL fills the three endpoints of the draft, and a save by Enter waits for them")(async () => {
  await open("oidc");
  await field("oidc.well_known").fill("http://127.0.0.1:1/.well-known/openid-configuration");
  await site.page.getByRole("button", { name: "Fetch" }).click();
  await option("oidc.well_known").getByRole("alert").waitFor();
  await expect
    .poll(() => option("oidc.well_known").getByRole("alert").textContent())
    .toMatch(/Failed to fetch|network/);
  await field("oidc.well_known").fill(openid.wellKnown);
  await site.page.getByRole("button", { name: "Fetch" }).click();
  await site.page.getByText("The three endpoints below are filled in.").waitFor();
  expect(await Promise.all(ENDPOINTS.map((name) => field(name).inputValue()))).toEqual(
    ["auth", "token", "me"].map((path) => `${openid.issuer}/${path}`),
  );
  expect((await stored("oidc.token_endpoint"))?.value).toBe("");
  await site.page.getByRole("button", { name: "Discard" }).click();
  await field("oidc.well_known").fill(openid.wellKnown);
  await field("oidc.well_known").press("Enter");
  await saved();
  expect(await Promise.all(ENDPOINTS.map(async (name) => (await stored(name))?.value))).toEqual(
    ["auth", "token", "me"].map((path) => `${openid.issuer}/${path}`),
  );
});

testInAll("payment settings wait for the server address; callback addresses are copied, and follow it")(async () => {
  await open("github");
  const github = site.page.locator('[data-section="github"]');
  await github.getByText("The server address is empty").waitFor();
  await github.getByRole("button", { name: "Copy callback address" }).click();
  await expect.poll(() => clipboardOf(site.page)).toBe(`${site.server.app.url}/oauth/github`);
  await field("PayAddress").fill("https://pay.example/");
  await save();
  const told = option("PayAddress").getByRole("alert");
  await told.waitFor();
  await expect.poll(() => told.textContent()).toBe("Please fill in the server address first");
  expect((await stored("PayAddress"))?.value).toBe("");
  const note = site.page.locator('[data-section="payment"]').getByRole("button", { name: "Go to the server address" });
  await note.click();
  await field("ServerAddress").fill("https://gate.example/");
  await save();
  await saved();
  expect([(await stored("PayAddress"))?.value, (await stored("ServerAddress"))?.value]).toEqual([
    "https://pay.example",
    "https://gate.example",
  ]);
  await github.getByText("https://gate.example/oauth/github").waitFor();
  await github.getByText("The server address is https://gate.example, but you are at").waitFor();
  await site.page.getByText("The Telegram button appears only there").waitFor();
  await expect
    .poll(() => site.page.locator('[data-section="telegram"]').textContent())
    .toContain("/setdomain: gate.example");
  await set({ PayAddress: "", ServerAddress: "" });
});

testInAll("/logo.png is a small picture of the mark")(async () => {
  const answer = await fetch(`${site.server.app.url}/logo.png`);
  const body = Buffer.from(await answer.arrayBuffer());
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/png"]);
  expect([body.readUInt32BE(16), body.readUInt32BE(20)]).toEqual([256, 256]);
  expect(body.length).toBeLessThan(10_000);
});

test("system information asks for a newer release when it is told to; texts and pictures are shown as visitors will see them, and nothing in a preview runs", async () => {
  await open("system_info", "other");
  const section = site.page.locator('[data-section="system_info"]');
  await section.getByText("SQLite").waitFor();
  await section.getByText(process.version).waitFor();
  const check = site.page.getByRole("button", { name: "Check for updates" });
  expect(await check.isDisabled()).toBe(true);
  await field("UpdateCheckUrl").fill(`http://127.0.0.1:${(releases.address() as AddressInfo).port}/latest`);
  await save();
  await saved();
  await check.click();
  await section.getByText("v99.1.0 is available").waitFor();
  await expect.poll(() => section.locator("strong").textContent()).toBe("faster");
  await expect
    .poll(() => section.getByRole("link", { name: "Release page" }).getAttribute("href"))
    .toBe("https://a.example/99");
  await field("Notice").fill("**Sunday**: [status](https://status.example) <img src=x onerror='document.title=1'>");
  const preview = option("Notice").getByRole("region", { name: "Preview" });
  await expect.poll(() => preview.locator("strong").textContent()).toBe("Sunday");
  await expect.poll(() => preview.getByRole("link").getAttribute("rel")).toContain("noopener");
  await field("Footer").fill('<b>Acme</b><script>document.title = "ran"</script><a href="javascript:alert(1)">x</a>');
  const footer = option("Footer").getByRole("region", { name: "Preview" });
  await footer.locator("b").waitFor();
  expect(await footer.innerHTML()).not.toMatch(/script/);
  await field("SystemName").fill("Acme gate");
  await expect.poll(() => option("Logo").textContent()).toContain("Acme gate");
  await field("Logo").fill("/logo.png?1");
  await expect
    .poll(() =>
      option("Logo")
        .locator("img")
        .evaluate((img: HTMLImageElement) => img.naturalWidth),
    )
    .toBe(256);
  expect(await site.page.title()).not.toMatch(/ran|1$/);
});

test("a named OpenID provider is added with its endpoints fetched, changed, and deleted after a question", async () => {
  await site.page.goto(`${site.server.app.url}/setting?tab=system&section=identity_providers`);
  await site.page.getByRole("button", { name: "Add provider" }).click();
  const drawer = site.page.getByRole("dialog");
  await drawer.getByLabel("Name", { exact: true }).fill("Acme ID");
  await drawer.getByLabel("Name in addresses").fill("acme");
  await drawer.getByText("/oauth/acme").waitFor();
  await drawer.getByLabel("Client ID").fill("turnpike");
  await drawer.getByLabel("Client secret").fill("s3cret");
  const submit = drawer.getByRole("button", { name: /^Add provider/ });
  await submit.click();
  await drawer.getByText("Fill in the well-known URL or all three endpoints").waitFor();
  await drawer.getByLabel("Well-known URL").fill(openid.wellKnown);
  await drawer.getByRole("button", { name: "Fetch endpoints" }).click();
  await expect.poll(() => drawer.getByLabel("Token endpoint").inputValue()).toBe(`${openid.issuer}/token`);
  await submit.click();
  await drawer.waitFor({ state: "detached" });
  const row = site.page.getByRole("listitem").filter({ hasText: "Acme ID" });
  await row.getByText("On", { exact: true }).waitFor();
  expect([await overflow(site.page), await seriousFindings(site.page)]).toEqual([0, []]);
  await row.getByRole("button", { name: "Edit" }).click();
  await drawer.getByText("Enabled").click();
  await drawer.getByRole("button", { name: /^Save/ }).click();
  await drawer.waitFor({ state: "detached" });
  await row.getByText("Off", { exact: true }).waitFor();
  await row.getByRole("button", { name: "Actions for Acme ID" }).click();
  await site.page.getByRole("menuitem", { name: "Delete provider" }).click();
  await site.page.getByRole("button", { name: "Delete provider" }).click();
  await site.page.getByText("Add another provider").waitFor();
  expect(await dataOf(site.root.get("/api/identity_provider"))).toEqual([]);
});

testInAll("an open dashboard asks again as often as DataExportInterval says")(async () => {
  await set({ DataExportInterval: "3" });
  // A page of its own, since a clock stays as it was set.
  const { page: dashboard, complaints: ofDashboard } = await openPage(site.context);
  await dashboard.clock.install();
  let asked = 0;
  dashboard.on("request", (request) => void (asked += Number(/\/api\/data\/.*overview/.test(request.url()))));
  const answered = dashboard.waitForResponse((response) => /\/api\/data\/.*overview/.test(response.url()));
  await dashboard.goto(`${site.server.app.url}/detail`);
  // The interval counts from the answer, which has to be read before the clock is turned.
  await (await answered).finished();
  await dashboard.locator("main#content h1").waitFor();
  await dashboard.evaluate(() => fetch("/livez").then(() => undefined));
  const atFirst = asked;
  await dashboard.clock.runFor("02:45");
  expect(asked).toBe(atFirst);
  await dashboard.clock.runFor("00:30");
  await expect.poll(() => asked).toBeGreaterThan(atFirst);
  await dashboard.close();
  expect(ofDashboard).toEqual([]);
});

const PLACES = ["tab=system&section=sign_in", "tab=other", "tab=system&section=identity_providers"];

// In the short form pages.test.ts looks at the tabs, and the test above at the providers.
test.each(IS_SHORT ? [] : LOOKS)(
  "$size.width px, $theme, $language: nothing is wider than its window, and axe finds nothing",
  async (look) => {
    const looking = await openContext(site.browser, look, { storageState: await site.context.storageState() });
    const watched = await openPage(looking);
    try {
      for (const place of PLACES) {
        await watched.page.goto(`${site.server.app.url}/setting?${place}`);
        await watched.page.locator("main#content h2").first().waitFor();
        await watched.settled();
        expect([place, await overflow(watched.page), await seriousFindings(watched.page)]).toEqual([place, 0, []]);
      }
      expect(watched.complaints).toEqual([]);
    } finally {
      await looking.close();
    }
  },
);
