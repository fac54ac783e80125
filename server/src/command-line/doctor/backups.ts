/** Checks of what a loss is made good with: the last backup, the places where backups go, and the last audit of the books. */
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
const MIB = 1024 * 1024;

/** `5 hours`, of that many seconds. */
const ageOf = (seconds: number): string =>
  seconds < 2 * HOUR_SECONDS
    ? `${Math.max(0, Math.round(seconds / 60))} minutes`
    : `${Math.round(seconds / HOUR_SECONDS)} hours`;

const hasFacts = ({ tables }: Snapshot): boolean => tables.some(({ name }) => name === "facts");

const REPAIR =
  'Look at the last failure in the server\'s output ("the scheduled backup failed"), and at BACKUP_DIR or BACKUP_S3_URL.';

/** @param state as it is stored; undefined where none was begun. @param now Unix seconds */
export function judgeBackup(shown: string, state: string | undefined, now: number): Finding {
  const { finished_time: time, file, bytes, failure } = readBackupState(state);
  const last =
    time === 0
      ? "no whole backup yet"
      : `${file}, ${(bytes / MIB).toFixed(1)} MiB, written and read back ${ageOf(now - time)} ago`;
  const finding = `${shown}: ${last}${failure === "" ? "" : `; the last try failed: ${failure}`}`;
  if (time > 0 && now - time >= TOO_OLD_SECONDS) return fail(finding, REPAIR);
  if (failure !== "" || time === 0 || now - time >= OLD_SECONDS) return warn(finding, REPAIR);
  return ok(finding);
}

const NONE = warn(
  "no backup is scheduled",
  "Name a folder in BACKUP_DIR or a bucket in BACKUP_S3_URL (docs/backup.md), or back the database up by its own tools.",
);

/** The last backup of each destination: its age, size and place, and whether it could be read back. */
export async function checkBackups(config: Config, snapshot: Snapshot, checked: Checker): Promise<Check[]> {
  if (!hasFacts(snapshot)) return [];
  const destinations = destinationsOf(config);
  if (destinations.length === 0) return [{ name: "backup", ...NONE }];
  const now = Math.floor(Date.now() / 1000);
  const each = ({ name, shown }: Destination) =>
    checked("backup", REPAIR, async () => judgeBackup(shown, await snapshot.fact(stateFact(name)), now));
  return Promise.all(destinations.map(each));
}

/** Whether each destination can be written. */
export const checkDestinations = (config: Config, checked: Checker): Promise<Check[]> =>
  Promise.all(
    destinationsOf(config).map(({ shown, tryWriting }) =>
      checked("backup_place", "Correct what the message names (docs/backup.md).", async () => {
        await tryWriting();
        return ok(`${shown} can be written`);
      }),
    ),
  );

/** @param stored the fact; undefined where no audit has ended. @param now Unix seconds */
export function judgeAudit(stored: string | undefined, now: number): Finding {
  const last = readLastAudit(stored);
  const repair = "Run `turnpike audit`: it names each wrong value.";
  if (last === undefined) return ok("the books have not been audited yet; a running server does it once a day");
  const finding = `the books of ${last.rows.toLocaleString("en")} ledger rows were audited ${ageOf(now - last.time)} ago`;
  if (last.faults > 0) return fail(`${finding}: ${last.faults} wrong values`, repair);
  return now - last.time >= TOO_OLD_SECONDS ? warn(finding, repair) : ok(`${finding} and balance`);
}

export const checkAudit = async (snapshot: Snapshot, checked: Checker): Promise<Check[]> =>
  hasFacts(snapshot)
    ? [
        await checked("audit", "Run `turnpike audit`.", async () =>
          judgeAudit(await snapshot.fact(LAST_AUDIT_FACT), Math.floor(Date.now() / 1000)),
        ),
      ]
    : [];
