/** A vendor with a format of its own as a test drives it: a fake as strict as its documentation, with the model's next act set by the test. */
import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readdirSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { UpstreamErrorKind } from "../../../server/src/providers/provider.ts";

/** The model's answer: text, or a tool call. After the result of that call it answers with the text. */
export type Deed = "words" | "call";

export const WORDS = "Grüße, 42";
export const THOUGHT = "Let me see.";
export const CALL_ID = "call_0001";
/** The model's call by default. */
export const CALL: ModelCall = { name: "get_weather", arguments: { city: "Paris" } };

export interface ModelCall {
  name: string;
  arguments: Readonly<Record<string, unknown>>;
}

/** A request as it came. */
export interface SeenVendorRequest {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A fake that runs. */
export interface RunningVendor {
  url: string;
  /** What the model does next; `call` holds until a result has come. */
  deed: Deed;
  /** What it calls; CALL unless a test has it call something else. */
  call: ModelCall;
  /** Index in `failures`: how calls fail until it is undefined again. */
  failing: number | undefined;
  readonly seen: SeenVendorRequest[];
  /** What in requests the vendor's documentation does not have; they were answered as its errors. */
  readonly complaints: string[];
  close(): Promise<void>;
}

export interface OwnVendor {
  name: string;
  /** Channel type. */
  type: number;
  key: string;
  /** The channel's `other`. */
  other?: string;
  /** A model of its chat. */
  model: string;
  /** The model for clients that set an effort, where `model` takes none. */
  thinker?: string;
  takesTools: boolean;
  takesPictures: boolean;
  /** It thinks where it is asked to, and shows THOUGHT. */
  thinks: boolean;
  /** It takes a JSON schema for its answers. */
  takesSchemas: boolean;
  /** What the receipt has of an answer with WORDS; `estimated` where the vendor counts nothing. */
  counted: Readonly<Record<string, number>> | "estimated";
  /** Each documented failure, with what it comes to; `start` knows how it is answered. */
  failures: readonly { name: string; kind: UpstreamErrorKind }[];
  /**
   * Behind the channel's base URL where that is not the fake's own address: vendors whose hosts are fixed are reached at `url` by a
   * provider that takes a base URL in tests as from operators.
   */
  start(): Promise<RunningVendor>;
}

type Answer = (request: SeenVendorRequest, response: ServerResponse, vendor: RunningVendor) => void;

/** A fake over HTTP; `answer` gets each whole request. `server` may be given more listeners, as for WebSockets. */
export async function startHttpVendor(
  answer: Answer,
): Promise<RunningVendor & { server: ReturnType<typeof createServer> }> {
  const server = createServer((request: IncomingMessage, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      const seen = { method, path, headers, body: Buffer.concat(parts) };
      vendor.seen.push(seen);
      answer(seen, response, vendor);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const vendor: RunningVendor & { server: typeof server } = {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    deed: "words",
    call: CALL,
    failing: undefined,
    seen: [],
    complaints: [],
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return vendor;
}

const OWN = fileURLToPath(new URL("own/", import.meta.url));

/** All of `own/`: each file exports its `vendor`. */
export async function ownVendors(): Promise<OwnVendor[]> {
  const files = readdirSync(OWN).filter((name) => name.endsWith(".ts"));
  const modules = await Promise.all(
    files.map((name) => import(pathToFileURL(OWN + name).href) as Promise<{ vendor: OwnVendor }>),
  );
  return modules.map(({ vendor }) => vendor);
}
