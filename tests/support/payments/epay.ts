/**
 * For tests and the demonstration: an epay gateway over real HTTP with a cashier, after the public documentation (https://www.kancloud.cn/beginnerzero/zeropay/1525405). Its signature
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

const escapeHtml = (text = ""): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** The page on which an order is paid. */
const cashierPage = ({ name, money, return_url }: Fields): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Demonstration cashier</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 15vh auto; padding: 0 1rem; }
  button { font: inherit; padding: 0.5rem 1.5rem; margin-right: 1rem; }
</style>
<h1>Demonstration cashier</h1>
<p>${escapeHtml(name)}: <strong>${escapeHtml(money)}</strong></p>
<p>No money moves here. Paying reports the order as paid to the gateway, as a provider of payments does.</p>
<form method="post"><button>Pay</button><a href="${escapeHtml(return_url)}">Back without paying</a></form>
</html>`;

export async function startEpay({ pid, key }: { pid: string; key: string }): Promise<EpayGateway> {
  const orders = new Map<string, Fields>();
  const cashier = await listen((request, response) => {
    const tradeNo = new URL(request.url ?? "", "http://cashier").searchParams.get("order") ?? "";
    const order = orders.get(tradeNo);
    if (order === undefined) return response.writeHead(404).end("There is no such order");
    if (request.method !== "POST")
      return response.setHeader("Content-Type", "text/html; charset=utf-8").end(cashierPage(order));
    void notify(report(tradeNo)).then(({ text: answer }) =>
      answer === "success"
        ? response.writeHead(303, { Location: order["return_url"] }).end()
        : response.writeHead(502).end(`The gateway did not take the report: ${answer}`),
    );
    return response;
  });
  const gateway = await listen((request, response) => {
    void text(request).then((body) => {
      const fields = Object.fromEntries(new URLSearchParams(body));
      const isGood = request.url === "/submit.php" && fields["pid"] === pid && fields["sign"] === epaySign(fields, key);
      if (!isGood) return response.writeHead(400).end("sign error");
      const tradeNo = fields["out_trade_no"] ?? "";
      orders.set(tradeNo, fields);
      return response.writeHead(302, { Location: `${cashier.url}/pay?order=${tradeNo}` }).end();
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
  const notify: EpayGateway["notify"] = async (
    fields,
    method = "GET",
    address = orders.get(fields["out_trade_no"] ?? "")?.["notify_url"],
  ) => {
    const form = new URLSearchParams(fields);
    const answer =
      method === "GET"
        ? await fetch(`${address}?${form.toString()}`)
        : await fetch(address ?? "", { method, body: form });
    return { status: answer.status, text: await answer.text() };
  };
  return {
    url: gateway.url,
    orders,
    report,
    notify,
    async close() {
      await Promise.all([gateway.close(), cashier.close()]);
    },
  };
}
