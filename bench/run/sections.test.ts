/** Sections of the benchmark's document: writing one changes no other. */
import { expect, test } from "vitest";
import { sectionOf, withKept, withSection } from "./sections.ts";

test("a section takes the place of the one of its heading, and of nothing else", () => {
  const document = "# All\n\n## First\n\n1\n\n## Second\n\n2\n";
  expect(sectionOf(document, "## First")).toBe("## First\n\n1\n\n");
  expect(sectionOf(document, "## Third")).toBe("");
  expect(withSection(document, "## Second", "## Second\n\n$&\n")).toBe("# All\n\n## First\n\n1\n\n## Second\n\n$&\n");
  expect(withSection(document, "## Third", "## Third\n\n3\n")).toBe(`${document}\n## Third\n\n3\n`);
  expect(withSection(document, "## First", "## First\n\n0\n\n")).toBe("# All\n\n## First\n\n0\n\n## Second\n\n2\n");
});

test("a document that is written anew keeps the sections of other commands, where there are any", () => {
  const old = "# Old\n\n## First\n\n1\n\n## Second\n\n2\n";
  expect(withKept("# New\n", old, ["## Second", "## Third"])).toBe("# New\n\n## Second\n\n2\n");
});
