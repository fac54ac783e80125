/** What every wire format of this folder exports; the relay knows dialects only by this shape, and registry.ts lists them. */
import type { ToolCalls, Usage } from "../../../contract/src/usage.ts";
import type { ReadFailure } from "./failure.ts";
import type { FieldNames } from "./field-names.ts";
import type { JsonTop } from "./json-bytes.ts";
import type { DialectName, JsonObject, NeutralAnswer, NeutralEvent, NeutralRequest, Warn } from "./neutral.ts";
import type { NeutralEmbeddings, NeutralVectors } from "./neutral-embeddings.ts";
import type { ImagesReader, NeutralImages, NeutralPictures } from "./neutral-images.ts";
import type { OperationCodec } from "./operation-codec.ts";
import type { NormalisedUsage } from "./usage-counts.ts";

/** What the line needs to know of a JSON request; read from its bytes without parsing messages. */
export interface RequestFacts {
  top: JsonTop;
  /** Empty where it is missing or no string. */
  model: string;
  isStream: boolean;
  /** The client wants usage in its stream; always true where the dialect has it in every stream. */
  asksUsage: boolean;
  /** Bound of the answer's tokens; undefined where the client gave none that is a whole number above 0. */
  maxTokens: number | undefined;
  choices: number;
  /** Bytes of words in the request: estimates are made of these. */
  asciiBytes: number;
  otherBytes: number;
  mediaParts: number;
}

/** What the client's path says, for the dialects that put model and streaming there. */
export interface PathFacts {
  /** Empty where the path names none. */
  model: string;
  isStream: boolean;
}

/** A top-level field a request cannot go without, and the code of the refusal that says so. */
export interface NeededField {
  field: string;
  code: "messages_missing" | "input_missing" | "contents_missing" | "max_tokens_missing" | "prompt_missing";
}

/** What an error looks like before it is put into a dialect's envelope. */
export interface ErrorFacts {
  /** HTTP status it is or would have been sent with. */
  status: number;
  message: string;
  /** Type and code of OpenAI's envelope; the other dialects find their own by the status. */
  type: string;
  code: string;
  param: string | null;
  /** What else the vendor of the client's own format says of the fault, as it writes it. */
  details?: JsonObject;
}

/** Facts that an answer's envelope needs and the upstream's dialect does not have. */
export interface AnswerFacts {
  /** The model as the client named it. */
  model: string;
  requestId: string;
  /** Unix seconds. */
  createdAt: number;
  /** OpenAI's stream_options.include_usage; true in the other dialects. */
  asksUsage: boolean;
  /** Gemini's streams that are one JSON array instead of events. */
  isArray: boolean;
  /** The client's own request, parsed, of a translated call: Responses repeats its settings, and its custom tools come back as such. */
  request?: JsonObject;
}

/**
 * `delta` is some of the answer and goes on at once. `closing` closes the answer and waits for the settlement. `error` is the
 * upstream's own error event. `other` is a comment, a ping or an event without words.
 */
export type FrameKind = "delta" | "closing" | "error" | "other";

/** Follows one upstream stream: classifies its events, counts what was delivered, and gives the bytes for the client. */
export interface StreamPipe {
  /** Bytes of answer text so far. */
  readonly asciiBytes: number;
  readonly otherBytes: number;
  /** Events that carried some of the answer. */
  readonly deltas: number;
  /** The finish of every answer asked for was seen. */
  readonly hasFinish: boolean;
  /** The vendor's own mark of a whole stream was seen. */
  readonly hasDone: boolean;
  /** Whole pictures so far, where the answer is pictures. */
  readonly pictures?: number | undefined;
  /** Calls of the vendor's priced tools so far, without their prices; absent where its usage has them all along. */
  readonly toolCalls?: readonly ToolCalls[] | undefined;
  /** Usage as the upstream wrote it last; undefined while none came. */
  readonly rawUsage: unknown;
  /** Text of the upstream's error event. */
  readonly errorText: string;
  /** What the event just pushed is for the client, its bytes as Latin-1; empty for nothing. A `closing` event's bytes wait. */
  readonly out: string;
  /** Takes one whole event; `text` is its bytes as Latin-1. */
  push(bytes: Buffer, text: string): FrameKind;
  /** Frames behind everything that was held, once the charge is committed. */
  closing(usage: Usage): Buffer[];
  /** Ends a stream that has begun with an error. */
  failing(error: ErrorFacts): Buffer;
}

/** Turns the events of an upstream's stream into neutral ones. Synchronous; exceptions are faults of this program only. */
export interface StreamDecoder {
  /** `event` is the name behind `event:`, empty where there is none; `data` the joined data lines as text. */
  push(event: string, data: string): readonly NeutralEvent[];
  /** The same for an event whose data is known to be this object; `data` gives its text. */
  pushObject(event: string, fields: JsonObject, data: () => string): readonly NeutralEvent[];
}

/** Turns neutral events into frames for a client, in the order its vendor's grammar asks for. */
export interface StreamEncoder {
  /** Frames for one event; finish, usage and end give none here, for they close the answer. */
  push(event: NeutralEvent): string;
  /** Everything that closes the answer, after the charge: open blocks, finish reasons, usage, the end mark. */
  close(usage: Usage): string;
  /** Ends the stream with an error instead. */
  fail(error: ErrorFacts): string;
}

/** A wire format. */
export interface Dialect {
  name: DialectName;
  /** Reads what the line needs. Values of the wrong type count as absent; validation is the upstream's. */
  readRequest(body: Buffer, top: JsonTop, path: PathFacts): RequestFacts;
  needed: readonly NeededField[];
  fieldNames: FieldNames;
  /** Fields whose `true` asks for what no gateway without a store of answers can do, with the reason. */
  unserved?: Readonly<Record<string, string>>;
  /** Path and query of a request to a vendor of this dialect, without the base URL. */
  path(model: string, isStream: boolean): string;
  /** Media that the vendor does not fetch itself where a URL names them: the line fetches them and hands them over as base64. */
  fetchedMedia: readonly ("image" | "file")[];

  /**
   * Fields to send in place of the client's own, where its history holds reasoning that this dialect's vendor did not give and would
   * refuse. Asked only for bodies with the mark of neutral-signature.ts.
   */
  withoutForeignProofs?(fields: JsonObject): JsonObject;
  /** Throws TranslationFault for what is malformed or has no neutral form and would change the answer. */
  decodeRequest(fields: JsonObject, path: PathFacts): NeutralRequest;
  /** Throws TranslationFault where the target cannot do what was asked; what it leaves out harmlessly goes to `warn`. */
  encodeRequest(request: NeutralRequest, warn: Warn): JsonObject;
  /** Undefined where the body is no answer of this dialect. */
  decodeAnswer(fields: JsonObject): NeutralAnswer | undefined;
  encodeAnswer(answer: NeutralAnswer, usage: Usage, facts: AnswerFacts): JsonObject;
  createDecoder(): StreamDecoder;
  createEncoder(facts: AnswerFacts): StreamEncoder;

  /** A pipe that hands the upstream's own bytes on. */
  createPassPipe(facts: AnswerFacts, options: PassOptions): StreamPipe;
  /** The usage object of a whole answer's text (Latin-1), found without parsing the rest; undefined where there is none. */
  findUsage(text: string): unknown;
  /**
   * The tier of service that a whole answer, or one event of a stream, says it was given in (Latin-1), found without parsing the rest;
   * undefined where it says none. Absent where no tier of this format has a price of its own.
   */
  findTier?: (text: string, isEvent: boolean) => string | undefined;
  /** Header of an answer that says the same, in lower case. */
  tierHeader?: string;
  /** Undefined where it counts nothing. Nothing an upstream says is believed unchecked. */
  normaliseUsage(raw: unknown): NormalisedUsage | undefined;
  /** True for a parsed body that came with a status of success and is an error all the same. */
  isErrorBody(fields: JsonObject): boolean;

  /** Calls beside chat that other formats have too; absent where this one has none or they are not translated. */
  embeddings?: OperationCodec<NeutralEmbeddings, NeutralVectors>;
  images?: OperationCodec<NeutralImages, NeutralPictures>;
  /** Absent where pictures are asked for as OpenAI has it. */
  imagesReader?: ImagesReader;
  /** Answer of the format's own call that counts tokens, where it has one. */
  tokenCount?(tokens: number): JsonObject;

  readFailure(status: number, body: string): ReadFailure;
  /** The error envelope as JSON text. */
  errorBody(error: ErrorFacts, requestId: string): string;
}

export interface PassOptions {
  /** The upstream was made to send usage that the client did not ask for. */
  hidesUsage: boolean;
  /** chat or completions: their frames differ a little. */
  isChat: boolean;
  choices: number;
}
