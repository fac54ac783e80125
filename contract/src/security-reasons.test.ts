/** Tests of reading reasons of the security log: what the server writes has a sentence, and what it does not write is still shown. */
import { expect, test } from "vitest";
import { SECURITY_REASON_MAX, type SecurityEventKind } from "./security-events.ts";
import { readSecurityReason, type SecuritySentence } from "./security-reasons.ts";

const WRITTEN: [SecurityEventKind, string, SecuritySentence, Record<string, string>][] = [
  ["sessions_ended", "too_many", "ended_too_many", {}],
  ["auto_top_up_changed", "off", "top_up_off", {}],
  ["call_addresses_changed", "left out", "addresses_left_out", {}],
  ["account_changed", "end_sessions", "account_end_sessions", {}],
  ["account_refused", "permissions", "account_permissions", {}],
  ["account_refused", "identities.unbindOf", "call", { name: "identities.unbindOf" }],
  ["option_changed", "oidc.enabled", "option", { name: "oidc.enabled" }],
  ["option_refused", "oidc.client_secret", "option", { name: "oidc.client_secret" }],
  ["option_refused", "options.updateOption", "call", { name: "options.updateOption" }],
  ["provider_changed", "made 3", "provider_made", { provider: "#3" }],
  ["provider_changed", "release okta", "provider_released", { provider: "okta" }],
  ["channel_key_changed", "made 8", "keys_made", { channels: "#8" }],
  ["channel_key_changed", "made 8, 9", "keys_made", { channels: "#8, #9" }],
  ["channel_key_changed", "set Main lane", "key_set", { channel: "Main lane" }],
  ["channel_key_copied", "8 to 12", "keys_copied", { from: "#8", to: "#12" }],
  [
    "channel_key_redirected",
    "channel 8: base_url, proxy",
    "key_redirected",
    { channel: "#8", fields: "base_url, proxy" },
  ],
  ["setup_link_fetched", "claude-code, token 7", "setup", { program: "claude-code", token: "#7" }],
  ["locked_out", "second_step", "guess_second_step", {}],
  ["sign_in_failed", "oauth_state_invalid", "oauth_state_invalid", {}],
  ["code_failed", "reset_link_invalid", "reset_link_invalid", {}],
  ["role_refused", "channels.createChannel", "call", { name: "channels.createChannel" }],
  ["role_refused", "many", "many", {}],
];

test.each(WRITTEN)("%s with %s", (kind, reason, sentence, values) => {
  expect(readSecurityReason(kind, reason)).toEqual({ sentence, values });
});

test("a list that was cut where it was stored names no channel by half of its number", () => {
  const ids = Array.from({ length: 40 }, (_, index) => 1_000 + index).join(", ");
  const stored = `made ${ids}`.slice(0, SECURITY_REASON_MAX);
  const read = readSecurityReason("channel_key_changed", stored);
  expect(read?.sentence).toBe("keys_made_more");
  expect(read?.values["channels"]?.split(", ").every((name) => /^#10\d\d$/.test(name))).toBe(true);
});

test("an unknown reason is kept as it is, and none is none", () => {
  expect(readSecurityReason("signed_in", "by hand")).toEqual({ sentence: "other", values: { reason: "by hand" } });
  expect(readSecurityReason("account_changed", "constructor")?.sentence).toBe("other");
  expect(readSecurityReason("signed_in", "")).toBeUndefined();
});
