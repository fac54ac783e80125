/** Runs an import of a test's old gateway into a test's database, as the command does it, without its lines, and reads its report. */
import { expect } from "vitest";
import { readAddress } from "../../../server/src/import/address.ts";
import type { LitellmWords } from "../../../server/src/import/litellm/stage.ts";
import type { LogRange } from "../../../server/src/import/logs.ts";
import { type ImportResult, runImport } from "../../../server/src/import/run.ts";
import { openSource } from "../../../server/src/import/source.ts";
import { originOf, recognise } from "../../../server/src/import/systems.ts";
import { providerRegistry } from "../../../server/src/providers/registry.ts";
import type { TestDatabase } from "../databases/databases.ts";
import type { OldGateway } from "./old-gateway.ts";

/** When a test's import runs, in Unix seconds. */
export const IMPORT_TIME = 1_800_000_000;

interface ImportOptions {
  isDryRun?: boolean;
  now?: number;
  logs?: LogRange;
  logSource?: OldGateway;
  litellm?: LitellmWords;
}

/** Reads the source anew in each call. Throws where nothing can be imported. */
export async function importOldGateway(
  old: OldGateway,
  { database, secrets }: TestDatabase,
  { isDryRun = false, now = IMPORT_TIME, logs, logSource, litellm }: ImportOptions = {},
): Promise<ImportResult> {
  const address = readAddress(old.address);
  const logAddress = logSource === undefined ? undefined : readAddress(logSource.address);
  const logOpened = logAddress === undefined ? undefined : await openSource(logAddress);
  const source = await openSource(address);
  try {
    const { system } = recognise(source);
    const target = { database, secrets, origin: originOf(system, address), now, isDryRun };
    const log =
      logOpened === undefined || logAddress === undefined
        ? undefined
        : { source: logOpened, origin: originOf(system, logAddress) };
    const progress = (): void => undefined;
    const providers = providerRegistry();
    return await runImport({ source, target, providers, logs, log, litellm, place: address.place, progress });
  } finally {
    await source.close();
    await logOpened?.close();
  }
}

/** The same after a dry run, whose report has to be that of the import; `afterDryRun` checks what it left. */
export async function importAfterDryRun(
  old: OldGateway,
  into: TestDatabase,
  afterDryRun: () => Promise<void>,
  options: ImportOptions = {},
): Promise<ImportResult> {
  const { sums: _dry, lines: _lines, ...said } = await importOldGateway(old, into, { ...options, isDryRun: true });
  await afterDryRun();
  const result = await importOldGateway(old, into, options);
  const { sums: _sums, lines: _first, ...done } = result;
  expect(done).toEqual(said);
  return result;
}

/** Expects that every row of each table was brought, known or refused. */
export function expectEveryRow({ tables }: ImportResult): void {
  for (const { found, brought, known, refused } of Object.values(tables)) expect(brought + known + refused).toBe(found);
}

/** How often each finding was made. */
export const findingsOf = ({ findings }: ImportResult): Record<string, number> =>
  Object.fromEntries(findings.map(({ finding, count }) => [finding, count]));
