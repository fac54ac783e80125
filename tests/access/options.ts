/** The second table of the access matrix: who may change which option, by role and by credential, on a running server. */
import { optionDefinition, type OptionName } from "../../contract/src/options/options.ts";
import { ROLE } from "../../contract/src/roles.ts";
import { bumpVersion } from "../../server/src/db/versions.ts";
import { keyOptions } from "../support/payments/keys.ts";
import type { TestServer } from "../support/systems/server.ts";
import { type AccessPerson, addPeople, sessionHeaders } from "./people.ts";

const ROLES = ["user", "admin", "root"] as const;
/** A session that has confirmed nothing for long, one that has just done so, and an access token. */
const WAYS = ["session", "confirmed", "token"] as const;

/** `admin session` and its kin, in the order of the columns. */
export const OPTION_CALLERS = ROLES.flatMap((role) => WAYS.map((way) => `${role}_${way}` as const));
type OptionCaller = (typeof OPTION_CALLERS)[number];

export interface OptionLine {
  name: OptionName;
  /** `set` where the option has the new value afterwards, `later` where only another option stood against it, else the refusal. */
  cells: Readonly<Record<OptionCaller, string>>;
}

/** A value that the option may have and has not by default. */
function otherValue(name: OptionName): string {
  const { kind, defaultText, choices = [] } = optionDefinition(name);
  if (name === "CheckinTimeZone") return "Asia/Shanghai";
  const key = keyOptions()[name];
  if (key !== undefined) return key;
  if (name === "general_setting.custom_currency_symbol") return "€";
  if (kind === "boolean") return defaultText === "true" ? "false" : "true";
  if (kind === "choice") return choices.find((choice) => choice !== defaultText) ?? "";
  if (kind === "integer") return String(Number(defaultText) + 1);
  if (kind === "decimal") return defaultText === "1" ? "0.5" : "1";
  if (kind === "json") return `${defaultText.slice(0, 1)} ${defaultText.slice(1)}`;
  if (kind === "url" || kind === "picture") return "https://elsewhere.example/base";
  if (name.endsWith("StatusCodes")) return "500-503";
  return "elsewhere.example";
}

async function stored({ app }: TestServer, name: OptionName): Promise<string | undefined> {
  const rows = app.foundation.database.kysely.selectFrom("options").select("value").where("name", "=", name);
  return (await rows.executeTakeFirst())?.value;
}

async function forget({ app }: TestServer): Promise<void> {
  const { database, snapshot } = app.foundation;
  await database.kysely.transaction().execute(async (transaction) => {
    await transaction.deleteFrom("options").execute();
    await bumpVersion(transaction, "options");
  });
  await snapshot.refresh();
}

/** What a caller sends to say who it is. */
async function headersOf({ app }: TestServer, person: AccessPerson, way: (typeof WAYS)[number]) {
  if (way === "token") return { Authorization: `Bearer ${person.accessToken}`, "New-Api-User": String(person.id) };
  const confirmed_time = way === "confirmed" ? Math.floor(Date.now() / 1000) : 0;
  const { kysely } = app.foundation.database;
  await kysely.updateTable("sessions").set({ confirmed_time }).where("user_id", "=", person.id).execute();
  return sessionHeaders(person);
}

async function cellOf(server: TestServer, name: OptionName, headers: Record<string, string>): Promise<string> {
  const before = await stored(server, name);
  const answer = await fetch(`${server.app.url}/api/option/`, {
    method: "PUT",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ key: name, value: otherValue(name) }),
  });
  const { success, code } = (await answer.json()) as { success: boolean; code?: string };
  const isChanged = (await stored(server, name)) !== before;
  if (isChanged) await forget(server);
  if (success !== isChanged)
    return `${success ? "accepted" : (code ?? "refused")}_but_${isChanged ? "set" : "not_set"}`;
  if (success) return "set";
  return code === "option_prerequisite" ? "later" : (code ?? "refused");
}

/** A line for each of these options. */
export async function optionLines(server: TestServer, names: readonly OptionName[]): Promise<OptionLine[]> {
  const people = await addPeople(
    server.app.foundation,
    OPTION_CALLERS.map((caller) => ({
      role: ROLE[ROLES[Math.floor(OPTION_CALLERS.indexOf(caller) / WAYS.length)] ?? "user"],
    })),
  );
  await forget(server);
  const columns = await Promise.all(
    OPTION_CALLERS.map(async (caller, index) => {
      const [person, way] = [people[index], WAYS[index % WAYS.length]];
      if (person === undefined || way === undefined) throw new Error("a caller was not made");
      return { caller, headers: await headersOf(server, person, way) };
    }),
  );
  const lines: OptionLine[] = [];
  for (const name of names) {
    const cells: [OptionCaller, string][] = [];
    for (const { caller, headers } of columns) cells.push([caller, await cellOf(server, name, headers)]);
    lines.push({ name, cells: Object.fromEntries(cells) as OptionLine["cells"] });
  }
  return lines;
}

const HEAD = `# Who may change which option: by role, and by how they come (a session that confirmed nothing lately, one that just did, an access token).
#
# Reviewed by people. tests/access/options.test.ts holds it to a running server and to the principle of docs/configuration.md besides, so that
# no wrong cell is accepted by writing it down. After an option came, went or changed its owner:
#
#   ACCESS_MATRIX=write npm test -- tests/access/options.test.ts
#
# and read the difference. Cells: set: the option has the new value; later: let in, but another option has to be set first; else the refusal.
`;

/** The lines as the text that is reviewed. */
export function optionTable(lines: readonly OptionLine[]): string {
  const rows = [
    ["option", "owner", ...OPTION_CALLERS],
    ...lines.map(({ name, cells }) => [
      name,
      optionDefinition(name).owner,
      ...OPTION_CALLERS.map((each) => cells[each]),
    ]),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const text = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return `${HEAD}\n${text.join("\n")}\n`;
}
