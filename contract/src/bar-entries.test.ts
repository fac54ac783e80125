/** Tests of the entries of the bars: unmentioned ones are shown, site and user may each hide them, and the super administrator keeps the settings. */
import { describe, expect, test } from "vitest";
import {
  isHeaderEntryShown,
  isPricingForUsers,
  isSidebarEntryShown,
  readHeaderChoice,
  readSidebarChoice,
  withHeaderEntry,
  withPricingForUsers,
  withSidebarEntry,
} from "./bar-entries.ts";
import { ROLE } from "./roles.ts";

describe("the top bar", () => {
  // As new-api's console writes it.
  const choice = readHeaderChoice(
    '{"home":true,"console":true,"pricing":{"enabled":true,"requireAuth":true},"docs":false,"rankings":true}',
  );

  test("shows what is not hidden, and knows whom the price list is for", () => {
    expect([isHeaderEntryShown(choice, "home"), isHeaderEntryShown(choice, "docs")]).toEqual([true, false]);
    expect([isHeaderEntryShown(choice, "about"), isHeaderEntryShown(choice, "pricing")]).toEqual([true, true]);
    expect([isPricingForUsers(choice), isPricingForUsers({}), isPricingForUsers({ pricing: true })]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("keeps what else is chosen when one entry changes", () => {
    const hidden = withHeaderEntry(choice, "pricing", false);
    expect(hidden["pricing"]).toEqual({ enabled: false, requireAuth: true });
    expect([isHeaderEntryShown(hidden, "pricing"), isHeaderEntryShown(hidden, "docs")]).toEqual([false, false]);
    expect(withPricingForUsers({ pricing: false }, true)).toEqual({ pricing: { enabled: false, requireAuth: true } });
  });
});

describe("the side bar", () => {
  const site = readSidebarChoice('{"chat":{"enabled":false,"playground":true},"console":{"enabled":true,"log":false}}');
  const person = readSidebarChoice('{"console":{"token":false},"personal":{"personal":false}}');
  const isShown = (...[group, entry, role = ROLE.user]: [Parameters<typeof isSidebarEntryShown>[1], never, number?]) =>
    isSidebarEntryShown({ site, person }, group, entry, role);

  test.each([
    ["chat", "playground", false],
    ["console", "log", false],
    ["console", "token", false],
    ["console", "detail", true],
    ["personal", "personal", true],
    ["personal", "topup", true],
  ] as const)("%s, %s: %s", (group, entry, expected) => expect(isShown(group, entry as never)).toBe(expected));

  test("always shows the settings to the super administrator, who chooses there", () => {
    const hidden = { site: { admin: { enabled: false, setting: false } }, person: {} };
    expect(isSidebarEntryShown(hidden, "admin", "setting", ROLE.root)).toBe(true);
    expect(isSidebarEntryShown(hidden, "admin", "setting", ROLE.admin)).toBe(false);
    expect(isSidebarEntryShown(hidden, "admin", "channel", ROLE.root)).toBe(false);
  });

  test("keeps what else is chosen when one entry changes", () => {
    const changed = withSidebarEntry(site, { group: "console", entry: "token", isShown: false });
    expect(changed).toEqual({ ...site, console: { enabled: true, log: false, token: false } });
  });

  test.each(["", "null", "[1]", "{"])("shows everything by the text %j", (text) =>
    expect(isSidebarEntryShown({ site: readSidebarChoice(text), person: {} }, "chat", "chat", ROLE.user)).toBe(true),
  );
});
