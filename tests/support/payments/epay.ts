/**
 * For tests: an epay gateway over real HTTP, after the public documentation (https://www.kancloud.cn/beginnerzero/zeropay/1525405). Its signature
 * is written out on its own, so that ours is not held to itself. Who has posted an order is sent on to a cashier at another origin, as many do.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

type Fields = Record<string, string>;

/** MD5 of `a=1&b=2` in the order of the names, without blank ones, with the key behind it. */
function epaySign(fields: Fields, key: string): string {
  let joined = "";
  for (const name of Object.keys(fields).sort()) {
    if (name === "sign" || name === "sign_type" || fields[name] === "") continue;
    joined += `${joined === "" ? "" : "&"}${name}=${fields[name]}`;
  }
  return createHash("md5").update(`${joined}${key}`).digest("hex");
}

export interface EpayGateway {
  url: string;
  /** Forms that were posted, by our number of the order. */
  orders: Map<string, Fields>;
  /** What it reports of an order once it is paid; `changes` are made before it is signed. */
  report(tradeNo: string, changes?: Fields): Fields;
  /** Reports by GET, or by a form; gives what is answered. @param address where to, if not where the order says */
  notify(fields: Fields, method?: "GET" | "POST", address?: string): Promise<{ status: number; text: string }>;
  close(): Promise<void>;
}

/** A server on a free port, and its address. */
async function listen(handle: RequestListener): Promise<{ url: string; close: () => Promise<unknown> }> {
  const server = createServer(handle);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

export async function startEpay({ pid, key }: { pid: string; key: string }): Promise<EpayGateway> {
  const orders = new Map<string, Fields>();
  const cashier = await listen((_, response) => response.end("pay here"));
  const gateway = await listen((request, response) => {
    void text(request).then((body) => {
      const fields = Object.fromEntries(new URLSearchParams(body));
      const isGood = request.url === "/submit.php" && fields["pid"] === pid && fields["sign"] === epaySign(fields, key);
      if (!isGood) return response.writeHead(400).end("sign error");
      orders.set(fields["out_trade_no"] ?? "", fields);
      return response.writeHead(302, { Location: `${cashier.url}/pay` }).end();
    });
  });
  const report = (tradeNo: string, changes: Fields = {}): Fields => {
    const order = orders.get(tradeNo);
    if (order === undefined) throw new Error(`the gateway has no order ${tradeNo}`);
    const { type = "", name = "", money = "" } = order;
    const paid = { pid, trade_no: `2026${tradeNo.slice(-14)}`, out_trade_no: tradeNo, type, name, money };
    const fields = { ...paid, trade_status: "TRADE_SUCCESS", ...changes };
    return { ...fields, sign: epaySign(fields, key), sign_type: "MD5" };
  };
  return {
    url: gateway.url,
    orders,
    report,
    async notify(fields, method = "GET", address = orders.get(fields["out_trade_no"] ?? "")?.["notify_url"]) {
      const form = new URLSearchParams(fields);
      const answer =
        method === "GET"
          ? await fetch(`${address}?${form.toString()}`)
          : await fetch(address ?? "", { method, body: form });
      return { status: answer.status, text: await answer.text() };
    },
    async close() {
      await Promise.all([gateway.close(), cashier.close()]);
    },
  };
}
