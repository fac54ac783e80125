/** What a price list knows of a model besides its price. */
import { type ListedFacts, type Modality, VENDORS } from "../../../contract/src/pricing/listed-facts.ts";
import { modelKind } from "../../../contract/src/pricing/model-kind.ts";
import { rulesFor } from "./data-set.ts";
import type { FoundRule, PriceList } from "./listed-models.ts";
import type { ListedRule } from "./listed-rules.ts";

type Side = "input" | "output";

/** What a price key is paid for; keys of text alone are none. */
const MODALITY_OF_KEY: readonly (readonly [RegExp, Side, Modality])[] = [
  [/^input_image_/, "input", "image"],
  [/^(?:input_audio_|audio_)/, "input", "audio"],
  [/^input_video_/, "input", "video"],
  [/^output_image_/, "output", "image"],
  [/^output_audio_/, "output", "audio"],
  [/^output_video_/, "output", "video"],
];

const keysOf = ({ prices }: ListedRule): string[] =>
  Array.isArray(prices)
    ? prices.flatMap((entry: { prices: object }) => Object.keys(entry.prices))
    : Object.keys(prices);

function modalitiesOf(model: string, rule: ListedRule): Pick<ListedFacts, "input_modalities" | "output_modalities"> {
  const keys = [...new Set(keysOf(rule))];
  const others = MODALITY_OF_KEY.filter(([pattern]) => keys.some((key) => pattern.test(key)));
  // A list prices most pictures as text: of a model that has text prices only, it does not say what else it takes.
  if (others.length === 0) return {};
  const of = (side: Side): Modality[] => [
    ...(keys.includes(`${side}_mtok`) || keys.includes(`${side}_text_mtok`) ? (["text"] as const) : []),
    ...others.flatMap(([, otherSide, modality]) => (otherSide === side ? [modality] : [])),
  ];
  const outputs = of("output");
  // What is drawn or spoken is often priced as plain output: the list then does not say what comes out.
  const isKnown = outputs.some((modality) => modality !== "text") || modelKind(model) === "chat";
  return { input_modalities: of("input"), ...(isKnown ? { output_modalities: outputs } : {}) };
}

const isVendor = (provider: string): provider is keyof typeof VENDORS => Object.hasOwn(VENDORS, provider);

const vendorOf = (found: readonly FoundRule[]): string | undefined => {
  const maker = found.map(({ provider }) => provider).find(isVendor);
  return maker && VENDORS[maker];
};

/** What the list knows of the model: of its maker's rule first, and of resellers' what that does not say. */
export function factsOf(list: PriceList, model: string): ListedFacts {
  const found = rulesFor(list, model);
  const vendor = vendorOf(found);
  const context = found.find(({ rule }) => rule.context_window !== undefined)?.rule.context_window;
  return {
    ...(vendor === undefined ? {} : { vendor }),
    ...(context === undefined ? {} : { context_length: context }),
    ...(found[0] === undefined ? {} : modalitiesOf(model, found[0].rule)),
  };
}
