/**
 * The hostile user of `npm run test:long`: one user without quota who tries every attack for ten minutes (or as many seconds as the argument says)
 * beside twenty ordinary users. Memory and disk must grow by less than 64 MiB, and 95 % of the others' calls take at most half as long again as
 * before; exits 1 if one of these fails.
 */
import { MOST_BYTES, hostileRun } from "../tests/support/soak/hostile-user.ts";

const MOST_SLOWER = 1.5;

const seconds = Number(process.argv[2] ?? "600");
if (!Number.isInteger(seconds) || seconds < 1) {
  console.error("node tools/hostile-user.ts <seconds>");
  process.exit(2);
}
const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);

const { residentBytes, heldBytes, diskBytes, quietP95Ms, besideP95Ms, failed, calls, attacks } =
  await hostileRun(seconds);
for (const [name, statuses] of Object.entries(attacks)) console.log(`${name}: ${JSON.stringify(statuses)}`);
console.log(`${calls} ordinary calls, ${failed} of them failed`);
const slower = besideP95Ms / quietP95Ms;
const waits = `p95 ${quietP95Ms.toFixed(0)} -> ${besideP95Ms.toFixed(0)} ms (x${slower.toFixed(2)})`;
console.log(`memory +${mib(residentBytes)} MiB (held +${mib(heldBytes)}), disk +${mib(diskBytes)} MiB, ${waits}`);
const isFine = residentBytes < MOST_BYTES && diskBytes < MOST_BYTES && failed === 0 && slower <= MOST_SLOWER;
process.exitCode = isFine ? 0 : 1;
