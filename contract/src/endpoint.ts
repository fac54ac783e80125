/** The type of a console endpoint: the server mounts these definitions, the web calls them and the OpenAPI document prints them. */
import type { z } from "zod";
import type { Act } from "./permissions.ts";
import type { RequiredAction } from "./roles.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/**
 * Who may call. `public`: anyone. `optional`: anyone, and a session is read if there is one. `user`, `admin`, `root`: a session
 * or access token of at least that role (contract/roles.ts). `signed`: a callback that its own signature authenticates.
 */
export type Access = "public" | "optional" | "user" | "admin" | "root" | "signed";

/**
 * Whose object a call is about; the access matrix (tests/access) holds every route to it.
 * `none`: no user's, the same for all. `self`: the caller's own account, whatever the call names. `own`: rows that belong to
 * the caller; those of others answer exactly as missing ones. `lowerRole`: an account of a lower role than the caller's. `site`:
 * what belongs to the whole installation, for all whom the access rule admits.
 */
export type AccessObject = "none" | "self" | "own" | "lowerRole" | "site";

/**
 * Buckets of 20 calls in 20 minutes beside the global limit, one of each kind: an address (IPv6: a /64) has its own for registering, for codes
 * by mail, for resets and for the set-up; a signed-in user has one for confirming, one for paying, one for test messages and one for addresses that give a key.
 * `login` counts failures only, and only where many clients share an address that no proxy vouches for; everywhere else wrong guesses are counted
 * by account and network. `none`: the global limit alone.
 */
export type RateLimit =
  | "none"
  | "login"
  | "register"
  | "code"
  | "reset"
  | "setup"
  | "confirm"
  | "pay"
  | "message"
  | "link";

/** Body limit in bytes of endpoints that take pages of HTML, tables of prices or lists of keys. */
export const LONG_BODY_BYTES = 4 * 1024 * 1024;

export interface Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Data extends z.ZodType = z.ZodType,
  Extra extends z.ZodType = z.ZodType,
> {
  method: Method;
  /** Path parameters are written `{name}`. It ends without a slash; the server accepts both forms. */
  path: string;
  access: Access;
  object: AccessObject;
  /** What an administrator has to be permitted; every endpoint with the access `admin` says it (contract/permissions.ts). */
  act?: Act;
  summary: string;
  params?: Params;
  query?: Query;
  body?: Body;
  /** Body limit in bytes where the default for forms does not fit; a longer body is answered with 413. */
  bodyBytes?: number;
  /** Schema of `data` in the envelope; absent when the answer carries none. */
  data?: Data;
  /** Schema of the fields beside `data` at the top level of the envelope, such as `time` of a channel test. */
  extra?: Extra;
  /** True for a GET that changes state: it then demands the user-id header or a same-origin request, and has a POST twin. */
  changesState?: boolean;
  /**
   * True for a GET that changes state and that another site's page leads the browser to: instead of the origin, a state that counts
   * once and belongs to this browser proves that it was begun here.
   */
  isProvenByState?: boolean;
  /** False where a good answer has no `message`: some programs take one with success, message and data for an envelope, and its other fields for none. */
  hasMessage?: false;
  rateLimit?: RateLimit;
  /** Needs a recent confirmation of the password (step-up) besides the session. */
  stepUp?: boolean;
  /** For sessions alone: an access token never changes a way to sign in, nor what ends a session. */
  sessionOnly?: boolean;
  /** On a demo site, remains open to all below the super administrator. */
  openInDemo?: boolean;
  /** Remains open to an account that has one of these to do first (contract/required-actions.ts); everything else is refused meanwhile. */
  openBefore?: readonly RequiredAction[];
  /** Fields of the body that may be sent meanwhile, where not every field belongs to what has to be done. */
  fieldsBefore?: readonly string[];
  /**
   * `stream`: the answer is no envelope but text of `mediaType`, sent as it is made. `redirect`: it leads the browser to a page of this
   * site (302). A refusal still is an envelope. `callback`: the request comes as it is (query, body, headers) and the answer is a status with a
   * few words, which another site's program reads.
   */
  answerKind?: "stream" | "redirect" | "callback";
  mediaType?: string;
}

/** Declares an endpoint and keeps the exact types of its schemas and of its access rule. */
export function endpoint<
  const Rule extends Access,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Data extends z.ZodType = z.ZodUndefined,
  Extra extends z.ZodType = z.ZodUndefined,
>(
  definition: Endpoint<Params, Query, Body, Data, Extra> & { access: Rule },
): Endpoint<Params, Query, Body, Data, Extra> & { readonly access: Rule } {
  return definition;
}

/** Declares an endpoint whose good answer is a stream of text; its handler gives the text piece by piece. */
export function streamEndpoint<
  const Rule extends Access,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
>(
  definition: Endpoint<Params, Query, Body, z.ZodUndefined, z.ZodUndefined> & {
    access: Rule;
    mediaType: string;
  },
): Endpoint<Params, Query, Body, z.ZodUndefined, z.ZodUndefined> & {
  readonly access: Rule;
  readonly answerKind: "stream";
} {
  return { ...definition, answerKind: "stream" };
}

/** Declares an endpoint whose good answer leads the browser to a page; its handler gives the path. */
export function redirectEndpoint<
  const Rule extends Access,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
>(
  definition: Endpoint<Params, Query, z.ZodUndefined, z.ZodUndefined, z.ZodUndefined> & { access: Rule },
): Endpoint<Params, Query, z.ZodUndefined, z.ZodUndefined, z.ZodUndefined> & {
  readonly access: Rule;
  readonly answerKind: "redirect";
} {
  return { ...definition, answerKind: "redirect" };
}

/** Declares an endpoint that another site's program calls: it gets the request as it came, for its signature is over the bytes. */
export function callbackEndpoint<const Rule extends Access>(
  definition: Endpoint<z.ZodUndefined, z.ZodUndefined, z.ZodUndefined, z.ZodUndefined, z.ZodUndefined> & {
    access: Rule;
  },
): Endpoint<z.ZodUndefined, z.ZodUndefined, z.ZodUndefined, z.ZodUndefined, z.ZodUndefined> & {
  readonly access: Rule;
  readonly answerKind: "callback";
} {
  return { ...definition, answerKind: "callback" };
}

/** The envelope around every answer of the console API. `code` is one of contract/errors.ts when `success` is false. */
export interface Envelope<Data> {
  success: boolean;
  message: string;
  data?: Data;
  code?: string;
  /** The body or query field that was refused. */
  field?: string;
  /** Values that the translated sentence of `code` needs. */
  values?: Readonly<Record<string, string | number>>;
}

export type ParamsOf<E> = E extends Endpoint<infer P, z.ZodType, z.ZodType, z.ZodType, z.ZodType> ? z.input<P> : never;
export type QueryOf<E> = E extends Endpoint<z.ZodType, infer Q, z.ZodType, z.ZodType, z.ZodType> ? z.input<Q> : never;
export type BodyOf<E> = E extends Endpoint<z.ZodType, z.ZodType, infer B, z.ZodType, z.ZodType> ? z.input<B> : never;
export type DataOf<E> = E extends Endpoint<z.ZodType, z.ZodType, z.ZodType, infer D, z.ZodType> ? z.output<D> : never;
export type ExtraOf<E> = E extends Endpoint<z.ZodType, z.ZodType, z.ZodType, z.ZodType, infer X> ? z.output<X> : never;
