/**
 * For tests: WeChat Pay's API v3 over real HTTP, after its public documentation (https://pay.weixin.qq.com/doc/v3/merchant/4012791877 and the pages
 * beside it). What it verifies, signs and encrypts is written out on its own, so that ours is not held to itself.
 */
import { createCipheriv, createSign, createVerify, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { keyOptions, testKeys } from "./keys.ts";

export const WECHAT = {
  appId: "wxd678efh567hg6787",
  merchant: "1230000109",
  serial: "5157F09EFDC096DE15EBE81A47057A7232F1B8E1",
  keyId: "PUB_KEY_ID_0114232134912410000000000000",
} as const;

interface Order {
  path: string;
  content: {
    out_trade_no: string;
    notify_url: string;
    amount: { total: number; currency: string };
    scene_info?: { payer_client_ip: string };
  };
  state: "NOTPAY" | "SUCCESS" | "CLOSED";
}

/** A notification as it goes over the wire. */
export interface WechatNotification {
  headers: Record<string, string>;
  body: string;
}

interface Signing {
  key?: KeyObject;
  serial?: string;
  /** Unix seconds. */
  timestamp?: number;
  apiV3Key?: string;
}

export interface FakeWechat {
  url: string;
  orders: Map<string, Order>;
  /** The calls that asked or closed. */
  calls: string[];
  trouble: { kind: "none" | "other key" | "hangs up" };
  pay(number: string): void;
  /** What it reports of a payment; `changes` are made before it is encrypted and signed. */
  report(number: string, changes?: object, signing?: Signing): WechatNotification;
  /** What it reports of a refund. @param fen refunded */
  refund(number: string, fen: number, changes?: object): WechatNotification;
  notify(notification: WechatNotification, address?: string): Promise<{ status: number; text: string }>;
  close(): Promise<void>;
}

/** Headers of what WeChat Pay signs. */
function signedHeaders(
  body: string,
  { key = testKeys("wechat").privateKey, serial = WECHAT.keyId, timestamp }: Signing,
) {
  const time = String(timestamp ?? Math.floor(Date.now() / 1000));
  const nonce = "593BEC0C930BF1AFEB40B4A08C8FB242";
  const signature = createSign("RSA-SHA256").update(`${time}\n${nonce}\n${body}\n`).sign(key, "base64");
  return {
    "Wechatpay-Timestamp": time,
    "Wechatpay-Nonce": nonce,
    "Wechatpay-Serial": serial,
    "Wechatpay-Signature": signature,
  };
}

/** Whether the request's Authorization is the merchant's over this very request. */
function isSigned(request: IncomingMessage, body: string): boolean {
  const [scheme = "", list = ""] = (request.headers.authorization ?? "").split(" ");
  const parts = Object.fromEntries([...list.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
  const { mchid, nonce_str, signature = "", timestamp, serial_no } = parts as Record<string, string | undefined>;
  const content = `${request.method}\n${request.url}\n${timestamp}\n${nonce_str}\n${body}\n`;
  return (
    scheme === "WECHATPAY2-SHA256-RSA2048" &&
    mchid === WECHAT.merchant &&
    serial_no === WECHAT.serial &&
    request.headers["wechatpay-serial"] === WECHAT.keyId &&
    createVerify("RSA-SHA256").update(content).verify(testKeys("merchant").publicKey, signature, "base64")
  );
}

const transactionOf = ({ content, state }: Order) => ({
  appid: WECHAT.appId,
  mchid: WECHAT.merchant,
  out_trade_no: content.out_trade_no,
  trade_state: state,
  trade_state_desc: "说明",
  ...(state === "SUCCESS" && {
    transaction_id: `4200${content.out_trade_no.slice(-20)}`,
    trade_type: "NATIVE",
    bank_type: "CMC",
    success_time: "2026-11-25T10:34:56+08:00",
    amount: { ...content.amount, payer_total: content.amount.total, payer_currency: content.amount.currency },
  }),
});

/** Status and content of each call's answer. */
function answerOf(request: IncomingMessage, body: string, orders: Map<string, Order>): readonly [number, object?] {
  const { pathname } = new URL(request.url ?? "/", "http://wechat.test");
  if (pathname.endsWith("/native") || pathname.endsWith("/h5")) {
    const content = JSON.parse(body) as Order["content"];
    orders.set(content.out_trade_no, { path: pathname, content, state: "NOTPAY" });
    return [
      200,
      pathname.endsWith("/h5")
        ? { h5_url: `https://wx.tenpay.com/cgi-bin/mmpayweb-bin/checkmweb?prepay_id=wx${content.out_trade_no}` }
        : { code_url: `weixin://wxpay/bizpayurl?pr=${content.out_trade_no.slice(-9)}` },
    ];
  }
  const [, number = "", act] = /\/out-trade-no\/([^/]+)(\/close)?$/.exec(pathname) ?? [];
  const order = orders.get(number);
  if (order === undefined) return [404, { code: "ORDER_NOT_EXIST", message: "订单不存在" }];
  if (act === undefined) return [200, transactionOf(order)];
  if (order.state === "SUCCESS") return [400, { code: "ORDER_PAID", message: "该订单已支付" }];
  order.state = "CLOSED";
  return [204];
}

function encrypted(content: object, original: "transaction" | "refund", key: string) {
  const [nonce, associated_data] = ["fdasflkja484", original];
  const cipher = createCipheriv("aes-256-gcm", Buffer.from(key), Buffer.from(nonce));
  cipher.setAAD(Buffer.from(associated_data));
  const bytes = Buffer.concat([cipher.update(JSON.stringify(content), "utf8"), cipher.final(), cipher.getAuthTag()]);
  const ciphertext = bytes.toString("base64");
  return { algorithm: "AEAD_AES_256_GCM", original_type: original, ciphertext, nonce, associated_data };
}

function notificationOf(event_type: string, content: object, signing: Signing = {}): WechatNotification {
  const { WechatPayApiV3Key = "" } = keyOptions();
  const original = event_type.startsWith("REFUND") ? "refund" : "transaction";
  const resource = encrypted(content, original, signing.apiV3Key ?? WechatPayApiV3Key);
  const id = "EV-2018022511223320873";
  const create_time = "2026-11-25T10:34:56+08:00";
  const body = JSON.stringify({
    id,
    create_time,
    resource_type: "encrypt-resource",
    event_type,
    summary: "成功",
    resource,
  });
  return { headers: { "Content-Type": "application/json", ...signedHeaders(body, signing) }, body };
}

/** @param now its clock, Unix milliseconds */
export async function startWechat(now: () => number = Date.now): Promise<FakeWechat> {
  const timestamp = (): number => Math.floor(now() / 1000);
  const orders = new Map<string, Order>();
  const calls: string[] = [];
  const trouble: FakeWechat["trouble"] = { kind: "none" };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (!isSigned(request, body)) return response.writeHead(401).end('{"code":"SIGN_ERROR"}');
      if (request.url?.includes("/out-trade-no/") === true)
        calls.push(`${request.method} ${request.url.split("?")[0]}`);
      if (trouble.kind === "hangs up") return response.destroy();
      const [status, content] = answerOf(request, body, orders);
      const answer = content === undefined ? "" : JSON.stringify(content);
      const { privateKey: key } = testKeys(trouble.kind === "other key" ? "other" : "wechat");
      return response.writeHead(status, signedHeaders(answer, { key, timestamp: timestamp() })).end(answer);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const orderOf = (number: string): Order => {
    const order = orders.get(number);
    if (order === undefined) throw new Error(`WeChat Pay has no order ${number}`);
    return order;
  };
  const notifyUrls = new Map<string, string>();
  const numbered = (number: string, notification: WechatNotification): WechatNotification => {
    notifyUrls.set(notification.body, orderOf(number).content.notify_url);
    return notification;
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    orders,
    calls,
    trouble,
    pay(number) {
      orderOf(number).state = "SUCCESS";
    },
    report(number, changes = {}, signing = {}) {
      const content = { ...transactionOf({ ...orderOf(number), state: "SUCCESS" }), ...changes };
      return numbered(number, notificationOf("TRANSACTION.SUCCESS", content, { timestamp: timestamp(), ...signing }));
    },
    refund(number, fen, changes = {}) {
      const { amount } = orderOf(number).content;
      const content = {
        mchid: WECHAT.merchant,
        out_trade_no: number,
        transaction_id: `4200${number.slice(-20)}`,
        out_refund_no: "r1",
        refund_id: "50000000382019052709732678859",
        refund_status: "SUCCESS",
        user_received_account: "招商银行信用卡0403",
        amount: { total: amount.total, refund: fen, payer_total: amount.total, payer_refund: fen },
        ...changes,
      };
      return numbered(number, notificationOf("REFUND.SUCCESS", content, { timestamp: timestamp() }));
    },
    async notify({ headers, body }, address = notifyUrls.get(body) ?? "") {
      const answer = await fetch(address, { method: "POST", headers, body });
      return { status: answer.status, text: await answer.text() };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
