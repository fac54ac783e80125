/** Checks of traffic: whether the headers of the reverse proxy are trusted, and the certificates of upstreams. */
import { connect } from "node:tls";
import type { Snapshot } from "../../archive/snapshot.ts";
import type { Config } from "../../config.ts";
import { readSeenForwarder, UNTRUSTED_FORWARDER_FACT } from "../../console/options/untrusted-forwarder.ts";
import { parseObject, textOf } from "../../util/json-read.ts";
import { CHECK_TIMEOUT_MS, type Check, type Checker, type Finding, fail, ok, reasonOf, warn } from "./check.ts";

const DAY_MS = 86_400_000;
const SOON_DAYS = 14;
/** Upstreams that are looked at; the channels with the lowest ids. */
const MOST_HOSTS = 30;
const ENABLED = 1;

/** @param stored the fact of a peer that sent headers without being trusted. @param now Unix milliseconds */
export function judgeProxy(
  { trustedProxies }: Pick<Config, "trustedProxies">,
  stored: string | undefined,
  now: number,
): Finding {
  const seen = readSeenForwarder(stored, trustedProxies, now);
  if (seen !== undefined) return warn(seen.isPrivate ? "proxy.private" : "proxy.public", "proxy.unknown");
  return trustedProxies.length === 0 ? ok("proxy.none") : ok("proxy.trusted", { number: trustedProxies.length });
}

export const checkProxy = async (config: Config, snapshot: Snapshot, checked: Checker): Promise<Check[]> =>
  snapshot.tables.some(({ name }) => name === "facts")
    ? [
        await checked("proxy", "proxy.any", async () =>
          judgeProxy(config, await snapshot.fact(UNTRUSTED_FORWARDER_FACT), Date.now()),
        ),
      ]
    : [];

interface Upstream {
  /** The lowest of the channels there. */
  channelId: number;
  host: string;
  port: number;
}

/** Hosts that enabled channels name themselves, and reach without a proxy. */
async function upstreamsOf({ select }: Snapshot): Promise<Upstream[]> {
  const rows = await select(
    "SELECT id, base_url, setting FROM channels WHERE status = ? AND base_url <> '' ORDER BY id",
    [ENABLED],
  );
  const found = new Map<string, Upstream>();
  for (const [id, address, setting] of rows) {
    if (textOf(parseObject(String(setting))?.["proxy"]) !== "") continue;
    const url = URL.parse(String(address));
    if (url?.protocol !== "https:" || found.size >= MOST_HOSTS || found.has(url.host)) continue;
    found.set(url.host, { channelId: Number(id), host: url.hostname, port: Number(url.port || 443) });
  }
  return [...found.values()];
}

/** When the certificate there ends, Unix milliseconds. Rejects where there is none that is valid now. */
const certificateEnd = ({ host, port }: Upstream): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, servername: host, timeout: CHECK_TIMEOUT_MS });
    socket.once("secureConnect", () => {
      resolve(Date.parse(socket.getPeerCertificate().valid_to));
      socket.destroy();
    });
    socket.once("timeout", () => socket.destroy(new Error("no answer in time")));
    socket.once("error", reject);
  });

/** "#3: 5 d" for one host whose certificate ends soon, "#3: CERT_HAS_EXPIRED" for what is not right; undefined where it is. */
async function faultOf(upstream: Upstream, now: number): Promise<string | undefined> {
  try {
    const days = Math.floor(((await certificateEnd(upstream)) - now) / DAY_MS);
    return days < SOON_DAYS ? `#${upstream.channelId}: ${days} d` : undefined;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : reasonOf(error);
    return `#${upstream.channelId}: ${code}`;
  }
}

async function lookAtCertificates(snapshot: Snapshot): Promise<Finding> {
  const upstreams = await upstreamsOf(snapshot);
  const faults = (await Promise.all(upstreams.map((each) => faultOf(each, Date.now())))).filter(
    (each) => each !== undefined,
  );
  if (faults.length === 0) return ok("certificates.valid", { number: upstreams.length, days: SOON_DAYS });
  const values = { days: SOON_DAYS, channels: faults.join("; ") };
  return (faults.length === upstreams.length ? fail : warn)("certificates.wrong", "certificates.wrong", values);
}

/** Channels are named by their numbers alone: the addresses are their owner's. */
export const checkCertificates = async (snapshot: Snapshot, checked: Checker): Promise<Check[]> =>
  snapshot.tables.some(({ name }) => name === "channels")
    ? [await checked("certificates", "certificates.any", () => lookAtCertificates(snapshot))]
    : [];
