/** Fields inside tools, calls, results and settings of a request are not lost silently either. */
import { describe, test } from "vitest";
import { INNER } from "./inner-fields.ts";
import { expectNothingLost } from "./translation-fate.ts";

describe.each(INNER)("$from: $name", ({ from, request, samples }) => {
  test.each(Object.keys(samples).filter((field) => samples[field] !== undefined))("with %s", (field) => {
    expectNothingLost(from, request({}), request({ [field]: samples[field] }), /./);
  });
});
