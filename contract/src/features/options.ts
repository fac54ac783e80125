/** Endpoints that read and change the system's options. */
import { z } from "zod";
import { endpoint, LONG_BODY_BYTES } from "../endpoint.ts";
import { OPTION_KINDS, OPTION_OWNERS, OPTION_UNITS } from "../options/option-kinds.ts";
import { optionTestQuestion, optionTestStep } from "../options/option-tests.ts";
import { testMessageResult } from "../notifications.ts";
import { OPTION_PAGES } from "../options/sections.ts";

export const optionRowSchema = z.object({
  key: z.string(),
  /** Always text; empty for a secret, which cannot be read back. */
  value: z.string(),
  /** Whether a non-empty value is stored; for a secret this is all that is shown. */
  is_set: z.boolean(),
  /** Unix seconds; 0 where it was never changed. */
  updated_time: z.number(),
  /** Username of the last editor; empty if never changed, for the wizard and for deleted accounts. */
  updated_by: z.string(),
  /** Changes with every change of the option; send it back with a new value. */
  revision: z.number(),
});
export type OptionRow = z.output<typeof optionRowSchema>;

export const optionDescriptionSchema = z.object({
  key: z.string(),
  kind: z.enum(OPTION_KINDS),
  /** Tab of the settings page, and the section of it. */
  page: z.enum(OPTION_PAGES),
  section: z.string(),
  default: z.string(),
  is_secret: z.boolean(),
  /** Who may set it: the super administrator alone, or every administrator. */
  owner: z.enum(OPTION_OWNERS),
  needs_step_up: z.boolean(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  unit: z.enum(OPTION_UNITS).optional(),
  choices: z.array(z.string()).optional(),
});
export type OptionDescription = z.output<typeof optionDescriptionSchema>;

export const listOptions = endpoint({
  method: "GET",
  path: "/api/option",
  access: "admin",
  act: ["options", "money"],
  object: "site",
  summary: "Every option and its value, by name; secrets are left blank",
  data: z.array(optionRowSchema),
});

export const describeOptions = endpoint({
  method: "GET",
  path: "/api/option/schema",
  access: "admin",
  act: ["options", "money"],
  object: "site",
  summary: "Type, place, default and limits of every option, in the order of the settings page",
  data: z.array(optionDescriptionSchema),
});

/** Events of the administrators' log that change options. */
export const OPTION_EVENTS = ["option_changed", "prices_changed", "ratios_reset"] as const;

/** Entries of an option's history that are sent. */
export const OPTION_HISTORY_LENGTH = 50;

export const optionHistoryEntrySchema = z.object({
  /** Unix seconds. */
  created_time: z.number(),
  username: z.string(),
  event: z.enum(OPTION_EVENTS),
  /** Texts before and after, at most 2000 characters of each; absent for secrets and where models' prices were changed one by one. */
  from: z.string().optional(),
  to: z.string().optional(),
  /** Whether one of the two was too long and ends early. */
  is_cut: z.boolean(),
});
export type OptionHistoryEntry = z.output<typeof optionHistoryEntrySchema>;

export const getOptionHistory = endpoint({
  method: "GET",
  path: "/api/option/history",
  access: "admin",
  act: ["options", "money"],
  object: "site",
  summary: "The newest 50 changes of one option from the administrators' log; values of secrets are never among them",
  query: z.object({ key: z.string().min(1).max(200) }),
  data: z.array(optionHistoryEntrySchema),
});

export const updateOption = endpoint({
  method: "PUT",
  path: "/api/option",
  access: "admin",
  act: ["options", "money"],
  object: "site",
  summary:
    "Change one option. Those whose owner is root are the super administrator's, who confirms the password before; no access token sets them",
  body: z.object({
    key: z.string().min(1),
    /** As text; a number or a truth value is taken as the text that JSON writes for it. */
    value: z.union([z.string(), z.boolean().transform(String), z.number().transform(String)]),
    /** The revision that was read; the change is refused if the option has changed since. Absent: no check. */
    revision: z.number().optional(),
  }),
  bodyBytes: LONG_BODY_BYTES,
});

export const resetModelRatio = endpoint({
  method: "POST",
  path: "/api/option/rest_model_ratio",
  access: "admin",
  act: "money",
  object: "site",
  summary: "Removes the operator's prices of all models: those of the price list hold again",
});

export const sendTestMail = endpoint({
  method: "POST",
  path: "/api/option/test_mail",
  access: "admin",
  act: "options",
  object: "site",
  summary: "Sends a test mail with the stored SMTP options at once, and tells what the mail server answered",
  body: z.object({ to: z.string().max(400) }),
  data: testMessageResult,
  rateLimit: "message",
});

export const testOptions = endpoint({
  method: "POST",
  path: "/api/option/test",
  access: "root",
  object: "site",
  summary:
    "Tries options as they are typed, before they are saved: a mail by SMTP, a way of signing in at another site, or a gateway of payments. Nothing is stored. Typed values, and mails in any case, want the confirmation that storing them wants; where the address is another one than the stored one, a stored secret is not used and has to be typed",
  body: optionTestQuestion,
  bodyBytes: LONG_BODY_BYTES,
  data: z.array(optionTestStep),
});

/** Largest picture of the site, and its longer side. */
export const SITE_PICTURE_BYTES_MAX = 512 * 1024;
export const SITE_PICTURE_PIXELS_MAX = 2048;
/** Where uploaded pictures are served while an option names them. */
export const SITE_PICTURE_PATH = "/api/site/picture/";
const PICTURE_BODY_BYTES = 1024 * 1024;

const sitePicture = z.object({
  /** What the options Logo, LogoDark and Favicon take; it is served once one of them has it. */
  address: z.string(),
  width: z.number(),
  height: z.number(),
  bytes: z.number(),
});
export type SitePicture = z.output<typeof sitePicture>;

export const uploadSitePicture = endpoint({
  method: "POST",
  path: "/api/option/picture",
  access: "root",
  object: "site",
  summary:
    "Stores a picture for the logo or the icon of the site: PNG or WebP of up to 512 KB and 2048 pixels a side. It is served once an option names its address",
  body: z.object({ data: z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/) }),
  bodyBytes: PICTURE_BODY_BYTES,
  sessionOnly: true,
  data: sitePicture,
});

export const discoveredEndpointsSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  user_info_endpoint: z.string(),
});
export type DiscoveredEndpoints = z.output<typeof discoveredEndpointsSchema>;

export const discoverOidc = endpoint({
  method: "POST",
  path: "/api/option/oidc_discovery",
  access: "admin",
  act: "options",
  object: "site",
  summary: "Fetches the description of an OpenID provider from its well-known URL; changes nothing here",
  body: z.object({ url: z.string().max(2048) }),
  data: discoveredEndpointsSchema,
});

/** How the newest release compares with this one; `unknown` where its name is no version. */
export const RELEASE_RELATIONS = ["newer", "same", "older", "unknown"] as const;

export const updateCheckSchema = z.object({
  current: z.string(),
  latest: z.string(),
  relation: z.enum(RELEASE_RELATIONS),
  /** Title of the release; "" where it has none. */
  name: z.string(),
  /** Markdown. */
  notes: z.string(),
  /** https address of its page; "" where it has none. */
  url: z.string(),
});
export type UpdateCheck = z.output<typeof updateCheckSchema>;

export const checkForUpdate = endpoint({
  method: "GET",
  path: "/api/option/update",
  access: "admin",
  act: "options",
  object: "site",
  summary: "Looks at UpdateCheckUrl for the newest release; off while that option is empty",
  data: updateCheckSchema,
});

export const systemInfoSchema = z.object({
  version: z.string(),
  /** Unix seconds. */
  start_time: z.number(),
  node_version: z.string(),
  /** sqlite, postgres or mysql. */
  database_type: z.string(),
  /** What sent a forwarding header within a day without being in TRUSTED_PROXIES; absent where nothing did. */
  untrusted_proxy: z
    .object({
      address: z.string(),
      /** False for a public address, which may belong to any client. */
      is_private: z.boolean(),
    })
    .optional(),
});
export type SystemInfo = z.output<typeof systemInfoSchema>;

export const getSystemInfo = endpoint({
  method: "GET",
  path: "/api/option/system_info",
  access: "admin",
  act: "options",
  object: "site",
  summary: "What this server runs on, for administrators",
  data: systemInfoSchema,
});
