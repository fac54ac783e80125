/** The standard variables of OpenTelemetry, as far as they are followed here: where traces and metrics go, how many, and how often (opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables). */
import { z } from "zod";
import { described, flag, whole } from "./environment-kinds.ts";

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

const METRIC_EXPORTERS = ["none", "otlp"] as const;
/** Where the standard sends what has no address of its own. */
const STANDARD_COLLECTOR = "http://localhost:4318";

/** The address of one signal below the address of a collector. */
const signalAt = (base: string, signal: "traces" | "metrics"): string => `${base.replace(/\/+$/, "")}/v1/${signal}`;

export const TELEMETRY_VARIABLES = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collector(
    "Collector of OpenTelemetry that traces are sent to, by OTLP over HTTP as JSON; `/v1/traces` is added to it, for metrics `/v1/metrics`. Without this and the next variable there are no traces ([monitoring](monitoring.md#traces)).",
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector("The same as a whole address, to which nothing is added."),
  OTEL_METRICS_EXPORTER: described(
    z.enum(METRIC_EXPORTERS, `must be one of ${METRIC_EXPORTERS.join(", ")}`).prefault("none"),
    "none",
    "otlp: the metrics are sent to the collector as well, of all WORKERS together ([monitoring](monitoring.md#metrics-by-otlp)).",
  ),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: collector(
    "Whole address for metrics, to which nothing is added. Without it and OTEL_EXPORTER_OTLP_ENDPOINT they go to the standard `http://localhost:4318/v1/metrics`.",
  ),
  OTEL_METRIC_EXPORT_INTERVAL: whole(
    1_000,
    3_600_000,
    "60000",
    "Milliseconds from one sending of metrics to the next.",
  ),
  OTEL_METRIC_EXPORT_TIMEOUT: whole(
    100,
    600_000,
    "30000",
    "Milliseconds that one sending of metrics may take; never more than the interval.",
  ),
  OTEL_EXPORTER_OTLP_HEADERS: pairs(
    "Headers for the collector, such as its key: `name=value` with commas between them.",
    isSendable,
    "must be headers as name=value with commas between them",
  ),
  OTEL_SERVICE_NAME: described(
    z.string().max(200).optional(),
    "",
    "Name of this service in traces and metrics; `turnpike` without it.",
  ),
  OTEL_RESOURCE_ATTRIBUTES: pairs(
    "More attributes of this service in traces and metrics: `name=value` with commas between them.",
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
  OTEL_SDK_DISABLED: flag("false", "Switches traces and metrics by OTLP off, whatever the other variables say."),
};

const variables = z.object(TELEMETRY_VARIABLES);
type Variables = z.output<typeof variables>;

/** What the program says of itself beside its own attributes, and to the collector beside the data. */
const senderOf = (set: Variables) => ({
  headers: set.OTEL_EXPORTER_OTLP_HEADERS,
  serviceName: set.OTEL_SERVICE_NAME,
  attributes: set.OTEL_RESOURCE_ATTRIBUTES,
});

/** Where traces go and which; undefined where none are wanted. */
export function tracingOf(set: Variables) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole } = set;
  const url = whole ?? (base === undefined ? undefined : signalAt(base, "traces"));
  if (url === undefined || set.OTEL_SDK_DISABLED) return undefined;
  const { followsCaller, ratio = set.OTEL_TRACES_SAMPLER_ARG } = SAMPLERS[set.OTEL_TRACES_SAMPLER];
  return {
    url,
    ...senderOf(set),
    sampler: { followsCaller, ratio },
  };
}

export type TracingConfig = NonNullable<ReturnType<typeof tracingOf>>;

/** Where metrics are sent and how often; undefined where they are not. */
export function metricExportOf(set: Variables) {
  if (set.OTEL_METRICS_EXPORTER === "none" || set.OTEL_SDK_DISABLED) return undefined;
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base = STANDARD_COLLECTOR, OTEL_METRIC_EXPORT_INTERVAL: everyMs } = set;
  return {
    url: set.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT ?? signalAt(base, "metrics"),
    ...senderOf(set),
    everyMs,
    timeoutMs: Math.min(everyMs, set.OTEL_METRIC_EXPORT_TIMEOUT),
  };
}

export type MetricExportConfig = NonNullable<ReturnType<typeof metricExportOf>>;

/** What both say of the sender. */
export type SenderConfig = ReturnType<typeof senderOf>;
