/** CPU that the ledger's writer takes for a call on SQLite, by how many accounts are active, on a log that is long already. */
import { once } from "node:events";
import { SERVER_FLAGS } from "../../tools/setup/runtime.mjs";
import { seedPlace } from "../logs/place.ts";
import { startModule, stopProcess } from "../machine/children.ts";
import { record } from "../run/session.ts";
import type { Session } from "../run/session.ts";

/** Active accounts, and the writer's microseconds a call that they may take. */
export const ACCOUNTS_LIMITS: readonly (readonly [accounts: number, limit: number | undefined])[] = [
  [1, undefined],
  [1_000, undefined],
  [10_000, 50],
  [100_000, 80],
];
export const WRITER_CPU = "CPU of the writer's thread per call, hold, settlement and log row";

/** The message to the process. */
export interface AccountsJob {
  readonly dataDir: string;
  readonly accounts: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
}

/** What it answers for each number of accounts and round. */
export interface AccountsResult {
  readonly accounts: number;
  readonly round: number;
  readonly writerMicroseconds: number;
  readonly allMicroseconds: number;
  readonly callsPerSecond: number;
}

/** Fills a log, then lets the ledger post calls of ever more accounts in a process of its own. */
export async function measureAccounts(session: Session): Promise<void> {
  const { rounds, seconds, logRows, quick } = session.plan;
  const place = await seedPlace("sqlite", logRows, session.provider.direct.port);
  const child = startModule(new URL("accounts-process.ts", import.meta.url), [], { execArgv: [...SERVER_FLAGS] });
  try {
    const gone = once(child, "exit").then(() => {
      throw new Error("the process that posts calls ended before its last result");
    });
    gone.catch(() => undefined); // it ends after its last result, as it should
    const accounts = ACCOUNTS_LIMITS.map(([count]) => count).filter((count) => !quick || count <= 10_000);
    child.send({ dataDir: place.config.dataDir, accounts, rounds, seconds } satisfies AccountsJob);
    for (let left = accounts.length * rounds; left > 0; left -= 1) {
      const [result] = (await Promise.race([once(child, "message"), gone])) as [AccountsResult];
      recordOne(session, result);
    }
  } finally {
    await stopProcess(child);
    await place.remove();
  }
}

function recordOne(session: Session, { accounts, round, ...measured }: AccountsResult): void {
  const origin = { part: "accounts", subject: String(accounts), round } as const;
  record(session, { ...origin, what: WRITER_CPU, value: measured.writerMicroseconds, unit: "µs" });
  record(session, { ...origin, what: "CPU of all threads per call", value: measured.allMicroseconds, unit: "µs" });
  record(session, { ...origin, what: "calls a second", value: measured.callsPerSecond, unit: "calls/s" });
}
