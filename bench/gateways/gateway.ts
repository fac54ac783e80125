/** What every subject of the benchmark offers: an address, the headers it wants and the process whose CPU counts. */

/** A running gateway, or the provider itself when calls go to it directly. */
export interface Gateway {
  readonly name: "direct" | "nginx" | "portkey" | "turnpike";
  readonly version: string;
  readonly port: number;
  /** Headers that a call needs beside Content-Type. */
  readonly headers: Readonly<Record<string, string>>;
  /** Keys that calls take turns with, where there are several callers. */
  readonly keys?: readonly string[];
  /** Root of the process tree whose CPU and memory are counted. */
  readonly processId: number;
  /** Ends it; resolves when it is gone. */
  stop(): Promise<void>;
}

/** The path of every call. */
export const CHAT_PATH = "/v1/chat/completions";
