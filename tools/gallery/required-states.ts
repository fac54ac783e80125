/** States of accounts with a required action: the factor to choose, the app with its codes, the password, and a login that asks for a passkey. */
import type { z } from "zod";
import { selfRow } from "../../contract/src/features/personal.ts";
import type { GalleryPage, StubbedAnswer } from "./gallery-page.ts";
import { site } from "./people-states.ts";

/** A user with a password and this required action. */
const account = (required_action: z.output<typeof selfRow>["required_action"]): StubbedAnswer => ({
  url: "**/api/user/self",
  answer: {
    data: {
      id: 2,
      username: "lin",
      password: "",
      display_name: "Lin",
      role: 1,
      status: 1,
      email: "lin@example.com",
      github_id: "",
      oidc_id: "",
      wechat_id: "",
      telegram_id: "",
      linux_do_id: "",
      quota: 0,
      used_quota: 0,
      request_count: 0,
      group: "default",
      aff_code: "abcd",
      aff_count: 0,
      aff_quota: 0,
      aff_history_quota: 0,
      inviter_id: 0,
      DeletedAt: null,
      setting: "{}",
      has_password: true,
      has_access_token: false,
      required_action,
      admin_permissions: [],
    } satisfies z.output<typeof selfRow>,
  },
});

const SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
const APP: readonly StubbedAnswer[] = [
  account("second_factor"),
  {
    url: "**/api/user/self/totp",
    answer: { data: { secret: SECRET, address: `otpauth://totp/Turnpike:lin?secret=${SECRET}&issuer=Turnpike` } },
  },
  {
    url: "**/api/user/self/totp/confirm",
    answer: { data: { recovery_codes: Array.from({ length: 8 }, (_, index) => `abcd${index + 2}fgh${index + 2}k`) } },
  },
];
const TERMS = { user_agreement_enabled: true, privacy_policy_enabled: true };
const BEGIN = { click: 'main button[data-variant="filled"]' } as const;
const PATH = "/secure-account?next=%2Flog";

export const REQUIRED_STATES: readonly GalleryPage[] = [
  { name: "required-factor", path: PATH, as: "user", answers: APP.slice(0, 1) },
  {
    name: "required-app",
    path: PATH,
    as: "user",
    answers: APP.slice(0, 2),
    steps: [BEGIN, { wait: 'input[name="code"]' }],
  },
  {
    name: "required-codes",
    path: PATH,
    as: "user",
    answers: APP,
    steps: [
      BEGIN,
      { wait: 'input[name="code"]' },
      { click: 'input[name="code"]' },
      { type: "123456" },
      { press: "Enter" },
      { wait: "main li" },
    ],
  },
  { name: "required-terms", path: PATH, as: "user", answers: [account("terms"), site(TERMS)] },
  { name: "required-password", path: PATH, as: "user", answers: [account("password_change")] },
  {
    name: "required-password-refused",
    path: PATH,
    as: "user",
    answers: [account("password_change")],
    steps: [
      { click: 'input[autocomplete="current-password"]' },
      { type: "battery staple 7" },
      { click: 'input[autocomplete="new-password"]' },
      { type: "short" },
      { press: "Enter" },
    ],
  },
  {
    name: "login-passkey-step",
    isStill: true,
    path: "/login",
    as: "guest",
    answers: [
      {
        url: "**/api/user/login{?*,}",
        answer: { data: { require_second_factor: true, ticket: "ticket", methods: ["passkey"] } },
      },
    ],
    steps: [
      { click: 'input[name="username"]' },
      { type: "lin" },
      { click: 'input[name="password"]' },
      { type: "battery staple 7" },
      { press: "Enter" },
      { pauseMs: 500 },
    ],
  },
];
