/** Prices a charge a second time, by other arithmetic than contract/pricing.ts: whole numbers scaled by a power of ten. */
import type { ChargeDetail } from "./charge-detail.ts";

interface Scaled {
  digits: bigint;
  places: number;
}

/** Decimal text as digits and decimal places; exponents move the point. */
function scaled(text: string): Scaled {
  const [mantissa = "0", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "0", decimals = ""] = mantissa.split(".");
  const places = decimals.length - Number(exponent);
  const digits = BigInt(whole + decimals);
  return places < 0 ? { digits: digits * 10n ** BigInt(-places), places: 0 } : { digits, places };
}

const times = (a: Scaled, b: Scaled): Scaled => ({ digits: a.digits * b.digits, places: a.places + b.places });

function plus(a: Scaled, b: Scaled): Scaled {
  const places = Math.max(a.places, b.places);
  const lift = ({ digits, places: own }: Scaled): bigint => digits * 10n ** BigInt(places - own);
  return { digits: lift(a) + lift(b), places };
}

const COUNT_LIMIT = 1_000_000_000;
const CHARGE_LIMIT = 1_000_000_000_000n;

const counted = (value: unknown): bigint =>
  typeof value === "number" && value > 0 ? BigInt(Math.ceil(Math.min(value, COUNT_LIMIT))) : 0n;

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

function rounded({ digits, places }: Scaled): number {
  if (digits === 0n) return 0;
  const unit = 10n ** BigInt(places);
  const whole = digits / unit + ((digits % unit) * 2n >= unit ? 1n : 0n);
  return Number(whole === 0n ? 1n : least(whole, CHARGE_LIMIT));
}

const ZERO: Scaled = { digits: 0n, places: 0 };
const product = (count: bigint, ratios: readonly string[]): Scaled =>
  ratios.map(scaled).reduce(times, { digits: count, places: 0 });

/** The four ratios a long context changes: prompt, completion, cache, cache writing. */
function contextRatios({ r, x }: ChargeDetail, input: bigint): readonly string[] {
  let [bound, ratios] = [-1, r?.slice(0, 4) ?? []];
  for (const [above, ...own] of x ?? []) if (Number(input) > above && above > bound) [bound, ratios] = [above, own];
  return ratios;
}

/** Quota of all tokens over the group's ratio, before rounding. */
function tokenSum(detail: ChargeDetail): Scaled {
  const [input = 0n, output = 0n, cacheRead = 0n, cacheWrite = 0n, audioIn = 0n, imageIn = 0n, audioOut = 0n] =
    detail.u.map(counted);
  const [ratio = "0", completion = "0", cache = "0", creation = "0"] = contextRatios(detail, input);
  const [audio = "0", image = "0", audioCompletion = "0"] = detail.r?.slice(4) ?? [];
  const [writtenLong, longRatio] = detail.w ?? [0, "0"];
  let sum = ZERO;
  /** Takes from a whole what each part finds left of it; gives what none took. */
  const split = (whole: bigint, parts: readonly (readonly [bigint, ...string[]])[]): bigint =>
    parts.reduce((left, [part, ...ratios]) => {
      const fitting = least(part, left);
      sum = plus(sum, product(fitting, ratios));
      return left - fitting;
    }, whole);
  const plain = split(input, [
    [cacheRead, cache],
    [cacheWrite, creation],
    [counted(writtenLong), creation, longRatio],
    [audioIn, audio],
    [imageIn, image],
  ]);
  const answered = split(output, [
    [audioOut, audio, audioCompletion],
    [counted(detail.o), detail.p ?? completion],
  ]);
  const words = plus(product(plain, []), product(answered, [completion]));
  const surcharges = (detail.m ?? []).map(([, factor]) => scaled(factor));
  return [scaled(ratio), ...surcharges].reduce(times, plus(sum, words));
}

/** The charge in quota that this detail comes to. Throws a SyntaxError for texts that are no decimals. */
export function reprice(detail: ChargeDetail): number {
  const own = detail.f === undefined ? tokenSum(detail) : product(1n, [detail.f, detail.c ?? "1", detail.q]);
  const tools = (detail.t ?? []).map(([, calls, usd]) => product(counted(calls), [usd, "0.001", detail.q]));
  return rounded(times(tools.reduce(plus, own), scaled(detail.g)));
}
