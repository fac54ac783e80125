/** Names a list in force in a few letters, so that lines are accepted only over the one that they were compared with. */
import { createHash } from "node:crypto";
import { readListFile } from "../../../prices/shipped-list.ts";
import type { AcceptedRow } from "../../../prices/lookup.ts";

const DIGITS = 24;

/** Of the product's own list and what is accepted over it. */
export const baseOf = (accepted: readonly AcceptedRow[]): string =>
  createHash("sha256")
    .update([readListFile().hash, ...accepted.map(({ id }) => id)].join(" "))
    .digest("hex")
    .slice(0, DIGITS);
