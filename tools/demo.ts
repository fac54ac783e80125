/** `npm run demo`: the whole product on a throw-away database, with the fake upstream as provider; prints a `curl` line that works. */
import { startEpay } from "../tests/support/payments/epay.ts";
import { makeShowcase } from "./seed/showcase.ts";
import { startThrowAway, untilSignal } from "./throw-away.ts";

const place = await startThrowAway("demo", { PORT: process.env["PORT"] ?? "0" });
const { app, upstream, filled } = place;
await makeShowcase(app, upstream, filled);

/** Online payment by a gateway with a cashier of its own, so that topping up can be tried to its end. */
const EPAY = { pid: "1001", key: "demonstration-of-payments" };
const payments = await startEpay(EPAY);
for (const [key, value] of Object.entries({
  ServerAddress: app.url,
  PayAddress: payments.url,
  EpayId: EPAY.pid,
  EpayKey: EPAY.key,
}))
  await filled.client.call("PUT", "/api/option", { key, value });

const user = filled.people.find(({ username }) => username === "lin");
const body = JSON.stringify({
  model: "gpt-4o-mini",
  stream: true,
  messages: [{ role: "user", content: "What are you?" }],
});

console.log(`
Turnpike demo: ${app.url}
  log in as ${filled.admin.username}, password ${filled.admin.password}   (30 days of usage: ${filled.calls} calls)
  or as ${user?.username ?? ""}, password ${user?.password ?? ""}   (an ordinary user's view)

A call through it, answered by the demonstration upstream and billed for real:

  curl -N ${app.url}/v1/chat/completions \\
    -H 'Authorization: Bearer ${filled.key ?? ""}' -H 'Content-Type: application/json' \\
    -d '${body}'

Then look at ${app.url}/log. Everything is removed when you press Ctrl-C.`);

await untilSignal(place);
await payments.close();
