/** For tests: a Telegram Bot API on a free port, which holds a long poll open until something was written, and keeps what the bot answered. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";

export interface BotServer {
  url: string;
  /** What the bot wrote, in its order. */
  answers: { chat: number; text: string }[];
  /** Offsets that were polled with. */
  offsets: number[];
  /** Writes to the bot as this Telegram account. */
  write(from: number, text: string, more?: { language?: string; chatType?: string }): void;
  close(): Promise<void>;
}

/** @param token of the bot; every other one is refused as Telegram refuses it */
export async function startBotServer(token: string): Promise<BotServer> {
  const waiting: object[] = [];
  const answers: BotServer["answers"] = [];
  const offsets: number[] = [];
  let polling: ServerResponse | undefined;
  let number = 100;
  const give = (response: ServerResponse, result: unknown) => response.end(JSON.stringify({ ok: true, result }));
  const flush = () => {
    if (polling === undefined || waiting.length === 0) return;
    give(polling, [...waiting]);
    polling = undefined;
  };
  const confirmUntil = (offset: number) => {
    const left = waiting.filter((each) => (each as { update_id: number }).update_id >= offset);
    waiting.splice(0, waiting.length, ...left);
  };
  const server = createServer((request, response) => {
    void readAll(request).then((body) => {
      const sent = JSON.parse(body) as { offset: number; chat_id: number; text: string };
      if (request.url === `/bot${token}/getUpdates`) {
        offsets.push(sent.offset);
        confirmUntil(sent.offset);
        polling = response;
        return flush();
      }
      if (request.url === `/bot${token}/sendMessage`) {
        answers.push({ chat: sent.chat_id, text: sent.text });
        return give(response, {});
      }
      return response.writeHead(401).end('{"ok":false,"error_code":401,"description":"Unauthorized"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    offsets,
    write(from, text, { language = "en", chatType = "private" } = {}) {
      const person = { id: from, is_bot: false, first_name: "Ada", username: `ada${from}`, language_code: language };
      number += 1;
      waiting.push({ update_id: number, message: { text, chat: { id: from, type: chatType }, from: person } });
      flush();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
