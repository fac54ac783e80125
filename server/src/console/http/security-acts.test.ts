/** Tests of security events: every refusal with status 403 is one or states why not, and every listed action exists. */
import { expect, test } from "vitest";
import { API, FEATURE_NAMES } from "../../../../contract/src/api.ts";
import { type ErrorCode, ERRORS } from "../../../../contract/src/error-codes.ts";
import { isRefusal } from "../../../../contract/src/security-events.ts";
import { readSecurityReason } from "../../../../contract/src/security-reasons.ts";
import { ACTS, refusalKind, UNRECORDED } from "./security-acts.ts";

const FORBIDDEN = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => ERRORS[code].status === 403);

test("every code of status 403 is recorded, or is excepted with a reason", () => {
  expect(FORBIDDEN.length).toBeGreaterThan(8);
  const wrong = FORBIDDEN.filter((code) => {
    const kind = refusalKind(code, false);
    return kind === undefined ? (UNRECORDED[code] ?? "") === "" : UNRECORDED[code] !== undefined || !isRefusal(kind);
  });
  expect(wrong).toEqual([]);
  expect(Object.keys(UNRECORDED).filter((code) => !FORBIDDEN.includes(code as ErrorCode))).toEqual([]);
});

test("what an access token is refused is recorded, its missing confirmation too", () => {
  for (const code of ["session_required", "access_token_scope", "step_up_required"] as const)
    expect([code, refusalKind(code, true)]).toEqual([code, "access_token_refused"]);
  expect(refusalKind("step_up_required", false)).toBeUndefined();
});

test("refusals of other statuses that stand for a role or a key are recorded", () => {
  for (const code of ["user_role_not_lower", "user_is_root", "only_root_promotes"] as const)
    expect([code, refusalKind(code, false)]).toEqual([code, "account_refused"]);
  expect(refusalKind("channel_key_needed", false)).toBe("channel_key_refused");
});

test("every act that is named is an endpoint", () => {
  const names = new Set(
    FEATURE_NAMES.flatMap((feature) => Object.keys(API[feature]).map((name) => `${feature}.${name}`)),
  );
  expect(Object.keys(ACTS).filter((name) => !names.has(name))).toEqual([]);
});

test("what an act is recorded with can be read, so that the log says it in a sentence", () => {
  const params = { id: 8, provider: "github", type: "github" };
  const body = { id: 8, key: "SMTPToken", action: "disable", enabled: true, record_ip_log: false, program: "codex" };
  for (const data of [{ id: 9 }, [8, 9]])
    for (const [name, act] of Object.entries(ACTS)) {
      const noted = act({ params, body, data });
      const read = noted === undefined ? undefined : readSecurityReason(noted.kind, noted.reason ?? "");
      if (name === "channels.createChannel" && !Array.isArray(data)) continue;
      expect([name, noted?.reason, read?.sentence]).not.toEqual([name, noted?.reason, "other"]);
    }
});
