/** The client's name for its own user, where a vendor bounds its length and refuses a longer one; part of the hub. */
import type { Warn } from "./neutral.ts";

/** OpenAI's `user` (github.com/maximhq/bifrost/pull/1000); Claude Code's names are about 200 characters long. */
export const OPENAI_USER_LENGTH = 64;

/** The name where the vendor takes it. It only helps the vendor to tell users apart, so one that is too long is left out. */
export function fittingUser(user: string | undefined, most: number, warn: Warn): string | undefined {
  if (user === undefined || user.length <= most) return user;
  warn("user", `the vendor takes names of up to ${most} characters`);
  return undefined;
}
