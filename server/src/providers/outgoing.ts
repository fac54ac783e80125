/** The request to send, and what a provider may use in its last step: tokens, signatures, files to upload first. */
import type { JsonObject } from "../dialects/neutral/neutral.ts";

/** A request as it goes out: over HTTP, or as the one message of a WebSocket where its URL begins with `ws`. */
export interface OutgoingRequest {
  method: "GET" | "POST" | "DELETE";
  url: string;
  /** Flat name-value list, as undici takes it. */
  headers: string[];
  body: Buffer;
  /** What the last step dropped of the request, with the reason; the client gets it as a warning. */
  warnings?: readonly string[];
}

/** What a small request beside the call was answered. */
export interface SideAnswer {
  status: number;
  /** The body as text, and parsed where it is a JSON object; else no fields. */
  text: string;
  fields: JsonObject;
}

export interface SideRequest {
  method: "GET" | "POST";
  url: string;
  headers: readonly string[];
  body?: Buffer | string;
}

/** A token that an upstream gave in exchange for a key. */
export interface AccessToken {
  token: string;
  /** Seconds from now on in which it is good. */
  lifetimeSeconds: number;
}

/** What a provider may use for its last step. */
export interface SendTools {
  /** Now, as Unix time in milliseconds. */
  nowMs: number;
  /** Sends a small request through the channel's proxy and the address policy. Rejects with ProviderFault where no answer comes. */
  ask(request: SideRequest): Promise<SideAnswer>;
  /**
   * The token for the channel's key and this purpose: cached, shared by all processes and renewed once for all calls that wait. An upstream
   * that refuses it (kind `auth`) is asked once more with a new one. Rejects with what `exchange` rejects with.
   */
  accessToken(purpose: string, exchange: () => Promise<AccessToken>): Promise<string>;
}
