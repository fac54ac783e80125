/** `npm run seed -- <scenario>`: fills an empty database (the one the environment names) and prints how to open it. */
import { parseArgs } from "node:util";
import { startApp } from "../server/src/app.ts";
import { readConfig } from "../server/src/config.ts";
import { MONTH_ROWS, seedBusyMonth } from "./seed/busy-month.ts";
import { type Filled, fill, newPassword } from "./seed/fill.ts";
import { SCENARIOS, type ScenarioName } from "./seed/scenarios.ts";

const { positionals, values } = parseArgs({ allowPositionals: true, options: { rows: { type: "string" } } });
const names = Object.keys(SCENARIOS) as ScenarioName[];
const name = names.find((each) => each === positionals[0]);
const rows = values.rows === undefined ? MONTH_ROWS : Number(values.rows);
if (name === undefined || !Number.isSafeInteger(rows) || rows < 1) {
  console.error(`Name one scenario: ${names.map((each) => `${each} (${SCENARIOS[each].about})`).join(", ")}`);
  process.exit(1);
}

/** Where seeded channels point: the fake upstream of `npm run dev`, or TURNPIKE_SEED_UPSTREAM. */
const upstreamUrl = process.env["TURNPIKE_SEED_UPSTREAM"] ?? "http://127.0.0.1:4010";
const config = readConfig({
  ...process.env,
  PORT: "0",
  HOST: "127.0.0.1",
  ALLOW_PRIVATE_UPSTREAMS: "1",
  GLOBAL_API_RATE_LIMIT_ENABLE: "false",
  LOG_LEVEL: "warn",
});

async function fillSmall(scenario: ScenarioName): Promise<Filled> {
  const app = await startApp(config);
  try {
    return await fill(app, SCENARIOS[scenario], { username: "root", password: newPassword() }, upstreamUrl);
  } finally {
    await app.close();
  }
}

function fillMonth(): Promise<Filled> {
  const onProgress = (done: number) =>
    console.log(`  ${done.toLocaleString("en")} of ${rows.toLocaleString("en")} calls`);
  return seedBusyMonth({ config, rows, upstreamUrl, onProgress });
}

try {
  const { admin, key, people, calls } = name === "busy-month" ? await fillMonth() : await fillSmall(name);
  console.log(`${name}: ${SCENARIOS[name].channels.length} channels, ${people.length + 1} people, ${calls} past calls`);
  for (const { username, password } of [admin, ...people]) console.log(`  log in as ${username}, password ${password}`);
  if (key !== undefined) console.log(`  token ${key}`);
  console.log(
    "  npm start, then /token /channel /log; to let calls reach the seeded channels: ALLOW_PRIVATE_UPSTREAMS=1 npm start",
  );
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
