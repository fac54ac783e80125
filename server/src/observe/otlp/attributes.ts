/** Attributes and times as OTLP writes them in JSON, and the attributes of the program itself; for spans and metrics alike (opentelemetry.io/docs/specs/otlp). */
import type { SenderConfig } from "../../util/telemetry-variables.ts";

type AttributeValue = string | number | boolean;
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** Unix milliseconds with a fraction as nanoseconds, which have more digits than a number holds exactly. */
export function nanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  return `${whole}${String(Math.floor((ms - whole) * 1e6)).padStart(6, "0")}`;
}

function valueOf(value: AttributeValue): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** An attribute that is undefined is left out. */
export const attributesOf = (attributes: Attributes): object[] =>
  Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: valueOf(value) }]));

/** The program's own attributes, under what the operator says of it; the service has the name that OTEL_SERVICE_NAME gives. */
export const resourceOf = (
  { attributes, serviceName }: Omit<SenderConfig, "headers">,
  own: Attributes,
): Attributes => ({
  "service.name": "turnpike",
  ...own,
  ...attributes,
  ...(serviceName === undefined ? {} : { "service.name": serviceName }),
});
