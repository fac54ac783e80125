/** Runs `turnpike` as a process of its own, for tests. */
import { execFile } from "node:child_process";

export interface Ran {
  code: number;
  out: string;
  complaint: string;
}

/** Runs the command line with these words and nothing else of this process's environment than PATH. */
export function turnpike(env: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<Ran> {
  const environment = { PATH: process.env["PATH"] ?? "", LOG_LEVEL: "warn", ...env };
  return new Promise((resolve) => {
    const child = ["server/src/command-line/main.ts", ...words];
    execFile(process.execPath, child, { env: environment, maxBuffer: 2 ** 26 }, (error, out, complaint) =>
      resolve({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : -1, out, complaint }),
    );
  });
}
