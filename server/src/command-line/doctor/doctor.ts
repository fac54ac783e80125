/** `turnpike doctor`: looks at everything a server stands on, and says for what is not right how to repair it. */
import type { Config } from "../../config.ts";
import type { Command, CommandResult } from "../command.ts";
import { checkAudit, checkBackups, checkDestinations } from "./backups.ts";
import { CHECK_TIMEOUT_MS, type Check, type Status, checkerOf, failedFinding } from "./check.ts";
import { checkDatabase } from "./database.ts";
import { checkLogDatabase } from "./log-database.ts";
import { checkMachine, checkNode } from "./machine.ts";
import { checkAddresses, checkCache } from "./network.ts";
import { checkPreviousKeys } from "./previous-keys.ts";
import { checkCertificates, checkProxy } from "./traffic.ts";

const nodeCheck = (limitMs = CHECK_TIMEOUT_MS): Promise<Check> =>
  checkerOf(limitMs)("program", "program.any", () => checkNode(process.version));

/**
 * All checks of a configuration, side by side. It changes nothing but for a trial object in the bucket of backups, and never throws.
 * @param limitMs that each check has
 */
export async function examine(config: Config, limitMs = CHECK_TIMEOUT_MS): Promise<Check[]> {
  const checked = checkerOf(limitMs);
  const groups = await Promise.all([
    nodeCheck(limitMs),
    checkMachine(config, checked),
    checkDatabase(config, { checked, limitMs }, async (snapshot) => {
      const more = [
        checkPreviousKeys(config, snapshot, checked),
        checkBackups(config, snapshot, checked),
        checkAudit(snapshot, checked),
        checkLogDatabase(config, snapshot, checked),
        checkAddresses(snapshot, checked),
        checkProxy(config, snapshot, checked),
        checkCertificates(snapshot, checked),
      ];
      return (await Promise.all(more)).flat();
    }),
    checkDestinations(config, checked),
    checkCache(config, checked),
  ]);
  return groups.flat();
}

/** The same where the configuration cannot be read: that is a finding too. */
async function examineProcess(config: () => Config): Promise<Check[]> {
  let read: Config;
  try {
    read = config();
  } catch (error) {
    return [await nodeCheck(), { name: "configuration", ...failedFinding(error, "configuration.any") }];
  }
  return examine(read);
}

/** The worst status of them. */
export const worstOf = (checks: readonly Check[]): Status =>
  (["fail", "warn"] as const).find((status) => checks.some((check) => check.status === status)) ?? "ok";

function linesOf({ name, status, finding, repair }: Check): string[] {
  const first = `${status.padEnd(4)}  ${name.padEnd(13)}  ${finding}`;
  return repair === undefined ? [first] : [first, `${" ".repeat(21)}-> ${repair}`];
}

export function resultOf(checks: readonly Check[]): CommandResult {
  const status = worstOf(checks);
  return { exitCode: status === "fail" ? 1 : 0, lines: checks.flatMap(linesOf), data: { status, checks } };
}

export const doctorCommand: Command = {
  name: "doctor",
  summary: "Checks everything a server stands on, and says how to repair what is wrong; exits 1 where a check fails",
  operands: [],
  options: {},
  examples: [
    ["turnpike doctor", "before a start or beside a running server; it changes nothing"],
    ["turnpike doctor --json", "for a program"],
  ],
  run: async ({ config }) => resultOf(await examineProcess(config)),
  row: "none",
};
