/** Addresses of vendors with several formats: those beside the main one (define.ts adds them to a provider), and gateways with every format. */
import type { FormatName } from "../dialects/dialect.ts";
import type {
  NativeFormat,
  NativeName,
  Provider,
  ProviderCall,
  ProviderChannel,
  ProviderDeclaration,
  ProviderRequest,
} from "./provider.ts";

/** The version of Anthropic's API that requests of other formats are written for (platform.claude.com/docs/en/api/versioning). */
const MESSAGES_VERSION = "2023-06-01";

/** A base URL that still ends in a version has a path of the operator's own, behind which the place of other formats is unknown. */
const OTHER_VERSION = /\/v\d+[a-z]*$/;

type Natives = NonNullable<ProviderDeclaration["natives"]>;
type Declared = Pick<ProviderDeclaration, "natives" | "baseEndings">;

const entriesOf = (natives: Natives): (readonly [NativeName, NativeFormat])[] =>
  Object.entries(natives) as (readonly [NativeName, NativeFormat])[];
const nativeOf = (natives: Natives, name: FormatName): NativeFormat | undefined =>
  entriesOf(natives).find(([each]) => each === name)?.[1];

/** Vendors document the base URL of Messages without its version. */
const basesOf = ([name, { root }]: readonly [NativeName, NativeFormat]): string[] =>
  name === "anthropic-messages" ? [root, root.replace(/\/v\d+$/, "")] : [root];

/** Endings of a base URL that are roots of other formats than its first: without them it is the base of all. */
const nativeBases = (natives: Natives): ReadonlySet<string> =>
  new Set(
    entriesOf(natives)
      .flatMap(basesOf)
      .filter((each) => each !== "" && each !== "/v1"),
  );

/** Endings of a base URL that stand for a root of the vendor's, the longest first: what an operator may have copied with it. */
function endingsOf({ natives = {}, baseEndings = [] }: Declared): readonly string[] {
  const plans = entriesOf(natives).flatMap(([, native]) => Object.keys(native.plans ?? {}));
  const all = new Set([...nativeBases(natives), ...plans, ...baseEndings, "/v1"]);
  return [...all].toSorted((a, b) => b.length - a.length);
}

/** The base URL without such an ending, and the ending. */
function splitBase(baseUrl: string, endings: readonly string[]): { base: string; ending: string } {
  const trimmed = baseUrl.replace(/\/+$/, "");
  const ending = endings.find((each) => trimmed.endsWith(each)) ?? "";
  return { base: trimmed.slice(0, trimmed.length - ending.length), ending };
}

const keyHeaders = ({ keyHeader }: NativeFormat, key: string): string[] =>
  keyHeader === undefined ? ["authorization", `Bearer ${key}`] : [keyHeader, key];

function nativeRequest(
  native: NativeFormat,
  { key }: ProviderChannel,
  { dialect, path, headers }: ProviderCall,
  { base, ending }: { base: string; ending: string },
): ProviderRequest {
  const root = native.plans?.[ending] ?? native.root;
  const version = dialect === "anthropic-messages" ? ["anthropic-version", MESSAGES_VERSION] : [];
  const url = base + root + path.replace(/^\/v1(?=\/)/, "");
  return { url, headers: [...keyHeaders(native, key), ...version, ...Object.entries(headers).flat()] };
}

/** The provider with the formats that its manifest declares as native beside its own. */
export function withNativeFormats(declared: Declared, provider: Provider): Provider {
  const { natives } = declared;
  if (natives === undefined) return provider;
  const endings = endingsOf(declared);
  const bases = nativeBases(natives);
  const { endpoint, dialectsOf, manifest } = provider;
  const own = manifest.dialects.filter((name) => !(name in natives));
  return {
    ...provider,
    endpoint(channel, call) {
      const split = splitBase(channel.baseUrl, endings);
      const native = call.operation === "chat" ? nativeOf(natives, call.dialect) : undefined;
      if (native !== undefined) return nativeRequest(native, channel, call, split);
      return endpoint(bases.has(split.ending) ? { ...channel, baseUrl: split.base } : channel, call);
    },
    dialectsOf(model, channel) {
      const isElsewhere = OTHER_VERSION.test(splitBase(channel.baseUrl, endings).base);
      const served = entriesOf(natives).filter(([, { models }]) => !isElsewhere && models?.test(model) !== false);
      return [...(dialectsOf?.(model, channel) ?? own), ...served.map(([name]) => name)];
    },
  };
}

/**
 * Every format at its own path behind one address, with the key as a bearer token at each (middleware/auth.go of github.com/QuantumNous/new-api,
 * backend/internal/server/middleware/api_key_auth.go and api_key_auth_google.go of github.com/Wei-Shaw/sub2api).
 */
export function gatewayEndpoint({ baseUrl, key }: ProviderChannel, call: ProviderCall): ProviderRequest {
  const base = baseUrl.replace(/(?:\/v1(?:beta)?)?\/*$/, "");
  const version = call.dialect === "anthropic-messages" ? { "anthropic-version": MESSAGES_VERSION } : {};
  const headers = Object.entries({ ...version, ...call.headers }).flat();
  const path = call.operation === "models" ? "/v1/models" : call.path;
  return { url: base + path, headers: ["authorization", `Bearer ${key}`, ...headers] };
}
