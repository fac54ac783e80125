/** Verifies Cloudflare Turnstile tokens on the server (Cloudflare's siteverify documentation). */
import { AppError } from "../../../../contract/src/errors.ts";
import type { OptionValues } from "../../../../contract/src/options/options.ts";

const VERIFY_ADDRESS = "https://challenges.cloudflare.com/turnstile/v0/siteverify";
const TIMEOUT_MS = 5_000;

/**
 * Throws AppError human_check_missing or human_check_failed; does nothing where the check is off. Who verifies is Cloudflare, or
 * what a test puts in its place.
 */
export async function checkHuman(
  options: Pick<OptionValues, "TurnstileCheckEnabled" | "TurnstileSecretKey">,
  token: string,
  ip: string,
  verifyAddress = VERIFY_ADDRESS,
): Promise<void> {
  if (!options.TurnstileCheckEnabled) return;
  if (token === "") throw new AppError("human_check_missing", { field: "turnstile" });
  if (!(await isHuman(options.TurnstileSecretKey, token, ip, verifyAddress))) throw new AppError("human_check_failed");
}

async function isHuman(secret: string, token: string, ip: string, address: string): Promise<boolean> {
  const body = new URLSearchParams({ secret, response: token, remoteip: ip });
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const answer = await fetch(address, { method: "POST", body, signal, redirect: "error" });
    const verdict: unknown = await answer.json();
    return typeof verdict === "object" && verdict !== null && "success" in verdict && verdict.success === true;
  } catch (error) {
    throw new AppError("human_check_failed", { cause: error });
  }
}
