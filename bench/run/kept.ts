/** Results stored between runs, so that the table can be gathered part by part: on one state of the code and one machine. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { PARTS } from "./plan.ts";
import type { Findings, PartName } from "./sample.ts";

/** What one part found when it last ran. */
export interface KeptPart extends Findings {
  readonly versions: readonly (readonly [name: string, version: string])[];
  /** Date and load average at its start. */
  readonly when: string;
}

type KeptParts = Readonly<Partial<Record<PartName, KeptPart>>>;

/** The stored parts; none if the file is missing or of another state. Throws if it cannot be read. */
export function readKept(file: string, identity: string): KeptParts {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw error;
  }
  const kept = JSON.parse(text) as { identity: string; parts: KeptParts };
  return kept.identity === identity ? kept.parts : {};
}

/** Keeps a part in place of what it found before; parts of another state are forgotten. */
export function keepPart(file: string, identity: string, part: PartName, found: KeptPart): KeptParts {
  const parts = { ...readKept(file, identity), [part]: found };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ identity, parts })}\n`);
  return parts;
}

/** Parts that are still to be run. */
export const missingParts = (parts: KeptParts): PartName[] => PARTS.filter((part) => parts[part] === undefined);

/** The findings of all parts together, in their order. */
export function joined(parts: KeptParts): KeptPart {
  const found = PARTS.flatMap((part) => parts[part] ?? []);
  return {
    samples: found.flatMap(({ samples }) => samples),
    failures: found.flatMap(({ failures }) => failures),
    books: found.flatMap(({ books }) => books),
    versions: [...new Map(found.flatMap(({ versions }) => versions))],
    when: [...new Set(PARTS.flatMap((part) => (parts[part] === undefined ? [] : `${part}: ${parts[part].when}`)))].join(
      "; ",
    ),
  };
}
