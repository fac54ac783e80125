/** Checks of recovery: the last backup, the backup destinations, and the last audit of the ledger. */
import { readBackupState, stateFact } from "../../archive/backup-state.ts";
import { type Destination, destinationsOf } from "../../archive/destinations.ts";
import type { Snapshot } from "../../archive/snapshot.ts";
import { LAST_AUDIT_FACT, readLastAudit } from "../../billing/audit.ts";
import type { Config } from "../../config.ts";
import { type Check, type Checker, type Finding, fail, ok, warn } from "./check.ts";

const HOUR_SECONDS = 3_600;
/** One is made every day; the second day without one is a fault. */
const OLD_SECONDS = 30 * HOUR_SECONDS;
const TOO_OLD_SECONDS = 54 * HOUR_SECONDS;
const hasFacts = ({ tables }: Snapshot): boolean => tables.some(({ name }) => name === "facts");

/** @param state as it is stored; undefined where none was begun. @param now Unix seconds */
export function judgeBackup(place: string, state: string | undefined, now: number): Finding {
  const { finished_time: time, file, bytes, failure } = readBackupState(state);
  const [some, values] =
    time === 0
      ? (["backup.none", { place }] as const)
      : (["backup.last", { place, file, size_bytes: bytes, age_seconds: now - time }] as const);
  const code = failure === "" ? some : (`${some}_failed` as const);
  const all = { ...values, failure };
  if (time > 0 && now - time >= TOO_OLD_SECONDS) return fail(code, "backup.any", all);
  if (failure !== "" || time === 0 || now - time >= OLD_SECONDS) return warn(code, "backup.any", all);
  return ok(code, all);
}

/** The last backup of each destination: its age, size and place, and whether it could be read back. */
export async function checkBackups(config: Config, snapshot: Snapshot, checked: Checker): Promise<Check[]> {
  if (!hasFacts(snapshot)) return [];
  const destinations = destinationsOf(config);
  if (destinations.length === 0) return [{ name: "backup", ...warn("backup.unscheduled", "backup.unscheduled") }];
  const now = Math.floor(Date.now() / 1000);
  const each = ({ name, shown }: Destination) =>
    checked("backup", "backup.any", async () => judgeBackup(shown, await snapshot.fact(stateFact(name)), now));
  return Promise.all(destinations.map(each));
}

/** Whether each destination can be written. */
export const checkDestinations = (config: Config, checked: Checker): Promise<Check[]> =>
  Promise.all(
    destinationsOf(config).map(({ shown, tryWriting }) =>
      checked("backup_place", "backup_place.any", async () => {
        await tryWriting();
        return ok("backup_place.writable", { place: shown });
      }),
    ),
  );

/** @param stored the fact; undefined where no audit has ended. @param now Unix seconds */
export function judgeAudit(stored: string | undefined, now: number): Finding {
  const last = readLastAudit(stored);
  if (last === undefined) return ok("audit.never");
  const values = { row_count: last.rows, age_seconds: now - last.time };
  if (last.faults > 0) return fail("audit.wrong", "audit.wrong", { ...values, faults: last.faults });
  return now - last.time >= TOO_OLD_SECONDS ? warn("audit.old", "audit.wrong", values) : ok("audit.balance", values);
}

export const checkAudit = async (snapshot: Snapshot, checked: Checker): Promise<Check[]> =>
  hasFacts(snapshot)
    ? [
        await checked("audit", "audit.any", async () =>
          judgeAudit(await snapshot.fact(LAST_AUDIT_FACT), Math.floor(Date.now() / 1000)),
        ),
      ]
    : [];
