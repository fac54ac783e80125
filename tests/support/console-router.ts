/** The router of the console outside of a browser, for tests of its addresses. */
import { vi } from "vitest";

/** The console's parts ask their window for the colour scheme as they load. */
const FAKE_WINDOW = { matchMedia: () => ({ matches: false, addEventListener: () => undefined }) };
vi.stubGlobal("window", FAKE_WINDOW);
const { createAppRouter } = await import("../../web/src/app/router.tsx");
vi.unstubAllGlobals();

export const router = createAppRouter();

/** The paths of the routes, as each declares it below its parent. @param parentId of the routes that stand right below this one alone */
export const routePaths = (parentId?: string): string[] =>
  Object.values(router.routesById).flatMap(({ options, parentRoute }) => {
    const path: unknown = "path" in options ? options.path : undefined;
    return typeof path === "string" && (parentId === undefined || parentRoute?.id === parentId) ? [path] : [];
  });
