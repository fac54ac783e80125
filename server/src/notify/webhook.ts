/** Posts a message to a user's webhook, through the fetch function that composition passes in, which reaches public addresses only. */
import { DeliveryFault } from "./delivery-fault.ts";
import type { WebhookBody } from "./render.ts";

export interface PostRequest {
  /** https. */
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export interface PostAnswer {
  status: number;
  /** The beginning of the response body. */
  text: string;
}

/** Sends and reads the beginning of the response within 10 s; follows no redirect. Rejects with DeliveryFault. */
export type PostToPublic = (request: PostRequest) => Promise<PostAnswer>;

/** Sends it. @returns the receiver's response. @throws DeliveryFault webhook_status for anything but 2xx, and what `post` throws. */
export async function sendWebhook(
  post: PostToPublic,
  target: { url: string; secret: string },
  body: WebhookBody,
): Promise<PostAnswer> {
  const { url, secret } = target;
  if (URL.parse(url)?.protocol !== "https:")
    throw new DeliveryFault("address_refused", "A webhook has to begin with https://", { isFinal: true });
  const authorization = secret === "" ? {} : { authorization: `Bearer ${secret}` };
  const headers = { "content-type": "application/json", ...authorization };
  const answer = await post({ url, headers, body: JSON.stringify(body) });
  if (answer.status < 200 || answer.status > 299)
    throw new DeliveryFault("webhook_status", `${answer.status} ${answer.text}`.trim());
  return answer;
}
