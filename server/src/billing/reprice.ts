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

/** The charge in quota that this detail comes to. Throws a SyntaxError for texts that are no decimals. */
export function reprice(detail: ChargeDetail): number {
  if (detail.f !== undefined) return rounded(times(times(scaled(detail.f), scaled(detail.q)), scaled(detail.g)));
  const [input = 0n, output = 0n, cacheRead = 0n, cacheWrite = 0n, audioIn = 0n, imageIn = 0n, audioOut = 0n] =
    detail.u.map(counted);
  const [ratio = "0", completion = "0", cache = "0", creation = "0", audio = "0", image = "0", audioCompletion = "0"] =
    detail.r ?? [];
  let plain = input;
  let sum: Scaled = { digits: 0n, places: 0 };
  const addPart = (part: bigint, ...ratios: string[]): void => {
    sum = plus(sum, ratios.map(scaled).reduce(times, { digits: part, places: 0 }));
  };
  const inputParts: [bigint, string][] = [
    [cacheRead, cache],
    [cacheWrite, creation],
    [audioIn, audio],
    [imageIn, image],
  ];
  for (const [part, partRatio] of inputParts) {
    const fitting = least(part, plain);
    plain -= fitting;
    addPart(fitting, partRatio);
  }
  const spoken = least(audioOut, output);
  addPart(plain);
  addPart(spoken, audio, audioCompletion);
  addPart(output - spoken, completion);
  return rounded(times(times(sum, scaled(ratio)), scaled(detail.g)));
}
