/** Facts about a doctor run before it is loaded: its steps, their maximum cost, and the severity of findings. Pure. */
import type { Family } from "../connect/program.ts";

/** In the order in which they are played; a program's format has those that it makes. */
export const STEPS = ["head", "models", "size", "count", "plain", "stream", "tool", "socket"] as const;
export type Step = (typeof STEPS)[number];

/** Tokens that each charged call may answer with at most. */
export const MAX_ANSWER_TOKENS = 512;
/** Tokens that the charged calls of a run send together at most, the tool's description among them. */
export const MAX_SENT_TOKENS = 600;
/** Calls of a run that are charged. */
export const CHARGED_STEPS: readonly Step[] = ["plain", "stream", "tool"];

/** The address that a family's configuration has for a gateway at `origin`. */
export const baseOf = (family: Family, origin: string): string =>
  family === "chat" || family === "responses" ? `${origin}/v1` : origin;

/** A note needs nothing to be done; a warning should be mended; after a failure the program does not work. */
export type Severity = "ok" | "note" | "warning" | "failure";
const RANK: Readonly<Record<Severity, number>> = { ok: 0, note: 1, warning: 2, failure: 3 };

/** The worst of several findings. */
export const worstOf = (findings: readonly { severity: Severity }[]): Severity =>
  findings.reduce<Severity>((worst, { severity }) => (RANK[severity] > RANK[worst] ? severity : worst), "ok");
