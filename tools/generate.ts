/** Writes the generated files: five documents, the server's price list, common passwords and look-alike characters; `--check` only compares them. */
import { readFileSync, writeFileSync } from "node:fs";
import { ENVIRONMENT_VARIABLES, SECRET_VARIABLES } from "../server/src/config.ts";
import { configurationSchema } from "../server/src/console/openapi/configuration-schema.ts";
import { buildOpenApi } from "../server/src/console/openapi/openapi.ts";
import { commonPasswords, confusables } from "./name-and-password-data.ts";
import { errorPage } from "./error-page.ts";
import { optionPage } from "./option-page.ts";
import { priceList } from "./price-list.ts";

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

/** The page of environment variables, from the one table that config.ts parses by. */
export function configurationPage(): string {
  const rows = ENVIRONMENT_VARIABLES.map(
    ({ name, fallback, meaning }) =>
      `| \`${name}\` | ${fallback === "" ? "" : `\`${cell(fallback)}\``} | ${cell(meaning)} |`,
  );
  const files = [...SECRET_VARIABLES].map((name) => `\`${name}_FILE\``).join(", ");
  return [
    "<!-- Made by `npm run generate` from server/src/config.ts; do not edit. -->",
    "",
    "# Configuration",
    "",
    "Environment variables are read once at the start; a wrong value stops the start with one line that names it. An empty value counts as",
    "unset. What can be changed while the server runs is an option, kept in the database and set in the console.",
    "",
    `A file may hold a secret: ${files} name one each. It is read once, when a process starts,`,
    "without the line end behind its text. A variable and its `_FILE` together, and a file that is missing or empty, stop the start.",
    "",
    "| variable | default | meaning |",
    "| --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}

const GENERATED: Readonly<Record<string, () => string>> = {
  "docs/openapi.json": () => `${JSON.stringify(buildOpenApi(), null, 2)}\n`,
  "docs/config-schema.json": () => `${JSON.stringify(configurationSchema(), null, 2)}\n`,
  "docs/configuration.md": configurationPage,
  "docs/error-codes.md": errorPage,
  "docs/option-list.md": optionPage,
  "server/src/prices/listed-models.jsonl": priceList,
  "contract/src/common-passwords.ts": commonPasswords,
  "server/src/console/accounts/confusables.txt": confusables,
};

function isCurrent(path: string, text: string): boolean {
  try {
    return readFileSync(path, "utf8") === text;
  } catch {
    return false; // not there yet
  }
}

const isCheck = process.argv.includes("--check");
for (const [path, make] of Object.entries(GENERATED)) {
  const text = make();
  if (isCurrent(path, text)) continue;
  if (isCheck) {
    console.error(`${path} is not what the code says`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, text);
    console.log(`${path} written`);
  }
}
