/** Tests of which calls a stopping server ends. */
import { expect, test } from "vitest";
import { RunningCalls } from "./open-calls.ts";

test("the calls that are under way are stopped, and no other", () => {
  const calls = new RunningCalls();
  const stopped: string[] = [];
  const add = (name: string) => calls.add({ stop: () => void stopped.push(name) });
  const first = add("first");
  add("second");
  calls.remove(first);
  add("third");
  calls.stopAll();
  expect(stopped.toSorted()).toEqual(["second", "third"]);
});

test("a call that ends while it is stopped takes no other with it", () => {
  const calls = new RunningCalls();
  const stopped: string[] = [];
  const place = calls.add({
    stop() {
      stopped.push("first");
      calls.remove(place);
    },
  });
  calls.add({ stop: () => void stopped.push("second") });
  calls.stopAll();
  calls.stopAll();
  expect(stopped).toEqual(["first", "second", "second"]);
});
