/** The tables of this folder as one list of facts, each with whether the product has it. */
import { readdirSync, readFileSync } from "node:fs";
import { userReceipt } from "../../contract/src/logs/receipt.ts";
import { isOptionName, OPTION_NAMES } from "../../contract/src/options/options.ts";
import { OPTION_PAGES } from "../../contract/src/options/sections.ts";
import { providerRegistry } from "../../server/src/providers/registry.ts";
import { findPath } from "../../server/src/relay/request/paths.ts";
import { STORAGE } from "../../web/src/lib/storage.ts";
import { router } from "../support/console-router.ts";
import { CALLS, RELAY_CALLS, type SurfaceCall } from "./calls.ts";
import { RECEIPT_FIELDS, THINGS } from "./fields.ts";
import { MESSAGES } from "./messages.ts";
import { CHANNEL_TYPES } from "./channel-types.ts";
import { FAMILY_OPTIONS, OWN_OPTIONS } from "./options.ts";
import { ROUTES, SETTING_TABS, type SurfaceRoute } from "./routes.ts";
import { endpointOf, fieldsOf } from "./schema-fields.ts";
import { STORED_KEYS } from "./storage.ts";

export interface Fact {
  name: string;
  isThere: boolean;
}

const routeFact = ({ address, access }: SurfaceRoute): Fact => {
  const [matchedRoutes, , foundRoute] = router.getMatchedRoutes(address);
  const isGuarded = matchedRoutes.some(({ id }) => id === "/console");
  return { name: `route ${address}`, isThere: foundRoute !== undefined && isGuarded === (access === "guarded") };
};

const PARTS = ["query", "body", "data", "beside"] as const;

function callFacts(call: SurfaceCall): Fact[] {
  const name = `call ${call.method} ${call.path}`;
  const endpoint = endpointOf(`${call.method} ${call.path}`);
  const fields = {
    query: fieldsOf(endpoint?.query, "input"),
    body: fieldsOf(endpoint?.body, "input"),
    data: fieldsOf(endpoint?.data, "output"),
    beside: fieldsOf(endpoint?.extra, "output"),
  };
  const named = PARTS.flatMap((part) => (call[part]?.split(" ") ?? []).map((field) => ({ part, field })));
  return [
    { name, isThere: endpoint !== undefined },
    ...named.map(({ part, field }) => ({ name: `${name} ${part} ${field}`, isThere: fields[part].has(field) })),
  ];
}

const relayFact = (call: string): Fact => {
  const [method = "", path = ""] = call.split(" ");
  const { kind } = findPath(method, path);
  return { name: `relay ${call}`, isThere: !["unknown", "unimplemented", "wrong_method"].includes(kind) };
};

const thingFacts = THINGS.flatMap(({ name, at, fields }): Fact[] => {
  const there = at.flatMap((place) => {
    const [method = "", path = "", part = ""] = place.split(" ");
    const endpoint = endpointOf(`${method} ${path}`);
    return [...(part === "data" ? fieldsOf(endpoint?.data, "output") : fieldsOf(endpoint?.body, "input"))];
  });
  return fields.map((field) => ({ name: `field ${name} ${field}`, isThere: there.includes(field) }));
});

const receipt = fieldsOf(userReceipt, "output");
const receiptFacts = RECEIPT_FIELDS.map((field) => ({ name: `field receipt ${field}`, isThere: receipt.has(field) }));

const optionFacts = [...FAMILY_OPTIONS, ...OWN_OPTIONS].map((name) => ({
  name: `option ${name}`,
  isThere: isOptionName(name),
}));

const providers = providerRegistry();
const typeFacts = Object.entries(CHANNEL_TYPES).map(([type, slug]) => ({
  name: `channel type ${type} ${slug}`,
  isThere: providers.byType(Number(type))?.manifest.slug === slug,
}));

const webSources = readdirSync(new URL("../../web/src", import.meta.url), { recursive: true, encoding: "utf8" })
  .filter((path) => /(?<!\.test)\.tsx?$/.test(path))
  .map((path) => readFileSync(new URL(`../../web/src/${path}`, import.meta.url), "utf8"));

/** A key is there where a file reads or writes it. */
const storedFact = (key: string): Fact => {
  const name = Object.entries(STORAGE).find(([, stored]) => stored === key)?.[0];
  const isUsed = name !== undefined && webSources.some((text) => new RegExp(`STORAGE\\.${name}(?!\\w)`).test(text));
  return { name: `stored key ${key}`, isThere: isUsed };
};

const LOCALES = new URL("../../web/src/locales/", import.meta.url);

/** The files of a namespace: one, or one more for each settings tab, such as `options.system.json`. */
const filesOf = (language: string, namespace: string): readonly URL[] =>
  readdirSync(new URL(language, LOCALES))
    .filter((name) => name.endsWith(".json") && name.split(".")[0] === namespace)
    .map((name) => new URL(`${language}/${name}`, LOCALES));

function textAt(file: URL, path: string): string | undefined {
  const found = path.split(".").reduce<unknown>(
    (inner, part) => {
      const here = inner as Record<string, unknown> | undefined;
      return here?.[part] ?? here?.[`${part}_other`];
    },
    JSON.parse(readFileSync(file, "utf8")),
  );
  return typeof found === "string" ? found : undefined;
}

/** The text of a key such as `errors:expired`; undefined where there is none. */
function textOf(language: string, key: string): string | undefined {
  const [namespace = "", path = ""] = key.split(":");
  return filesOf(language, namespace)
    .map((file) => textAt(file, path))
    .find((text) => text !== undefined);
}

const isHan = (text: string | undefined): boolean => /\p{Script=Han}/u.test(text ?? "");

const messageFacts = MESSAGES.map(({ key, english }) => ({
  name: `message ${key} "${english}"`,
  isThere: textOf("en", key) === english && isHan(textOf("zh", key)),
}));

const labelFacts = OPTION_NAMES.map((name) => ({
  name: `label of ${name}`,
  isThere:
    textOf("en", `options:option.${name}.label`) !== undefined && isHan(textOf("zh", `options:option.${name}.label`)),
}));

const tabFacts = SETTING_TABS.map((tab, index) => ({
  name: `setting tab ${tab}`,
  isThere: OPTION_PAGES[index] === tab,
}));

export const FACTS: readonly Fact[] = [
  ...ROUTES.map(routeFact),
  ...tabFacts,
  ...CALLS.flatMap(callFacts),
  ...RELAY_CALLS.map(relayFact),
  ...thingFacts,
  ...receiptFacts,
  ...optionFacts,
  ...labelFacts,
  ...typeFacts,
  ...STORED_KEYS.map(storedFact),
  ...messageFacts,
];
