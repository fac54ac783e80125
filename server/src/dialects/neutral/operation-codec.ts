/** Translates calls beside chat that two vendors both have, from a client's format into an upstream's and back; part of the hub. */
import type { Usage } from "../../../../contract/src/pricing/usage.ts";
import type { NeutralEmbeddings, NeutralVectors } from "./embeddings.ts";
import type { NeutralImages, NeutralPictures } from "./images.ts";
import type { AnswerInfo, PathInfo } from "./info.ts";
import { type FieldNames, inOwnWords, ownName } from "./field-names.ts";
import type { BinaryBody, JsonObject, Warn } from "./neutral.ts";

/** What a format does for its clients. */
interface OperationClient<Request, Answer> {
  /** Its own names of fields that the neutral request calls as OpenAI does, where they differ. */
  fieldNames?: FieldNames;
  /** Throws TranslationFault. */
  decodeRequest(fields: JsonObject, path: PathInfo): Request;
  encodeAnswer(answer: Answer, request: Request, usage: Usage, info: AnswerInfo): JsonObject;
}

/** What a format does towards its vendors. */
interface OperationUpstream<Request, Answer> {
  path(model: string): string;
  /** Throws TranslationFault where the vendor cannot do what was asked. */
  encodeRequest(request: Request, warn: Warn): JsonObject;
  /** Undefined where the body is no answer. */
  decodeAnswer(fields: JsonObject): Answer | undefined;
}

export interface OperationCodec<Request, Answer> {
  client?: OperationClient<Request, Answer>;
  upstream?: OperationUpstream<Request, Answer>;
}

/** Calls beside chat that other formats have too; absent where a format has none or they are not translated. */
export interface OperationCodecs {
  embeddings?: OperationCodec<NeutralEmbeddings, NeutralVectors>;
  images?: OperationCodec<NeutralImages, NeutralPictures>;
}

/** An upstream's answer as the client will get it. */
export interface OperationAnswer {
  rawUsage: unknown;
  /** How many pictures came; undefined for other calls. */
  pictures?: number;
  encode(usage: Usage, info: AnswerInfo): JsonObject | BinaryBody;
}

export interface OperationCall {
  fields: JsonObject;
  /** Undefined where the body is no answer. */
  answer(fields: JsonObject): OperationAnswer | undefined;
  /** The same for a body that is no JSON; absent where that is never an answer. */
  answerOfBytes?(body: BinaryBody): OperationAnswer | undefined;
}

export interface OperationBridge {
  path(model: string): string;
  /** `model` is the upstream's name. Throws TranslationFault. */
  begin(fields: JsonObject, path: PathInfo, model: string, warn: Warn): OperationCall;
}

interface Named {
  model: string;
  unknownFields: readonly string[];
}
interface Counted {
  rawUsage: unknown;
  pictures?: readonly unknown[];
}

function bridge<Request extends Named, Answer extends Counted>(
  client: OperationClient<Request, Answer> | undefined,
  upstream: OperationUpstream<Request, Answer> | undefined,
): OperationBridge | undefined {
  if (client === undefined || upstream === undefined) return undefined;
  const answerOf = (request: Request, body: JsonObject): OperationAnswer | undefined => {
    const answer = upstream.decodeAnswer(body);
    if (answer === undefined) return undefined;
    const { rawUsage, pictures } = answer;
    return {
      rawUsage,
      ...(pictures === undefined ? {} : { pictures: pictures.length }),
      encode: (usage, info) => client.encodeAnswer(answer, request, usage, info),
    };
  };
  return {
    path: (model) => upstream.path(model),
    begin(fields, path, model, warn) {
      const { fieldNames = {} } = client;
      const request = { ...client.decodeRequest(fields, path), model };
      for (const name of request.unknownFields) warn(name, "has no place in the format of the upstream");
      const warnOwn: Warn = (field, reason) => warn(ownName(fieldNames, field), reason);
      try {
        return { fields: upstream.encodeRequest(request, warnOwn), answer: (body) => answerOf(request, body) };
      } catch (fault) {
        throw inOwnWords(fieldNames, fault);
      }
    },
  };
}

/** How an operation beside chat goes from one format into another; undefined where one of them lacks it. */
export function operationBridge(
  operation: string,
  own: OperationCodecs,
  target: OperationCodecs,
): OperationBridge | undefined {
  if (operation === "embeddings") return bridge(own.embeddings?.client, target.embeddings?.upstream);
  return operation === "images" ? bridge(own.images?.client, target.images?.upstream) : undefined;
}
