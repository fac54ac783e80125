/** Tests of versions: nothing is lost by asking again, by editing, or by looking at another version. */
import { expect, test } from "vitest";
import type { Message } from "./conversation.ts";
import { asVersionOf, countOf, switched, tailFrom, VERSIONS_MOST, withoutVersion } from "./versions.ts";

const message = (id: string, role: Message["role"] = "assistant"): Message => ({
  id,
  role,
  content: id,
  createAt: 1,
  status: "complete",
});
const ids = (thread: readonly Message[]) => thread.map(({ id }) => id).join(" ");
const shown = (thread: readonly Message[], id: string) => {
  const found = thread.find((each) => each.id === id);
  return found && `${(found.versions?.at ?? 0) + 1}/${countOf(found)}`;
};

const THREAD = [message("u1", "user"), message("a1"), message("u2", "user"), message("b1")];
/** The first answer is asked for twice more. */
const twice = [message("u1", "user"), asVersionOf(message("a2"), tailFrom(THREAD, "a1"))];
const thrice = [message("u1", "user"), asVersionOf(message("a3"), tailFrom(twice, "a2"))];

test("an answer asked for again is the newest of its versions, and each comes back with what followed it", () => {
  expect([ids(thrice), shown(thrice, "a3")]).toEqual(["u1 a3", "3/3"]);
  const first = switched(thrice, "a3", 0);
  expect([ids(first), shown(first, "a1")]).toEqual(["u1 a1 u2 b1", "1/3"]);
  const second = switched(first, "a1", 1);
  expect([ids(second), shown(second, "a2")]).toEqual(["u1 a2", "2/3"]);
  expect(switched(second, "a2", 2)).toEqual(thrice);
});

test("a version that is not there changes nothing", () => {
  expect(switched(thrice, "a3", 3)).toBe(thrice);
  expect(switched(THREAD, "gone", 0)).toBe(THREAD);
});

test("an edited question branches, with versions of answers within each branch", () => {
  const edited = asVersionOf(message("u1 again", "user"), thrice);
  expect(shown([edited], "u1 again")).toBe("2/2");
  expect(shown(switched([edited, message("c1")], "u1 again", 0), "a3")).toBe("3/3");
});

test("deleting a version shows the one before it, and the last one has no others", () => {
  const left = withoutVersion(thrice, "a3");
  expect([ids(left), shown(left, "a2")]).toEqual(["u1 a2", "2/2"]);
  const last = withoutVersion(left, "a2");
  expect(last).toEqual(THREAD);
});

test("versions are bounded", () => {
  let tail: readonly Message[] = [message("v0")];
  for (let index = 1; index < 40; index += 1) tail = [asVersionOf(message(`v${index}`), tail)];
  expect(countOf(tail[0] ?? message(""))).toBe(VERSIONS_MOST);
});
