/** OpenAI's own realtime client, unmodified: it requires TLS, so a proxy that ends TLS is before the relay, as in most deployments. */
import { type AddressInfo, type Socket, connect } from "node:net";
import { createServer } from "node:tls";
import OpenAI from "openai";
import { OpenAIRealtimeWS } from "openai/realtime/ws";
import type { RealtimeServerEvent } from "openai/resources/realtime/realtime";
import { until } from "../support/relay/harness.ts";
import { makeCertificate } from "../support/systems/certificate.ts";

/** A proxy that ends TLS before a server that speaks in the clear. */
export interface TlsProxy {
  /** https, without a trailing slash. */
  url: string;
  /** PEM of what a client has to trust. */
  certificate: string;
  close(): void;
}

export async function startTlsProxy(targetUrl: string): Promise<TlsProxy> {
  const { cert, key } = makeCertificate();
  const open = new Set<Socket>();
  const { port: targetPort } = new URL(targetUrl);
  const server = createServer({ cert, key }, (socket) => {
    const target = connect(Number(targetPort), "127.0.0.1");
    for (const [from, to] of [
      [socket, target],
      [target, socket],
    ] as const) {
      open.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => open.delete(from));
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const close = (): void => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  return { url: `https://localhost:${(server.address() as AddressInfo).port}`, certificate: cert, close };
}

type Asked = { model: string } | { intent: "transcription" };

/** The library's client with all it heard. */
export class Talker {
  readonly library: OpenAIRealtimeWS;
  readonly events: RealtimeServerEvent[] = [];
  readonly errors: Error[] = [];

  constructor(proxy: TlsProxy, apiKey: string, asked: Asked) {
    const client = new OpenAI({ apiKey, baseURL: `${proxy.url}/v1` });
    this.library = new OpenAIRealtimeWS({ ...asked, options: { ca: proxy.certificate } }, client);
    this.library.on("event", (event) => this.events.push(event));
    this.library.on("error", (error) => this.errors.push(error));
  }

  /** Waits for an event of this kind; what goes wrong meanwhile is thrown, with the status of a refused handshake. */
  async heard<Type extends RealtimeServerEvent["type"]>(
    type: Type,
    times = 1,
  ): Promise<Extract<RealtimeServerEvent, { type: Type }>> {
    const found = (): RealtimeServerEvent[] => this.events.filter((event) => event.type === type);
    await until(() => this.errors.length > 0 || found().length >= times);
    const [error] = this.errors;
    if (error !== undefined) {
      const status = /server response: (\d{3})/.exec(error.message)?.[1];
      throw status === undefined ? error : Object.assign(new Error(error.message), { status: Number(status) });
    }
    return found()[times - 1] as Extract<RealtimeServerEvent, { type: Type }>;
  }

  /** Everything of one kind that came, put together. */
  joined(type: "response.output_text.delta" | "response.output_audio_transcript.delta"): string {
    return this.events.flatMap((event) => (event.type === type ? [event.delta] : [])).join("");
  }
}
