/** Load without streaming, by wrk (Debian package of that name) in its own process. */
import { execFile, execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { requestBody } from "../provider/answers.ts";
import { CHAT_PATH } from "../gateways/gateway.ts";
import type { Gateway } from "../gateways/gateway.ts";

const run = promisify(execFile);

/** What wrk saw: answers counted, and how many were not of the 2xx class or never came. */
export interface WrkResult {
  readonly calls: number;
  readonly failures: number;
  readonly callsPerSecond: number;
}

/** wrk's version line, or undefined when it is not installed. It exits with 1 after printing its version. */
export function wrkVersion(): string | undefined {
  const output = execFileSync("sh", ["-c", "wrk -v 2>&1 || true"], { encoding: "utf8" });
  return /^wrk (\S+)/m.exec(output)?.[1];
}

/** Calls the gateway over so many connections for so long, each call with so long a prompt. Throws when wrk fails. */
export async function wrkLoad(
  gateway: Gateway,
  connections: number,
  seconds: number,
  folder: string,
  promptBytes = 0,
): Promise<WrkResult> {
  const script = join(folder, `${gateway.name}.lua`);
  writeFileSync(script, luaScript(gateway, promptBytes));
  const args = ["-t", "1", "-c", String(connections), "-d", `${seconds}s`, "--timeout", "10s", "-s", script];
  const { stdout } = await run("wrk", [...args, `http://127.0.0.1:${gateway.port}${CHAT_PATH}`]);
  return parseWrk(stdout);
}

/** wrk's script: one request, or one for each key in rotation, written out once before the load begins. */
export function luaScript({ headers, keys = [] }: Pick<Gateway, "headers" | "keys">, promptBytes = 0): string {
  const all = { "Content-Type": "application/json", ...headers };
  const lines = Object.entries(all).map(
    ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
  );
  const script = ['wrk.method = "POST"', `wrk.body = [[${requestBody(false, promptBytes)}]]`, ...lines, ""].join("\n");
  return keys.length < 2 ? script : `${script}${turns(keys)}`;
}

const turns = (keys: readonly string[]): string => `local keys = {${keys.map((key) => JSON.stringify(key)).join(", ")}}
local requests, turn = {}, 0
init = function()
  for at, key in ipairs(keys) do
    wrk.headers["authorization"] = "Bearer " .. key
    requests[at] = wrk.format()
  end
end
request = function()
  turn = turn % #requests + 1
  return requests[turn]
end
`;

/** Reads wrk's report. Throws when the line with the number of answers is missing. */
export function parseWrk(report: string): WrkResult {
  const total = /(\d+) requests in /.exec(report)?.[1];
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(report)?.[1];
  if (total === undefined || rate === undefined) throw new Error(`wrk printed no result:\n${report}`);
  const refused = Number(/Non-2xx or 3xx responses: (\d+)/.exec(report)?.[1] ?? 0);
  const errors = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(report);
  const broken = errors ? errors.slice(1).reduce((sum, count) => sum + Number(count), 0) : 0;
  return { calls: Number(total), failures: refused + broken, callsPerSecond: Number(rate) };
}
