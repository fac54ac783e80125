/** Tests of the actions that a viewer is offered on a user, and of the names of roles and statuses. */
import { expect, test } from "vitest";
import type { ManagedUser } from "../../../../../contract/src/features/users.ts";
import { actionsFor, canEdit, roleName, statusName } from "./person.ts";

const root = { id: 1, role: 100 };
const admin = { id: 2, role: 10 };

const user = (change: Partial<ManagedUser>): ManagedUser => ({
  id: 9,
  username: "ada",
  password: "",
  display_name: "Ada",
  role: 1,
  status: 1,
  email: "",
  github_id: "",
  oidc_id: "",
  wechat_id: "",
  telegram_id: "",
  linux_do_id: "",
  quota: 0,
  used_quota: 0,
  request_count: 0,
  group: "default",
  aff_code: "",
  aff_count: 0,
  aff_quota: 0,
  aff_history_quota: 0,
  inviter_id: 0,
  inviter_name: "",
  remark: "",
  admin_permissions: null,
  created_time: 0,
  last_active_time: 0,
  has_second_factor: false,
  DeletedAt: null,
  ...change,
});

test("an administrator without the permission for users is offered nothing to do to them", () => {
  expect(actionsFor({ ...admin, admin_permissions: ["users"] }, user({}))).toContain("disable");
  expect(actionsFor({ ...admin, admin_permissions: ["money"] }, user({}))).toEqual([]);
});

test.each([
  [root, {}, ["disable", "promote", "end_sessions", "delete"]],
  [root, { status: 2 }, ["enable", "promote", "delete"]],
  [root, { status: 3 }, ["promote", "delete"]],
  [root, { status: 7 }, ["enable", "promote", "delete"]],
  [root, { role: 10 }, ["disable", "demote", "end_sessions", "delete"]],
  [root, { role: 5 }, ["disable", "promote", "end_sessions", "delete"]],
  [root, { role: 100 }, []],
  [root, { id: 1, role: 100 }, []],
  [root, { DeletedAt: "2026-01-01T00:00:00.000Z" }, []],
  [admin, {}, ["disable", "end_sessions", "delete"]],
  [admin, { role: 10 }, []],
  [admin, { id: 2, role: 10 }, []],
  [{ id: 3, role: 1 }, { role: 0 }, []],
  [null, {}, []],
])("%j may do to %j: %j", (viewer, change, actions) => {
  expect(actionsFor(viewer, user(change))).toEqual(actions);
});

test("the super administrator edits their own account and no other of that role; an administrator not their own", () => {
  expect(canEdit(root, user({ id: 1, role: 100 }))).toBe(true);
  expect(canEdit(root, user({ id: 5, role: 100 }))).toBe(false);
  expect(canEdit(admin, user({ id: 2, role: 10 }))).toBe(false);
});

test("what is not known is called unknown, and deregistered wins", () => {
  expect([0, 1, 5, 10, 99, 100].map(roleName)).toEqual(["unknown", "user", "unknown", "admin", "unknown", "root"]);
  const names = [1, 2, 3, 4, 0].map((status) => statusName({ status, DeletedAt: null }));
  expect(names).toEqual(["enabled", "disabled", "notActivated", "unknown", "unknown"]);
  expect(statusName({ status: 1, DeletedAt: "2026-01-01T00:00:00.000Z" })).toBe("deregistered");
});
