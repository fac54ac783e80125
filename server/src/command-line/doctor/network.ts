/** Checks of network services: Redis, the mail server, and the public address for users and callbacks. */
import { connect } from "node:net";
import type { Snapshot } from "../../archive/snapshot.ts";
import type { Config } from "../../config.ts";
import { CHECK_TIMEOUT_MS, type Check, type Checker, type Finding, ok, reasonOf, warn } from "./check.ts";

async function checkRedis(url: string): Promise<Finding> {
  const { Redis } = await import("ioredis");
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CHECK_TIMEOUT_MS,
    commandTimeout: CHECK_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let lost: unknown;
  client.on("error", (error) => (lost = error));
  try {
    await client.connect();
    const [, version = "of an unknown version"] = /redis_version:(\S+)/.exec(await client.info("server")) ?? [];
    return ok("redis.answers", { version });
  } catch (error) {
    return warn("redis.away", "redis.away", { reason: reasonOf(lost ?? error) });
  } finally {
    client.disconnect();
  }
}

/** Opens a connection and closes it again. Rejects with the reason where none is made in time. */
const reach = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: CHECK_TIMEOUT_MS });
    socket.once("connect", () => resolve());
    socket.once("timeout", () => reject(new Error(`no answer within ${CHECK_TIMEOUT_MS / 1000} s`)));
    socket.once("error", reject);
    for (const event of ["connect", "timeout"]) socket.once(event, () => socket.destroy());
  });

async function optionOf({ select }: Snapshot, name: string): Promise<string> {
  const [row] = await select("SELECT value FROM options WHERE name = ?", [name]);
  return String(row?.[0] ?? "");
}

async function checkMail(snapshot: Snapshot): Promise<Finding> {
  const host = await optionOf(snapshot, "SMTPServer");
  if (host === "") return ok("mail.none");
  const port = Number((await optionOf(snapshot, "SMTPPort")) || 587);
  try {
    await reach(host, port);
    return ok("mail.answers", { port });
  } catch (error) {
    return warn("mail.away", "mail.away", { port, reason: reasonOf(error) });
  }
}

async function checkAddress(snapshot: Snapshot): Promise<Finding> {
  const address = await optionOf(snapshot, "ServerAddress");
  if (address === "") return warn("address.unset", "address.unset");
  const { protocol, host, hostname } = new URL(address);
  const isLocal = hostname === "localhost" || hostname.startsWith("127.") || hostname === "[::1]";
  try {
    const answer = await fetch(`${address}/livez`, {
      redirect: "manual",
      signal: AbortSignal.timeout(CHECK_TIMEOUT_MS),
    });
    await answer.body?.cancel();
    if (answer.status !== 200) return warn("address.status", "address.status", { host, status: answer.status });
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return warn("address.away", "address.away", { host, reason: reasonOf(cause) });
  }
  if (protocol === "http:" && !isLocal) return warn("address.plain", "address.plain", { host });
  return ok("address.answers", { host });
}

/** The check of Redis, which needs no database. */
export const checkCache = ({ redisUrl }: Config, checked: Checker): Promise<Check> =>
  checked("redis", "redis.any", () => (redisUrl === undefined ? ok("redis.unused") : checkRedis(redisUrl)));

/** The checks whose addresses are options. */
export const checkAddresses = async (snapshot: Snapshot, checked: Checker): Promise<Check[]> =>
  snapshot.tables.some(({ name }) => name === "options")
    ? Promise.all([
        checked("mail", "mail.any", () => checkMail(snapshot)),
        checked("address", "address.any", () => checkAddress(snapshot)),
      ])
    : [];
