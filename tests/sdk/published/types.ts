/** What each answer of OpenAI's forms has to be, as the official library publishes it; schemas.ts makes JSON schemas of what is exported here. */
import type OpenAI from "openai";
import type { ImageEditStreamEvent, ImageGenStreamEvent } from "openai/resources/images";
import type { TranscriptionStreamEvent } from "openai/resources/audio/transcriptions";
import type { RealtimeServerEvent } from "openai/resources/realtime/realtime";
import type { ResponseItemList } from "openai/resources/responses/input-items";
import type { InputTokenCountResponse } from "openai/resources/responses/input-tokens";
import type {
  CompactedResponse,
  Response,
  ResponseStreamEvent,
  ResponsesServerEvent,
} from "openai/resources/responses/responses";
import type { Video, VideoDeleteResponse } from "openai/resources/videos";

/** Each by the name that a test calls it. */
export interface Published {
  chat: OpenAI.ChatCompletion;
  chatChunk: OpenAI.ChatCompletionChunk;
  /** Whole, and each chunk of its stream: the two are one type. */
  completion: OpenAI.Completion;
  embeddings: OpenAI.CreateEmbeddingResponse;
  model: OpenAI.Model;
  models: { object: "list"; data: OpenAI.Model[] };
  images: OpenAI.ImagesResponse;
  imageEvent: ImageGenStreamEvent | ImageEditStreamEvent;
  transcription: OpenAI.Audio.Transcription;
  verboseTranscription: OpenAI.Audio.TranscriptionVerbose;
  diarizedTranscription: OpenAI.Audio.TranscriptionDiarized;
  transcriptionEvent: TranscriptionStreamEvent;
  translation: OpenAI.Audio.Translation;
  verboseTranslation: OpenAI.Audio.TranslationVerbose;
  moderation: OpenAI.ModerationCreateResponse;
  response: Response;
  responseEvent: ResponseStreamEvent;
  socketEvent: ResponsesServerEvent;
  compactedResponse: CompactedResponse;
  inputItems: ResponseItemList;
  inputTokens: InputTokenCountResponse;
  /** The library drops it; this is the published OpenAPI's own. */
  deletedResponse: { id: string; object: "response"; deleted: true };
  video: Video;
  videos: { object: "list"; data: Video[]; has_more: boolean; first_id: string | null; last_id: string | null };
  deletedVideo: VideoDeleteResponse;
  error: { error: OpenAI.ErrorObject };
}

/** Apart from the others, since types of the same names are others there. */
export interface PublishedRealtime {
  realtimeEvent: RealtimeServerEvent;
}
