/** How a user's webhook is called: over the upstream client as a user's own address, so that private and reserved addresses stay out of reach. */
import { DeliveryFault } from "../notify/delivery-fault.ts";
import type { PostAnswer, PostToPublic } from "../notify/webhook.ts";
import type { UpstreamClient } from "../upstream/client.ts";
import type { UpstreamFault } from "../upstream/fault.ts";

const TIMEOUT_MS = 10_000;
const READ_BYTES = 64 * 1024;

const asDeliveryFault = (fault: UpstreamFault): DeliveryFault =>
  fault.kind === "address"
    ? new DeliveryFault("address_refused", "The address is private or reserved", { isFinal: true, cause: fault })
    : new DeliveryFault("webhook_unreachable", fault.kind, { cause: fault });

/** @param upstream refuses addresses that a user may not name, whatever the options allow for channels. */
export function createPostToPublic(upstream: Pick<UpstreamClient, "send">): PostToPublic {
  return ({ url, headers, body }) =>
    new Promise<PostAnswer>((resolve, reject) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      let status = 0;
      // Set before it is sent: an address that is refused fails while `send` still runs.
      const timer = setTimeout(() => call.abort(), TIMEOUT_MS);
      const finish = (): void => {
        clearTimeout(timer);
        resolve({ status, text: Buffer.concat(parts).subarray(0, READ_BYTES).toString("utf8") });
      };
      const call = upstream.send(
        {
          method: "POST",
          url,
          headers: Object.entries({ ...headers, "user-agent": "Turnpike" }).flat(),
          body: Buffer.from(body),
          proxy: "",
          firstByteTimeoutMs: TIMEOUT_MS,
          idleTimeoutMs: TIMEOUT_MS,
          isForUser: true,
        },
        {
          started: (answered) => void (status = answered),
          data(chunk) {
            parts.push(chunk);
            bytes += chunk.length;
            if (bytes >= READ_BYTES) call.abort();
          },
          ended: finish,
          // What has come says enough: the rest of a long answer is not wanted.
          failed: (fault) => {
            if (bytes >= READ_BYTES) return finish();
            clearTimeout(timer);
            return reject(asDeliveryFault(fault));
          },
        },
      );
    });
}
