/** A worker as operators run them elsewhere, for tests: it takes {url, key, method, headers, body}, calls the target and returns its response. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";

/** What it was asked for. */
export interface WorkerTask {
  url: string;
  key?: string;
  method: string;
  headers: Record<string, string>;
  body?: unknown;
}

export interface TestWorker {
  url: string;
  tasks: WorkerTask[];
  /** Instead of calling the target. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  close(): Promise<void>;
}

/**
 * Starts one that demands this key. `targetOf` says where a URL of a task really is: names like https://pictures.example lead nowhere in a test.
 */
export async function startWorker(key: string, targetOf: (url: string) => string): Promise<TestWorker> {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== "POST" || request.url !== "/") return void response.writeHead(404).end();
    const task = JSON.parse(await readAll(request)) as WorkerTask;
    worker.tasks.push(task);
    if (worker.answer !== undefined) return worker.answer(request, response);
    if ((task.key ?? "") !== key) return void response.writeHead(403).end('{"error":"Unauthorized key"}');
    const body = task.body === undefined ? {} : { body: JSON.stringify(task.body) };
    const { method, headers } = task;
    const answer = await fetch(targetOf(task.url), { method, headers, redirect: "manual", ...body });
    const type = answer.headers.get("content-type");
    const location = answer.headers.get("location");
    response.writeHead(answer.status, {
      ...(type === null ? {} : { "content-type": type }),
      ...(location === null ? {} : { location }),
    });
    response.end(Buffer.from(await answer.arrayBuffer()));
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const worker: TestWorker = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tasks: [],
    answer: undefined,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return worker;
}
