/**
 * The socket in DATA_DIR by which `turnpike` asks a running server that has the embedded database open: one process alone may write there.
 * Only the account that runs the server can connect (mode 0600).
 */
import { chmod, rm } from "node:fs/promises";
import { type Server, createServer, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { CommandResult } from "./command.ts";

/** A configuration file with its secrets is the longest command. */
const MAX_BODY_BYTES = 6 * 1024 * 1024;
/** A password's hash takes a tenth of a second; a busy database some seconds, a configuration of thousands of channels minutes. */
const ANSWER_TIMEOUT_MS = 300_000;

const pathIn = (dataDir: string): string => join(dataDir, "control.sock");

const listenAt = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });

/**
 * Serves commands until it is closed. A socket that a killed process left is replaced: the process that has the database open is the only one here.
 * @param run does one request, as `askServer` sent it. What it throws is answered as a failed command of one line.
 * @throws what the system says where it can make no socket there.
 */
export async function serveControl(
  dataDir: string,
  run: (request: unknown) => Promise<CommandResult>,
): Promise<{ close(): Promise<void> }> {
  const path = pathIn(dataDir);
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, (incoming, response) => {
    const answer = async (): Promise<CommandResult> => {
      if (Number(incoming.headers["content-length"] ?? Number.NaN) <= MAX_BODY_BYTES)
        return run(JSON.parse(await text(incoming)));
      throw new Error(`A command has at most ${MAX_BODY_BYTES} bytes`);
    };
    answer()
      .catch((error: unknown) => failed(error))
      .then((result) => response.end(JSON.stringify(result)))
      .catch(() => response.destroy());
  });
  await rm(path, { force: true });
  await listenAt(server, path);
  await chmod(path, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The result of a command that failed. */
export function failed(error: unknown): CommandResult {
  const message = error instanceof Error ? error.message : String(error);
  return { exitCode: 1, lines: [message], data: { error: message } };
}

const NO_SERVER: ReadonlySet<unknown> = new Set(["ENOENT", "ECONNREFUSED"]);

/**
 * Asks the server that runs on this DATA_DIR.
 * @returns its result; undefined where no server runs there.
 * @throws an Error where one runs and does not answer.
 */
export async function askServer(dataDir: string, command: object): Promise<CommandResult | undefined> {
  const body = JSON.stringify(command);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  try {
    return await new Promise<CommandResult>((resolve, reject) => {
      const asked = request({ socketPath: pathIn(dataDir), method: "POST", headers, timeout: ANSWER_TIMEOUT_MS });
      asked.on("error", reject);
      asked.on("timeout", () => asked.destroy(new Error("The running server does not answer")));
      asked.on("response", (response) => {
        text(response).then((answer) => resolve(JSON.parse(answer) as CommandResult), reject);
      });
      asked.end(body);
    });
  } catch (error) {
    if (error instanceof Error && "code" in error && NO_SERVER.has(error.code)) return undefined;
    throw error;
  }
}
