/** Songs, lyrics and videos: what can be asked for, and what a video's task keeps of that. */

/** What can be asked for, and the model whose price and channels that goes by (github.com/Suno-API/Suno-API). */
export const SUNO_MODELS = { MUSIC: "suno_music", LYRICS: "suno_lyrics" } as const;
export type SunoAction = keyof typeof SUNO_MODELS;
/** Every action of Suno. */
export const SUNO_ACTIONS = Object.keys(SUNO_MODELS) as SunoAction[]; // its own keys

/** What is asked of a model that makes videos; by which API is in the task's properties. */
export const VIDEO_ACTIONS = ["GENERATE", "REMIX"] as const;

/** What a video's task keeps of the request: JSON in the column `properties`. */
export interface VideoProperties {
  /** Wire format of the upstream. */
  format: "openai" | "gemini";
  /** Length in seconds as it was asked for and charged. */
  seconds: number;
  /** Such as 1280x720 or 16:9; empty where none was asked for. */
  size: string;
}
