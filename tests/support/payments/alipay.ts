/**
 * For tests: Alipay's gateway over real HTTP, after its public documentation (https://opendocs.alipay.com/open/59da99d0_alipay.trade.page.pay,
 * .../82ea786a_alipay.trade.query, .../open/270/105902). What it verifies and signs is written out on its own, so that ours is not held to itself.
 */
import { createSign, createVerify } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { testKeys } from "./keys.ts";

type Fields = Record<string, string>;

export const ALIPAY_APP = "2021000118600000";

const joined = (fields: Fields, without: readonly string[]): string => {
  const names = Object.keys(fields).filter((name) => !without.includes(name) && fields[name] !== "");
  return names
    .sort()
    .map((name) => `${name}=${fields[name]}`)
    .join("&");
};

const signedByAlipay = (content: string): string =>
  createSign("RSA-SHA256").update(content, "utf8").sign(testKeys("alipay").privateKey, "base64");

/** A payment that a page was opened for. */
interface Trade {
  method: string;
  tradeNo: string;
  status: "WAIT_BUYER_PAY" | "TRADE_SUCCESS" | "TRADE_CLOSED";
  totalAmount: string;
  notifyUrl: string;
  returnUrl: string;
  content: Fields;
}

export interface FakeAlipay {
  /** The address for the option AlipayGateway. */
  url: string;
  trades: Map<string, Trade>;
  /** The calls that asked or closed, as `alipay.trade.query <number>`. */
  calls: string[];
  /** Answers with a signature of another key, or hangs up, until it is set back. */
  trouble: { kind: "none" | "other key" | "hangs up" };
  /** Opens the payment page as the buyer's browser does. */
  open(started: { url: string; data: Fields }): Promise<{ status: number; text: string }>;
  /** The buyer pays; nothing is reported. */
  pay(number: string): void;
  /** What it reports of a trade; `changes` are made before it is signed. */
  report(number: string, changes?: Fields): Fields;
  notify(fields: Fields, address?: string): Promise<{ status: number; text: string }>;
  close(): Promise<void>;
}

function verified(fields: Fields): boolean {
  const verify = createVerify("RSA-SHA256").update(joined(fields, ["sign"]), "utf8");
  return (
    fields["sign_type"] === "RSA2" && verify.verify(testKeys("merchant").publicKey, fields["sign"] ?? "", "base64")
  );
}

const page = (trade: Trade): string =>
  `<!doctype html><title>Alipay</title><h1>Alipay</h1><p>${trade.totalAmount} CNY</p><a href="${trade.returnUrl}">Back</a>`;

/** What each call answers: https://opendocs.alipay.com/common/02km9f has the codes. */
function answerOf(method: string, content: Fields, trades: Map<string, Trade>): Fields {
  const number = content["out_trade_no"] ?? "";
  const trade = trades.get(number);
  const missing = { code: "40004", msg: "Business Failed", sub_code: "ACQ.TRADE_NOT_EXIST", sub_msg: '交易不存在 {"}' };
  if (trade === undefined) return missing;
  const done = { code: "10000", msg: "Success", out_trade_no: number, trade_no: trade.tradeNo };
  if (method === "alipay.trade.query") return { ...done, trade_status: trade.status, total_amount: trade.totalAmount };
  if (trade.status === "TRADE_SUCCESS")
    return { code: "40004", msg: "Business Failed", sub_code: "ACQ.TRADE_STATUS_ERROR", sub_msg: "status" };
  trade.status = "TRADE_CLOSED";
  return done;
}

/** Keeps the trade that a page is opened for. */
function openTrade(trades: Map<string, Trade>, fields: Fields, content: Fields): Trade {
  const number = content["out_trade_no"] ?? "";
  const trade: Trade = {
    method: fields["method"] ?? "",
    tradeNo: `2026${number.slice(-20)}`,
    status: "WAIT_BUYER_PAY",
    totalAmount: content["total_amount"] ?? "",
    notifyUrl: fields["notify_url"] ?? "",
    returnUrl: fields["return_url"] ?? "",
    content,
  };
  trades.set(number, trade);
  return trade;
}

/** A trade's notification. */
function reportOf(number: string, { tradeNo, totalAmount }: Trade, changes: Fields): Fields {
  const fields: Fields = {
    notify_time: "2026-11-25 10:31:23",
    notify_type: "trade_status_sync",
    notify_id: "91722adff935e8cfa58b3aabf4dead6ibe",
    app_id: ALIPAY_APP,
    charset: "utf-8",
    version: "1.0",
    trade_no: tradeNo,
    out_trade_no: number,
    trade_status: "TRADE_SUCCESS",
    total_amount: totalAmount,
    receipt_amount: totalAmount,
    subject: "Top-up & more = 充值",
    passback_params: "",
    fund_bill_list: `[{"amount":"${totalAmount}","fundChannel":"ALIPAYACCOUNT"}]`,
    ...changes,
  };
  return { ...fields, sign: signedByAlipay(joined(fields, [])), sign_type: "RSA2" };
}

type Kept = Pick<FakeAlipay, "trades" | "calls" | "trouble">;

const gateway = ({ trades, calls, trouble }: Kept) =>
  createServer((request, response) => {
    void text(request).then((body) => {
      const query = new URL(request.url ?? "/", "http://alipay.test").searchParams;
      const fields: Fields = { ...Object.fromEntries(query), ...Object.fromEntries(new URLSearchParams(body)) };
      const isGood = fields["app_id"] === ALIPAY_APP && query.get("charset") === "utf-8" && verified(fields);
      if (!isGood) return response.writeHead(400).end("invalid-signature");
      const method = fields["method"] ?? "";
      const content = JSON.parse(fields["biz_content"] ?? "{}") as Fields;
      if (method.endsWith(".pay"))
        return response.writeHead(200, { "Content-Type": "text/html" }).end(page(openTrade(trades, fields, content)));
      calls.push(`${method} ${content["out_trade_no"]}`);
      if (trouble.kind === "hangs up") return response.destroy();
      // Spaces and escapes, as an answer may have them: what is signed is this very text.
      const answer = JSON.stringify(answerOf(method, content, trades))
        .replace(",", ", ")
        .replaceAll("/", "\\/");
      const sign =
        trouble.kind === "other key"
          ? createSign("RSA-SHA256").update(answer).sign(testKeys("other").privateKey, "base64")
          : signedByAlipay(answer);
      return response.end(`{"${method.replaceAll(".", "_")}_response":${answer},"sign":"${sign}"}`);
    });
  });

export async function startAlipay(): Promise<FakeAlipay> {
  const kept: Kept = { trades: new Map(), calls: [], trouble: { kind: "none" } };
  const server = gateway(kept);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const tradeOf = (number: string): Trade => {
    const trade = kept.trades.get(number);
    if (trade === undefined) throw new Error(`Alipay has no trade ${number}`);
    return trade;
  };
  return {
    ...kept,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/gateway.do`,
    async open({ url, data }) {
      const answer = await fetch(url, { method: "POST", body: new URLSearchParams(data) });
      return { status: answer.status, text: await answer.text() };
    },
    pay(number) {
      tradeOf(number).status = "TRADE_SUCCESS";
    },
    report: (number, changes = {}) => reportOf(number, tradeOf(number), changes),
    async notify(fields, address = tradeOf(fields["out_trade_no"] ?? "").notifyUrl) {
      const answer = await fetch(address, { method: "POST", body: new URLSearchParams(fields) });
      return { status: answer.status, text: await answer.text() };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
