/** The client's id of its own user, dropped if it is longer than a vendor accepts; part of the hub. */
import type { Warn } from "./neutral.ts";

/** OpenAI's `user` (github.com/maximhq/bifrost/pull/1000); Claude Code's names are about 200 characters long. */
export const OPENAI_USER_LENGTH = 64;

/** The id if the vendor accepts it. It only helps the vendor to distinguish users, so one that is too long is dropped. */
export function fittingUser(user: string | undefined, most: number, warn: Warn): string | undefined {
  if (user === undefined || user.length <= most) return user;
  warn("user", `the vendor takes names of up to ${most} characters`);
  return undefined;
}
