/** Tests that the short form leaves to `npm test -- --all`: variants of what their file's other tests cover. */
import { test } from "vitest";
import { LEAVES_TO_ALL } from "./short-or-long.ts";

type Body = () => Promise<void> | void;

const register: (name: string, body: Body, timeoutMs?: number) => void = LEAVES_TO_ALL ? () => undefined : test;

/**
 * vitest's `test` for a variant: another refusal, drawer or way of an act whose journey the file keeps. Not registered where it is left out.
 * @param timeoutMs where it may take longer than those of its level
 * @example testInAll("a video is fetched once play is pressed")(async () => { … });
 */
export const testInAll =
  (name: string, timeoutMs?: number) =>
  (body: Body): void =>
    register(name, body, timeoutMs);
