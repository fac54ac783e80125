/** Endpoints of accounts at other sites: signing in and registering with one, binding and unbinding, and the named OpenID and OAuth 2.0 providers. */
import { z } from "zod";
import { endpoint, redirectEndpoint } from "../endpoint.ts";
import { nameText } from "../names.ts";
import { pathId } from "../query.ts";
import { optionTestStep } from "../options/option-tests.ts";
import { loginUserSchema } from "./sessions.ts";

/** What another site puts into an address is short; longer ones are refused. */
const text = z.string().max(4096).default("");
const flag = z
  .union([z.boolean(), z.enum(["true", "false", ""])])
  .default(false)
  .transform((value) => value === true || value === "true");

const sending = { access: "optional", object: "self" } as const;
const reading = { ...sending, method: "GET", changesState: true } as const;
const posting = { ...sending, method: "POST" } as const;

const stateRequest = z.object({
  /** The invite code of the link that led here. */
  aff: text,
  /** `github`, `oidc`, `discord`, `linuxdo`, `lark`, `dingtalk`, `wechat`, `telegram` or the slug of a named provider; "" where the client builds the address itself. */
  provider: text,
  /** True where the account of this session shall get the identity. */
  bind: flag,
});
const stateAnswer = {
  summary: "Begins a sign-in with another site's account: a state that counts once, for ten minutes, in this browser",
  data: z.string(),
  extra: z.object({
    /** The other site's page with everything it needs; absent where no provider was named or it has no such page. */
    authorize_url: z.string().optional(),
  }),
} as const;
export const createStateByGet = endpoint({ ...reading, ...stateAnswer, path: "/api/oauth/state", query: stateRequest });
export const createState = endpoint({ ...posting, ...stateAnswer, path: "/api/oauth/state", body: stateRequest });

const callback = z.object({
  code: text,
  /** What DingTalk calls the code. */
  authCode: text,
  state: text,
  /** Who answered, where the provider says so (RFC 9207). */
  iss: text,
  error: text,
  error_description: text,
});
const finished = {
  summary: "Ends a sign-in with another site's account: signs in, registers, or binds (message `bind`, no data)",
  params: z.object({ type: z.string().max(64) }),
  data: loginUserSchema.optional(),
} as const;
export const finishByGet = endpoint({ ...reading, ...finished, path: "/api/oauth/{type}", query: callback });
export const finish = endpoint({ ...posting, ...finished, path: "/api/oauth/{type}", body: callback });

const wechatCode = z.object({
  code: text,
  aff: text,
  /** Of /api/oauth/state for the provider `wechat`; only the form of older clients may go without, from a page of this site. */
  state: text,
});
const wechatSignIn = {
  summary: "Signs in or registers with a code of the WeChat account",
  data: loginUserSchema,
} as const;
export const wechatSignInByGet = endpoint({
  ...reading,
  ...wechatSignIn,
  path: "/api/oauth/wechat",
  query: wechatCode,
});
export const wechatSignInByPost = endpoint({
  ...posting,
  ...wechatSignIn,
  path: "/api/oauth/wechat",
  body: wechatCode,
});

const wechatBind = {
  access: "user",
  summary: "Binds the WeChat account of a code to the own account",
  // A way in: neither an access token nor a session that was left open adds a way in.
  stepUp: true,
} as const;
export const wechatBindByGet = endpoint({
  ...reading,
  ...wechatBind,
  path: "/api/oauth/wechat/bind",
  query: z.object({ code: text }),
});
export const wechatBindByPost = endpoint({
  ...posting,
  ...wechatBind,
  path: "/api/oauth/wechat/bind",
  body: z.object({ code: text }),
});

const signedText = z.string().max(4096).optional();
/** What Telegram's widget gives; every other field stays out of its hash. */
const telegramFields = {
  id: text,
  first_name: signedText,
  last_name: signedText,
  username: signedText,
  photo_url: signedText,
  auth_date: text,
  hash: text,
};
const telegramLogin = z.object({ ...telegramFields, state: text });
const telegramSignIn = {
  summary: "Signs in with what Telegram's widget gave; never registers",
  data: loginUserSchema,
} as const;
export const telegramSignInByGet = endpoint({
  ...reading,
  ...telegramSignIn,
  path: "/api/oauth/telegram/login",
  query: telegramLogin,
});
export const telegramSignInByPost = endpoint({
  ...posting,
  ...telegramSignIn,
  path: "/api/oauth/telegram/login",
  body: telegramLogin,
});

const telegramBinding = {
  summary: "Binds the Telegram account that the widget proved; the state has to be one to bind",
  path: "/api/oauth/telegram/bind",
} as const;
export const telegramBindByGet = redirectEndpoint({
  ...reading,
  ...telegramBinding,
  isProvenByState: true,
  query: telegramLogin,
});
export const telegramBindByPost = endpoint({ ...posting, ...telegramBinding, body: telegramLogin });

export const bindingSchema = z.object({
  /** `github`, `oidc`, `discord`, `linuxdo`, `lark`, `dingtalk`, `wechat`, `telegram` or the slug of a named provider. */
  provider: z.string(),
  /** Name of a named provider; "" for the others. */
  name: z.string(),
  /** What the person is called there; the stable id where no name is known. */
  login: z.string(),
});
export type Binding = z.output<typeof bindingSchema>;

export const makeTelegramLink = endpoint({
  method: "POST",
  path: "/api/user/self/telegram_link",
  access: "user",
  object: "self",
  summary:
    "A link of the site's Telegram bot; the Telegram account that opens it is bound to the own account. It counts once, for ten minutes",
  data: z.object({
    /** What the link carries; `/bind` and this sent to the bot do the same. */
    code: z.string(),
    link: z.string(),
  }),
  // A way in, as every binding.
  stepUp: true,
  rateLimit: "confirm",
});

export const listBindings = endpoint({
  method: "GET",
  path: "/api/user/self/binding",
  access: "user",
  object: "self",
  summary: "Which accounts of other sites are bound to the own account",
  data: z.array(bindingSchema),
});

export const unbind = endpoint({
  method: "DELETE",
  path: "/api/user/self/binding/{provider}",
  access: "user",
  object: "self",
  summary: "Unbinds an account of another site; refused where it is the last way in",
  params: z.object({ provider: z.string().max(64) }),
  stepUp: true,
});

const managedBinding = bindingSchema.extend({
  /** True where the account could not be entered without it. */
  is_last: z.boolean(),
});
export type ManagedBinding = z.output<typeof managedBinding>;

export const listBindingsOf = endpoint({
  method: "GET",
  path: "/api/user/{id}/oauth/bindings",
  access: "admin",
  act: "users",
  object: "lowerRole",
  summary: "Which accounts of other sites are bound to a user's account",
  params: pathId,
  data: z.array(managedBinding),
});

export const unbindOf = endpoint({
  method: "DELETE",
  path: "/api/user/{id}/bindings/{type}",
  access: "admin",
  act: "users",
  object: "lowerRole",
  summary:
    "Unbinds an account of another site from a user's account, who gets a mail; the last way in with `last` alone",
  params: pathId.extend({ type: z.string().max(64) }),
  /** `last=true` says that the user may be left without a way in. */
  query: z.object({ last: flag }),
  stepUp: true,
});

const address = z.string().max(2048).default("");
/** A dotted path into a site's user-info answer; "" where it has no such field. */
const path = z.string().trim().max(128);
/** How an OAuth 2.0 site without OpenID is used; OpenID says all of this itself. */
const mappingFields = {
  /** Parted by blanks. */
  scopes: z.string().trim().max(500).default(""),
  /** Where the token endpoint wants the client's secret. */
  client_authentication: z.enum(["form", "header"]).default("form"),
  /** An id that never changes and never goes to another person. */
  user_id_field: path.default("id"),
  username_field: path.default(""),
  display_name_field: path.default(""),
  email_field: path.default(""),
  /** The field that is true where the address is verified; without it no address is taken over. */
  email_verified_field: path.default(""),
  /** Conditions upon fields, one a line, that all have to hold at every sign-in; "" lets everybody in. */
  entry_conditions: z.string().trim().max(4000).default(""),
};
export const oauthMappingSchema = z.object(mappingFields);
export type OAuthMapping = z.output<typeof oauthMappingSchema>;

/** What an administrator says of a provider beside its slug and secret. */
export const identityProviderFields = {
  kind: z.enum(["oidc", "oauth2"]).default("oidc"),
  name: nameText.pipe(z.string().trim().min(1).max(64)),
  is_enabled: z.boolean().default(true),
  client_id: z.string().trim().min(1).max(255),
  /** Either this, or all three of the others. */
  well_known: address,
  authorization_endpoint: address,
  token_endpoint: address,
  user_info_endpoint: address,
  ...mappingFields,
};
const slug = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, "Small letters, digits and hyphens, at most 32");

export const identityProviderSchema = z.object({
  id: z.number(),
  slug: z.string(),
  name: z.string(),
  is_enabled: z.boolean(),
  client_id: z.string(),
  well_known: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  user_info_endpoint: z.string(),
  /** `oauth2`: a site without OpenID, for which the fields below count. */
  kind: z.enum(["oidc", "oauth2"]),
  ...oauthMappingSchema.shape,
});

const siteWide = { access: "root", object: "site", stepUp: true } as const;
export const listIdentityProviders = endpoint({
  method: "GET",
  path: "/api/identity_provider",
  access: "root",
  object: "site",
  summary: "The named OpenID and OAuth 2.0 providers; their secrets are never shown",
  data: z.array(identityProviderSchema),
});
export const createProvider = endpoint({
  ...siteWide,
  method: "POST",
  path: "/api/identity_provider",
  summary: "Adds a named OpenID or OAuth 2.0 provider; its callback is /oauth/{slug}",
  body: z.object({ slug, ...identityProviderFields, client_secret: z.string().min(1).max(1000) }),
  data: identityProviderSchema,
});
export const updateProvider = endpoint({
  ...siteWide,
  method: "PUT",
  path: "/api/identity_provider/{id}",
  summary: "Changes a named provider; a blank secret keeps the stored one, and its slug stays",
  params: pathId,
  body: z.object({ ...identityProviderFields, client_secret: z.string().max(1000).default("") }),
  data: identityProviderSchema,
});
export const testProvider = endpoint({
  ...siteWide,
  method: "POST",
  path: "/api/identity_provider/test",
  summary:
    "Tries a named provider as it is typed, before it is saved: reads its description and asks its token endpoint whether it knows the client. Nothing is stored. A blank secret is the stored one of `id`, which is sent to the stored addresses alone",
  body: z.object({
    /** Of the provider that is changed; 0 for a new one. */
    id: z.number().int().min(0).default(0),
    slug,
    ...identityProviderFields,
    client_secret: z.string().max(1000).default(""),
  }),
  data: z.array(optionTestStep),
});
export const deleteProvider = endpoint({
  ...siteWide,
  method: "DELETE",
  path: "/api/identity_provider/{id}",
  summary: "Deletes a named provider, and whatever identities of it are bound",
  params: pathId,
});
