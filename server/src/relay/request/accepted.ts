/** What a call asks for, once its body is there: the phase that `accept` produces and every later step reads. */
import type { RequestInfo } from "../../dialects/neutral/info.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import type { CallKind } from "../call/call.ts";
import type { RequestForm } from "./multipart-form.ts";
import type { Endpoint } from "./paths.ts";

export interface Accepted extends CallKind {
  /** What the client's path says. */
  readonly endpoint: Endpoint;
  /** The client's path and query, without a key. */
  readonly path: string;
  /** As it came; without its conversation once the answer has begun (release-conversation.ts). */
  body: Buffer;
  info: RequestInfo;
  /** The request where it came as multipart/form-data. */
  readonly form: RequestForm | undefined;
  /** As prices and channels know it; empty where the request names none. */
  readonly model: string;
  readonly isStream: boolean;
  /** What multiplies the price of a task, as decimal text; absent for all other calls. */
  readonly callFactor?: string;
  /** The body as an object, parsed by the first step that has to look inside (bodyFields). */
  fields: JsonObject | undefined;
}

/** What the fields of a request are read from. */
export type RequestBody = Pick<Accepted, "body" | "info" | "form">;
