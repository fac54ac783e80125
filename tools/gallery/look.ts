/** The looks of a screenshot: width, theme, language. */

export interface Look {
  width: number;
  height: number;
  theme: "light" | "dark";
  language: "en" | "zh";
}

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];

export const LOOKS: readonly Look[] = SIZES.flatMap((size) =>
  (["light", "dark"] as const).flatMap((theme) =>
    (["en", "zh"] as const).map((language) => ({ ...size, theme, language })),
  ),
);

export const lookName = ({ width, theme, language }: Look): string => `${width}-${theme}-${language}`;

/** States of a page that are seen elsewhere in all looks already: each width, theme and language once. */
const FEW = ["1440-light-en", "1440-dark-zh", "1024-light-en", "390-light-zh", "390-dark-en"];

export const isFew = (look: Look): boolean => FEW.includes(lookName(look));
