/**
 * What the operator sets about top-ups on offer: amounts, discounts by amount, and the methods with name, colour and least amount. The schemas of
 * those options and the pure functions that read them; names of options and fields are new-api's (github.com/QuantumNous/new-api, setting).
 */
import { z } from "zod";
import { because } from "../options/reasons.ts";
import { isRatioText } from "../money.ts";
import { FAMILY_METHOD_WORDS, PAYMENT_METHOD_NAMES, type PaymentMethodName } from "./methods.ts";

/** Units of the amounts that people choose from, where the operator names none. */
export const DEFAULT_AMOUNTS = [1, 10, 50, 100, 500, 1000] as const;

const MOST_AMOUNTS = 30;
const MOST_UNITS = 100_000_000;
const MOST_DISCOUNTS = 100;

const amountUnits = z.int().min(1).max(MOST_UNITS);

/** Amounts in units, in the order in which they are shown. */
export const amountOptionsSchema = z.array(amountUnits).max(MOST_AMOUNTS);

const isShare = (text: string): boolean => isRatioText(text) && Number(text) <= 1;

/** By units as whole number, the share of the price that is paid, as decimal text up to 1; 0 is no discount, as in the family. */
export const amountDiscountSchema = z
  .record(z.string().regex(/^[1-9]\d{0,8}$/, because("whole")), z.string().refine(isShare, because("discount")), {
    error: because("map"),
  })
  .refine((discounts) => Object.keys(discounts).length <= MOST_DISCOUNTS, because("many_entries"))
  .transform((discounts): Readonly<Record<string, string>> => Object.freeze({ ...discounts }));

const methodWords = [...PAYMENT_METHOD_NAMES, ...Object.keys(FAMILY_METHOD_WORDS)] as const;

const methodOfWord = (word: string): PaymentMethodName =>
  FAMILY_METHOD_WORDS[word] ?? PAYMENT_METHOD_NAMES.find((name) => name === word) ?? "zfb";

const payMethod = z
  .strictObject({
    type: z.enum(methodWords),
    /** What the wallet calls it; blank for its own name. */
    name: z.string().trim().max(50).default(""),
    /** A CSS colour of its icon. One that a browser does not know changes nothing. */
    color: z.string().trim().max(64).default(""),
    /** Least units that can be bought by it, where that is more than MinTopUp; new-api writes it as text. */
    min_topup: z
      .union([amountUnits, z.literal(0), z.string().regex(/^(?:\d{1,9})?$/, because("whole"))])
      .default(0)
      .transform(Number),
  })
  .transform(({ type, ...row }) => ({ ...row, method: methodOfWord(type) }));

/** How a method is offered. */
export type PayMethod = z.output<typeof payMethod>;

/** Each method at most once. */
export const payMethodsSchema = z
  .array(payMethod)
  .max(20)
  .superRefine((rows, context) => {
    rows.forEach(({ method }, index) => {
      if (rows.findIndex((row) => row.method === method) !== index)
        context.addIssue({ code: "custom", message: because("method_twice"), path: [index, "type"] });
    });
  });

/** Of a method without a row. */
const plainRow = (method: PaymentMethodName): PayMethod => ({ method, name: "", color: "", min_topup: 0 });

const EPAY_METHODS: ReadonlySet<string> = new Set(Object.values(FAMILY_METHOD_WORDS));

/**
 * The methods that are offered, of those that are on: as the rows have them, then those without a row. An epay gateway has no switch by
 * method, so once a row names one of its methods it offers only those that rows name.
 */
export function offeredMethods(on: readonly PaymentMethodName[], rows: readonly PayMethod[]): readonly PayMethod[] {
  const isEpayChosen = rows.some(({ method }) => EPAY_METHODS.has(method));
  const isNamed = (name: PaymentMethodName): boolean => rows.some(({ method }) => method === name);
  const others = on.filter((name) => !isNamed(name) && !(isEpayChosen && EPAY_METHODS.has(name)));
  return [...rows.filter(({ method }) => on.includes(method)), ...others.map(plainRow)];
}

/** The family's word for a method, which its programs send back. */
export const familyWordOf = (name: PaymentMethodName): string =>
  Object.entries(FAMILY_METHOD_WORDS).find(([, method]) => method === name)?.[0] ?? name;
