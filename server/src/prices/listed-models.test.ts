/** Tests of model look-up: the generated list finds what genai-prices itself finds, under every name. */
import { calcPrice, findProvider } from "@pydantic/genai-prices";
import { expect, test } from "vitest";
import { PROVIDERS_IN_ORDER, findRule } from "./listed-models.ts";
import { shippedList } from "./shipped-list.ts";

const idsOf = (providerId: string): string[] => findProvider({ providerId })?.models.map(({ id }) => id) ?? [];

/** A name as callers write it: as it is listed, with a day or a setting behind, louder, with a reseller's prefix. */
const spellings = (id: string): string[] => [
  id,
  id.toUpperCase(),
  ` ${id} `,
  `${id}-20250929`,
  `${id}-20251399`,
  `${id}-2025-09-29`,
  id.replaceAll(/-(20\d\d)-(\d\d)-(\d\d)/g, "-$1$2$3"),
  `${id}-latest`,
  `${id}:free`,
  `us.${id}`,
  `vendor/${id}`,
];

const ALL = [...new Set(PROVIDERS_IN_ORDER.flatMap(idsOf))];
const ODD = ["", "gpt", "no-such-model", "claude-opus-4-20250230"];

/** As the file has it: without the classes of the package. */
const textOf = (prices: unknown): string | undefined => JSON.stringify(prices);

test.each(PROVIDERS_IN_ORDER)("%s", (providerId) => {
  const names = [...idsOf(providerId).flatMap(spellings), ...ALL, ...ODD];
  const others = names.filter((name) => {
    const expected = calcPrice({}, name, { providerId })?.model.prices;
    return textOf(findRule(shippedList(), providerId, name)?.rule.prices) !== textOf(expected);
  });
  expect(others).toEqual([]);
});
