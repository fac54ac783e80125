/** Sample rows of what an account is signed in with and known by, and of what is a user's own; a part of columns.ts. */
import type { Schema } from "../../server/src/db/schema.ts";
import { BIG, type Sample, TEXT } from "./sample-values.ts";

type AccountTable =
  | "one_time_codes"
  | "guesses"
  | "security_events"
  | "known_networks"
  | "pending_rewards"
  | "terms_acceptances"
  | "invitations"
  | "identity_providers"
  | "identities"
  | "totp_factors"
  | "recovery_codes"
  | "passkeys"
  | "stored_responses"
  | "background_responses"
  | "background_events"
  | "chat_shares"
  | "setup_links";

export const ACCOUNT_ROWS: { [T in AccountTable]: Sample<Schema[T]> } = {
  one_time_codes: {
    purpose: "email",
    subject: "a@b.example",
    secret_hash: "a".repeat(43),
    payload: TEXT,
    tries: 0,
    created_time: 1,
    expires_time: 2,
  },
  guesses: { bucket: "b", failures: 1, last_time_ms: 1_800_000_000_000 },
  security_events: {
    event_key: "p 1",
    kind: "signed_in",
    is_refusal: 0,
    user_id: 1,
    actor_id: 0,
    network: "203.0.113.0/24",
    way: "password",
    reason: "",
    count: 1,
    created_time: 1,
    last_time: 1,
  },
  known_networks: { user_id: 1, network: "203.0.113.0/24", seen_time: 1 },
  invitations: {
    email: "a@people.example",
    token_hash: "invitation-hash",
    group_name: TEXT.slice(0, 8),
    quota: BIG,
    created_by: BIG,
    created_time: BIG,
    expires_time: BIG,
    used_time: BIG,
    used_by: BIG,
    revoked_time: BIG,
  },
  pending_rewards: { user_id: 1, gift: BIG, invitee: 1, inviter_id: 2, inviter: 3 },
  terms_acceptances: { user_id: 1, version: "0123456789abcdef", accepted_time: 1 },
  identity_providers: {
    slug: "keycloak",
    name: TEXT,
    is_enabled: 1,
    client_id: "c",
    client_secret_cipher: "v1.0.abc",
    endpoints: "{}",
    oauth: "{}",
    created_time: 1,
  },
  identities: { provider: "keycloak", subject: TEXT, user_id: 1, login: TEXT, created_time: 1 },
  totp_factors: { user_id: 1, secret_cipher: "v1.0.abc", confirmed_time: 0, last_step: 0, created_time: 1 },
  recovery_codes: { user_id: 1, code_hash: "a".repeat(43), used_time: 0 },
  passkeys: {
    credential_hash: "a".repeat(43),
    credential_id: "c".repeat(1400),
    user_id: 1,
    name: TEXT,
    public_key: "k".repeat(3000),
    counter: 4_294_967_295,
    transports: "usb,nfc",
    is_backed_up: 1,
    created_time: 1,
    used_time: 0,
    origin: "https://gate.example",
  },
  background_responses: {
    id: "resp_bg_20261128000000000abcdefghijklmn",
    user_id: 1,
    process_id: "p",
    model: TEXT,
    status: "in_progress",
    is_streamed: 1,
    is_cancel_asked: 0,
    response: "v1.0.abc",
    bytes: BIG,
    upstream_id: "",
    created_time: 1,
  },
  background_events: { response_id: "resp_bg_1", last_sequence: 9, events: "v1.0.abc", created_time: 1 },
  stored_responses: {
    id: "a".repeat(200),
    user_id: 1,
    channel_id: 1,
    channel_key_id: 1,
    model: TEXT.slice(0, 255),
    created_time: 1,
  },
  chat_shares: {
    id: "a".repeat(22),
    user_id: 1,
    title: TEXT.slice(0, 120),
    created_time: 1,
    expires_time: 2,
    bytes: 2,
    has_system: 0,
    content: "{}",
  },
  setup_links: {
    code_hash: "a".repeat(43),
    user_id: 1,
    token_id: 1,
    program: "claude-code",
    shell: "powershell",
    model: TEXT.slice(0, 256),
    origin: "https://a.example",
    expires_time: 2,
  },
};
