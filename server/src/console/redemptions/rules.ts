/** Rules of redemption codes, pure: what a code may be. */
import { AppError } from "../../../../contract/src/errors.ts";
import {
  REDEMPTION_BATCH_MAX,
  REDEMPTION_NAME_MAX,
  REDEMPTION_QUOTA_MAX,
} from "../../../../contract/src/features/redemptions.ts";

/** The trimmed name. Length counts characters, not bytes. */
export function checkName(name: string): string {
  const trimmed = name.trim();
  const { length } = [...trimmed];
  if (length < 1 || length > REDEMPTION_NAME_MAX) throw new AppError("redemption_name_length", { field: "name" });
  return trimmed;
}

/** A whole number from 1 up to REDEMPTION_QUOTA_MAX. */
export function checkQuota(quota: number): number {
  const isFine = Number.isSafeInteger(quota) && quota >= 1 && quota <= REDEMPTION_QUOTA_MAX;
  if (!isFine) throw new AppError("redemption_quota_invalid", { field: "quota" });
  return quota;
}

/** How many to make: 1 where absent. */
export function checkCount(count = 1): number {
  const isFine = Number.isInteger(count) && count >= 1 && count <= REDEMPTION_BATCH_MAX;
  if (!isFine) throw new AppError("redemption_count_invalid", { field: "count" });
  return count;
}
