/** What a row of the security log says: what happened, and in sentences what else is known of it. */
import type { SecurityEventRow } from "../../../../contract/src/features/personal.ts";
import { readSecurityReason, type SecurityReason } from "../../../../contract/src/security-reasons.ts";
import type { TFunction } from "../../lib/i18n.ts";
import { sentences } from "../../lib/translate.ts";
import { nameOfWay } from "../identities/ways.ts";

type Event = Pick<SecurityEventRow, "kind" | "way" | "reason" | "network" | "actor_id" | "count">;

const PLACE = "personal:security.log";

/** What happened, as the row begins. The page's texts have to hold `personal`. */
export const securityTitle = (t: TFunction, { kind }: Pick<Event, "kind">): string => t(`${PLACE}.kind.${kind}`);

/** Names of the code that have words of their own. */
function shownValues(t: TFunction, { values }: SecurityReason): Record<string, string> {
  const { fields, program, ...names } = values;
  const comma = t(`${PLACE}.comma`);
  const words = fields?.split(", ").map((field) => t(`${PLACE}.field.${field}`, { defaultValue: field }));
  return {
    ...names,
    ...(words === undefined ? {} : { fields: words.join(comma) }),
    ...(program === undefined ? {} : { program: t(`${PLACE}.program.${program}`, { defaultValue: program }) }),
  };
}

function reasonSentence(t: TFunction, { kind, reason }: Event): string {
  const read = readSecurityReason(kind, reason);
  return read === undefined ? "" : t(`${PLACE}.says.${read.sentence}`, shownValues(t, read));
}

function waySentence(t: TFunction, { kind, way }: Event): string {
  if (way === "") return "";
  const values = { way: nameOfWay(t, { provider: way, name: "" }) };
  return t(`${PLACE}.way.${kind}`, { ...values, defaultValue: t(`${PLACE}.way.other`, values) });
}

/** Sentences of what is known beside the kind; blank where that is nothing. The page's texts have to hold `personal`. */
export const securityDetail = (t: TFunction, event: Event): string =>
  sentences(
    reasonSentence(t, event),
    waySentence(t, event),
    event.actor_id === 0 ? "" : t(`${PLACE}.byOther`, { id: event.actor_id }),
    event.network === "" ? "" : t(`${PLACE}.from`, { network: event.network }),
    event.count > 1 ? t(`${PLACE}.times`, { count: event.count }) : "",
  );
