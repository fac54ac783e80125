/** The table in docs/testing.md of the last whole run of each form of the tests: what `npm test -- --record` puts into it. */

/** In the order of the table's columns, from the fastest to the slowest. */
const LEVELS = ["pure", "relay", "server", "parts", "browser", "faults", "agents"];

/**
 * The document with this run in its form's row.
 * @param {string} document
 * @param {{form: string, date: Date, minutes: number, passed: number, failed: number, levels?: {level: string, seconds: number}[]}} run
 * `minutes` by the clock; `seconds` of each level as its files took them, added up over the workers
 * @returns {string}
 * @throws {Error} where the table has no row of this form
 */
export function withRecord(document, { form, date, minutes, passed, failed, levels = [] }) {
  const minutesOf = (level) => {
    const found = levels.find((each) => each.level === level);
    return found === undefined ? "" : (found.seconds / 60).toFixed(1);
  };
  const count = failed === 0 ? String(passed) : `${passed}, **${failed} failed**`;
  const cells = [`\`${form}\``, date.toISOString().slice(0, 10), count, minutes.toFixed(1), ...LEVELS.map(minutesOf)];
  const lines = document.split("\n");
  // The table of the runs is the last one; the forms are explained in another.
  const place = lines.findLastIndex((line) => line.startsWith(`| \`${form}\``));
  if (place < 0) throw new Error(`docs/testing.md has no row for ${form}`);
  return lines.with(place, `| ${cells.join(" | ")} |`).join("\n");
}
