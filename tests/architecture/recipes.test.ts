/** Follows docs/recipes.md: each recipe names every product file that its example touches, and no more files than it says. */
import { describe, expect, test } from "vitest";
import { type SourceFile, readTree } from "./tree.ts";

interface Recipe {
  title: string;
  /** Product files that the recipe promises at most. */
  limit: number;
  /** The word by which the example is known in the tree. */
  example: string;
  /** Files that the recipe names, from the root. */
  files: readonly string[];
}

const PRODUCT = /^(?:contract|server|web)\/src\/(?!.*\.test\.tsx?$).*\.(?:tsx?|json)$/;
const HEAD = /^(\d+) product files; example: `(\w+)`\./m;

/** How many files each may touch; a recipe without a limit here has no example. */
const LIMITS: Readonly<Record<string, number>> = {
  "Add a setting": 4,
  "Add a column to a list": 6,
  "Add a page of the console": 14,
  "Add a vendor": 3,
  "Add a way to sign in": 9,
  "Add a payment method": 12,
};

/** Files that mention an example and would not change for another one like it. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  HeldOutputLimit: [
    // other words for the search: a setting is found by those of its section too
    "web/src/features/options/synonyms.ts",
  ],
  linuxdo: [
    // other words for the search: a way to sign in is found by those of its section too
    "web/src/features/options/synonyms.ts",
    // documents by name what a client may send
    "contract/src/features/identities.ts",
    // the columns that built-in sites had before
    "server/src/db/migrations/0024-identity-rows.ts",
    // the columns that another gateway has for them
    "server/src/import/people.ts",
    "server/src/import/forks.ts",
    "server/src/import/systems.ts",
    "server/src/import/tables.ts",
  ],
  redemptions: [
    // the wallet takes codes by one of its endpoints
    "web/src/features/wallet/queries.ts",
    // brings those of another gateway
    "server/src/import/sales.ts",
  ],
  stripe: [
    // documents whose number an order has, and what an order is paid by
    "contract/src/payments/orders.ts",
    "contract/src/features/wallet.ts",
    // the family's form of the wallet has fields by its name
    "server/src/console/wallet/service.ts",
    // automatic top-up, which no other method has
    "server/src/composition/background.ts",
    "server/src/console/wallet/routes.ts",
    "server/src/console/http/security-acts.ts",
    "web/src/features/wallet/auto-top-up-card.tsx",
    "web/src/features/wallet/queries.ts",
    // other words for the search: a method is found by those of its section too
    "web/src/features/options/synonyms.ts",
    // cites Stripe's table of decimals
    "contract/src/payments/currencies.ts",
    // how another gateway credited its orders
    "server/src/import/sales.ts",
  ],
  xinference: [
    // what another gateway calls its providers
    "server/src/import/litellm/providers.ts",
  ],
};

function recipesIn(document: string): Recipe[] {
  return document
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const [, limit, example] = HEAD.exec(section) ?? [];
      if (limit === undefined || example === undefined) return [];
      const steps = section.split("\n\n").find((block) => block.startsWith("- ")) ?? "";
      const files = [...steps.matchAll(/`((?:contract|server|web)\/src\/[^`<]+)`/g)].map(([, file = ""]) => file);
      return [{ title: section.slice(0, section.indexOf("\n")), limit: Number(limit), example, files }];
    });
}

const tree = readTree();
const product = tree.filter(({ path }) => PRODUCT.test(path));
const paths = new Set(product.map(({ path }) => path));
const recipes = recipesIn(tree.find(({ path }) => path === "docs/recipes.md")?.text ?? "");

/** Whether a file has to do with an example: a page is known by who imports its files, everything else by its name. */
function isTouched({ text }: SourceFile, { title, example }: Recipe): boolean {
  if (title !== "Add a page of the console") return new RegExp(`${example}(?![a-z])`, "i").test(text);
  return new RegExp(`from "[^"]*/${example}(?:/(?:route|routes))?\\.ts"`).test(text);
}

/** A folder of its own holds whatever an example needs besides. */
const isOwn = (path: string, { example, files }: Recipe): boolean =>
  files.some(
    (file) =>
      file.includes(`/${example}/`) &&
      path.startsWith(file.slice(0, file.indexOf(`/${example}/`) + example.length + 2)),
  );

test("every recipe with a limit is there", () => {
  expect(recipes.map(({ title, limit }) => [title, limit <= (LIMITS[title] ?? 0)])).toEqual(
    Object.keys(LIMITS).map((title) => [title, true]),
  );
});

describe.each(recipes)("$title", (recipe) => {
  test("names files that are there, and no more than it says", () => {
    expect(recipe.files.filter((file) => !paths.has(file))).toEqual([]);
    expect(new Set(recipe.files).size).toBe(recipe.limit);
  });

  test("names every file that its example touches", () => {
    const beside = BESIDE[recipe.example] ?? [];
    const named = [...recipe.files, ...beside];
    const touched = product.filter((file) => isTouched(file, recipe)).map(({ path }) => path);
    expect(touched.length).toBeGreaterThan(1);
    expect(beside.filter((path) => !touched.includes(path))).toEqual([]);
    expect(touched.filter((path) => !named.includes(path) && !isOwn(path, recipe))).toEqual([]);
  });
});
