/** Drawings: the actions of a Midjourney proxy, the models by which each is priced, and what its answers say (github.com/novicezk/midjourney-proxy). */

/** What can be asked for, and the model whose price and channels that goes by. */
export const DRAWING_MODELS = {
  IMAGINE: "mj_imagine",
  UPSCALE: "mj_upscale",
  VARIATION: "mj_variation",
  HIGH_VARIATION: "mj_high_variation",
  LOW_VARIATION: "mj_low_variation",
  PAN: "mj_pan",
  DESCRIBE: "mj_describe",
  BLEND: "mj_blend",
  UPLOAD: "mj_upload",
  SHORTEN: "mj_shorten",
  REROLL: "mj_reroll",
  INPAINT: "mj_inpaint",
  ZOOM: "mj_zoom",
  CUSTOM_ZOOM: "mj_custom_zoom",
  MODAL: "mj_modal",
  SWAP_FACE: "swap_face",
} as const;
export type DrawingAction = keyof typeof DRAWING_MODELS;
/** Every action, in the order above. */
export const DRAWING_ACTIONS = Object.keys(DRAWING_MODELS) as DrawingAction[]; // its own keys

/** `code` of an answer to a submission. */
export const SUBMIT_CODE = {
  notSubmitted: 0,
  submitted: 1,
  noInstance: 3,
  badRequest: 4,
  waiting: 21,
  duplicate: 22,
  queueFull: 23,
  bannedPrompt: 24,
  busy: 30,
} as const;

/** Codes of submissions that the upstream took, and that are charged. */
export const ACCEPTED_CODES: readonly number[] = [SUBMIT_CODE.submitted, SUBMIT_CODE.waiting, SUBMIT_CODE.duplicate];

/** A button under a picture: what it asks for is in `customId`. */
export interface DrawingButton {
  customId: string;
  emoji: string;
  label: string;
  type: number;
  style: number;
}

/** What a drawing has beside what every task has: JSON in the column `data`. */
export interface DrawingData {
  prompt_en: string;
  description: string;
  /** What the caller sent along, to know its task again. */
  state: string;
  custom_id: string;
  bot_type: string;
  buttons: readonly DrawingButton[];
  mask_base64: string;
  /** As the upstream has it: finalPrompt, finalZhPrompt, bannedWord. */
  properties: Readonly<Record<string, unknown>>;
}
