/** The access matrix as a text for review: tests/access/expected.txt. */
import { CALLERS, type Row } from "./matrix.ts";

const HEAD = `# Who may do what: every route of the console and of the relay, by who calls and by whose object the call is about.
#
# Reviewed by people. tests/access/matrix.test.ts holds it to a running server, and holds it to the rules that each endpoint of the contract
# states (access, object) besides, so that no wrong cell is accepted by writing it down. After a route came, went or changed its rule:
#
#   ACCESS_MATRIX=write npm test -- tests/access/matrix.test.ts
#
# and read the difference. Callers: nobody; the key of a token (of a role 1 user) where the console wants an access token; the access token of
# a role 1 user; sessions of a role 1 user, a banned one, a deregistered one, an administrator (10), the super administrator (100);
# and of two super administrators who have something to do first: one came with a password that somebody else chose, one has no second factor
# though the site demands it of everybody. On the
# relay the banned and the deregistered call with their tokens' keys, and sessions and access tokens open the playground alone.
# Objects: the caller's own; of somebody of a lower, an equal, a higher role; one that does not exist; the site's own (there, missing).
# Cells: ok; 401; 403; missing: answered as what does not exist; password, factor: 403, for that has to be changed or set up first; else the code of the refusal, by which the caller was let in as far as
# the rule that it names; "·": there is nobody of such a role.
`;

/** One line a row, in columns. */
export function tableOf(rows: readonly Row[]): string {
  const lines = [
    ["route", "object", ...CALLERS],
    ...rows.map(({ route, whose, cells }) => [route, whose, ...CALLERS.map((caller) => cells[caller].result)]),
  ];
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return `${HEAD}\n${text.join("\n")}\n`;
}

/** Lines by route and object, however wide the columns are. */
export function linesOf(table: string): ReadonlyMap<string, string> {
  const lines = table.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const [method = "", path = "", object = "", ...cells] = line.split(/\s+/);
      return [`${method} ${path} ${object}`, cells.join(" ")];
    }),
  );
}
