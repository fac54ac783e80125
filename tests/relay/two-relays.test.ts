/** Two relays of one process share nothing: neither occupies the other's places. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import type { RelayDeps } from "../../server/src/relay/call/context.ts";
import type { StoredTask } from "../../server/src/tasks/kinds/kind.ts";
import { startTestRelay } from "../support/relay/harness.ts";
import { until } from "../support/systems/processes.ts";

/** As many pictures as one relay fetches at a time for callers without a key. */
const PLACES = 32;
const PIXEL = Buffer.from("iVBORw0KGgo=", "base64");

/** A server of pictures that answers none before it is let. */
async function startSlowPictures() {
  const waiting: ServerResponse[] = [];
  const server = createServer((_request, response) => void waiting.push(response)).listen(0);
  return {
    waiting,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.png`,
    answerAll: () => {
      for (const response of waiting.splice(0)) response.writeHead(200, { "Content-Type": "image/png" }).end(PIXEL);
    },
    close: () => void server.close(),
  };
}

/** Tasks of which each is the same drawing, whose picture every caller may see. */
const drawingsAt = (url: string): RelayDeps["tasks"] =>
  ({
    withId: async () => [{ status: "SUCCESS", result_url: url, user_id: 1 } as StoredTask],
    isSigned: () => true,
  }) as unknown as RelayDeps["tasks"];

test("pictures that one relay waits for leave the other all its places", async () => {
  const pictures = await startSlowPictures();
  const tasks = drawingsAt(pictures.url);
  const [busy, idle] = [await startTestRelay({ tasks }), await startTestRelay({ tasks })];
  const picture = ({ url }: { url: string }): Promise<Response> => fetch(`${url}/mj/image/1?sign=given`);
  const taken = Array.from({ length: PLACES }, () => picture(busy));
  await until(() => pictures.waiting.length === PLACES, "one picture in each place");
  expect((await picture(busy)).status).toBe(503);

  const other = picture(idle);
  await until(() => pictures.waiting.length === PLACES + 1, "the picture of the other relay");
  pictures.answerAll();
  const answers = await Promise.all([...taken, other]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await other).headers.get("content-type")).toBe("image/png");
  // Their places are free again.
  const again = picture(busy);
  await until(() => pictures.waiting.length === 1, "one more picture");
  pictures.answerAll();
  expect((await again).status).toBe(200);

  await Promise.all([busy.close(), idle.close()]);
  pictures.close();
});
