/** Fetches pictures that a vendor gives by address, for clients that want their bytes, before the answer is sent; part of step 6. */
import { fetchFilterOf } from "../../../../contract/src/options/fetch-rules.ts";
import { parseObject } from "../../dialects/json/fields.ts";
import type { ResponseHeaders, UpstreamCall, UpstreamSink } from "../../upstream/client.ts";
import { UpstreamFault, newFault } from "../../upstream/fault.ts";
import { fetchMedia } from "../../upstream/media.ts";
import { workerOf } from "../../upstream/worker.ts";
import type { Call } from "../call/call.ts";
import type { AddressedPictures } from "../call/target.ts";
import { MAX_ANSWER_BYTES } from "../reply/delivery.ts";

const MAX_PICTURE_BYTES = 20 * 1_048_576;
/** For all pictures of an answer. */
const MAX_FETCH_MS = 60_000;

/** Stands before the sink of the answer, which gets it once all pictures are there. */
export class PictureSink implements UpstreamSink {
  readonly #call: Call;
  readonly #pictures: AddressedPictures;
  readonly #sink: UpstreamSink;
  readonly #reject: (fault: unknown) => void;
  #status = 0;
  #headers: ResponseHeaders = {};
  #parts: Buffer[] = [];
  #leftBytes = MAX_ANSWER_BYTES;
  #isOver = false;

  /** `reject` gets faults of this program. */
  constructor(call: Call, pictures: AddressedPictures, sink: UpstreamSink, reject: (fault: unknown) => void) {
    this.#call = call;
    this.#pictures = pictures;
    this.#sink = sink;
    this.#reject = reject;
  }

  started(status: number, headers: ResponseHeaders): void {
    this.#status = status;
    this.#headers = headers;
    if (!this.#isSuccess) this.#sink.started(status, headers);
  }

  get #isSuccess(): boolean {
    return this.#status >= 200 && this.#status < 300;
  }

  data(chunk: Buffer): void {
    if (!this.#isSuccess) return this.#sink.data(chunk);
    this.#leftBytes -= chunk.length;
    if (this.#leftBytes >= 0) this.#parts.push(chunk);
    else this.failed(newFault("decode"));
  }

  ended(): void {
    if (!this.#isSuccess) return this.#sink.ended();
    void this.#fetchAll().catch((error: unknown) => {
      if (error instanceof UpstreamFault)
        this.failed(new UpstreamFault("decode", `a picture of the answer could not be fetched: ${error.message}`));
      else this.#reject(error);
    });
  }

  async #fetchAll(): Promise<void> {
    const body = Buffer.concat(this.#parts);
    const answer = parseObject(body.toString("utf8"));
    const endsAt = performance.now() + MAX_FETCH_MS;
    for (const url of answer === undefined ? [] : this.#pictures.addressesIn(answer)) {
      if (this.#isOver) return;
      if (!this.#pictures.found.has(url)) await this.#fetch(url, endsAt);
    }
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sink.started(this.#status, this.#headers);
    if (body.length > 0) this.#sink.data(body);
    this.#sink.ended();
  }

  async #fetch(url: string, endsAt: number): Promise<void> {
    const { upstream, snapshot, budget } = this.#call.context;
    const bounds = {
      maxBytes: Math.min(MAX_PICTURE_BYTES, Math.floor(this.#leftBytes * 0.75)),
      timeoutMs: Math.max(0, endsAt - performance.now()),
    };
    const { mimeType, base64 } = await fetchMedia(
      upstream,
      url,
      bounds,
      workerOf(snapshot.options),
      fetchFilterOf(snapshot.options),
    );
    // Given back with the rest once the call has ended, which may be by now.
    if (this.#isOver) return;
    if (!budget.take(base64.length)) throw new UpstreamFault("decode", "the gateway has no memory left for it");
    this.#call.budgetedBytes += base64.length;
    this.#leftBytes -= base64.length;
    this.#pictures.found.set(url, `data:${mimeType};base64,${base64}`);
  }

  failed(fault: UpstreamFault): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sink.failed(fault);
  }

  /** The hand on the whole of it, by which it is given up while pictures are fetched too. */
  around(call: UpstreamCall): UpstreamCall {
    const abort = (): void => {
      call.abort();
      this.failed(newFault("aborted"));
    };
    return { abort, pause: () => call.pause(), resume: () => call.resume() };
  }
}
