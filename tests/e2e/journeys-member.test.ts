/** Journeys of a user in a real browser, each in so many presses: paying, inviting, second factors, chats, image tasks, and a token with limits. */
import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { TokenRow } from "../../contract/src/features/tokens.ts";
import { stepAt, totpCode } from "../../server/src/console/factors/totp.ts";
import { sealOption } from "../../server/src/db/secrets.ts";
import { addPerson } from "../../tools/seed/people.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { replies, reply } from "../support/checks/playground-site.ts";
import { countedPresses } from "../support/checks/presses.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { setOptions } from "../support/databases/options.ts";
import { type EpayGateway, startEpay } from "../support/payments/epay.ts";
import { clipboardOf, logInOn, openContext, openPage } from "../support/systems/browser.ts";
import { dataOf, itemsOf } from "../support/systems/site.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

const UNIT = 500_000;
const PASSWORD = "battery staple 7";
const MERCHANT = { pid: "1001", key: "epay-key-0123456789" };
/** Browsers have passkeys for names only, never for bare addresses. */
const atLocalhost = (url: string): string => url.replace("127.0.0.1", "localhost");
/** For each guest, the inviter and the newcomer. */
const REWARDS = { QuotaForInviter: String(2 * UNIT), QuotaForInvitee: String(UNIT) };

let upstream: FakeUpstream;
let gateway: EpayGateway;
const presses = countedPresses();

const addMember = (username: string) =>
  addPerson(
    site.server.app.foundation,
    { username, displayName: "", role: 1, group: "default", quota: 20 * UNIT, tokens: [] },
    PASSWORD,
    1_700_000_000,
  );

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill({ server, root }) {
    [upstream, gateway] = await Promise.all([startFakeUpstream({ plan: { hasRealMedia: true } }), startEpay(MERCHANT)]);
    const models = "gpt-4o-mini,deepseek-chat,dall-e-3";
    await root.post("/api/channel/", {
      name: "main",
      type: 1,
      key: "sk-a",
      base_url: upstream.url,
      models,
      groups: ["default"],
    });
    const { foundation } = server.app;
    await setOptions(foundation, {
      ...REWARDS,
      ServerAddress: atLocalhost(server.app.url),
      PayAddress: gateway.url,
      EpayId: MERCHANT.pid,
      EpayKey: sealOption(foundation.secrets, "EpayKey", MERCHANT.key),
    });
    await addMember("ada");
  },
  as: { username: "ada", password: PASSWORD },
});
afterAll(() => Promise.all([upstream?.close(), gateway?.close()]));
beforeEach(() => upstream.reset());

const button = (name: string | RegExp, page = site.page) =>
  page.getByRole("button", { name, exact: typeof name === "string" });
const entry = (name: string) => site.page.getByRole("navigation").getByRole("link", { name, exact: true });
const dialog = (page = site.page) => page.getByRole("dialog");
const open = async (path: string): Promise<void> => {
  await site.page.goto(site.server.app.url + path);
  await site.page.locator("main#content h1").waitFor();
  presses.restart();
};
/** A window of another person. */
const otherWindow = async () => (await openPage(await openContext(site.browser))).page;

test("a code is redeemed in two presses, and stands in the statement; a payment is begun in two", async () => {
  const { page } = site;
  const [code = ""] = await dataOf<string[]>(site.root.post("/api/redemption", { quota: 2 * UNIT }));
  await open("/token");
  await presses.click(entry("Wallet"));
  await presses.enter(page.getByLabel("Redemption code"), code);
  await page.getByText("$2.00 added to your balance").waitFor();
  expect(presses.count()).toBeLessThanOrEqual(2);
  await page.getByRole("link", { name: "Statement" }).click();
  const line = page.getByRole("row").filter({ hasText: "Redemption code" }).first();
  await expect.poll(() => line.innerText()).toContain("$2.00");

  await open("/token");
  await presses.click(entry("Wallet"));
  // In this order a phone shows the cards: paying comes right after the balance.
  const titles = page.locator("main h2");
  await expect.poll(async () => (await titles.allInnerTexts()).slice(0, 2)).toEqual(["Balance", "Top up online"]);
  await presses.click(button("Pay"));
  await page.getByRole("heading", { name: "Demonstration cashier" }).waitFor();
  expect(presses.count()).toBeLessThanOrEqual(2);
});

test("an invitation is copied by one press, says to both sides what it earns, and counts at once", async () => {
  const { page } = site;
  await open("/personal");
  const card = page.getByRole("region", { name: "Invitations" });
  await card.getByText("For each of them you earn $2.00 and they start with $1.00").waitFor();
  await presses.click(card.getByRole("button", { name: "Copy link" }));
  expect(presses.count()).toBe(1);
  await expect.poll(() => clipboardOf(page)).toContain("aff=");
  const guest = await otherWindow();
  await guest.goto(await clipboardOf(page));
  await guest.getByText("You were invited: your account starts with $1.00").waitFor();
  await guest.getByLabel("Username", { exact: true }).fill(`maria.${randomUUID().slice(0, 8)}`);
  await guest.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await guest.getByLabel("Repeat the password", { exact: true }).fill(PASSWORD);
  await guest.keyboard.press("Enter");
  // Logged in by that, with the first steps before them.
  await guest.waitForURL("**/token");
  await guest.getByRole("region", { name: "Get started" }).waitFor();
  await guest.context().close();
  await open("/personal");
  await expect.poll(() => card.innerText()).toMatch(/Total rewards\s+\$[2-9]/);
});

/** A fingerprint reader that always says yes. */
async function addAuthenticator(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("WebAuthn.enable");
  const options = {
    protocol: "ctap2",
    transport: "internal",
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const;
  await devTools.send("WebAuthn.addVirtualAuthenticator", { options });
}

testInAll("an authenticator app takes three presses and Escape keeps its codes, a passkey two, and a lost phone one")(
  async () => {
    const username = `finn.${randomUUID().slice(0, 8)}`;
    await addMember(username);
    const url = atLocalhost(site.server.app.url);
    const page = await otherWindow();
    await addAuthenticator(page);
    await logInOn(page, url, username, PASSWORD);
    await page.goto(`${url}/personal/security`);
    presses.restart();
    await presses.click(button("Set up", page));
    await dialog(page)
      .getByRole("img", { name: /QR code/ })
      .waitFor();
    const secret = ((await dialog(page).locator(".mono").textContent()) ?? "").replaceAll(" ", "");
    await presses.enter(dialog(page).getByLabel("Code of the app"), totpCode(secret, stepAt(Date.now() / 1000)));
    await dialog(page).getByText("They are shown only now.").waitFor();
    const [code = ""] = await dialog(page).getByRole("listitem").allTextContents();
    await page.keyboard.press("Escape");
    await presses.click(button("I have kept them", page));
    expect(presses.count()).toBeLessThanOrEqual(3);
    await page.getByText("8 of 8 left").waitFor();

    presses.restart();
    await presses.click(button("Add passkey", page));
    await presses.enter(dialog(page).getByLabel("Name"), "Blue laptop");
    await page.getByText("Not used yet").waitFor();
    expect(presses.count()).toBeLessThanOrEqual(2);
    await page.context().close();

    const later = await otherWindow();
    await later.goto(`${url}/login`);
    await later.getByLabel("Username or email").fill(username);
    await later.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await later.keyboard.press("Enter");
    presses.restart();
    await presses.enter(later.getByLabel("Code", { exact: true }), code);
    await later.getByText("7 codes are left.").waitFor();
    expect(presses.count()).toBe(1);
    await later.context().close();
  },
);

testInAll(
  "a chat is asked by one press, asked again without losing the first answer, and compared under the right name",
)(async () => {
  const { page } = site;
  upstream.plan(({ json }) => ({ text: `I am ${String(json?.["model"])}.` }));
  await open("/playground");
  await presses.enter(page.getByRole("textbox", { name: "Message" }), "Who is it?");
  const answer = await reply(page);
  const [asked, compared] = (await answer.innerText()).includes("I am gpt-4o-mini.")
    ? ["gpt-4o-mini", "deepseek-chat"]
    : ["deepseek-chat", "gpt-4o-mini"];
  expect(presses.count()).toBe(1);
  // No invented exchange stands before the question.
  expect(upstream.requests.at(-1)?.json?.["messages"]).toMatchObject([{ role: "system" }, { content: "Who is it?" }]);
  await presses.click(answer.getByRole("button", { name: "Retry" }));
  await answer.getByText("2/2").waitFor();
  await presses.click(button("Compare models"));
  const second = page.getByRole("region", { name: `Messages of ${compared}` });
  await second.getByText("Who is it?").waitFor();
  expect(await second.getByText(`I am ${asked}.`).count()).toBe(0);
  await presses.click(second.getByRole("button", { name: `Ask ${compared} too` }));
  await second.getByText(`I am ${compared}.`).waitFor();
  await expect.poll(() => replies(page).count()).toBe(2);
  expect(presses.count()).toBe(4);
});

testInAll("a drawing is made in the studio in two presses, and stands there as a picture")(async () => {
  const { page } = site;
  await open("/token");
  await presses.click(entry("Studio"));
  const maker = page.getByRole("region", { name: "Make something" });
  const prompt = `A lighthouse ${randomUUID()}`;
  await maker.getByRole("textbox", { name: "Prompt" }).fill(prompt);
  await presses.click(maker.getByRole("button", { name: "Draw" }));
  const card = page.getByRole("list", { name: "What was made" }).getByRole("listitem").filter({ hasText: prompt });
  await expect
    .poll(() => card.getByRole("img").evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(1);
  expect(presses.count()).toBeLessThanOrEqual(2);
});

test("a token with limits takes six presses; Enter takes the model that is suggested, and a text left there stops the form", async () => {
  const { page } = site;
  const name = `batch ${randomUUID().slice(0, 8)}`;
  const own = async () => {
    const ada = site.server.client();
    await ada.login("ada", PASSWORD);
    return (await itemsOf<TokenRow>(ada.get("/api/token/?p=1&size=100"))).find((row) => row.name === name);
  };
  await open("/token");
  await presses.click(button("Create token").first());
  await dialog().getByLabel("Name", { exact: true }).fill(name);
  await presses.click(dialog().getByRole("button", { name: "$10", exact: true }));
  await presses.click(dialog().getByRole("button", { name: "1 month", exact: true }));
  const models = dialog().getByRole("combobox", { name: /^Models/ });
  await models.fill("4o");
  await page.getByRole("option", { name: /gpt-4o-mini/ }).waitFor();
  await presses.enter(models, "4o-");
  await button("Remove gpt-4o-mini").waitFor();
  await models.fill("no-such-model");
  await page.keyboard.press("Control+Enter");
  await dialog().getByText('"no-such-model" was not added').waitFor();
  expect(await own()).toBeUndefined();
  await models.fill("");
  await presses.click(dialog().getByRole("button", { name: /^Create token/ }));
  await page.waitForURL(({ pathname }) => pathname === "/connect");
  expect(presses.count()).toBeLessThanOrEqual(6);
  expect(await own()).toMatchObject({
    model_limits_enabled: true,
    model_limits: "gpt-4o-mini",
    remain_quota: 10 * UNIT,
  });
});
