/** For tests: a console that is paid by Alipay and WeChat Pay without a go-between, both of which are the fake ones. */
import type { OrderDetails, OwnOrder } from "../../../contract/src/payments/orders.ts";
import { ROLE } from "../../../contract/src/roles.ts";
import { fetchGuarded } from "../../../server/src/composition/guarded-fetch.ts";
import type { Engine } from "../../../server/src/db/database.ts";
import { type Secrets, sealOption } from "../../../server/src/db/secrets.ts";
import { createUpstreamClient } from "../../../server/src/upstream/client.ts";
import { setOptions } from "../databases/options.ts";
import { type Caller, type TestConsole, openTestConsole } from "../systems/console.ts";
import { ALIPAY_APP, type FakeAlipay, startAlipay } from "./alipay.ts";
import { keyOptions } from "./keys.ts";
import { type FakeWechat, startWechat, WECHAT } from "./wechat.ts";

/** Quota of a dollar there, which costs 7.30 CNY. */
export const UNIT = 500_000;

const SECRETS = ["AlipayPrivateKey", "WechatPayPrivateKey", "WechatPayApiV3Key"];

/** The options of a site with both, as they are typed. */
export const directOptions = (alipay: Pick<FakeAlipay, "url">): Readonly<Record<string, string>> => ({
  ...keyOptions(),
  AlipayAppId: ALIPAY_APP,
  AlipayGateway: alipay.url,
  WechatPayAppId: WECHAT.appId,
  WechatPayMerchantId: WECHAT.merchant,
  WechatPayCertificateSerial: WECHAT.serial,
  WechatPayPlatformKeyId: WECHAT.keyId,
  WechatPayH5Enabled: "true",
  Price: "7.3",
  // Switched on once all that they need is set.
  AlipayEnabled: "true",
  WechatPayEnabled: "true",
});

/** The same as they are stored. */
export const sealedOptions = (secrets: Secrets, options: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name,
      SECRETS.includes(name) && value !== "" ? sealOption(secrets, name, value) : value,
    ]),
  );

export interface StartedPayment {
  success: boolean;
  code?: string;
  data: Record<string, string>;
  url: string;
  order_id: number;
  trade_no: string;
  qr_code: string;
}

export interface DirectSite {
  site: TestConsole;
  alipay: FakeAlipay;
  wechat: FakeWechat;
  options(changes?: Readonly<Record<string, string>>): Promise<void>;
  start(person: Caller, body: object, headers?: Record<string, string>): Promise<StartedPayment>;
  /** The order as its buyer sees it. */
  own(person: Caller, made: { order_id: number }): Promise<OwnOrder>;
  /** The same, after the provider was asked. */
  check(person: Caller, made: { order_id: number }): Promise<OwnOrder>;
  /** The order as an administrator sees it. */
  order(made: { order_id: number }): Promise<OrderDetails>;
  close(): Promise<void>;
}

/** @param now Unix milliseconds */
export async function openDirectSite(engine: Engine, now: () => number): Promise<DirectSite> {
  const [alipay, wechat] = await Promise.all([startAlipay(), startWechat(now)]);
  const upstream = createUpstreamClient({ allowsPrivate: () => true, connectTimeoutMs: 2_000 });
  const site = await openTestConsole(engine, { fetchGuarded: (request) => fetchGuarded(upstream, request) }, now);
  site.context.site.standIns = { "https://api.mch.weixin.qq.com": wechat.url };
  const admin = await site.person(ROLE.admin);
  return {
    site,
    alipay,
    wechat,
    options: (changes = {}) =>
      setOptions(site.foundation, {
        ...sealedOptions(site.foundation.secrets, { ...directOptions(alipay), ...changes }),
        ServerAddress: changes["ServerAddress"] ?? site.url,
        MinTopUp: "1",
        TopupGroupRatio: "{}",
        QuotaPerUnit: String(UNIT),
        SystemName: "Acme & Söhne",
      }),
    async start(person, body, headers = {}) {
      const { body: answer } = await person.call("POST", "/api/user/pay", body, headers);
      return answer as unknown as StartedPayment;
    },
    own: (person, { order_id }) => person.data<OwnOrder>("GET", `/api/user/topup/self/${order_id}`),
    check: (person, { order_id }) => person.data<OwnOrder>("POST", `/api/user/topup/self/${order_id}/check`),
    order: ({ order_id }) => admin.data<OrderDetails>("GET", `/api/topup/${order_id}`),
    async close() {
      await site.close();
      await upstream.close();
      await Promise.all([alipay.close(), wechat.close()]);
    },
  };
}
