/** How `turnpike config` reaches what it plans and applies: another machine's server, the server of this DATA_DIR, or the database itself. */
import { createRateLimiter } from "../console/http/rate-limit.ts";
import { type ConfigurationAct, readConfigurationAct, runConfigurationAct } from "../console/configuration/operator.ts";
import type { ConsoleContext } from "../console/http/handlers.ts";
import { createChannelTools } from "../composition/channel-tools.ts";
import { clock } from "../composition/parts.ts";
import { PROGRAM } from "../composition/program.ts";
import type { Foundation } from "../composition/foundation.ts";
import type { Config } from "../config.ts";
import { createLogger } from "../observe/logger.ts";
import { BUILT_IN_PROVIDERS, providerRegistry } from "../providers/registry.ts";
import { openSecurityLog } from "../stores/security-events.ts";
import { createUpstreamClient } from "../upstream/client.ts";
import { objectOf, parseJson, textOf } from "../util/json-read.ts";
import { withFoundation } from "./act-alone.ts";
import { askServer } from "./control-socket.ts";

/** Does one act; gives what the endpoint of the same name answers. Throws an Error whose message is for the terminal. */
export type Ask = (asked: ConfigurationAct) => Promise<object>;

const TIMEOUT_MS = 300_000;
const LOCAL_HOSTS: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

const PATHS: Readonly<Record<ConfigurationAct["act"], string>> = {
  "config-export": "/api/configuration",
  "config-plan": "/api/configuration/plan",
  "config-apply": "/api/configuration/apply",
};

/** The address of the server. Throws an Error where it is none, or the token and the secrets would go in the clear. */
function siteOf(address: string): URL {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error("--url is no http or https address");
  if (url.username !== "" || url.password !== "")
    throw new Error("--url has no login in it: TURNPIKE_TOKEN proves who you are");
  if (url.protocol === "http:" && !LOCAL_HOSTS.has(url.hostname))
    throw new Error("--url has to begin with https://: token and secrets would be sent in the clear");
  return url;
}

/** Asks a server by its API, with an access token of its super administrator. */
export function askRemote(address: string, token: string | undefined): Ask {
  const site = siteOf(address);
  if (token === undefined || token === "")
    throw new Error("TURNPIKE_TOKEN is not set: an access token of the scope admin");
  return async ({ act, body }) => {
    const isExport = act === "config-export";
    const path = `${site.pathname.replace(/\/$/, "")}${PATHS[act]}`;
    const target = new URL(isExport ? `${path}?${new URLSearchParams(body as Record<string, string>)}` : path, site);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    // A redirect could lead token and secrets to another host.
    const request = { headers, redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) } as const;
    const response = await fetch(
      target,
      isExport ? request : { ...request, method: "POST", body: JSON.stringify(body) },
    );
    const answer = objectOf(parseJson(await response.text()));
    if (answer["success"] === true) return objectOf(answer["data"]);
    const field = textOf(answer["field"]);
    const message = textOf(answer["message"]) || `${site.host} answers with status ${response.status}`;
    throw new Error(field === "" || message.includes(field) ? message : `${message} (${field})`);
  };
}

const missing = (): never => {
  throw new Error("This is for a running server");
};

/** The console's context over an open database, without a relay: what plans and applies ask of it is there. */
async function contextOf(
  config: Config,
  foundation: Foundation,
): Promise<{ context: ConsoleContext; close(): Promise<void> }> {
  const { database, snapshot, cache, processId } = foundation;
  const logger = createLogger({ level: "silent" });
  const allowsPrivate = () => config.allowPrivateUpstreams ?? snapshot.options.AllowPrivateUpstreamsEnabled;
  const upstream = createUpstreamClient({ allowsPrivate, connectTimeoutMs: config.timeouts.connectMs });
  const securityLog = openSecurityLog({ database, logger, clock, processId });
  const accessTokens = { get: missing, renew: missing } as never; // Model lists and tests alone need them.
  const providers = providerRegistry(BUILT_IN_PROVIDERS);
  const tools = createChannelTools({ providers, upstream, allowsPrivate, accessTokens, probe: missing });
  const context: ConsoleContext = {
    ...foundation,
    logger,
    clock,
    limiter: createRateLimiter(cache),
    forwarders: { note: () => undefined },
    recordSecurityEvent: securityLog.record,
    isSetupDone: () => Promise.resolve(true),
    deliver: missing,
    relay: { ...tools, explainRoute: missing, askBalance: missing },
    system: {
      poolSize: 0,
      checks: missing,
      bundle: missing,
      disk: missing,
      processes: missing,
      backups: missing,
      requestBackup: missing,
    },
    site: {
      version: PROGRAM.version,
      startTime: 0,
      cookiePrefixSince: 0,
      trustedProxies: [],
      setupCode: "",
      databasePlace: "",
      standIns: {},
      givesFirstToken: false,
      globalApiLimit: { isEnabled: false, count: 0, durationSeconds: 0 },
    },
  };
  return {
    context,
    close: async () => {
      await securityLog.close();
      await upstream.close();
    },
  };
}

async function askAlone(config: Config, asked: ConfigurationAct): Promise<object> {
  return withFoundation(config, async (foundation) => {
    await foundation.snapshot.refresh();
    const { context, close } = await contextOf(config, foundation);
    try {
      const read = readConfigurationAct(asked);
      return read === undefined ? missing() : await runConfigurationAct(context, read);
    } finally {
      await close();
    }
  });
}

/** Asks the server of this DATA_DIR where one has the embedded database open; else this process opens the database. */
export function askLocal(config: Config): Ask {
  return async (asked) => {
    const answered = config.databaseUrl === undefined ? await askServer(config.dataDir, asked) : undefined;
    if (answered === undefined) return askAlone(config, asked);
    if (answered.exitCode !== 0) throw new Error(answered.lines.join("\n"));
    return answered.data;
  };
}
