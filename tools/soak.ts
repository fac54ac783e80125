/**
 * `npm run soak -- faults` runs the tests of faults in their full form (soak-faults.ts). `npm run soak [-- cycles]`: streams that the client leaves in the middle, 5,000 of them, against a real server over HTTP. Descriptors
 * must come back to what they were and memory must stay flat; the audit must pass after it. Exits 1 where one of these fails.
 */
import { readdirSync } from "node:fs";
import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { auditDatabase } from "../server/src/billing/audit.ts";
import { soakFaults } from "./soak-faults.ts";
import { startThrowAway } from "./throw-away.ts";

if (process.argv[2] === "faults") process.exit(await soakFaults(process.argv.slice(3)));

const CYCLES = Number(process.argv[2] ?? "5000");
const PARALLEL = 50;
const WARM_UP = Math.min(500, Math.floor(CYCLES / 5));
const MAX_EXTRA_DESCRIPTORS = 10;
const MAX_GROWTH = 1.3;

/** Open descriptors of this process; 0 where the system does not tell. */
const descriptors = (): number => {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return 0; // not Linux
  }
};

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Resident memory of server, client and upstream together in MiB, after a collection. */
async function residentMib(): Promise<number> {
  collectGarbage();
  await pause(200);
  return process.memoryUsage().rss / 2 ** 20;
}

/** Opens a stream and leaves it after `afterBytes` bytes. */
function abortedStream(url: string, key: string, afterBytes: number): Promise<void> {
  const body = JSON.stringify({
    model: "gpt-4o-mini",
    stream: true,
    messages: [{ role: "user", content: "a".repeat(400) }],
  });
  return new Promise((resolve, reject) => {
    const call = request(`${url}/v1/chat/completions`, {
      method: "POST",
      agent: false,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    });
    call.on("error", (error: NodeJS.ErrnoException) => (error.code === "ECONNRESET" ? resolve() : reject(error)));
    call.on("response", (answer) => {
      let seen = 0;
      if (answer.statusCode !== 200) reject(new Error(`the server answered ${answer.statusCode}`));
      answer.on("data", (piece: Buffer) => {
        seen += piece.length;
        if (seen < afterBytes) return;
        call.destroy();
        resolve();
      });
      answer.on("error", () => resolve()); // our own leaving
      answer.on("end", () => resolve());
    });
    call.end(body);
  });
}

async function cycles(count: number, url: string, key: string): Promise<void> {
  let started = 0;
  const lane = async (): Promise<void> => {
    while (started < count) {
      started += 1;
      await abortedStream(url, key, (started * 37) % 900);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, lane));
}

const place = await startThrowAway("demo", { LOG_LEVEL: "silent" });
const { app, filled, upstream } = place;
if (filled.key === undefined) throw new Error("the seed made no token");
try {
  await cycles(WARM_UP, app.url, filled.key);
  await pause(2_000);
  const before = { descriptors: descriptors(), mib: await residentMib() };
  await cycles(CYCLES - WARM_UP, app.url, filled.key);
  await pause(3_000);
  const after = { descriptors: descriptors(), mib: await residentMib() };
  const { faults } = await auditDatabase(app.foundation.database);
  console.log(
    `${CYCLES} aborted streams, ${upstream.count} reached the upstream, ${upstream.openCount} still open there`,
  );
  console.log(`descriptors ${before.descriptors} -> ${after.descriptors}`);
  console.log(`resident memory ${before.mib.toFixed(0)} -> ${after.mib.toFixed(0)} MiB`);
  console.log(faults.length === 0 ? "the books balance" : `the books do not balance: ${faults.length} wrong values`);
  const isFlat =
    after.descriptors <= before.descriptors + MAX_EXTRA_DESCRIPTORS && after.mib <= before.mib * MAX_GROWTH;
  process.exitCode = isFlat && faults.length === 0 && upstream.openCount === 0 ? 0 : 1;
} finally {
  await place.close();
}
