/** Fault: the short form of the hostile user of `npm run test:long`: one user without quota who tries every attack uses little memory and disk, and others are served. */
import { expect, test } from "vitest";
import { MOST_BYTES, hostileRun } from "../support/soak/hostile-user.ts";

const SECONDS = 6;

test(`${SECONDS} seconds of every attack: memory and disk grow by less than 64 MiB, and no other user is refused`, async () => {
  const { heldBytes, diskBytes, failed, calls, attacks } = await hostileRun(SECONDS);
  expect(heldBytes).toBeLessThan(MOST_BYTES);
  expect(diskBytes).toBeLessThan(MOST_BYTES);
  expect(failed).toBe(0);
  expect(calls).toBeGreaterThan(20);
  // Each attack was made, and none of the model's calls came through without quota.
  expect(Object.keys(attacks).length).toBeGreaterThan(20);
  for (const name of ["new idempotency keys", "many messages", "large text"])
    expect(attacks[name]?.["200"] ?? 0).toBe(0);
});
