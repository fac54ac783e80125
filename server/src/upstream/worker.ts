/** Requests through the worker proxy: an operator's program on another machine that fetches URLs of users, so that their sites never see this server. */

/** Its address, and what it fetches. */
export interface WorkerProxy {
  /** http or https, without a slash at its end. */
  url: string;
  /** What it demands of its callers; "" where it demands nothing. */
  key: string;
  /** Whether it also fetches images and files at http addresses. */
  allowsHttp: boolean;
}

interface WorkerOptions {
  WorkerUrl: string;
  WorkerValidKey: string;
  WorkerAllowHttpImageRequestEnabled: boolean;
}

/** The worker of the options; undefined where there is none. */
export const workerOf = (options: WorkerOptions): WorkerProxy | undefined =>
  options.WorkerUrl === ""
    ? undefined
    : {
        url: options.WorkerUrl,
        key: options.WorkerValidKey,
        allowsHttp: options.WorkerAllowHttpImageRequestEnabled,
      };

/** What the worker is to send; `body` is a JSON value. */
interface WorkerTask {
  url: string;
  method: "GET" | "POST";
  headers: Readonly<Record<string, string>>;
  body?: unknown;
}

/** The call of the worker: it answers with the target's own status, headers and body. */
export function workerRequest({ url, key }: WorkerProxy, task: WorkerTask) {
  const target = { url: task.url, ...(key === "" ? {} : { key }), method: task.method, headers: task.headers };
  const body = task.body === undefined ? target : { ...target, body: task.body };
  return {
    method: "POST" as const,
    url: `${url}/`,
    headers: ["content-type", "application/json", "accept", "*/*", "user-agent", "Turnpike"],
    body: Buffer.from(JSON.stringify(body)),
  };
}
