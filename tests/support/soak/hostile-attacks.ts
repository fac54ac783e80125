/** The attacks of one user without quota, each named; in a thread of its own, so that the measured users have one too. */
import { connect } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import { seededChance } from "../clients/calls.ts";
import { TestClient } from "../systems/server.ts";
import { MODELS, loggedIn } from "../systems/site.ts";

const LANES = 12;
const MEBIBYTE = 2 ** 20;

/** Statuses that came of each attack. */
export type Outcomes = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface HostileOrder {
  url: string;
  key: string;
  username: string;
  /** 0: each attack once. */
  seconds: number;
  /** The only attack to make; all of them where absent. */
  only?: string | undefined;
}

type Attack = () => Promise<number>;

const names = (count: number, mark: string, length: number): string =>
  Array.from({ length: count }, (_, index) => `${mark}-${index}`.padEnd(length, "x")).join(",");

/** A number that was not there before. */
const chance = seededChance(7);
const mark = (): string => String(chance(1_000_000_000));

type Attacks = Readonly<Record<string, Attack>>;

/** Calls of models. */
function modelAttacks({ url, key }: HostileOrder): Attacks {
  const relay = async (
    path: string,
    body: string | Buffer<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<number> => {
    const sent = { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers };
    const answer = await fetch(url + path, { method: "POST", headers: sent, body });
    await answer.arrayBuffer();
    return answer.status;
  };
  const chat = (content: unknown, more: object = {}): string =>
    JSON.stringify({ model: MODELS.fixed, messages: [{ role: "user", content }], ...more });
  // Made once: the thread is to send, not to write.
  const manyMessages = Buffer.from(
    `{"model":"${MODELS.fixed}","messages":[${'{"role":"user","content":"a"},'.repeat(100_000)}{}]}`,
  );
  const largeText = Buffer.from(chat("你好".repeat(1_000_000)));
  const picture = `data:image/png;base64,${"A".repeat(3 * MEBIBYTE)}`;
  const largePicture = Buffer.from(chat([{ type: "image_url", image_url: { url: picture } }]));
  return {
    "many messages": () => relay("/v1/chat/completions", manyMessages),
    "large text": () => relay("/v1/chat/completions", largeText),
    "large picture": () => relay("/v1/chat/completions", largePicture),
    "new idempotency keys": () => relay("/v1/chat/completions", chat("hello"), { "idempotency-key": mark() }),
    "new conversations": () => relay("/v1/chat/completions", chat(mark(), { user: mark(), prompt_cache_key: mark() })),
    "unknown models": () =>
      relay(
        "/v1/chat/completions",
        JSON.stringify({ model: `m-${mark()}`, messages: [{ role: "user", content: "a" }] }),
      ),
    "other addresses": () =>
      relay("/v1/messages", chat("hello"), { "x-forwarded-for": `10.${chance(255)}.${chance(255)}.1` }),
    drawings: () => relay("/mj/submit/imagine", JSON.stringify({ prompt: "a".repeat(50_000) })),
    songs: () => relay("/suno/submit/music", JSON.stringify({ prompt: "a".repeat(50_000) })),
  };
}

/** What a stranger can do, from the same address. */
function strangerAttacks({ url }: HostileOrder): Attacks {
  // Its cookies come and go.
  const stranger = new TestClient(url);
  const asStranger =
    (path: string, body: unknown): Attack =>
    async () =>
      (await stranger.post(path, body)).status;
  return {
    codes: () => asStranger("/api/verification", { email: `a${mark()}@example.com` })(),
    "sign-ins": () => asStranger("/api/user/login", { username: `nobody${mark()}`, password: "wrong password 1" })(),
    "passkey challenges": asStranger("/api/user/login/passkey/challenge", {}),
    "states of sign-ins": asStranger("/api/oauth/state", {}),
  };
}

/** Calls of the console, signed in. */
async function consoleAttacks({ url, username }: HostileOrder): Promise<Attacks> {
  const client = await loggedIn(url, username);
  const console =
    (method: string, path: string, body?: unknown): Attack =>
    async () =>
      (await client.send(method, path, body === undefined ? {} : { body })).status;
  return {
    "many tokens": console("POST", "/api/token", {
      name: "n",
      count: 100,
      model_limits_enabled: true,
      model_limits: names(500, "m", 20),
    }),
    "wide tokens": () =>
      console("POST", "/api/token", { name: "n", count: 20, model_limits: names(500, mark(), 100) })(),
    "long lists": console("POST", "/api/token", { name: "n", model_limits: names(5_000, "m", 8) }),
    "tokens made and deleted": async () => {
      const made = await client.post("/api/token", { name: "n", model_limits: names(400, mark(), 100) });
      const id = (made.body.data as { id?: number } | undefined)?.id;
      return id === undefined ? made.status : console("DELETE", `/api/token/${id}`)();
    },
    playground: async () =>
      (
        await client.post("/pg/chat/completions", {
          model: MODELS.fixed,
          group: "default",
          messages: [{ role: "user", content: mark() }],
        })
      ).status,
    "log filters": () => console("GET", `/api/log/self?p=1&page_size=100&model_name=${mark()}&min_time_ms=1`)(),
    "log sums": () => console("GET", `/api/log/self/stat?token_name=${mark()}`)(),
    "unread exports": () =>
      new Promise((resolve) => {
        const { hostname, port } = new URL(url);
        const socket = connect({ host: hostname, port: Number(port) }, () =>
          socket.write(
            `GET /api/log/self/export HTTP/1.1\r\nHost: x\r\nCookie: ${client.cookie}\r\nNew-Api-User: ${client.userId}\r\n\r\n`,
          ),
        );
        socket.pause();
        const end = (): void => (socket.destroy(), resolve(0));
        socket.on("error", end);
        setTimeout(end, 2_000);
      }),
    dashboard: () =>
      console("GET", `/api/data/self?start_timestamp=0&end_timestamp=${2_000_000_000 + chance(1_000)}`)(),
    settings: () =>
      console("PUT", "/api/user/setting", { notify_type: "webhook", webhook_url: `https://example.com/${mark()}` })(),
    orders: console("POST", "/api/user/pay", { amount: 1, payment_method: "alipay" }),
    searches: () => console("GET", `/api/token/search?keyword=${mark()}`)(),
    "first factors": console("POST", "/api/user/self/totp", {}),
    names: () => console("PUT", "/api/user/self", { display_name: mark().slice(0, 20) })(),
  };
}

/** Everything that a user without quota can reach, each named. */
const attacksOf = async (order: HostileOrder): Promise<Attacks> => ({
  ...(await consoleAttacks(order)),
  ...modelAttacks(order),
  ...strangerAttacks(order),
});

/** Tries one after the other in many lanes until `isOver`; counts what came of it. */
async function attack(attacks: Readonly<Record<string, Attack>>, isOver: () => boolean): Promise<Outcomes> {
  const seen: Record<string, Record<string, number>> = {};
  const list = Object.entries(attacks);
  let next = 0;
  const lane = async (): Promise<void> => {
    while (!isOver()) {
      const [name, run] = list[(next += 1) % list.length] ?? list[0] ?? ["", () => Promise.resolve(0)];
      // A connection that was closed on a body that is refused is an answer too.
      const status = await run().catch(() => 0);
      const counts = (seen[name] ??= {});
      counts[status] = (counts[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return seen;
}

async function obey(order: HostileOrder): Promise<Outcomes> {
  const all = Object.entries(await attacksOf(order));
  const attacks = Object.fromEntries(all.filter(([name]) => order.only === undefined || name === order.only));
  const end = performance.now() + order.seconds * 1_000;
  if (order.seconds > 0) return attack(attacks, () => performance.now() >= end);
  for (const run of Object.values(attacks)) await run().catch(() => 0);
  return {};
}

parentPort?.postMessage(await obey(workerData as HostileOrder));
