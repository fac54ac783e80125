/** Shows that the architecture rules fail: each test plants one breach in a small tree and expects it to be named. */
import { describe, expect, test } from "vitest";
import { checkCycles } from "./cycle-rules.ts";
import { checkFolders, checkImports, checkPackages, checkRooms, checkSides, importsOf } from "./import-rules.ts";
import { checkLocales } from "./locale-rules.ts";
import { checkMounts, endpointsOf } from "./mount-rules.ts";
import { NAMED_ROOMS, PLAIN_FOLDERS, ZONES } from "./rules.ts";
import { DIALECT_FILES, type FileVocabulary, PROVIDER_FILES } from "./structure-table.ts";
import {
  checkDialects,
  checkFeatures,
  checkFolderSizes,
  checkHeads,
  checkMachinePaths,
  checkNames,
  checkProviders,
  checkPurity,
  checkReExports,
  checkShortFiles,
  checkSizes,
  checkSmallFolders,
} from "./structure-rules.ts";
import { printed, type SourceFile } from "./tree.ts";

const HEAD = "/** A planted file of a test, which does nothing. */\n";

const file = (path: string, text = ""): SourceFile => ({ path, text: HEAD + text });

/** The breaches of one file that imports one thing. */
const importing = (path: string, specifier: string, clause = "{ x }"): string[] =>
  printed(checkImports([file(path, `import ${clause} from "${specifier}";\n`)], ZONES));

describe("imports outside the table are breaches", () => {
  test.each([
    ["server/src/relay/relay.ts", "../db/schema.ts"],
    ["server/src/relay/relay.ts", "kysely"],
    ["server/src/relay/attempt/send.ts", "../../console/http/mount.ts"],
    ["server/src/relay/request/accept.ts", "../metering/meters.ts"],
    ["server/src/relay/reply/stream.ts", "../attempt/attempts.ts"],
    ["server/src/relay/realtime/session.ts", "../relay.ts"],
    ["server/src/dialects/openai-chat/openai-chat.ts", "../anthropic-messages/anthropic-messages.ts"],
    ["server/src/dialects/openai-chat/openai-chat.ts", "node:fs"],
    ["server/src/dialects/neutral/check.ts", "../gemini/fields.ts"],
    ["server/src/dialects/stream/pipe.ts", "../registry.ts"],
    ["server/src/dialects/openai-chat/openai-chat.ts", "../../upstream/client.ts"],
    ["server/src/providers/azure.ts", "./openai.ts"],
    ["server/src/providers/azure.ts", "./aws/aws.ts"],
    ["server/src/providers/azure.ts", "./registry.ts"],
    ["server/src/providers/azure.ts", "../relay/relay.ts"],
    ["server/src/providers/azure.ts", "../upstream/client.ts"],
    ["server/src/providers/azure.ts", "node:fs"],
    ["server/src/providers/aws/signature.ts", "../azure.ts"],
    ["server/src/providers/aws/signature.ts", "../vertex/token.ts"],
    ["server/src/providers/define.ts", "./azure.ts"],
    ["server/src/upstream/client.ts", "../billing/billing.ts"],
    ["server/src/billing/ledger.ts", "../relay/relay.ts"],
    ["server/src/billing/ledger.ts", "../console/tokens/service.ts"],
    ["server/src/db/schema.ts", "../billing/billing.ts"],
    ["server/src/console/tokens/service.ts", "../channels/store.ts"],
    ["server/src/console/tokens/service.ts", "../../relay/relay.ts"],
    ["contract/src/money.ts", "../../server/src/config.ts"],
    ["contract/src/money.ts", "undici"],
    ["web/src/features/tokens/page.tsx", "../channels/page.tsx"],
    ["web/src/features/tokens/page.tsx", "../../app/router.tsx"],
    ["web/src/ui/display/quota.tsx", "../../features/tokens/queries.ts"],
    ["web/src/lib/api.ts", "../../../server/src/app.ts"],
    ["server/src/app.ts", "../../tests/fake-upstream/fake-upstream.ts"],
    ["server/src/relay/relay.ts", "./testing.ts"],
    ["server/src/app.ts", "./config"],
  ])("%s -> %s", (from, to) => {
    expect(importing(from, to)).toHaveLength(1);
  });

  test.each([
    ["server/src/relay/relay.ts", "../providers/registry.ts"],
    ["server/src/relay/relay.ts", "./realtime/session.ts"],
    ["server/src/relay/attempt/send.ts", "../reply/delivery.ts"],
    ["server/src/relay/attempt/send.ts", "./attempts.ts"],
    ["server/src/providers/azure.ts", "./define.ts"],
    ["server/src/providers/azure.ts", "../dialects/json/fields.ts"],
    ["server/src/providers/aws/aws.ts", "./signature.ts"],
    ["server/src/providers/aws/aws.ts", "../define.ts"],
    ["server/src/providers/registry.ts", "./azure.ts"],
    ["server/src/providers/registry.ts", "./aws/aws.ts"],
    ["server/src/dialects/openai-chat/openai-chat.ts", "../neutral/neutral.ts"],
    ["server/src/dialects/openai-chat/openai-chat.ts", "../../../../contract/src/pricing/usage.ts"],
    ["server/src/console/tokens/service.ts", "./store.ts"],
    ["server/src/console/tokens/service.ts", "../../billing/billing.ts"],
    ["web/src/features/tokens/page.tsx", "../../ui/quota.tsx"],
    ["server/src/app.ts", "./relay/relay.ts"],
  ])("%s -> %s is fine", (from, to) => {
    expect(importing(from, to)).toEqual([]);
  });

  test("a type may come from where a value may not", () => {
    const path = "server/src/providers/azure.ts";
    expect(importing(path, "../upstream/client.ts", "type { Client }")).toEqual([]);
    expect(importing(path, "../upstream/client.ts", "{ type Client }")).toEqual([]);
    expect(importing(path, "../upstream/client.ts", "{ type Client, connect }")).toHaveLength(1);
  });

  test("a room of the relay may not even name a type of a floor above it", () => {
    const path = "server/src/relay/metering/record.ts";
    expect(importing(path, "../attempt/attempts.ts", "type { Attempt }")).toHaveLength(1);
    expect(importing(path, "../call/trace.ts", "type { Trace }")).toEqual([]);
  });

  test("every way to import is seen", () => {
    const text = [
      'import {\n  a,\n  b,\n} from "./many-lines.ts";',
      'import "./effect.css";',
      'const later = await import("./later.ts");',
      'export { c } from "./passed-on.ts";',
      'new Worker(new URL("./writer-worker.ts", import.meta.url));',
    ].join("\n");
    expect(
      importsOf(text)
        .map(({ specifier }) => specifier)
        .sort(),
    ).toEqual(["./effect.css", "./later.ts", "./many-lines.ts", "./passed-on.ts", "./writer-worker.ts"]);
  });

  test("a reviewed exception is let through, and only it", () => {
    const files = [file("server/src/relay/relay.ts", 'import { x } from "../db/schema.ts";\n')];
    const reviewed = { from: "server/src/relay/relay.ts", to: "db/schema.ts", reason: "planted" };
    expect(checkImports(files, ZONES, [reviewed])).toEqual([]);
    expect(checkImports(files, ZONES, [{ ...reviewed, to: "db/other.ts" }])).toHaveLength(1);
  });

  test("a web test that reaches into the server, and a server test that reaches into the web", () => {
    const files = [
      file("web/src/lib/api.test.ts", 'import { x } from "../../../server/src/app.ts";\n'),
      file("server/src/app.test.ts", 'import { x } from "../../web/src/lib/api.ts";\n'),
    ];
    expect(checkSides(files)).toHaveLength(2);
  });

  test("a development package in production code", () => {
    const files = [file("server/src/app.ts", 'import { test } from "vitest";\nimport { z } from "zod";\n')];
    expect(printed(checkPackages(files, /^server\/src\//, ["zod"]))).toEqual([
      'server/src/app.ts: vitest is not in "dependencies" of package.json [packages]',
    ]);
  });
});

describe("import cycles", () => {
  const chain = (last: string): SourceFile[] => [
    file("server/src/a.ts", 'import { b } from "./relay/b.ts";\n'),
    file("server/src/relay/b.ts", 'import type { C } from "../c.ts";\n'),
    file("server/src/c.ts", last),
    file("server/src/d.ts", 'import { a } from "./a.ts";\n'),
  ];

  test("a cycle that only a type closes is named once, and only those in it", () => {
    expect(printed(checkCycles(chain('import type { A } from "./a.ts";\n')))).toEqual([
      "server/src/a.ts: is in an import cycle with server/src/c.ts, server/src/relay/b.ts [cycles]",
    ]);
  });

  test("files that import one way, and from what is no file of the tree, are none", () => {
    expect(checkCycles(chain('import { z } from "zod";\nimport { g } from "./gone.ts";\n'))).toEqual([]);
  });

  test("lazy imports count, but for the page that a route names", () => {
    const pair = (name: string) => [
      file(`web/src/features/tokens/${name}`, 'const load = () => import("./page.tsx");\n'),
      file("web/src/features/tokens/page.tsx", `import { tokenSearch } from "./${name}";\n`),
    ];
    expect(checkCycles(pair("view.ts"))).toHaveLength(1);
    expect(checkCycles(pair("route.ts"))).toEqual([]);
  });

  test("a file that imports itself", () => {
    expect(checkCycles([file("server/src/a.ts", 'import { b } from "./a.ts";\n')])).toHaveLength(1);
  });
});

describe("folders, files and names", () => {
  test("an unknown folder", () => {
    const files = [file("server/src/plugins/first.ts"), file("scripts/go.ts"), file("server/src/relay/relay.ts")];
    expect(checkFolders(files, ZONES, PLAIN_FOLDERS).map(({ path }) => path)).toEqual([
      "server/src/plugins/first.ts",
      "scripts/go.ts",
    ]);
  });

  test("a room of the relay that no row names", () => {
    const files = ["relay.ts", "realtime/realtime.ts", "billing/charge.ts"].map((name) =>
      file(`server/src/relay/${name}`),
    );
    expect(checkRooms(files, ZONES, NAMED_ROOMS).map(({ path }) => path)).toEqual([
      "server/src/relay/billing/charge.ts",
    ]);
  });

  /** The files that a folder of one kind cannot go without. */
  const complete = (at: string, { required }: FileVocabulary): SourceFile[] =>
    required.map((name) => file(`${at}/${name.replace("{slug}", at.split("/").at(-1) ?? "")}`));

  test("a provider's folder without the file that defines it, and one with a file of another name", () => {
    const aws = "server/src/providers/aws";
    expect(checkProviders([...complete(aws, PROVIDER_FILES), file("server/src/providers/azure.ts")])).toEqual([]);
    const more = ["signature.ts", "aws.test.ts"].map((name) => file(`${aws}/${name}`));
    expect(checkProviders([...complete(aws, PROVIDER_FILES), ...more])).toEqual([]);
    expect(printed(checkProviders(more))).toEqual([
      `${aws}: has no aws.ts, which every folder beside it has [providers]`,
    ]);
    expect(checkProviders([...complete(aws, PROVIDER_FILES), file(`${aws}/wheels.ts`)])).toHaveLength(1);
  });

  test("a wire format without one of the files, and one with a file that none of the others could have", () => {
    const cohere = "server/src/dialects/cohere";
    const all = complete(cohere, DIALECT_FILES);
    const beside = [file("server/src/dialects/neutral/check.ts"), file(`${cohere}/stream/encoder.test.ts`)];
    expect(checkDialects([...all, ...beside, file(`${cohere}/stream/frames.ts`)])).toEqual([]);
    expect(printed(checkDialects(all.filter(({ path }) => !path.endsWith("stream/decoder.ts"))))).toEqual([
      `${cohere}: has no stream/decoder.ts, which every folder beside it has [dialects]`,
    ]);
    expect(printed(checkDialects([...all, file(`${cohere}/read.ts`)]))).toEqual([
      `${cohere}/read.ts: is not among the file names of structure-table.ts [dialects]`,
    ]);
  });

  test("a feature that is missing on one side, one nobody knows, and an exception that is no longer one", () => {
    const tokens = [
      file("contract/src/features/tokens.ts"),
      file("server/src/console/tokens/routes.ts"),
      file("web/src/features/tokens/page.tsx"),
      file("web/src/locales/en/tokens.json"),
    ];
    expect(checkFeatures(tokens, [])).toEqual([]);
    expect(printed(checkFeatures(tokens.slice(0, 3), []))).toEqual([
      "tokens: stands on some sides, but not in locales [features]",
    ]);
    expect(checkFeatures(tokens.slice(0, 3), [{ feature: "tokens", missing: ["locales"] }])).toEqual([]);
    expect(checkFeatures(tokens, [{ feature: "tokens", missing: ["locales"] }])).toHaveLength(1);
    expect(checkFeatures([file("web/src/features/coupons/page.tsx")], [])).toHaveLength(1);
  });

  test("names that say nothing", () => {
    const files = [
      file("web/src/lib/utils.ts"),
      file("server/src/common/x.ts"),
      file("server/src/relay/attempt/send.ts"),
    ];
    expect(checkNames(files)).toHaveLength(2);
  });

  test("a file without its head sentence", () => {
    const bare = { path: "server/src/relay/attempt/send.ts", text: 'import { x } from "./x.ts";\n' };
    const unfinished = { path: "server/src/relay/attempt/send.ts", text: "/** Sends */\n" };
    expect(checkHeads([bare, unfinished, file("server/src/relay/reply/reply.ts")])).toHaveLength(2);
  });

  test("a file of 401 lines", () => {
    expect(checkSizes([{ path: "server/src/a.ts", text: "x\n".repeat(401) }])).toHaveLength(1);
    expect(checkSizes([{ path: "server/src/a.ts", text: "x\n".repeat(400) }])).toEqual([]);
  });

  test("a file of 24 lines; not a migration, nor a test", () => {
    const short = (path: string) => ({ path, text: "x\n".repeat(24) });
    expect(printed(checkShortFiles([short("server/src/billing/a.ts")]))).toEqual([
      "server/src/billing/a.ts: has 24 lines: merge it into what uses it, or give a reason in size-table.ts [short]",
    ]);
    const fine = ["server/src/db/migrations/0001-a.ts", "web/src/ui/a.test.ts", "tests/a.ts"].map(short);
    expect(checkShortFiles([...fine, { path: "server/src/billing/b.ts", text: "x\n".repeat(25) }])).toEqual([]);
  });

  test("a folder of three files; not a small feature", () => {
    const three = (folder: string) => ["a.ts", "b.ts", "c.ts", "a.test.ts"].map((name) => file(`${folder}/${name}`));
    expect(printed(checkSmallFolders(three("server/src/billing/parts")))).toEqual([
      "server/src/billing/parts: holds 3 files of code, at least 4 are a folder: see size-table.ts [rooms]",
    ]);
    expect(checkSmallFolders(three("server/src/console/groups"))).toEqual([]);
    expect(checkSmallFolders([...three("server/src/billing/parts"), file("server/src/billing/parts/d.ts")])).toEqual(
      [],
    );
  });

  test("a folder of 31 files, tests and rooms inside it not counted, and an exception that is no longer one", () => {
    const relay = Array.from({ length: 30 }, (_, index) => file(`server/src/relay/step-${index}.ts`));
    const more = [
      file("server/src/relay/a.test.ts"),
      file("server/src/relay/testing.ts"),
      file("server/src/relay/call/b.ts"),
    ];
    expect(checkFolderSizes([...relay, ...more], [])).toEqual([]);
    const full = [...relay, file("server/src/relay/view.tsx")];
    expect(printed(checkFolderSizes(full, []))).toEqual([
      "server/src/relay: holds 31 files of code, at most 30 are allowed [rooms]",
    ]);
    const exception = { folder: "server/src/relay", reason: "planted" };
    expect(checkFolderSizes(full, [exception])).toEqual([]);
    expect(printed(checkFolderSizes(relay, [exception]))).toEqual([
      "server/src/relay: is not full: take it out of FULL_FOLDERS [rooms]",
    ]);
  });

  test("a folder of the writer's machine", () => {
    const planted = ["", "root", "project", "x"].join("/");
    const harmless = ["web", "root", "x"].join("/");
    expect(checkMachinePaths([file("docs/a.md", `see ${planted}`), file("docs/b.md", harmless)])).toHaveLength(1);
  });

  test("a barrel", () => {
    expect(checkReExports([file("web/src/ui/index.ts", 'export * from "./quota.tsx";\n')])).toHaveLength(1);
  });

  test("a clock in a dialect, and the environment outside config.ts", () => {
    const files = [
      file("server/src/dialects/openai-chat/openai-chat.ts", "const now = Date.now();\n"),
      file("server/src/relay/attempt/send.ts", "const level = process.env.LOG_LEVEL;\n"),
      file("server/src/config.ts", "const level = process.env.LOG_LEVEL;\n"),
    ];
    expect(checkPurity(files).map(({ path }) => path)).toEqual([
      "server/src/dialects/openai-chat/openai-chat.ts",
      "server/src/relay/attempt/send.ts",
    ]);
  });
});

describe("languages", () => {
  const locales = (en: unknown, zh: unknown): SourceFile[] => [
    { path: "web/src/locales/en/tokens.json", text: JSON.stringify(en) },
    { path: "web/src/locales/zh/tokens.json", text: JSON.stringify(zh) },
  ];

  test("a key, a file or a placeholder that one language lacks, and an empty text", () => {
    expect(checkLocales(locales({ a: { b: "x" } }, { a: { b: "y" } }))).toEqual([]);
    expect(checkLocales(locales({ a: "x", b: "x" }, { a: "y" }))).toHaveLength(1);
    expect(checkLocales(locales({ a: "x" }, { a: "y", b: "y" }))).toHaveLength(1);
    expect(checkLocales(locales({ a: "x {{name}}" }, { a: "y" }))).toHaveLength(2);
    expect(checkLocales(locales({ a: "x" }, { a: " " }))).toHaveLength(1);
    expect(checkLocales(locales({ a: "x" }, {}).slice(0, 1))).toHaveLength(1);
  });

  test("plural forms differ between languages and are one text", () => {
    const en = { rows_one: "{{count}} row", rows_other: "{{count}} rows" };
    expect(checkLocales(locales(en, { rows_other: "{{count}} 行" }))).toEqual([]);
  });
});

describe("endpoints", () => {
  const list = { method: "GET", path: "/api/token", access: "user" };
  const create = { method: "POST", path: "/api/token", access: "user" };

  test("are found in what a module exports", () => {
    expect(endpointsOf({ list, all: { create }, name: "tokens", schema: null })).toEqual([list, create]);
  });

  test("unmounted, mounted with another access, or unknown to the contract", () => {
    expect(checkMounts([list, create], [create, list])).toEqual([]);
    expect(printed(checkMounts([list, create], [list]))).toEqual([
      "POST /api/token: is in the contract but not mounted [mounts]",
    ]);
    expect(checkMounts([list], [{ ...list, access: "public" }])).toHaveLength(1);
    expect(checkMounts([list], [list, create])).toHaveLength(1);
  });
});
