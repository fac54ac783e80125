/** The reverse proxy that TRUSTED_PROXIES does not name: noted and logged when it is seen and at each start, and shown on the settings page. */
import type { Logger } from "pino";
import { z } from "zod";
import type { Database } from "../../db/database.ts";
import { keyValueStore } from "../../db/key-value-store.ts";
import { createAddressReader } from "../../observe/client-address.ts";
import { createForwarders, type Forwarders, type UntrustedForwarder } from "../../observe/forwarders.ts";
import type { Clock } from "../../util/clock.ts";

export const UNTRUSTED_FORWARDER_FACT = "untrusted_forwarder";

const DAY_SECONDS = 86_400;

const stored = z.object({ address: z.string(), isPrivate: z.boolean(), time: z.number() });

interface Looked {
  database: Database;
  /** Unix milliseconds. */
  clock: Clock;
  trustedProxies: readonly string[];
}

/**
 * The peer in a fact's text; undefined where none was seen within a day, and where the one that was is trusted by now.
 * @param nowMs Unix milliseconds
 */
export function readSeenForwarder(
  text: string | undefined,
  trustedProxies: readonly string[],
  nowMs: number,
): UntrustedForwarder | undefined {
  if (text === undefined) return undefined;
  const seen = stored.parse(JSON.parse(text));
  const isOver = seen.time < nowMs / 1000 - DAY_SECONDS || createAddressReader(trustedProxies).isTrusted(seen.address);
  return isOver ? undefined : seen;
}

/** The same of a database. */
export const untrustedForwarder = async ({
  database,
  clock,
  trustedProxies,
}: Looked): Promise<UntrustedForwarder | undefined> =>
  readSeenForwarder(await keyValueStore(database).read(UNTRUSTED_FORWARDER_FACT), trustedProxies, clock());

interface WarningParts extends Looked {
  logger: Logger;
}

const WARNING =
  "X-Forwarded-For or Forwarded comes from an address that is not in TRUSTED_PROXIES, and is not believed. If it is your reverse proxy, set TRUSTED_PROXIES to it: until then all its clients count as one. If you do not know it, do nothing";

/** @returns what notes such peers; it has said already whom an earlier process saw within a day. */
export async function watchForwarders(parts: WarningParts): Promise<Forwarders> {
  const { database, logger, clock } = parts;
  const facts = keyValueStore(database);
  const warn = ({ address }: UntrustedForwarder): void => logger.warn({ ip: address }, WARNING);
  const keep = async (seen: UntrustedForwarder): Promise<void> => {
    // Any client can write the header: that must not hide a proxy of the operator.
    const known = await untrustedForwarder(parts);
    if (known?.isPrivate === true && !seen.isPrivate) return;
    await facts.write(UNTRUSTED_FORWARDER_FACT, JSON.stringify(seen));
  };
  const before = await untrustedForwarder(parts);
  if (before !== undefined) warn(before);
  return createForwarders(clock, (seen) => {
    warn(seen);
    keep(seen).catch((error: unknown) => logger.warn({ err: error }, "an untrusted proxy could not be noted"));
  });
}
