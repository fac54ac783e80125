/** A relay with an upstream of each of the four formats behind it, and the sixteen pairs that clients of each make with them, for tests. */
import { type ClientFormat, CLIENT_FORMATS } from "../clients/client-formats.ts";
import { providersOfAllFormats, type UpstreamFormat, UPSTREAM_FORMATS } from "../clients/upstream-formats.ts";
import { newChannel, newWorld, startTestRelay, type TestRelay, type TestRelayOptions } from "./harness.ts";

export interface FormatPair {
  client: ClientFormat;
  upstream: UpstreamFormat;
}

/** Every client format with every upstream format. */
export const FORMAT_PAIRS: readonly FormatPair[] = CLIENT_FORMATS.flatMap((client) =>
  UPSTREAM_FORMATS.map((upstream) => ({ client, upstream })),
);

export const pairName = ({ client, upstream }: FormatPair): string => `${client.name} <- ${upstream.name}`;

/** Starts a relay whose four channels, one of each format, lead to the same address. All models have one price. */
export async function startRelayOfAllFormats(
  upstreamUrl: string,
  options: Omit<TestRelayOptions, "world" | "providers"> = {},
): Promise<TestRelay> {
  const world = newWorld();
  const price = world.prices.get("gpt-4o");
  for (const [index, { type, model }] of UPSTREAM_FORMATS.entries()) {
    world.channels.push(newChannel({ id: index + 1, type, baseUrl: upstreamUrl, models: new Set([model]) }));
    if (price !== undefined) world.prices.set(model, price);
  }
  return startTestRelay({ ...options, world, providers: providersOfAllFormats() });
}
