/** Promises of the matrix of tests: each failure leads to the field that is likely wrong, to none where nothing is, and is said once. */
import { describe, expect, it } from "vitest";
import type { TestFailure } from "../../../../../contract/src/channels/channel-tests.ts";
import type { ProviderRow } from "../../../../../contract/src/channels/provider-row.ts";
import { failuresTogether, firstRows, isLimited, repairOf, rowsLeft } from "./test-matrix.ts";

const provider = { fields: [{ name: "base_url" }] } as unknown as ProviderRow;
const status = (code: number): TestFailure => ({ code: "upstream_status", values: { status: code, message: "no" } });
const other = (code: TestFailure["code"]): TestFailure => ({ code, values: {} });

describe("where a failure is repaired", () => {
  it.each([
    ["a refused key", status(401), ["key"], true],
    ["a forbidden key", status(403), ["key"], false],
    ["no such path", status(404), ["base_url", "models"], false],
    ["a refused connection", other("connect"), ["base_url"], true],
    ["an address that is not allowed", other("address_refused"), ["base_url"], true],
    ["another format", other("unreadable_answer"), ["base_url"], false],
    ["a kind that the provider lacks", other("operation_not_served"), ["models"], false],
    ["a limit", status(429), [], false],
    ["a fault of the upstream", status(500), [], false],
    ["no call of the tool", other("no_tool_call"), [], false],
  ])("%s", (_, failure, fields, concernsAll) => {
    expect(repairOf(failure, provider)).toEqual({ fields, concernsAll });
  });

  it("names no field that the form does not show", () => {
    expect(repairOf(other("connect"), undefined).fields).toEqual([]);
    expect(repairOf(status(404), undefined).fields).toEqual(["models"]);
  });

  it("says of a limit that it is one", () => {
    expect([isLimited(status(429)), isLimited(status(401)), isLimited(other("timeout"))]).toEqual([true, false, false]);
  });
});

it("begins with the test model and few others, and keeps of the chosen ones those that are left, up to the bound", () => {
  expect(firstRows({ models: ["a", "b", "c", "d"], test_model: "c" })).toEqual(["c", "a", "b"]);
  expect(firstRows({ models: [], test_model: " " })).toEqual([]);
  expect(rowsLeft(["a", "gone", "b"], ["b", "a"])).toEqual(["a", "b"]);
  const many = Array.from({ length: 30 }, (_, index) => `m${index}`);
  expect(rowsLeft(many, many)).toHaveLength(20);
});

it("says equal failures once, with all the tests that failed so", () => {
  const failed = [
    { text: "no", model: "a", kind: "plain" as const },
    { text: "other", model: "a", kind: "tools" as const },
    { text: "no", model: "b", kind: "plain" as const },
  ];
  expect(failuresTogether(failed).map(({ text, cells }) => [text, cells.length])).toEqual([
    ["no", 2],
    ["other", 1],
  ]);
});
