/** Tests of WeChat Pay without a go-between, with a faithful fake API over real HTTP: codes, pages, notifications, refunds, queries and closing. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { engines } from "../../../../../tests/support/databases/databases.ts";
import { type DirectSite, openDirectSite, UNIT } from "../../../../../tests/support/payments/direct-site.ts";
import { testKeys } from "../../../../../tests/support/payments/keys.ts";
import { balanceOf, logsOf } from "../../../../../tests/support/payments/rows.ts";
import { WECHAT } from "../../../../../tests/support/payments/wechat.ts";
import type { Caller } from "../../../../../tests/support/systems/console.ts";
import { auditDatabase } from "../../../billing/audit.ts";
import { privateKeyIn, publicKeyIn } from "../../kit/rsa-keys.ts";
import { unpaidOrdersJob } from "../unpaid-orders.ts";
import { decrypted } from "./signature.ts";

const PHONE = { "user-agent": "Mozilla/5.0 (Linux; Android 15) Mobile Safari/537.36" };
const IN_WECHAT = { "user-agent": `${PHONE["user-agent"]} MicroMessenger/8.0.50` };
const DAY_MS = 86_400_000;

test("keys are read from PEM, from bare Base64 and without line breaks, and no other text is one", () => {
  const { privatePem, privateBase64, publicPem, publicBase64 } = testKeys("merchant");
  for (const text of [privatePem, privateBase64, privatePem.replaceAll("\n", ""), privatePem.replaceAll("\n", "\r\n")])
    expect(privateKeyIn(text)?.type).toBe("private");
  for (const text of [publicPem, publicBase64, publicPem.replaceAll("\n", " ")])
    expect(publicKeyIn(text)?.type).toBe("public");
  for (const text of ["", "elsewhere", publicPem, privatePem.slice(0, 400), "A".repeat(100_000)])
    expect(privateKeyIn(text)).toBeUndefined();
  for (const text of ["", privatePem, privateBase64, publicBase64.slice(8)]) expect(publicKeyIn(text)).toBeUndefined();
});

test("what was not encrypted by the key, or was changed, is not decrypted", () => {
  const resource = {
    ciphertext: Buffer.alloc(40).toString("base64"),
    nonce: "fdasflkja484",
    associated_data: "transaction",
  };
  expect(decrypted(resource, "0".repeat(32))).toBeUndefined();
  expect(decrypted({ ...resource, nonce: "short" }, "0".repeat(32))).toBeUndefined();
  expect(decrypted({ ...resource, ciphertext: "AAAA" }, "0".repeat(32))).toBeUndefined();
  expect(decrypted(resource, "short")).toBeUndefined();
});

describe.each(await engines())("on %s", (engine) => {
  let place: DirectSite;
  let nowMs = Date.now();

  beforeAll(async () => {
    place = await openDirectSite(engine, () => nowMs);
  });
  beforeEach(async () => {
    nowMs = Date.now();
    place.wechat.trouble.kind = "none";
    await place.options();
  });
  afterAll(() => place.close());

  const audited = async () => expect((await auditDatabase(place.site.foundation.database)).faults).toEqual([]);
  const begun = async (person: Caller, amount = 10, headers = {}) => {
    const made = await place.start(person, { amount, payment_method: "wechat_direct" }, headers);
    if (!made.success) throw new Error(made.code);
    return made;
  };

  test("an order is paid by scanning a code, and credited once with ledger and log", async () => {
    const person = await place.site.person();
    const made = await begun(person);
    expect(made).toMatchObject({
      url: "",
      data: {},
      qr_code: `weixin://wxpay/bizpayurl?pr=${made.trade_no.slice(-9)}`,
    });
    expect(place.wechat.orders.get(made.trade_no)?.content).toMatchObject({
      appid: WECHAT.appId,
      mchid: WECHAT.merchant,
      description: expect.stringMatching(/^Acme & Söhne TP/),
      notify_url: `${place.site.url}/api/wechat-pay/notify`,
      amount: { total: 7300, currency: "CNY" },
    });
    const report = place.wechat.report(made.trade_no);
    for (const _ of [1, 2]) expect(await place.wechat.notify(report)).toEqual({ status: 200, text: "" });
    expect(await balanceOf(place.site, person)).toBe(10 * UNIT);
    expect(await place.own(person, made)).toMatchObject({ status: "paid", money: "73.00", currency: "CNY" });
    expect(await logsOf(place.site, person)).toHaveLength(1);
    await audited();
  });

  test("phones are led to WeChat Pay's page and back, but not those inside WeChat, and not where that is off", async () => {
    const person = await place.site.person();
    const made = await begun(person, 10, PHONE);
    const url = new URL(made.url);
    expect([url.host, url.searchParams.get("redirect_url"), made.qr_code]).toEqual([
      "wx.tenpay.com",
      `${place.site.url}/topup?order=${made.order_id}`,
      "",
    ]);
    expect(place.wechat.orders.get(made.trade_no)?.content.scene_info?.payer_client_ip).toMatch(/127\.0\.0\.1/);
    expect((await begun(person, 10, IN_WECHAT)).qr_code).not.toBe("");
    await place.options({ WechatPayH5Enabled: "false" });
    expect((await begun(person, 10, PHONE)).qr_code).not.toBe("");
  });

  test("forged, changed, old and misdirected notifications credit nothing, and those of another money, currency, merchant or order neither", async () => {
    const person = await place.site.person();
    const made = await begun(person);
    const small = await begun(person, 1);
    const address = `${place.site.url}/api/wechat-pay/notify`;
    const seconds = Math.floor(nowMs / 1000);
    const good = place.wechat.report(made.trade_no);
    const wrong = (changes: object, signing = {}) => place.wechat.report(made.trade_no, changes, signing);
    const reports = [
      wrong({ amount: { total: 1, currency: "CNY" } }),
      wrong({ amount: { total: 7301, currency: "CNY" } }),
      wrong({ amount: { total: 7300, currency: "USD" } }),
      wrong({ amount: { total: "7300", currency: "CNY" } }),
      wrong({ amount: undefined }),
      wrong({ appid: "wx0000000000000000" }),
      wrong({ mchid: "1230000110" }),
      wrong({ out_trade_no: small.trade_no }),
      wrong({ out_trade_no: "TP20260101000000NOSUCHORDER00000" }),
      wrong({ transaction_id: "" }),
      wrong({}, { key: testKeys("other").privateKey }),
      wrong({}, { serial: "PUB_KEY_ID_other" }),
      wrong({}, { serial: "" }),
      wrong({}, { apiV3Key: "f".repeat(32) }),
      wrong({}, { timestamp: seconds - 301 }),
      wrong({}, { timestamp: seconds + 302 }),
      { ...good, body: good.body.replace("SUCCESS", "success") },
      { ...good, headers: {} },
      ...Object.keys(good.headers)
        .filter((name) => name.startsWith("Wechatpay"))
        .map((name) => ({ ...good, headers: { ...good.headers, [name]: `1${good.headers[name]}` } })),
    ];
    for (const report of reports) {
      const answer = await place.wechat.notify(report, address);
      expect([answer.status, JSON.parse(answer.text)]).toEqual([400, { code: "FAIL", message: expect.any(String) }]);
    }
    for (const missing of ["WechatPayPlatformKey", "WechatPayApiV3Key"]) {
      await place.options({ [missing]: "" });
      expect((await place.wechat.notify(good)).status).toBe(404);
    }
    await place.options();
    expect(await balanceOf(place.site, person)).toBe(0);
    expect((await place.own(person, made)).status).toBe("pending");
    // Not paid yet: nothing to credit.
    expect((await place.wechat.notify(wrong({ trade_state: "USERPAYING" }))).status).toBe(200);
    expect(await balanceOf(place.site, person)).toBe(0);
    expect((await place.wechat.notify(good)).status).toBe(200);
    expect(await balanceOf(place.site, person)).toBe(10 * UNIT);
  });

  test("a refund takes back its share, whichever of the notifications comes first; one that is closed gives it back", async () => {
    const person = await place.site.person();
    const [first, second] = [await begun(person), await begun(person)];
    await place.wechat.notify(place.wechat.report(first.trade_no));
    const refund = (number: string, fen: number, changes = {}) =>
      place.wechat.notify(place.wechat.refund(number, fen, changes));
    expect((await refund(first.trade_no, 730, { refund_id: "50" })).status).toBe(200);
    // Its bank refused it: the money waits for another account of the buyer's.
    await refund(first.trade_no, 1460, { refund_id: "51", refund_status: "ABNORMAL" });
    expect(await place.order(first)).toMatchObject({
      status: "partly_refunded",
      refunded: "21.90",
      taken_back: 3 * UNIT,
    });
    await refund(first.trade_no, 1460, { refund_id: "51", refund_status: "SUCCESS" });
    await refund(first.trade_no, 3650, { refund_id: "52", refund_status: "PROCESSING" });
    await refund(first.trade_no, 3650, { refund_id: "52", refund_status: "CLOSED" });
    expect(await place.order(first)).toMatchObject({ refunded: "21.90", taken_back: 3 * UNIT });
    expect(await balanceOf(place.site, person)).toBe(7 * UNIT);
    // The payment's own notification comes after that of its refund.
    await refund(second.trade_no, 7300, { refund_id: "53" });
    expect((await place.wechat.notify(place.wechat.report(second.trade_no))).status).toBe(200);
    expect(await place.order(second)).toMatchObject({ status: "refunded", taken_back: 10 * UNIT });
    expect(await balanceOf(place.site, person)).toBe(7 * UNIT);
    for (const changes of [{ mchid: "1230000110" }, { refund_status: "NEW" }, { amount: { total: 1, refund: 1 } }])
      expect((await refund(first.trade_no, 730, changes)).status).toBe(400);
    await audited();
  });

  test("who waits has WeChat Pay asked; an answer without its signature, or none at all, credits nothing", async () => {
    const person = await place.site.person();
    const made = await begun(person);
    expect((await place.check(person, made)).status).toBe("pending");
    place.wechat.pay(made.trade_no);
    for (const kind of ["other key", "hangs up"] as const) {
      place.wechat.trouble.kind = kind;
      expect((await place.check(person, made)).status).toBe("pending");
      expect((await place.start(person, { amount: 10, payment_method: "wechat_direct" })).code).toBe(
        "payment_start_failed",
      );
    }
    place.wechat.trouble.kind = "none";
    expect((await place.check(person, made)).status).toBe("paid");
    expect(await balanceOf(place.site, person)).toBe(10 * UNIT);
  });

  test("after a day orders are asked about and closed at WeChat Pay", async () => {
    const person = await place.site.person();
    const [paid, open] = [await begun(person), await begun(person)];
    place.wechat.pay(paid.trade_no);
    nowMs += DAY_MS + 1000;
    await unpaidOrdersJob(place.site.context).run();
    expect((await place.own(person, paid)).status).toBe("paid");
    expect((await place.own(person, open)).status).toBe("ended");
    expect(place.wechat.orders.get(open.trade_no)?.state).toBe("CLOSED");
  });
});
