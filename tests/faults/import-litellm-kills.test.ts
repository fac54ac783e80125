/** A LiteLLM whose import is killed at random points and run again, or runs twice at once: the same rows as after one import, and books that balance. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestPlace, engines, type TestPlace } from "../support/databases/databases.ts";
import { isReachable, SERVERS } from "../support/databases/servers.ts";
import { turnpike, turnpikeHere } from "../support/systems/command-line.ts";
import { openTestLedger } from "../support/systems/site.ts";
import { environmentOf, importedContent, importWithKills } from "../support/old-systems/killed-imports.ts";
import { makeOldGateway, type OldGateway } from "../support/old-systems/old-gateway.ts";
import { LITELLM, litellmRows, SALT_KEY } from "../support/old-systems/old-litellm.ts";

const HERE = await engines();

/** Several pages of each. */
const MANY = 3_000;
const numbered = (columns: string): string => `SELECT ${columns} FROM generate_series(1, ${MANY}) AS s(n)`;
const MORE = [
  `INSERT INTO "LiteLLM_UserTable" (user_id, user_email, user_role, max_budget, spend, models, metadata)
    ${numbered(`'many-' || n, 'many' || n / 2 || '@example.com', 'internal_user', 5, n / 1000.0, '{}', '{}'`)}`,
  `INSERT INTO "LiteLLM_TeamTable" (team_id, team_alias, spend, models, metadata)
    ${numbered(`'many-' || n, 'Team ' || n / 2, n / 1000.0, '{}', '{}'`)}`,
  `INSERT INTO "LiteLLM_VerificationToken" (token, key_name, user_id, team_id, max_budget, spend, models, aliases, metadata)
    ${numbered(`encode(sha256(('sk-many-' || n)::bytea), 'hex'), 'sk-...' || n, 'many-' || n, CASE n % 3 WHEN 0 THEN 'many-' || n END,
      2, n / 10000.0, '{}', '{}', '{}'`)}`,
];

describe.skipIf(!(await isReachable(SERVERS.postgres))).each(HERE)("a LiteLLM into %s", (engine) => {
  let old: OldGateway;
  let expected: unknown;
  let wholeMs = 0;
  const places: TestPlace[] = [];
  const words = () => [old.address, "--balance", "25"];
  const emptyPlace = async () => {
    const place = await createTestPlace(engine, { isEmpty: true });
    places.push(place);
    return { place, env: environmentOf(place, { LITELLM_SALT_KEY: SALT_KEY }) };
  };
  /** What the database holds, once its books are found to balance. */
  const contentOf = async (place: TestPlace): Promise<unknown> => {
    const ledger = await openTestLedger({ engine, place });
    try {
      expect((await ledger.audit()).faults).toEqual([]);
      return await importedContent(ledger);
    } finally {
      await ledger.close();
    }
  };

  beforeAll(async () => {
    old = await makeOldGateway("postgres", LITELLM, litellmRows("http://upstream.example"));
    await old.run(...MORE);
    const { place, env } = await emptyPlace();
    const startedMs = performance.now();
    expect(await turnpike(env, "import", ...words())).toMatchObject({ code: 0 });
    wholeMs = performance.now() - startedMs;
    expected = await contentOf(place);
  });
  afterAll(async () => {
    await old.remove();
    for (const place of places) await place.remove();
  });

  test("is the same after kills at random points", async () => {
    const { place, env } = await emptyPlace();
    const killedAt = await importWithKills(env, words(), wholeMs);
    expect(killedAt.length).toBeGreaterThan(0);
    expect(await turnpikeHere(env, "import", ...words())).toMatchObject({ code: 0 });
    expect(await contentOf(place), `killed after ${killedAt.join(", ")} ms`).toEqual(expected);
  });

  test("is the same after two at once, of which one waits for the other or is refused in one line", async () => {
    const { place, env } = await emptyPlace();
    const both = await Promise.all([turnpike(env, "import", ...words()), turnpike(env, "import", ...words())]);
    expect(both.map(({ code }) => code)).toContain(0);
    for (const { code, complaint } of both)
      if (code !== 0)
        expect(complaint).toMatch(/^(?:Another import is writing|[^\n]*(?:another|other) process[^\n]*\n?$)/i);
    expect(await contentOf(place)).toEqual(expected);
  });
});
