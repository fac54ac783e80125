/** What a check of `turnpike doctor` is: a name, a finding, and for what is not right the repair in one sentence. */
import { withTimeout } from "../../util/deadline.ts";

export type Status = "ok" | "warn" | "fail";

export interface Check {
  name: string;
  status: Status;
  /** What was found; without secrets. */
  finding: string;
  /** What to do; absent where all is right. */
  repair?: string;
}

/** What a check finds: `ok` alone, or what is wrong and how it is repaired. */
export type Finding = Omit<Check, "name">;

export const ok = (finding: string): Finding => ({ status: "ok", finding });
export const warn = (finding: string, repair: string): Finding => ({ status: "warn", finding, repair });
export const fail = (finding: string, repair: string): Finding => ({ status: "fail", finding, repair });

/** A check of the command takes no longer than this. */
export const CHECK_TIMEOUT_MS = 5_000;

/** The first line of an error, as a finding has it. */
export function reasonOf(error: unknown): string {
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return line === "" ? code || "no reason was given" : line;
}

/** Runs a check; what it throws is its finding. */
export type Checker = (name: string, repair: string, look: () => Promise<Finding> | Finding) => Promise<Check>;

export const lateReason = (limitMs: number): string => `no answer within ${limitMs / 1000} s`;

/** What runs checks, each for so long at most: what does not answer by then counts as away, and holds up no other one. */
export const checkerOf =
  (limitMs: number): Checker =>
  async (name, repair, look) => {
    try {
      const late = (): Finding => fail(lateReason(limitMs), repair);
      return { name, ...(await withTimeout(Promise.resolve().then(look), limitMs, late)) };
    } catch (error) {
      return { name, ...fail(reasonOf(error), repair) };
    }
  };
