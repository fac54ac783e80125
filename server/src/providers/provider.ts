/** What a provider is: who answers, as data and pure functions. A folder exports what differs from defaults.ts; registry.ts lists them. */

import type { OptionValues } from "../../../contract/src/options/options.ts";
import type { MissingFormat } from "../dialects/neutral/missing-format.ts";
import type { DialectName, JsonObject, NeutralRequest } from "../dialects/neutral/neutral.ts";

/** The site's settings, as deviations may read them. */
export type SiteOptions = OptionValues;

/** What the client wants done, whatever its dialect. `chat` is an answer of a language model in any of the four dialects. */
export type Operation =
  | "chat"
  | "completions"
  | "count_tokens"
  | "embeddings"
  | "images"
  | "image_edits"
  | "image_variations"
  | "speech"
  | "transcriptions"
  | "translations"
  | "moderations"
  | "rerank"
  | "realtime"
  | "models";

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
  /** Channel type id. */
  id: number;
  /** Folder name. */
  slug: string;
  name: string;
  /** Wire formats its chat operation understands; the first is used for clients of a format that is not among them. */
  dialects: readonly DialectName[];
  /** Empty where the operator has to give one. */
  defaultBaseUrl: string;
  /** How a key looks, shown as placeholder. */
  keyHint: string;
  fields: readonly ProviderField[];
  operations: readonly Operation[];
  /** Accepts stream_options.include_usage. */
  supportsStreamUsage: boolean;
  /** Client headers, in lower case, that are passed on as they are; none where absent. */
  forwardedHeaders?: readonly string[];
  canTest: boolean;
  /** Glyph and colour of its mark in the console. */
  mark: { glyph: string; colour: string };
}

type AlwaysDeclared = "id" | "slug" | "name" | "defaultBaseUrl";

/** What a folder's manifest.ts exports: the manifest without what is as with any OpenAI-compatible vendor, and the rest that is data. */
export interface ProviderDeclaration
  extends Pick<ProviderManifest, AlwaysDeclared>, Partial<Omit<ProviderManifest, AlwaysDeclared>> {
  /** Default models; those of the first format where absent. */
  models?: readonly string[];
  /** What stands at the vendor where OpenAI's paths begin with `/v1`: empty, or a path such as `/api/v3`. */
  apiRoot?: string;
  /** Top-level fields of a chat request that the vendor refuses, each with the reason: they are left out. */
  refusedFields?: Readonly<Record<string, string>>;
}

export interface ProviderChannel {
  baseUrl: string;
  key: string;
  other: string;
  openaiOrganization: string;
}

/** What is asked of an upstream. */
export interface ProviderCall {
  operation: Operation;
  dialect: DialectName;
  /** Path and query: the client's own where it speaks `dialect`, else the dialect's. */
  path: string;
  /** The model's name at the upstream. */
  model: string;
  isStream: boolean;
  /** Headers of the client that the manifest forwards, by lower-case name; absent ones are not in it. */
  headers: Readonly<Record<string, string>>;
  /** What the site sets for a client's call; absent where the console asks for itself. */
  site?: SiteInfo;
}

/** What an operator may set by model: the options, and the name the client asked for. */
export interface SiteInfo {
  options: SiteOptions;
  requestedModel: string;
  /** The client speaks another format: the path is the dialect's own. */
  isTranslated: boolean;
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
  /** The vendor's own words, redacted of keys and URLs. */
  message: string;
  type: string;
  code: string;
  /** Set where it says that the upstream does not serve this format, or not for this model: it may answer in another. */
  missingFormat?: MissingFormat;
  /** The field at fault, as the vendor's format names it. */
  param?: string;
  /** What else is said of the fault, in the vendor's own form, redacted as the message is. */
  details?: JsonObject;
}

export interface Provider {
  manifest: ProviderManifest;
  /** Default models, shown in the console and filled into a new channel. */
  models: readonly string[];
  /** Where and with what headers a call goes. */
  endpoint(channel: ProviderChannel, call: ProviderCall): ProviderRequest;
  /** What differs from the dialect: applied to the request's top-level fields before sending; each with its reason. */
  quirks: readonly Quirk[];
  /** Name of a model where a suffix of it only stands for settings (`-thinking`); the quirks see the whole name before. */
  modelName?(model: string, options: OptionValues): string;
  /** What the site's settings make of a request that is about to be written in the provider's format. */
  prepare?(request: NeutralRequest, site: SiteInfo): NeutralRequest;
  /** Fields that translated requests get besides: the site's settings for what the client's format has no word for. */
  additions?(
    fields: Readonly<Record<string, unknown>>,
    model: string,
    options: OptionValues,
  ): Readonly<Record<string, unknown>>;
  /** Reads a failed answer. */
  failure(status: number, body: string): UpstreamFailure;
}

/** One deviation from the dialect, as data where possible. */
export interface Quirk {
  reason: string;
  appliesTo(model: string, operation: Operation, dialect: DialectName): boolean;
  /**
   * Fields to drop and fields to set, on the top level of the request. `options` are the site's settings; `model` is the whole name,
   * for formats that have it in the path.
   */
  patch(
    body: Readonly<Record<string, unknown>>,
    options: OptionValues,
    model: string,
  ): {
    remove?: readonly string[];
    set?: Readonly<Record<string, unknown>>;
    /** The effort of reasoning that a model's name stood for, for the receipt. */
    effort?: string;
  };
}
