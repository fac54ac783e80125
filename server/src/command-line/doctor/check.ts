/** What a check of `turnpike doctor` is: a name, a finding, and for what is not right the repair in one sentence. */
import {
  type FindingCode,
  type FindingValues,
  type RepairCode,
  SYSTEM_FINDINGS,
  SYSTEM_REPAIRS,
} from "../../../../contract/src/system-findings.ts";
import { withTimeout } from "../../util/deadline.ts";

export type Status = "ok" | "warn" | "fail";

export interface Check {
  name: string;
  status: Status;
  /** What was found as a sentence, without secrets; and the same as its code and values, for the console's own words. */
  finding: string;
  code: FindingCode;
  values: FindingValues;
  /** What to do, as a sentence and as its code; absent where all is right. */
  repair?: string;
  repairCode?: RepairCode;
}

/** What a check finds: `ok` alone, or what is wrong and how it is repaired. */
export type Finding = Omit<Check, "name">;

const HOUR_SECONDS = 3_600;
const MIB = 1024 * 1024;

/** `5 hours ago`, of that many seconds. */
const ageOf = (seconds: number): string =>
  seconds < 2 * HOUR_SECONDS
    ? `${Math.max(0, Math.round(seconds / 60))} minutes ago`
    : `${Math.round(seconds / HOUR_SECONDS)} hours ago`;

const sizeOf = (bytes: number): string =>
  bytes < 100 * MIB ? `${(bytes / MIB).toFixed(1)} MiB` : `${Math.floor(bytes / MIB).toLocaleString("en")} MiB`;

/** A value as English sentences have it, by the end of its name. */
function shown(name: string, value: string | number | undefined): string {
  if (typeof value !== "number") return value ?? "";
  if (name.endsWith("_bytes")) return sizeOf(value);
  if (name.endsWith("_seconds")) return ageOf(value);
  return name.endsWith("_count") ? value.toLocaleString("en") : String(value);
}

const filled = (sentence: string, values: FindingValues): string =>
  sentence.replace(/\{(\w+)\}/g, (_, name: string) => shown(name, values[name]));

export const ok = (code: FindingCode, values: FindingValues = {}): Finding => ({
  status: "ok",
  finding: filled(SYSTEM_FINDINGS[code], values),
  code,
  values,
});
const wrong =
  (status: Status) =>
  (code: FindingCode, repairCode: RepairCode, values: FindingValues = {}): Finding => ({
    ...ok(code, values),
    status,
    repair: filled(SYSTEM_REPAIRS[repairCode], values),
    repairCode,
  });
export const warn = wrong("warn");
export const fail = wrong("fail");

/** A check of the command takes no longer than this. */
export const CHECK_TIMEOUT_MS = 5_000;

/** The first line of an error, as a finding has it. */
export function reasonOf(error: unknown): string {
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return line === "" ? code || "no reason was given" : line;
}

/** Runs a check; what it throws is its finding, with the check's own repair. */
export type Checker = (name: string, repair: RepairCode, look: () => Promise<Finding> | Finding) => Promise<Check>;

export const lateFinding = (limitMs: number, repair: RepairCode): Finding =>
  fail("any.late", repair, { limit: limitMs / 1000 });
export const failedFinding = (error: unknown, repair: RepairCode): Finding =>
  fail("any.failed", repair, { reason: reasonOf(error) });

/** What runs checks, each for so long at most: what does not answer by then counts as away, and holds up no other one. */
export const checkerOf =
  (limitMs: number): Checker =>
  async (name, repair, look) => {
    try {
      const late = (): Finding => lateFinding(limitMs, repair);
      return { name, ...(await withTimeout(Promise.resolve().then(look), limitMs, late)) };
    } catch (error) {
      return { name, ...failedFinding(error, repair) };
    }
  };
