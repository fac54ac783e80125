/** The address that sent a forwarding header within a day without being in TRUSTED_PROXIES, as the settings page names it. */
import { z } from "zod";
import { keyValueStore } from "../../db/key-value-store.ts";
import type { Database } from "../../db/database.ts";
import { createAddressReader } from "../../observe/client-address.ts";
import type { UntrustedForwarder } from "../../observe/forwarders.ts";
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

/** Undefined where none was seen within a day, and where the one that was is trusted by now. */
export async function untrustedForwarder({
  database,
  clock,
  trustedProxies,
}: Looked): Promise<UntrustedForwarder | undefined> {
  const text = await keyValueStore(database).read(UNTRUSTED_FORWARDER_FACT);
  if (text === undefined) return undefined;
  const seen = stored.parse(JSON.parse(text));
  const isOver =
    seen.time < clock() / 1000 - DAY_SECONDS || createAddressReader(trustedProxies).isTrusted(seen.address);
  return isOver ? undefined : seen;
}
