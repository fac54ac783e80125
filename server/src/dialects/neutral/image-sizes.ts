/** Image sizes: which size a model draws for the one requested; the price follows it in every format. Part of the hub. */

/** In pixels. */
export interface PictureSize {
  width: number;
  height: number;
}

interface FewSizes {
  models: RegExp;
  sizes: readonly PictureSize[];
}

const SQUARE = { width: 1024, height: 1024 };

/** Models that draw a few sizes only (platform.openai.com/docs/api-reference/images/create); all others are sent what was asked for. */
const FEW_SIZES: readonly FewSizes[] = [
  { models: /^dall-e-2/, sizes: [SQUARE] },
  { models: /^dall-e-3/, sizes: [SQUARE, { width: 1792, height: 1024 }, { width: 1024, height: 1792 }] },
  {
    models: /^(?:gpt-image-1|chatgpt-image)/,
    sizes: [SQUARE, { width: 1536, height: 1024 }, { width: 1024, height: 1536 }],
  },
];

const ratioOf = ({ width, height }: PictureSize): number => width / height;

/** The choice whose sides are nearest, by how many times wider the one is than the other; the first of those that are equally near. */
export function nearestInRatio<Choice extends PictureSize>(choices: readonly Choice[], size: PictureSize): Choice {
  const distance = (choice: Choice): number => Math.abs(Math.log(ratioOf(size) / ratioOf(choice)));
  return choices.reduce((best, each) => (distance(each) < distance(best) ? each : best));
}

/** What the model draws where this size is asked for. */
export function drawnSize(model: string, size: PictureSize): PictureSize {
  const few = FEW_SIZES.find(({ models }) => models.test(model));
  return few === undefined ? size : nearestInRatio(few.sizes, size);
}

/** As OpenAI and the prices write it: 1024x1024. */
export const sizeText = ({ width, height }: PictureSize): string => `${width}x${height}`;
