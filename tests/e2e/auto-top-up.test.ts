/** The card of automatic top-up in a real browser: a card is saved on Stripe's page, a rule is set, a refused one says why, and the card is removed. */
import { afterAll, expect, test } from "vitest";
import { sealOption } from "../../server/src/db/secrets.ts";
import { setOptions } from "../support/databases/options.ts";
import { STRIPE_SECRETS } from "../support/payments/stripe-site.ts";
import { type FakeStripe, sendStripeEvent, startStripe } from "../support/payments/stripe.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { DESK, overflow, PHONE, seriousFindings } from "../support/systems/browser.ts";
import { dataOf } from "../support/systems/site.ts";

const PASSWORD = "a-good-one";
let stripe: FakeStripe;

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async before() {
    stripe = await startStripe(STRIPE_SECRETS.StripeSecretKey);
    return { standIns: { "https://api.stripe.com": stripe.url } };
  },
  async fill({ server, root }) {
    await dataOf(root.post("/api/user/", { username: "ada", password: PASSWORD, display_name: "" }));
    const sealed = Object.entries(STRIPE_SECRETS).map(([name, value]) => [
      name,
      sealOption(server.app.foundation.secrets, name, value),
    ]);
    await setOptions(server.app.foundation, {
      ServerAddress: server.app.url,
      StripeEnabled: "true",
      StripeAutoTopUpEnabled: "true",
      ...Object.fromEntries(sealed),
    });
  },
  as: { username: "ada", password: PASSWORD },
});
afterAll(() => stripe?.close());

test("a card is saved on Stripe's page, a rule needs a limit that covers one payment, and removing the card ends it", async () => {
  const { page, server } = site;
  const card = page.getByRole("region", { name: "Automatic top-up" });
  await page.setViewportSize(DESK);
  await page.goto(`${server.app.url}/topup`);
  await card.getByRole("button", { name: "Save a card" }).click();
  await page.getByRole("heading", { name: "Save a card" }).waitFor();
  expect(page.url()).toContain(`${stripe.url}/c/setup/`);
  await page.goto(`${server.app.url}/topup?card=saved`);
  expect((await sendStripeEvent(server.app.url, stripe.cardSaved(), STRIPE_SECRETS.StripeWebhookSecret)).text).toBe(
    "done",
  );
  await card.getByText("visa ending in 4242").waitFor();
  await card.getByLabel("When the balance falls below").fill("5");
  await card.getByLabel("Buy each time").selectOption("10");
  await card.getByLabel("At most a month, in USD").fill("5");
  await card.getByRole("button", { name: "Save", exact: true }).click();
  await card.getByText(/covers one payment at least: 10\.00 USD/).waitFor();
  await card.getByLabel("At most a month, in USD").fill("50");
  await card.getByRole("button", { name: "Save", exact: true }).click();
  await card.getByText("$0.00 of $50.00 spent automatically this month").waitFor();
  for (const size of [DESK, PHONE]) {
    await page.setViewportSize(size);
    expect(await overflow(page)).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
  }
  await card.getByRole("button", { name: "Remove" }).click();
  await card.getByRole("button", { name: "Save a card" }).waitFor();
  await expect.poll(() => stripe.detached.length).toBe(1);
});
