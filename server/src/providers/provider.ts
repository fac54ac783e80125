/** The interface of a provider: a vendor as data and pure functions. A vendor's file declares what differs by define.ts; registry.ts lists them. */

import type { BalanceOf } from "./balance.ts";
import type { StoredModels } from "./stored-models.ts";
import type { OptionValues } from "../../../contract/src/options/options.ts";
import type { FormatName, UpstreamFormat } from "../dialects/dialect.ts";
import type { MissingFormat } from "../dialects/neutral/missing-format.ts";
import type {
  CacheMarks,
  JsonObject,
  NeutralRequest,
  ThinkingBudget,
  WebSearchSupport,
} from "../dialects/neutral/neutral.ts";
import type { SharedSettings } from "../dialects/neutral/openai-shared.ts";
import type { VendorOperation } from "../dialects/vendor-operation.ts";
import type { OutgoingRequest, SendTools } from "./outgoing.ts";

/** The site's settings, as deviations may read them. */
export type SiteOptions = OptionValues;

/** The operation that the client requests, in any dialect. `chat` is an answer of a language model in any of the four dialects. */
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
  | "drawings"
  | "songs"
  | "videos"
  | "models";

/** A field of the channel form beyond the common ones; the drawer is drawn from these. */
export interface ProviderField {
  /** Column of the channel that stores it. */
  name: "base_url" | "other" | "openai_organization";
  /** Key of the label and help in the locale files. */
  label: string;
  isRequired: boolean;
  placeholder?: string;
  /** The values it may have, each with the key of its label; free text where absent. */
  choices?: readonly { value: string; label: string }[];
  /** What a value that is given has to match, as the source of a regular expression; checked when a channel is saved. */
  pattern?: string;
}

export interface ProviderManifest {
  /** Serves `/v1/responses/compact` where it speaks Responses. */
  compacts?: true;
  /** Channel type id. */
  id: number;
  /** Name of its fixtures, and of its file or folder; the two kinds of Midjourney proxy share one. */
  slug: string;
  name: string;
  /**
   * Wire formats its chat operation understands; the first is used for clients of a format that is not among them. `vendor` is the
   * provider's own (`format`).
   */
  dialects: readonly FormatName[];
  /** Those of its formats that it may serve for some of its models only: for a model that it refuses in one of them the first one is asked. */
  partialFormats?: readonly FormatName[];
  /** Empty where the operator has to give one. */
  defaultBaseUrl: string;
  /** How a key looks, shown as placeholder. */
  keyHint: string;
  /**
   * The forms a key may have, as the names of its parts between `|`: `[["api_key", "secret_key"]]`. Absent where a key is one text in
   * which such a bar means nothing.
   */
  keyForms?: readonly (readonly string[])[];
  /** True where a key may be a document of many lines, such as a service account's JSON. */
  isKeyDocument?: boolean;
  /** Key of a text that the drawer shows with this type. */
  notice?: string;
  /** True if the vendor has ended the service: its channels stay, and refuse calls with that reason. */
  isRetired?: boolean;
  fields: readonly ProviderField[];
  operations: readonly Operation[];
  /** Media that the vendor does not fetch itself where a URL names them, beside those that its format wants as bytes. */
  fetchedMedia?: readonly ("image" | "file")[];
  /** Accepts stream_options.include_usage. */
  supportsStreamUsage: boolean;
  /** The usage in its answers counts nothing: calls are counted by estimate. */
  hasPlaceholderUsage?: boolean;
  /** It takes `cache_control` on the text of a message: for five minutes, or also with a ttl of an hour. Other vendors cache automatically. */
  cacheMarks?: CacheMarks;
  /** Where it takes a budget of thinking in chat completions; others get the effort that comes near it. */
  thinkingBudget?: ThinkingBudget;
  /** Servers of any kind, with any models, are behind channels of this type: what is sent of an unknown model is what all of them take. */
  servesAnyModel?: boolean;
  /** How it searches the web in chat completions; if unknown, a search is passed on with a warning. */
  webSearch?: WebSearchSupport;
  /** The settings of caching and safety that it takes in OpenAI's formats from translated requests; none where absent. */
  openAiSettings?: SharedSettings;
  /** How a request may bring in other models than its own, which have other prices, in any format that it speaks. */
  otherModels?: OtherModels;
  /** Its answers have text and thinking as parts of the content, which clients of OpenAI's format get as text and reasoning_content. */
  thinksInParts?: boolean;
  /** Client headers, in lower case, that are passed on as they are; none where absent. */
  forwardedHeaders?: readonly string[];
  /** Beginning of further headers that a client of its own format may send, which it may add to at any time. */
  forwardedFamily?: string;
  canTest: boolean;
  /** Glyph and colour of its icon in the console. */
  mark: { glyph: string; colour: string };
}

export interface OtherModels {
  /** Fields that name them. */
  fields: readonly string[];
  /** The plugins that keep to the model; others choose among models, or ask several. */
  plugins: readonly string[];
}

/** Formats that a vendor of chat completions, or of a format of its own, may serve besides. */
export type NativeName = "anthropic-messages" | "openai-responses";

/** A format that a vendor serves itself beside its first one: clients of it are handed through. */
export interface NativeFormat {
  /** What stands at the vendor where the paths of the format begin with `/v1`, behind the base URL: `/anthropic/v1`. */
  root: string;
  /** The same for base URLs of another plan, by what they end in. */
  plans?: Readonly<Record<string, string>>;
  /** Header in which the key goes as it is; a bearer token where absent. */
  keyHeader?: string;
  /** Models that the vendor documents it for; all where absent. */
  models?: RegExp;
}

type AlwaysDeclared = "id" | "slug" | "name" | "defaultBaseUrl";

/** The data of a vendor: the manifest without what is as with any OpenAI-compatible vendor, and what only define.ts reads. */
export interface ProviderDeclaration
  extends Pick<ProviderManifest, AlwaysDeclared>, Partial<Omit<ProviderManifest, AlwaysDeclared>> {
  /** Default models; those of the first format where absent. */
  models?: readonly string[];
  /** What stands at the vendor where OpenAI's paths begin with `/v1`: empty, or a path such as `/api/v3`. */
  apiRoot?: string;
  /** Header in which the key goes as it is; empty where `beforeSend` authorises the request. A bearer token where absent. */
  keyHeader?: string;
  /** Paths behind the base URL that are not OpenAI's behind `apiRoot`, by operation. */
  paths?: Readonly<Partial<Record<Operation, string>>>;
  /** Top-level fields of a chat completions request that the vendor refuses, each with the reason: they are left out. */
  refusedFields?: Readonly<Record<string, string>>;
  /** Formats that it serves itself beside those of `dialects`, which are asked first by clients of others. */
  natives?: Readonly<Partial<Record<NativeName, NativeFormat>>>;
  /** Endings of base URLs that stand for its own roots, beside `/v1` and the roots of `natives`. */
  baseEndings?: readonly string[];
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
  dialect: FormatName;
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

/** The last step: takes the request with its body, returns it as it is sent. Throws or rejects with ProviderFault. */
export type BeforeSend = (
  request: OutgoingRequest,
  channel: ProviderChannel,
  call: ProviderCall,
  tools: SendTools,
) => OutgoingRequest | Promise<OutgoingRequest>;

export type UpstreamErrorKind =
  | "auth"
  | "quota"
  | "rate"
  | "overloaded"
  | "invalid"
  | "timeout"
  | "network"
  | "content";

/** Headers of an answer by lower-case name. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** An upstream's failure, normalised. Routing decides on `kind` and `isRetryable` only. */
export interface UpstreamFailure {
  kind: UpstreamErrorKind;
  /** HTTP status, or 0 where there was none. */
  status: number;
  isRetryable: boolean;
  /** The vendor's own message, redacted of keys and URLs. */
  message: string;
  /** The message with the addresses of well-known vendors' help pages, for administrators alone; absent where it is the same. */
  operatorMessage?: string;
  type: string;
  code: string;
  /** Set where it says that the upstream does not serve this format, or not for this model: it may answer in another. */
  missingFormat?: MissingFormat;
  /** The field at fault, as the vendor's format names it. */
  param?: string;
  /** What else is said of the fault, in the vendor's own form, redacted as the message is. */
  details?: JsonObject;
  /** What a client of the vendor's format may know of a limit that is the operator's. */
  limitDetails?: JsonObject;
  /** How long its body asks to wait, in milliseconds; a header says it otherwise. */
  retryAfterMs?: number;
  /** Its body as a client of the same format may read it, redacted; absent where it may not, or speaks another format. */
  verbatim?: string;
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
  /** Additional fields of translated requests: the site's settings for what the client's format cannot express. */
  additions?(
    fields: Readonly<Record<string, unknown>>,
    model: string,
    options: OptionValues,
  ): Readonly<Record<string, unknown>>;
  /** Reads a failed answer; `status` is 200 for an error inside a success, of which there are no headers. */
  failure(status: number, body: string, headers?: AnswerHeaders): UpstreamFailure;
  /** True for a success, or an event of a stream, that is an error all the same; `text` is its bytes as Latin-1. */
  isFailure?(text: string): boolean;
  /** Formats of the chat of this model on this channel, where they are not the manifest's. `model` is the upstream's name. */
  dialectsOf?(model: string, channel: ProviderChannel): readonly FormatName[];
  /** Its own format, where `vendor` is among its formats. */
  format?(channel: ProviderChannel, model: string): UpstreamFormat;
  /** Calls beside chat that it has in its own format. */
  ownOperations?: Readonly<Partial<Record<Operation, VendorOperation>>>;
  /** Tokens, signatures and other work that needs the whole request or calls of its own. */
  beforeSend?: BeforeSend;
  /** True for the message of a WebSocket behind which nothing comes. */
  isLastMessage?(text: string): boolean;
  /** Names in its list of models, where that is neither OpenAI's nor Google's. */
  modelNames?(list: JsonObject): readonly string[];
  /** Asks what is left on the account of a key; absent where the vendor gives it to no call that has a key alone. */
  balance?: BalanceOf;
  /** Pulls and deletes models of a server of the operator's own; absent where models are the vendor's. */
  storedModels?: StoredModels;
}

/** The code of a vendor, where it differs from an OpenAI-compatible one. */
export type ProviderParts = Partial<Omit<Provider, "manifest" | "models">>;

/** What a vendor's file gives to `defineProvider`: its data and its code. */
export type ProviderDefinition = ProviderDeclaration & ProviderParts;

/** One deviation from the dialect, as data where possible. */
export interface Quirk {
  reason: string;
  appliesTo(model: string, operation: Operation, dialect: FormatName): boolean;
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
