/** Tests of the log's columns: names that people choose have room. */
import { expect, test } from "vitest";
import { fitColumns } from "../../ui/data-table/columns.ts";
import { logColumns } from "./columns.tsx";

const columns = logColumns(((key: string) => key) as never, { isAdmin: true, isOneDay: true, onUser: () => undefined });

/** Widest letters of a name at 13 px, with the padding of a cell. */
const TWELVE_LETTERS_PX = 12 * 6.6 + 20;

test.each([1100, 1200, 1400])("a user's name of twelve letters is not cut in a table of %i px", (room) => {
  const { shown, widths } = fitColumns(
    columns.filter(({ isOffAtFirst }) => isOffAtFirst !== true),
    room,
  );
  const index = shown.findIndex(({ id }) => id === "user");
  expect(widths[index]).toBeGreaterThanOrEqual(TWELVE_LETTERS_PX);
});
