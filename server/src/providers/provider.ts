/** What a provider folder exports: who answers, as small facts and pure functions. registry.ts lists them. */

/** What the client wants done, whatever its dialect. */
export type Operation = "chat" | "completions" | "embeddings" | "models";

/** The wire formats an upstream can speak; each has a file in dialects/. */
export type DialectName = "openai-chat";

/** A field of the channel form beyond the common ones; the drawer is drawn from these. */
export interface ProviderField {
  /** Column of the channel it is kept in. */
  name: "base_url" | "other" | "openai_organization";
  /** Key of the label and help in the locale files. */
  label: string;
  isRequired: boolean;
  placeholder?: string;
}

export interface ProviderManifest {
  /** Channel type id (spec section 3). */
  id: number;
  /** Folder name. */
  slug: string;
  name: string;
  dialect: DialectName;
  /** Empty where the operator has to give one. */
  defaultBaseUrl: string;
  /** How a key looks, shown as placeholder. */
  keyHint: string;
  fields: readonly ProviderField[];
  operations: readonly Operation[];
  /** Accepts stream_options.include_usage. */
  supportsStreamUsage: boolean;
  canTest: boolean;
  /** Glyph and colour of its mark in the console. */
  mark: { glyph: string; colour: string };
}

export interface ProviderChannel {
  baseUrl: string;
  key: string;
  other: string;
  openaiOrganization: string;
}

export interface ProviderRequest {
  url: string;
  /** Flat name-value list, as undici takes it. */
  headers: string[];
}

export type UpstreamErrorKind =
  | "auth"
  | "quota"
  | "rate"
  | "overloaded"
  | "invalid"
  | "timeout"
  | "network"
  | "content";

/** An upstream's failure, normalised. Routing decides on `kind` and `isRetryable` only. */
export interface UpstreamFailure {
  kind: UpstreamErrorKind;
  /** HTTP status, or 0 where there was none. */
  status: number;
  isRetryable: boolean;
  /** The vendor's own words, scrubbed of keys and URLs. */
  message: string;
  type: string;
  code: string;
}

export interface Provider {
  manifest: ProviderManifest;
  /** Default models, shown in the console and filled into a new channel. */
  models: readonly string[];
  /** Where and with what headers an operation goes. `path` is the client's path and query. */
  endpoint(channel: ProviderChannel, operation: Operation, path: string, model: string): ProviderRequest;
  /** What differs from the dialect: applied to the request's top-level fields before sending; each with its reason. */
  quirks: readonly Quirk[];
  /** Reads a failed answer. */
  failure(status: number, body: string): UpstreamFailure;
}

/** One deviation from the dialect, as data where possible. */
export interface Quirk {
  reason: string;
  appliesTo(model: string, operation: Operation): boolean;
  /** Fields to drop and fields to set, on the top level of the request. */
  patch(body: Readonly<Record<string, unknown>>): {
    remove?: readonly string[];
    set?: Readonly<Record<string, unknown>>;
  };
}
