/** The interface of a benchmarked gateway: an address, the headers it requires and the process whose CPU counts. */

/** A running gateway, or the provider itself when calls go to it directly. */
export interface Gateway {
  readonly name: "direct" | "nginx" | "portkey" | "turnpike";
  readonly version: string;
  readonly port: number;
  /** Headers that a call needs beside Content-Type. */
  readonly headers: Readonly<Record<string, string>>;
  /** Keys that calls use in rotation, if there are several callers. */
  readonly keys?: readonly string[];
  /** Root of the process tree whose CPU and memory are counted. */
  readonly processId: number;
  /** Ends it; resolves when it is gone. */
  stop(): Promise<void>;
}

/** The path of every call. */
export const CHAT_PATH = "/v1/chat/completions";
