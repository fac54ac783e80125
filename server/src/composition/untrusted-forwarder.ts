/** Warns of a reverse proxy that TRUSTED_PROXIES does not name: in the log when it is seen and at each start, and on the settings page by a fact. */
import type { Logger } from "pino";
import { UNTRUSTED_FORWARDER_FACT, untrustedForwarder } from "../console/options/untrusted-forwarder.ts";
import { keyValueStore } from "../db/key-value-store.ts";
import type { Database } from "../db/database.ts";
import { createForwarders } from "../observe/forwarders.ts";
import type { Forwarders, UntrustedForwarder } from "../observe/forwarders.ts";
import type { Clock } from "../util/clock.ts";

interface WarningParts {
  database: Database;
  logger: Logger;
  /** Unix milliseconds. */
  clock: Clock;
  trustedProxies: readonly string[];
}

const TEXT =
  "X-Forwarded-For or Forwarded comes from an address that is not in TRUSTED_PROXIES, and is not believed. If it is your reverse proxy, set TRUSTED_PROXIES to it: until then all its clients count as one. If you do not know it, do nothing";

/** @returns what notes such peers; it has said already whom an earlier process saw within a day. */
export async function watchForwarders(parts: WarningParts): Promise<Forwarders> {
  const { database, logger, clock } = parts;
  const facts = keyValueStore(database);
  const warn = ({ address }: UntrustedForwarder): void => logger.warn({ ip: address }, TEXT);
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
