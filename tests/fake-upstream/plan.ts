/** The plan of an answer of the fake upstream, and the requests that it recorded. */

/** How one request is answered; every field has a plain default. */
export interface Plan {
  /** Status of an answer; 400 and above send `error`. */
  status?: number;
  error?: { message: string; type?: string; code?: string | number | null; param?: string | null };
  /** Sends exactly these bytes instead of an answer; a list goes out piece by piece, chunkDelayMs apart. */
  rawBody?: string | Buffer | readonly string[];
  /** Sends exactly these bytes as the answer, head included; `cutBy` says what follows, an orderly end of the connection where absent. */
  rawHttp?: string;
  contentType?: string;
  headers?: Readonly<Record<string, string>>;
  text?: string;
  reasoning?: string;
  /** Calls of the client's tools, after the text. `arguments` is JSON text. */
  toolCalls?: readonly { name: string; arguments: string }[];
  /** Pictures that come; as many as were asked for where absent. */
  pictures?: number;
  /** True for pictures and speech that can be seen and heard, in place of the smallest that a relay passes on. */
  hasRealMedia?: boolean;
  /** Frames the text is cut into. */
  chunks?: number;
  finishReason?: string | null;
  /** null sends none; anything else is sent as it is, also if it lies. */
  usage?: unknown;
  /** False leaves out the vendor's mark of a whole stream (`[DONE]`, message_stop). */
  sendsDone?: boolean;
  headerDelayMs?: number;
  /** Waited for before the head, beside headerDelayMs. */
  beforeHead?: Promise<unknown>;
  chunkDelayMs?: number;
  endDelayMs?: number;
  /** Waited for before each frame of a stream, beside chunkDelayMs. */
  beforeFrame?: (frame: string) => Promise<void>;
  /** Writes the body in pieces of so many bytes, each in a write of its own. */
  pieceBytes?: number;
  /** Writes the body in two, with a pause between that the network does not join again: so many bytes, then the rest. */
  splitAtByte?: number;
  /** Ends the connection after so many bytes of the body. */
  cutAtByte?: number;
  /** `destroy` closes, `reset` sends RST, `halt` leaves the connection open and silent. */
  cutBy?: "destroy" | "reset" | "halt";
  isGzipped?: boolean;
  /** Takes the request and never answers. */
  neverAnswers?: boolean;
  /** Closes or resets before a byte of the answer. */
  dropsRequest?: "destroy" | "reset";
}

export interface SeenRequest {
  method: string;
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
  /** Parsed body, undefined where it is no JSON object. */
  json: Readonly<Record<string, unknown>> | undefined;
  /** True once the other side went away before the answer was whole. */
  wasAborted: boolean;
  /** Milliseconds of performance.now() when it was aborted; 0 while it is not. */
  abortedAtMs: number;
}
