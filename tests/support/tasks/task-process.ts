/** A whole server in a process of its own that polls tasks every second, for tests that kill it and cannot wait for the usual interval. */
import { startApp } from "../../../server/src/app.ts";
import { readConfig } from "../../../server/src/config.ts";

/** For `startServer`. */
export const TASK_PROCESS = "tests/support/tasks/task-process.ts";

async function run(): Promise<void> {
  const app = await startApp(readConfig(process.env), { taskPollSeconds: 1 });
  process.on("SIGTERM", () => void app.close().then(() => process.exit(0)));
  console.log(`Turnpike is at ${app.url}`);
}

if (import.meta.main) await run();
