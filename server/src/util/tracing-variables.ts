/** The standard variables of OpenTelemetry, as far as they are followed here: where traces go, and how many (opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables). */
import { z } from "zod";
import { described, flag } from "./environment-kinds.ts";

/** `name=value` with commas between them; `%` escapes in values are decoded. Undefined where one has another form. */
function readPairs(text: string): Record<string, string> | undefined {
  const pairs: Record<string, string> = {};
  for (const part of text.split(",").filter((each) => each.trim() !== "")) {
    const [name = "", ...rest] = part.split("=");
    if (name.trim() === "" || rest.length === 0) return undefined;
    try {
      pairs[name.trim()] = decodeURIComponent(rest.join("=").trim());
    } catch {
      return undefined;
    }
  }
  return pairs;
}

function pairs(meaning: string, isAccepted: (pairs: Record<string, string>) => boolean, rule: string) {
  const schema = z.string().refine((text) => {
    const read = readPairs(text);
    return read !== undefined && isAccepted(read);
  }, rule);
  return described(schema.transform((text) => readPairs(text) ?? {}).prefault(""), "", meaning);
}

/** A login in an address would stand in every place that shows the address. */
const isCollector = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
};

const collector = (meaning: string) =>
  described(
    z
      .string()
      .refine(isCollector, "must be a URL that starts with http:// or https://, without user and password")
      .optional(),
    "",
    meaning,
  );

/** How each sampler decides: `followsCaller` where a call that names its caller's span is sampled as that was. */
const SAMPLERS = {
  always_on: { followsCaller: false, ratio: 1 },
  always_off: { followsCaller: false, ratio: 0 },
  traceidratio: { followsCaller: false, ratio: undefined },
  parentbased_always_on: { followsCaller: true, ratio: 1 },
  parentbased_always_off: { followsCaller: true, ratio: 0 },
  parentbased_traceidratio: { followsCaller: true, ratio: undefined },
} as const;
const SAMPLER_NAMES = Object.keys(SAMPLERS) as (keyof typeof SAMPLERS)[];

const isRatio = (text: string): boolean => /^\d*\.?\d+$|^\d+\.$/.test(text) && Number(text) <= 1;
/** Names and values that Node sends without complaint. */
const isSendable = (headers: Record<string, string>): boolean =>
  Object.entries(headers).every(
    ([name, value]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value),
  );

export const TRACING_VARIABLES = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collector(
    "Collector of OpenTelemetry that traces are sent to, by OTLP over HTTP as JSON; `/v1/traces` is added to it. Without this and the next variable there are no traces ([monitoring](monitoring.md#traces)).",
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector("The same as a whole address, to which nothing is added."),
  OTEL_EXPORTER_OTLP_HEADERS: pairs(
    "Headers for the collector, such as its key: `name=value` with commas between them.",
    isSendable,
    "must be headers as name=value with commas between them",
  ),
  OTEL_SERVICE_NAME: described(
    z.string().max(200).optional(),
    "",
    "Name of this service in traces; `turnpike` without it.",
  ),
  OTEL_RESOURCE_ATTRIBUTES: pairs(
    "More attributes of this service in traces: `name=value` with commas between them.",
    () => true,
    "must be attributes as name=value with commas between them",
  ),
  OTEL_TRACES_SAMPLER: described(
    z.enum(SAMPLER_NAMES, `must be one of ${SAMPLER_NAMES.join(", ")}`).prefault("parentbased_always_on"),
    "parentbased_always_on",
    "Which calls are traced; those that fail always are. With `parentbased_` a call with a `traceparent` is as that says.",
  ),
  OTEL_TRACES_SAMPLER_ARG: described(
    z.string().refine(isRatio, "must be a number from 0 to 1").transform(Number).prefault("1"),
    "1",
    "Share of calls for `traceidratio`, 0 to 1.",
  ),
  OTEL_SDK_DISABLED: flag("false", "Switches traces off, whatever the other variables say."),
};

const variables = z.object(TRACING_VARIABLES);

/** Where traces go and which; undefined where none are wanted. */
export function tracingOf(set: z.output<typeof variables>) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole } = set;
  const url = whole ?? (base === undefined ? undefined : `${base.replace(/\/+$/, "")}/v1/traces`);
  if (url === undefined || set.OTEL_SDK_DISABLED) return undefined;
  const { followsCaller, ratio = set.OTEL_TRACES_SAMPLER_ARG } = SAMPLERS[set.OTEL_TRACES_SAMPLER];
  return {
    url,
    headers: set.OTEL_EXPORTER_OTLP_HEADERS,
    serviceName: set.OTEL_SERVICE_NAME,
    attributes: set.OTEL_RESOURCE_ATTRIBUTES,
    sampler: { followsCaller, ratio },
  };
}

export type TracingConfig = NonNullable<ReturnType<typeof tracingOf>>;
