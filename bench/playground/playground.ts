/** `npm run bench -- playground`: how long a browser's main thread is blocked, in CPU time, while 100 KB of Markdown stream into the playground. */
import {
  endBrowser,
  logInOn,
  openContext,
  openPage,
  startBrowser,
  WEB_DIRECTORY,
} from "../../tests/support/systems/browser.ts";
import { ROOT_PASSWORD, setUp, startTestServer } from "../../tests/support/systems/server.ts";
import { startFakeUpstream } from "../../tests/fake-upstream/fake-upstream.ts";

const SIZE = 100_000;
/** What a reader sees as a halt. */
const LIMIT_MS = 50;

const SECTION = (number: number): string => `## Section ${number}

Some **words** with \`code\`, a [link](https://example.com/${number}), prices of $${number} and a formula $x_{${number}}^2 + \\sqrt{y}$ in a line that goes on for a while, so that it wraps.

1. first item of ${number}
2. second item
   - nested, with *emphasis*

\`\`\`python
def section_${number}(values: list[int]) -> int:
    """Sum of what is above ${number}."""
    return sum(value for value in values if value > ${number})
\`\`\`

| name | value | note |
| :--- | ---: | --- |
| a${number} | ${number} | one |
| b${number} | ${number * 2} | two |
`;

const joined = (part: (number: number) => string, between: string): string => {
  let text = "";
  for (let number = 1; text.length < SIZE; number += 1) text += part(number) + between;
  return text;
};

/** Texts of 100 KB: of everything, and each of one kind that cannot be cut at blank lines. */
const TEXTS: Readonly<Record<string, string>> = {
  "sections of everything": joined(SECTION, "\n"),
  "one list": joined((number) => `- item **${number}** with \`code\` and words that go on`, "\n"),
  "one table": `| a | b | c |\n| - | - | - |\n${joined((number) => `| ${number} | **${number * 3}** | some words |`, "\n")}`,
  "one block of code": `\`\`\`ts\n${joined((number) => `export const value${number} = compute(${number}, "text");`, "\n")}\n\`\`\``,
  "one paragraph": joined((number) => `word${number}`, " "),
};

interface Held {
  longestMs: number;
  over: number;
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** CPU of the thread in microseconds. */
  tdur?: number;
  args?: { name?: string };
}

/** The tasks of the page's main thread by their CPU, so that what else the machine does is not counted. */
function heldUp(trace: Buffer): Held {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const named = traceEvents.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain");
  const mains = new Set(named.map(({ pid, tid }) => `${pid} ${tid}`));
  const tasks = traceEvents
    .filter(({ name, pid, tid }) => name === "RunTask" && mains.has(`${pid} ${tid}`))
    .map(({ tdur = 0 }) => tdur / 1000);
  if (tasks.length === 0) throw new Error("the browser told of no task");
  return { longestMs: Math.max(...tasks), over: tasks.filter((ms) => ms > LIMIT_MS).length };
}

const TRACED = { categories: ["toplevel", "disabled-by-default-devtools.timeline", "devtools.timeline"] };

const line = (what: string, { longestMs, over }: Held): void =>
  void process.stdout.write(
    `${what.padEnd(52)} ${longestMs.toFixed(0).padStart(5)} ms  ${over === 0 ? "met" : `MISSED ${over} times`}\n`,
  );

/** Prints the longest task of each text. */
export async function measurePlayground(): Promise<void> {
  const upstream = await startFakeUpstream({ records: false });
  const server = await startTestServer({ ALLOW_PRIVATE_UPSTREAMS: "1" }, { webDirectory: WEB_DIRECTORY });
  const browser = await startBrowser();
  try {
    const root = await setUp(server);
    const channel = {
      type: 1,
      name: "main",
      key: "sk-a",
      base_url: upstream.url,
      models: "gpt-4o-mini",
      groups: ["default"],
    };
    await root.post("/api/channel/", channel);
    const context = await openContext(browser);
    const { page } = await openPage(context);
    await logInOn(page, server.app.url, "root", ROOT_PASSWORD);
    for (const [name, text] of Object.entries(TEXTS)) {
      upstream.plan({ text, chunks: 600, chunkDelayMs: 5 });
      await page.goto(`${server.app.url}/playground`);
      await page.getByRole("button", { name: "New chat" }).click();
      await browser.startTracing(page, TRACED);
      await page.getByRole("textbox", { name: "Message" }).fill("Go on.");
      await page.keyboard.press("Enter");
      await page.locator('article[data-status="complete"]').nth(1).waitFor({ timeout: 120_000 });
      await page.waitForTimeout(1000);
      line(`${name}, ${Math.round(text.length / 1000)} KB streamed`, heldUp(await browser.stopTracing()));
    }
  } finally {
    await endBrowser();
    await server.stop();
    await upstream.close();
  }
}
