/** The child process of the kill test: calls that hold, wait and settle until the process is killed; prints each settled request id. */
import { readConfig } from "../config.ts";
import { openDatabase } from "../db/database.ts";
import { SQLITE_WRITER_MODULES } from "./engines/sqlite.ts";
import { type Scene, openTestBilling, settlementOf, tryHold } from "./testing.ts";

const IN_FLIGHT = 120;
const config = readConfig(process.env);
const scene = JSON.parse(process.argv[2] ?? "") as Scene; // set by the test that starts this file
const database = await openDatabase(config, { writerModules: SQLITE_WRITER_MODULES });
const billing = await openTestBilling(database, config.dataDir);

async function call(): Promise<void> {
  for (;;) {
    const hold = await tryHold(billing, scene, 50);
    if (typeof hold === "string") throw new Error(hold);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
    if (Math.random() < 0.1) {
      await billing.void(hold);
      continue;
    }
    const charge = 1 + Math.floor(Math.random() * 50);
    const outcome = await billing.settle(hold, settlementOf(scene, hold.requestId, charge));
    process.stdout.write(`${outcome} ${hold.requestId} ${charge}\n`);
  }
}

await Promise.all(Array.from({ length: IN_FLIGHT }, call));
