/**
 * The soak of `npm run test:long`: 5,000 streams (or as many as the argument says) that their client aborts in the middle, in all sixteen pairs of
 * formats, against a server in a process of its own. Descriptors must come back to within 10 and resident memory to within 10 % of what they were,
 * and the ledger must balance; exits 1 if one of these fails.
 */
import type { Footprint } from "../tests/support/systems/measured-server.ts";
import { soak, soakFaults } from "../tests/support/soak/cycles.ts";

const cycles = Number(process.argv[2] ?? "5000");
if (!Number.isInteger(cycles) || cycles < 1) {
  console.error("node tools/soak.ts <number of cycles>");
  process.exit(2);
}
const warmUp = Math.max(200, Math.floor(cycles / 10));

const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);

function tell(done: number, { residentBytes, heapBytes, externalBytes, descriptors }: Footprint): void {
  const memory = `${mib(residentBytes)} MiB resident, heap ${mib(heapBytes)}, buffers ${mib(externalBytes)}`;
  console.log(`after ${done} of ${cycles} cycles: ${memory}, ${descriptors} descriptors`);
}

const result = await soak(cycles, warmUp, tell);
const { before, after, upstreamCount } = result;
const growth = (100 * (after.residentBytes / before.residentBytes - 1)).toFixed(1);
console.log(`${cycles} aborted streams after ${warmUp} to warm up; ${upstreamCount} reached the upstream`);
console.log(`descriptors ${before.descriptors} -> ${after.descriptors}, resident memory ${growth} %`);
const faults = soakFaults(result);
console.log(faults.length === 0 ? "nothing is left behind, and the ledger balances" : faults.join("\n"));
process.exitCode = faults.length === 0 ? 0 : 1;
