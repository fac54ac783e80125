/** Refuses acts withheld from an administrator that depend on a call's body or the row it changes; the endpoint's own act is checked before. */
import { AppError } from "../../../../contract/src/errors.ts";
import { type Act, mayDo, type Permission, type PermissionHolder } from "../../../../contract/src/permissions.ts";

/** The refusal, with the first permission that would do. */
export const withheld = (act: Act, field?: string): AppError =>
  new AppError("permission_withheld", {
    values: { permission: typeof act === "string" ? act : (act[0] ?? "") },
    ...(field === undefined ? {} : { field }),
  });

/** Throws AppError permission_withheld, naming the field that asks for it. */
export function requirePermission(holder: PermissionHolder, permission: Permission, field?: string): void {
  if (!mayDo(holder, permission)) throw withheld(permission, field);
}
