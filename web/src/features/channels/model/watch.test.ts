/** Tests that the settings of watched model lists change no other setting of a channel. */
import { expect, test } from "vitest";
import { openIn, watchOf, withWatch } from "./watch.ts";

const OFF = { isWatched: false, addsByItself: false, ignored: [] };

test.each([
  ["", OFF],
  ["{}", OFF],
  ['{"allow_speed":true,"upstream_model_update_check_enabled":true}', { ...OFF, isWatched: true }],
  ['{"upstream_model_update_ignored_models":["a",1]}', { ...OFF, ignored: ["a"] }],
  ["{", undefined],
  ["[]", undefined],
])("%s is read", (text, watch) => expect(watchOf(text)).toEqual(watch));

test("a change keeps the other settings, and nothing is left of what is off", () => {
  const on = withWatch('{"allow_speed":true}', { isWatched: true, addsByItself: true, ignored: ["regex:^x"] });
  expect(JSON.parse(on)).toEqual({
    allow_speed: true,
    upstream_model_update_check_enabled: true,
    upstream_model_update_auto_sync_enabled: true,
    upstream_model_update_ignored_models: ["regex:^x"],
  });
  expect(JSON.parse(withWatch(on, OFF))).toEqual({ allow_speed: true });
  expect(withWatch(withWatch("", { ...OFF, isWatched: true }), OFF)).toBe("");
});

test("what the form already has, took out or ignores is no longer open", () => {
  const found = { add_models: ["new", "taken", "ignored"], remove_models: ["gone", "out"] };
  expect(openIn(["taken", "gone"], ["ignored"], found)).toEqual({ added: ["new"], removed: ["gone"] });
});
