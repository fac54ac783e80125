/** The HTTP listener during startup: it answers health checks while the server waits for its database, and everything else with 503. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { ERRORS } from "../../../contract/src/error-codes.ts";
import { UNAVAILABLE_SECONDS } from "../../../contract/src/errors.ts";
import type { Config } from "../config.ts";
import { SchemaPending } from "../db/migrations/migrate.ts";
import { isRetryable } from "../db/portable.ts";
import { listen } from "../http/listener.ts";
import type { Listener, RequestHandler, UpgradeHandler } from "../http/listener.ts";

export interface StartupListener {
  /** Starts to listen; each call returns the same listener. Throws an Error of one line if the address is taken or not available. */
  open(): Promise<Listener>;
  /** Sets the handlers of all further requests. */
  attach(handle: RequestHandler, upgrades: UpgradeHandler): void;
  /** Closes at once what it opened, if anything. */
  close(): Promise<void>;
}

/** A startup that takes longer than this answers health checks meanwhile. */
const OPEN_AFTER_MS = 5_000;
const RETRY_AFTER_MS = 1_000;

/** The kind of client is not known yet, so the body has both forms: the console's envelope, and the error that SDKs of model APIs parse. */
function unavailable(): string {
  const code = "database_unavailable";
  const { message } = ERRORS[code];
  return JSON.stringify({ success: false, message, code, error: { message, type: "api_error", param: null, code } });
}

function answerWaiting(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  const [path] = (request.url ?? "/").split("?");
  if (path === "/livez") return void response.writeHead(200, { "Content-Type": "text/plain" }).end("ok");
  const later = { "Retry-After": String(UNAVAILABLE_SECONDS) };
  if (path === "/readyz")
    return void response.writeHead(503, { "Content-Type": "text/plain", ...later }).end("not ready: database");
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store", ...later };
  response.writeHead(503, headers).end(unavailable());
}

/** A listener that is not open yet, whose only handler answers that the server is starting. */
export function createStartupListener(config: Config): StartupListener {
  let handle: RequestHandler = answerWaiting;
  let upgrades: UpgradeHandler = { upgrades: () => false, upgrade: (_request, socket) => void socket.destroy() };
  let opening: Promise<Listener> | undefined;
  const through: UpgradeHandler = {
    upgrades: (request) => upgrades.upgrades(request),
    upgrade: (request, socket, head) => upgrades.upgrade(request, socket, head),
  };
  return {
    open: () => (opening ??= listen(config, (request, response) => handle(request, response), through)),
    attach(nextHandle, nextUpgrades) {
      handle = nextHandle;
      upgrades = nextUpgrades;
    },
    async close() {
      const listener = await opening?.catch(() => undefined); // the caller of `open` receives the error
      await listener?.drain(0);
    },
  };
}

/** True for a startup that failed because the database or its schema was not there; an invalid setting would fail again. */
const isAway = (error: unknown): boolean =>
  error instanceof SchemaPending || isRetryable(error) || (error instanceof Error && isRetryable(error.cause));

/**
 * Runs `start` until it succeeds, every second while the database is unavailable, and listens meanwhile, so that health checks get a response.
 * `onWaiting` is called once, with the address and the error. Throws every other error of `start`.
 */
export async function startWhileListening<Started>(
  listener: StartupListener,
  start: () => Promise<Started>,
  onWaiting: (url: string, error: Error) => void,
): Promise<Started> {
  const timer = setTimeout(() => void listener.open().catch(() => undefined), OPEN_AFTER_MS); // `start` opens it too, and receives the error
  let isReported = false;
  try {
    for (;;) {
      try {
        return await start();
      } catch (error) {
        if (!isAway(error) || !(error instanceof Error)) throw error;
        const { url } = await listener.open();
        if (!isReported) onWaiting(url, error);
        isReported = true;
        await delay(RETRY_AFTER_MS);
      }
    }
  } catch (error) {
    await listener.close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
