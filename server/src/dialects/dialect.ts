/** The interface of a wire format: the relay knows formats only by these shapes, and registry.ts lists the dialects. */
import type { Usage } from "../../../contract/src/pricing/usage.ts";
import type { JsonTop } from "./json/bytes.ts";
import type { ReadFailure } from "./neutral/failure.ts";
import type { FieldNames } from "./neutral/field-names.ts";
import type { ImagesReader } from "./neutral/images.ts";
import type { AnswerInfo, ErrorInfo, PathInfo, RequestInfo, RequiredField } from "./neutral/info.ts";
import type { DialectName, JsonObject, NeutralAnswer, NeutralRequest, Warn } from "./neutral/neutral.ts";
import type { OperationCodecs } from "./neutral/operation-codec.ts";
import type { NormalisedUsage } from "./neutral/usage-counts.ts";
import type { PassthroughOptions, StreamDecoder, StreamEncoder, StreamPipe } from "./stream/stream.ts";

/** Name of a format that an upstream may speak: a dialect, or the own one of a vendor. */
export type FormatName = DialectName | "vendor";

/** What an upstream speaks: the half of a dialect that faces vendors, or a format that one vendor alone has (vendor-format.ts). */
export interface UpstreamFormat extends OperationCodecs {
  name: FormatName;
  /** Path and query of a request to a vendor of this format, without the base URL. */
  path(model: string, isStream: boolean): string;
  /** Media that the vendor does not fetch itself where a URL names them: the relay fetches them and hands them over as base64. */
  fetchedMedia: readonly ("image" | "file")[];
  /** Throws TranslationFault if the target cannot do what was asked; what is dropped without harm goes to `warn`. */
  encodeRequest(request: NeutralRequest, warn: Warn): JsonObject;
  /** Undefined where the body is no answer of this format. */
  decodeAnswer(fields: JsonObject): NeutralAnswer | undefined;
  createDecoder(): StreamDecoder;
  /** The usage object of a buffered answer's text (Latin-1), found without parsing the rest; undefined where there is none. */
  findUsage(text: string): unknown;
  /**
   * The tier of service that a buffered answer, or one event of a stream, says it was given in (Latin-1), found without parsing the rest;
   * undefined where it says none. Absent where no tier of this format has a price of its own.
   */
  findTier?: (text: string, isEvent: boolean) => string | undefined;
  /** Header of an answer that says the same, in lower case. */
  tierHeader?: string;
  /** Undefined where it counts nothing. Nothing an upstream says is believed unchecked. */
  normaliseUsage(raw: unknown): NormalisedUsage | undefined;
  /** True for a parsed body that came with a status of success and is an error all the same. */
  isErrorBody(fields: JsonObject): boolean;
  /** Absent where pictures are asked for as OpenAI has it. */
  imagesReader?: ImagesReader;
  readFailure(status: number, body: string): ReadFailure;
}

/** A wire format that clients speak too. */
export interface Dialect extends UpstreamFormat {
  name: DialectName;
  /** Reads what the relay needs. Values of the wrong type count as absent; validation is the upstream's. */
  readRequest(body: Buffer, top: JsonTop, path: PathInfo): RequestInfo;
  requiredFields: readonly RequiredField[];
  fieldNames: FieldNames;

  /**
   * Fields to send in place of the client's own, where its history holds reasoning that this dialect's vendor did not give and would
   * refuse. Called only for bodies with the prefix of neutral/signature.ts.
   */
  withoutForeignProofs?(fields: JsonObject): JsonObject;
  /** Throws TranslationFault for what is malformed or has no neutral form and would change the answer. */
  decodeRequest(fields: JsonObject, path: PathInfo): NeutralRequest;
  encodeAnswer(answer: NeutralAnswer, usage: Usage, info: AnswerInfo): JsonObject;
  createEncoder(info: AnswerInfo): StreamEncoder;

  /** A pipe that hands the upstream's own bytes on. */
  createPassthrough(info: AnswerInfo, options: PassthroughOptions): StreamPipe;
  /** Answer of the format's own call that counts tokens, where it has one. */
  tokenCount?(tokens: number): JsonObject;

  /** False for an error that clients of the format would not read as one; `error.message` is there. */
  isErrorEnvelope(fields: JsonObject): boolean;
  /** The error envelope as JSON text. */
  errorBody(error: ErrorInfo, requestId: string): string;
}
