/** Tests of the logged-in user as the browser remembers it: what is stored decides which pages are offered. */
import { beforeAll, expect, test, vi } from "vitest";
import { ROLE } from "../../../contract/src/roles.ts";
import type * as Viewer from "./viewer.ts";

const stored = new Map<string, string>();
vi.stubGlobal("localStorage", {
  getItem: (key: string) => stored.get(key) ?? null,
  setItem: (key: string, value: string) => void stored.set(key, value),
  removeItem: (key: string) => void stored.delete(key),
});

let store: typeof Viewer;
beforeAll(async () => {
  store = await import("./viewer.ts");
});

const ADA = { id: 2, username: "ada", role: ROLE.admin, status: 1, group: "default" };

test("an administrator who logged in is offered the pages of administrators", () => {
  store.setViewer(ADA);
  expect(store.viewer()?.role).toBe(ROLE.admin);
});

test("an administrator who is only seen is offered a user's pages: all others are refused meanwhile", () => {
  store.setViewer({ ...ADA, seen: { until: 1_796_000_000, by: { id: 1 } } });
  expect(store.viewer()).toMatchObject({ username: "ada", role: ROLE.user, seen: { until: 1_796_000_000 } });
});
